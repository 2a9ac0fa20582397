//===- SolveSlots.h - Slots of phases, solved once per size -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase's pipeline depends on its members and on the extents of its epoch
// alone, so a tile search solves it a handful of times.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_SOLVESLOTS_H
#define TRANSFUSION_CORE_SEARCH_SOLVESLOTS_H

#include "transfusion/Core/Search/PolicyRules.h"

#include <map>

namespace transfusion::core {

PhasePipeline solvePhase(const Cascade &c, const Arch &a, const Structure &s,
                         const PhaseMembers &members,
                         const std::vector<bool> &accumulating,
                         const Extents &inner);

/// Einsums that have slots in `p`, in canonical order.
PhaseMembers membersOf(const Structure &s, const Phase &p);

/// Extents of a full epoch, by RankId.
Extents innerExtents(const Cascade &c, const Group &g, const Phase &p);

class SlotSolver {
public:
  SlotSolver(const Cascade &c, const Arch &a,
             Policy policy = Policy::TransFusion)
      : c(c), a(a), policy(policy), structure(analyse(c)),
        attention(attentionComponents(c, structure)) {}
  /// Rewrites the runs of `p`. No runs: some Einsum has no unit.
  const PhasePipeline &solve(const Group &g, Phase &p);

  const Structure &analysis() const { return structure; }
  Policy policyOf() const { return policy; }

private:
  using Key = std::pair<std::vector<EinsumId>, std::vector<int64_t>>;
  const Cascade &c;
  const Arch &a;
  const Policy policy;
  const Structure structure;
  const std::vector<int32_t> attention;
  std::map<Key, PhasePipeline> solved;
};

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_SOLVESLOTS_H
