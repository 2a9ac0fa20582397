//===- SplitInstances.cpp - One Einsum on several instances ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank by rank, the one that gains most first. What a rank leaves of the
// instances, because it has fewer points, is for the next one.
//
//===----------------------------------------------------------------------===//

#include "SplitInstances.h"

#include <algorithm>

namespace transfusion::core {

/// Heads, rows, then the others by their place in the result.
static std::vector<RankId> candidates(const Cascade &c, const PhaseNode &node,
                                      RankId head, const Extents &inner) {
  const EinsumId e = node.slot.einsum;
  std::vector<RankId> ranks;
  auto add = [&](RankId r) {
    if (r >= 0 && c.einsums[e].hasRank(r) && !isReducedRank(c, e, r) &&
        !c.ranks[r].iterative && inner[r] > 1 && !has(ranks, r))
      ranks.push_back(r);
  };
  add(head);
  for (RankId r : node.slot.rows)
    add(r);
  for (RankId r : c.einsums[e].ranks)
    add(r);
  return ranks;
}

Slot splitOverInstances(const Cascade &c, const Unit &u, const PhaseNode &node,
                        RankId head, const Extents &inner) {
  Slot slot = node.slot;
  if (u.instances <= 1)
    return slot;
  const std::vector<RankId> ranks = candidates(c, node, head, inner);
  auto cyclesOf = [&](const Slot &s) {
    return slotCycles(c, u, s, node.accumulates, inner);
  };
  int64_t left = u.instances, least = cyclesOf(slot);
  while (left > 1) {
    Slot best = slot;
    for (RankId r : ranks) {
      bool isSplit = false;
      for (const InstancePart &part : slot.instances)
        isSplit |= part.rank == r;
      if (isSplit)
        continue;
      Slot next = slot;
      const int64_t parts = std::min(left, inner[r]);
      next.instances.push_back({r, (inner[r] + parts - 1) / parts});
      if (const int64_t cycles = cyclesOf(next); cycles < least) {
        least = cycles;
        best = std::move(next);
      }
    }
    if (best.instances.size() == slot.instances.size())
      break;
    slot = std::move(best);
    left /= slot.instances.back().parts(inner[slot.instances.back().rank]);
  }
  return slot;
}

int64_t cyclesOn(const Cascade &c, const Unit &u, const PhaseNode &node,
                 RankId head, const Extents &inner) {
  return slotCycles(c, u, splitOverInstances(c, u, node, head, inner),
                    node.accumulates, inner);
}

} // namespace transfusion::core
