//===- Reads.cpp - Who reads what, recomputed for the checker -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reads.h"

using namespace transfusion::core;
using namespace transfusion::core::check;

static ReadKind kindOf(const Cascade &c, const Tensor &t,
                       const Access &access) {
  if (t.iterativeDim < 0 || t.producer < 0)
    return ReadKind::Plain;
  const LinearExpr &e = access[t.iterativeDim];
  if (e.terms.empty())
    return e.constant == c.ranks[t.iterativeRank].extent ? ReadKind::Last
                                                         : ReadKind::History;
  // The producer defines slice r + 1 in the epoch of r (C13).
  if (e.terms.size() == 1 && e.terms[0].first == t.iterativeRank &&
      e.terms[0].second == 1) {
    if (e.constant == 1)
      return ReadKind::Plain;
    if (e.constant == 0)
      return ReadKind::Previous;
  }
  return ReadKind::History;
}

std::vector<Read> check::allReads(const Cascade &c) {
  std::vector<Read> reads;
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
    for (bool finish : {false, true}) {
      const auto &operands =
          finish ? c.einsums[e].finishInputs : c.einsums[e].inputs;
      for (size_t i = 0; i < operands.size(); ++i) {
        const Operand &o = operands[i];
        reads.push_back({e, finish, static_cast<int32_t>(i), o.tensor,
                         kindOf(c, c.tensors[o.tensor], o.access), &o.access});
      }
    }
  return reads;
}

Interval check::rangeOf(const LinearExpr &e,
                        const std::vector<int64_t> &extents) {
  Interval range{e.constant, e.constant};
  for (const auto &[rank, coefficient] : e.terms) {
    __int128 span = static_cast<__int128>(coefficient) * (extents[rank] - 1);
    (span < 0 ? range.lo : range.hi) += span;
  }
  return range;
}

std::vector<int64_t> check::rankExtents(const Cascade &c) {
  std::vector<int64_t> extents;
  for (const Rank &r : c.ranks)
    extents.push_back(r.extent);
  return extents;
}
