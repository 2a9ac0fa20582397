//===- SlotTouches.cpp - Values that a slot reads and writes --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotTouches.h"

#include "transfusion/Core/Model/Footprint.h"
#include "transfusion/Core/Model/Projection.h"

#include <algorithm>

namespace transfusion::core {

static bool uses(const std::vector<Constraint> &where, RankId r) {
  for (const Constraint &k : where)
    if (k.expr.uses(r))
      return true;
  return false;
}

static LinearExpr term(RankId r, int64_t coefficient, int64_t constant) {
  LinearExpr x;
  x.terms.push_back({r, coefficient});
  x.constant = constant;
  return x;
}

/// An empty reduction yields the operator's identity, so only what constrains
/// result ranks alone takes results away.
std::vector<Constraint> SlotTouches::onResult(EinsumId e) const {
  std::vector<Constraint> where;
  for (const Constraint &k : c.einsums[e].domain) {
    bool kept = true;
    for (const auto &t : k.expr.terms)
      kept &= !isReducedRank(c, e, t.first);
    if (kept)
      where.push_back(k);
  }
  return where;
}

int64_t SlotTouches::partsIn(RankId r, const PieceCut &cut) {
  const int64_t pieces = cut.pieces(), points = partOf(r);
  if (points == 0)
    return pieces;
  auto parts = [&](int64_t extent) { return (extent - 1) / points + 1; };
  const int64_t last = cut.total - (pieces - 1) * cut.piece;
  return tally.add(tally.mul(pieces - 1, parts(std::min(cut.piece, cut.total))),
                   parts(last));
}

int64_t SlotTouches::touched(const Operand &o,
                             const std::vector<PieceCut> &cuts) {
  return parts->empty() ? tally.count(touchedInAllPieces(
                              c, o.access, c.tensors[o.tensor].shape, cuts))
                        : touchedInParts(o, cuts, 0);
}

/// Only a halo reads in two parts what it reads once in both together.
int64_t SlotTouches::touchedInParts(const Operand &o,
                                    std::vector<PieceCut> cuts, size_t next) {
  if (next == parts->size())
    return tally.count(
        touchedInAllPieces(c, o.access, c.tensors[o.tensor].shape, cuts));
  const InstancePart &part = (*parts)[next];
  bool overlaps = false;
  for (const LinearExpr &expr : o.access)
    overlaps |= expr.uses(part.rank) && !isDigits(c, expr);
  const PieceCut whole = cuts[part.rank];
  if (!overlaps)
    return touchedInParts(o, std::move(cuts), next + 1);
  cuts[part.rank].piece = part.points;
  if (whole.pieces() == 1 || whole.piece % part.points == 0)
    return touchedInParts(o, std::move(cuts), next + 1);
  int64_t sum = 0; // parts start anew in each piece
  for (int64_t at = 0; at < whole.total; at += whole.piece) {
    cuts[part.rank] = {whole.begin + at,
                       std::min(whole.piece, whole.total - at), part.points};
    sum = tally.add(sum, touchedInParts(o, cuts, next + 1));
  }
  return sum;
}

int64_t SlotTouches::repeats(const Access &access,
                             const std::vector<Constraint> &where,
                             const std::vector<PieceCut> &cuts) {
  int64_t n = 1;
  const RankSet own = rankSet(access);
  for (RankId r : tile.decision().order)
    if (!own.has(access, r) && !uses(where, r) && partOf(r) == 0)
      n = tally.mul(n, &cuts == &innerCuts ? innerPieces[r] : cuts[r].pieces());
  for (const InstancePart &part : *parts)
    if (!own.has(access, part.rank) && !uses(where, part.rank))
      n = tally.mul(n, partsIn(part.rank, cuts[part.rank]));
  return n;
}

int64_t SlotTouches::inRuns(const Operand &o, const StepRuns &runs,
                            bool notFirst) {
  const RankId steps = tile.planned().active.rank;
  int64_t values = 0;
  for (const EpochSet &set : runs.epochs) {
    int64_t n = notFirst ? set.times - set.firsts : set.times;
    for (const InstancePart &part : *parts)
      if (!usesRank(o.access, part.rank) && runs.isRow(part.rank))
        n = tally.mul(n, partsIn(part.rank, set.cuts[part.rank]));
    values = tally.add(values, tally.mul(touched(o, set.cuts), n));
  }
  int64_t n = 1;
  for (RankId r : tile.decision().order)
    if (!usesRank(o.access, r) && !runs.isRow(r) && r != steps &&
        partOf(r) == 0)
      n = tally.mul(n, innerCuts[r].pieces());
  for (const InstancePart &part : *parts)
    if (!usesRank(o.access, part.rank) && !runs.isRow(part.rank) &&
        part.rank != steps)
      n = tally.mul(n, partsIn(part.rank, innerCuts[part.rank]));
  return tally.mul(values, n);
}

/// Takes `r` out of `where`: what holds for some of its values.
static void eliminateRank(std::vector<Constraint> &where, RankId r) {
  std::vector<Constraint> left;
  for (const Constraint &x : where) {
    if (!x.expr.uses(r)) {
      if (!contains(left, x))
        left.push_back(x);
      continue;
    }
    if (coefficientOf(x.expr, r) < 0)
      continue;
    for (const Constraint &y : where) {
      Constraint implied;
      if (coefficientOf(y.expr, r) < 0 &&
          eliminate(x.expr, y.expr, r, implied.expr) &&
          !(implied.expr.terms.empty() && implied.expr.constant >= 0) &&
          !contains(left, implied))
        left.push_back(std::move(implied));
    }
  }
  where = std::move(left);
}

/// How far the coefficients of `r` are from 1, by which elimination is exact.
static int64_t weightOf(const std::vector<Constraint> &where, RankId r) {
  int64_t weight = 0;
  for (const Constraint &k : where)
    weight = std::max(weight, std::abs(coefficientOf(k.expr, r)));
  return weight;
}

int64_t SlotTouches::inDomain(const Operand &o,
                              const std::vector<PieceCut> &cuts,
                              std::vector<Constraint> where) {
  const std::vector<Constraint> domain = where;
  const RankId rankCount = static_cast<RankId>(cuts.size());
  std::vector<RankId> axes, gone;
  std::vector<Span> spans;
  int64_t n = repeats(o.access, domain, cuts);
  for (RankId r = 0; r < rankCount; ++r) {
    const PieceCut &cut = cuts[r];
    const bool read = usesRank(o.access, r);
    if (!uses(domain, r)) {
      if (read)
        n = tally.mul(n, cut.total);
      continue;
    }
    if (read) {
      axes.push_back(r);
      spans.push_back({cut.begin, cut.total});
      continue;
    }
    gone.push_back(r);
    where.push_back({term(r, 1, -cut.begin)});
    where.push_back({term(r, -1, cut.begin + cut.total - 1)});
    Constraint from{term(r, 1, -cut.begin)},
        to{term(r, -1, cut.begin + cut.piece - 1)};
    if (cut.pieces() > 1) {
      const RankId piece = rankCount + r; // which one
      axes.push_back(piece);
      spans.push_back({0, cut.pieces()});
      from.expr.terms.push_back({piece, -cut.piece});
      to.expr.terms.push_back({piece, cut.piece});
      where.push_back(from);
      where.push_back(to);
    }
    const int64_t points = partOf(r);
    if (points == 0 || points >= cut.piece)
      continue;
    const RankId instance = 2 * rankCount + r; // within the piece
    axes.push_back(instance);
    spans.push_back({0, (cut.piece - 1) / points + 1});
    from.expr.terms.push_back({instance, -points});
    to.expr.constant += points - cut.piece;
    to.expr.terms.push_back({instance, points});
    where.push_back(std::move(from));
    where.push_back(std::move(to));
  }
  while (!gone.empty()) {
    const auto next =
        std::min_element(gone.begin(), gone.end(), [&](RankId x, RankId y) {
          return weightOf(where, x) < weightOf(where, y);
        });
    eliminateRank(where, *next);
    gone.erase(next);
  }
  // Where nothing is left to count the constraints are constants.
  for (const Constraint &k : where)
    if (k.expr.terms.empty() && k.expr.constant < 0)
      return 0;
  return tally.mul(n, tally.count(countPoints(axes, spans, where)));
}

int64_t SlotTouches::inEpochs(EinsumId e, const Operand &o,
                              const std::vector<PieceCut> &cuts,
                              const StepRuns *runs, bool notFirst,
                              const std::vector<Constraint> &where) {
  const std::vector<int64_t> &shape = c.tensors[o.tensor].shape;
  // Of a phase that skips, points exist in steps that run only; where some of
  // the domain does not matter, every step that runs is counted as it is.
  const bool cut = !where.empty() && namesEveryValue(c, o.access) &&
                   (!runs || where.size() == c.einsums[e].domain.size());
  if (runs && !cut)
    return inRuns(o, *runs, notFirst);
  if (!cut)
    return tally.mul(touched(o, cuts), repeats(o.access, {}, cuts));
  std::vector<Constraint> all = where;
  for (size_t d = 0; d < o.access.size(); ++d) { // coordinates that exist
    LinearExpr most = o.access[d];
    for (auto &t : most.terms)
      t.second = -t.second;
    most.constant = shape[d] - 1 - most.constant;
    std::vector<Span> box;
    for (const PieceCut &piece : cuts)
      box.push_back({piece.begin, piece.total});
    if (!reachesOut(o.access[d], shape[d], box))
      continue;
    all.push_back({o.access[d]});
    all.push_back({std::move(most)});
  }
  return inDomain(o, cuts, std::move(all));
}

int64_t SlotTouches::input(EinsumId e, const Operand &o, int32_t distance,
                           bool inFinish) {
  std::vector<Constraint> where = inFinish ? onResult(e) : c.einsums[e].domain;
  const Tensor &t = c.tensors[o.tensor];
  // The slice before the first is a constant: nobody reads it.
  const bool recurs = t.iterativeDim >= 0 && t.producer >= 0;
  if (!recurs || runs)
    return inEpochs(e, o, innerCuts, runs, recurs && distance > 0, where);
  const LinearExpr &slice = o.access[t.iterativeDim];
  if (where.empty() && slice.terms.size() == 1 &&
      slice.terms.front().second == 1) {
    PieceCut first = innerCuts[slice.terms.front().first];
    const int64_t missing = 1 - slice.constant - first.begin;
    if (missing <= 0)
      return inEpochs(e, o, innerCuts, nullptr, false, where);
    if (missing >= first.total)
      return 0;
    some = innerCuts;
    PieceCut &rest = some[slice.terms.front().first];
    rest.begin += missing;
    rest.total -= missing;
    return inEpochs(e, o, some, nullptr, false, where);
  }
  if (slice.terms.empty())
    return slice.constant > 0 ? inEpochs(e, o, innerCuts, nullptr, false, where)
                              : 0;
  where.push_back({slice});
  --where.back().expr.constant;
  return inEpochs(e, o, innerCuts, nullptr, false, where);
}

int64_t SlotTouches::resultIn(EinsumId e, const std::vector<PieceCut> &cuts,
                              const StepRuns *ofRuns) {
  return inEpochs(e, c.einsums[e].result, cuts, ofRuns, false, onResult(e));
}

int64_t SlotTouches::resultIn(EinsumId e, const std::vector<Span> &box) {
  some.clear();
  for (const Span &span : box)
    some.push_back({span.begin, span.extent, span.extent});
  return resultIn(e, some, nullptr);
}

int64_t SlotTouches::lastSlice(EinsumId e) {
  const TensorId tensor = c.einsums[e].result.tensor;
  some = innerCuts;
  PieceCut &cut = some[c.tensors[tensor].iterativeRank];
  cut = {cut.begin + cut.total - 1, 1, 1};
  return inEpochs(e, c.einsums[e].result, some, nullptr, false,
                  runs ? std::vector<Constraint>() : onResult(e));
}

int64_t SlotTouches::sums(EinsumId e) {
  const int64_t all = result(e);
  some = innerCuts;
  for (RankId r : c.einsums[e].ranks)
    if (isReducedRank(c, e, r))
      some[r].total = std::min(some[r].piece, some[r].total);
  if (!runs)
    return all - resultIn(e, some, nullptr);
  const StepRuns firsts = stepRuns(tile.planned().active, some, /*idle=*/true);
  return all - resultIn(e, some, &firsts);
}

} // namespace transfusion::core
