//===- RecurrenceBound.cpp - Slices that wait for each other --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A circle of dependences that advances an iterative rank by one slice takes, a
// slice, the sum of what its Einsums take for one point each: none starts
// before the one before it has ended. Circles with several such steps are not
// looked at, which only makes the bound weaker, and neither are Einsums with a
// domain, whose slices need not all exist.
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/LowerBound.h"

#include <algorithm>

namespace transfusion::core {

/// Cycles of one point on the unit that needs fewest.
static double pointCycles(const Arch &a, const Einsum &e) {
  int64_t least = -1;
  for (const Unit &u : a.units) {
    const int64_t cycles = cyclesPerPoint(u, e.pointOps);
    if (cycles >= 0 && (least < 0 || cycles < least))
      least = cycles;
  }
  return double(std::max<int64_t>(least, 0));
}

double recurrenceBoundCycles(const Cascade &c, const Arch &a,
                             const std::vector<EinsumId> &einsums) {
  std::vector<double> cycles(c.einsums.size(), -1); // -1: not in the set
  for (EinsumId e : einsums)
    if (c.einsums[e].domain.empty())
      cycles[e] = pointCycles(a, c.einsums[e]);
  std::vector<Dependence> within;
  for (const Dependence &d : dependences(c))
    if (cycles[d.from] >= 0 && cycles[d.to] >= 0 && !d.atEnd)
      within.push_back(d);
  double bound = 0;
  for (const Dependence &back : within) {
    if (back.distance != 1)
      continue;
    const RankId rank = c.tensors[back.tensor].iterativeRank;
    bool cut = rank < 0; // then steps of it may be left out
    for (const Einsum &e : c.einsums)
      for (const Constraint &constraint : e.domain)
        cut = cut || constraint.expr.uses(rank);
    if (cut)
      continue;
    // Longest way from the reader of the last slice to what makes this one.
    std::vector<double> end(c.einsums.size(), -1);
    end[back.to] = cycles[back.to];
    for (size_t round = 0; round < einsums.size(); ++round) {
      bool changed = false;
      for (const Dependence &d : within) {
        if (d.distance != 0 || end[d.from] < 0 ||
            !c.einsums[d.to].hasRank(rank) ||
            end[d.from] + cycles[d.to] <= end[d.to])
          continue;
        end[d.to] = end[d.from] + cycles[d.to];
        changed = true;
      }
      if (!changed)
        break;
    }
    if (end[back.from] >= 0)
      bound = std::max(bound, double(c.ranks[rank].extent) * end[back.from]);
  }
  return bound;
}

} // namespace transfusion::core
