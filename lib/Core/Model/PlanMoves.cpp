//===- PlanMoves.cpp - Transfers that run in another phase ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include <algorithm>

namespace transfusion::core {

int32_t PlanBuilder::prefetchAhead(int32_t g, int32_t p, TensorId t) const {
  for (const Prefetch &f : s.groups[g].phases[p].prefetch)
    if (f.tensor == t)
      return f.ahead;
  return 0;
}

int32_t PlanBuilder::deferredBy(int32_t g, int32_t p, TensorId t) const {
  for (const Defer &d : s.groups[g].phases[p].defer)
    if (d.tensor == t)
      return d.by;
  return 0;
}

/// Transfers that were moved to another phase: there is such a transfer, and
/// its buffer is free again before it is needed for the next outer tile.
void PlanBuilder::checkMoves(int32_t g) {
  const int32_t phases = static_cast<int32_t>(s.groups[g].phases.size());
  auto nameOf = [&](TensorId t) {
    return t >= 0 && static_cast<size_t>(t) < c.tensors.size()
               ? c.tensors[t].name
               : std::string("a tensor that does not exist");
  };
  for (int32_t p = 0; p < phases; ++p) {
    auto check = [&](TensorId t, int32_t distance, bool isLoad) {
      bool moved = false;
      for (const Buffer &b : plan.buffers)
        moved |= b.group == g && b.phase == p && b.tensor == t &&
                 (isLoad ? b.prefetchAhead : b.storeDelay) > 0;
      const std::string what =
          where(g, p) + (isLoad ? " prefetches " : " defers ") + nameOf(t);
      if (distance < 1)
        fault(what + " by " + std::to_string(distance) + " phases");
      else if (!moved)
        fault(what + (isLoad ? ", which it is not the first to load"
                             : ", which it does not make for others"));
    };
    for (const Prefetch &f : s.groups[g].phases[p].prefetch)
      check(f.tensor, f.ahead, true);
    for (const Defer &d : s.groups[g].phases[p].defer)
      check(d.tensor, d.by, false);
  }
  for (const Buffer &b : plan.buffers) {
    if (b.group != g || (b.prefetchAhead <= 0 && b.storeDelay <= 0))
      continue;
    if (int64_t(b.lastPhase) - b.firstPhase >= phases)
      fault("buffer " + b.name +
            " is needed for the next outer tile while it is still in use");
    if (b.outer != 0)
      fault("buffer " + b.name +
            " is moved in another phase, which is for tensors of the "
            "outermost memory alone");
  }
}

} // namespace transfusion::core
