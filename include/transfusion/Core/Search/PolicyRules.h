//===- PolicyRules.h - How policies group and bind --------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Policy.h says in words, as the searches call it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_POLICYRULES_H
#define TRANSFUSION_CORE_SEARCH_POLICYRULES_H

#include "transfusion/Core/Search/FormGroups.h"
#include "transfusion/Core/Search/Policy.h"

namespace transfusion::core {

/// The component of attention that each Einsum belongs to, by EinsumId, -1:
/// none. Attention is two contractions whose operands share a batch-like rank,
/// what lies between them, and what only divides or merges their results.
std::vector<int32_t> attentionComponents(const Cascade &c, const Structure &s);

std::vector<GroupMembers> policyGroups(Policy policy, const Cascade &c,
                                       const Arch &a, const Structure &s,
                                       int64_t epochBytes, EpochSize size);

/// Slots of one phase under the policy (see solveBipartition).
PhasePipeline solveByPolicy(Policy policy, const Cascade &c, const Arch &a,
                            const Structure &s,
                            const std::vector<int32_t> &attention,
                            const PhaseMembers &members,
                            const std::vector<bool> &accumulating,
                            const Extents &inner);

/// One head per epoch of attention: FuseMax packs none.
bool oneHeadPerEpoch(Policy policy, const PhaseShape &shape);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_POLICYRULES_H
