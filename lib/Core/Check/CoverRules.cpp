//===- CoverRules.cpp - Rules S26, S27: what is read was made on chip -----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one group makes and reads stays on chip, a tile (between phases) or an
// epoch (within one) at a time. Along each dimension the reader must therefore
// stay within the piece that its maker has just made: the loops that cut the
// piece must move both alike, and the rest of the reader's interval must lie in
// the rest of the maker's.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {

struct CoverChecker {
  const View &v;
  Sink &sink;

  void read(const Read &r);

private:
  /// Empty when covered, else what is wrong.
  std::string dimension(const LinearExpr &made, const LinearExpr &read,
                        int32_t g, int32_t p, bool samePhase) const;
};

std::string CoverChecker::dimension(const LinearExpr &made,
                                    const LinearExpr &read, int32_t g,
                                    int32_t p, bool samePhase) const {
  auto cut = [&](RankId r) {
    return v.tiled(g, r) || (samePhase && v.cuts[g][p][r].trips > 1);
  };
  auto coefficient = [](const LinearExpr &e, RankId r) {
    for (const auto &t : e.terms)
      if (t.first == r)
        return t.second;
    return int64_t{0};
  };
  Interval rest[2] = {{made.constant, made.constant},
                      {read.constant, read.constant}};
  std::string moved;
  const LinearExpr *sides[2] = {&made, &read};
  for (int i = 0; i < 2; ++i)
    for (const auto &[rank, k] : sides[i]->terms) {
      if (k == coefficient(*sides[1 - i], rank))
        continue; // moves both alike
      if (cut(rank))
        return "rank " + quoted(v.c.ranks[rank].name) +
               " moves the piece that is " + (i ? "read" : "made") +
               ", but not the one that is " + (i ? "made" : "read");
      __int128 span = static_cast<__int128>(k) * (v.c.ranks[rank].extent - 1);
      (span < 0 ? rest[i].lo : rest[i].hi) += span;
    }
  if (rest[1].lo >= rest[0].lo && rest[1].hi <= rest[0].hi)
    return "";
  // Where no loop cuts, C15 has shown that the whole is covered.
  bool anyCut = false;
  for (const LinearExpr *side : sides)
    for (const auto &t : side->terms)
      anyCut |= cut(t.first);
  if (!anyCut)
    return "";
  return "it is read from " + num(static_cast<int64_t>(rest[1].lo)) + " to " +
         num(static_cast<int64_t>(rest[1].hi)) +
         " beside the piece's start, but made from " +
         num(static_cast<int64_t>(rest[0].lo)) + " to " +
         num(static_cast<int64_t>(rest[0].hi));
}

/// S26 between phases, S27 within one.
void CoverChecker::read(const Read &r) {
  const Tensor &t = v.c.tensors[r.tensor];
  Place made = v.madeAt(r.tensor), at = v.readAt(r);
  if (!made.exists() || !at.exists() || made.group != at.group ||
      made.phase > at.phase)
    return;
  bool samePhase = made.phase == at.phase;
  const Access &makes = v.c.einsums[t.producer].result.access;
  for (size_t d = 0; d < makes.size(); ++d) {
    if (static_cast<int32_t>(d) == t.iterativeDim)
      continue; // S23, S24
    std::string wrong =
        dimension(makes[d], (*r.access)[d], made.group, made.phase, samePhase);
    if (wrong.empty())
      continue;
    Violation &x = sink.add(
        samePhase ? "S27" : "S26",
        quoted(v.c.einsums[r.reader].name) + " reads more of " +
            quoted(t.name) + " than the " + (samePhase ? "epoch" : "tile") +
            " made in " + phaseText(made.group, made.phase) +
            " holds along dimension " + num(static_cast<int64_t>(d)),
        samePhase
            ? "let an epoch hold all of the rank, or read it in a later phase"
            : "tile all of the rank, or make the tensor in an earlier group");
    Sink::term(x, wrong);
    x.einsum = r.reader;
    x.group = at.group;
    x.phase = at.phase;
    return;
  }
}

} // namespace

void check::checkCoverage(const View &v, Sink &sink) {
  CoverChecker checker{v, sink};
  for (const Read &r : v.reads)
    checker.read(r);
}
