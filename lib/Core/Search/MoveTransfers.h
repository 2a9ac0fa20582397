//===- MoveTransfers.h - Which transfers to prefetch and defer --*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. Given tiles, blocks and retention, a phase's
// first pieces and results are moved beside phases whose compute time exceeds
// their memory time, the largest first, each to where it costs least. The sums
// are those of evaluate() per average outer tile; the result is costed like any
// other schedule and kept only when it is better.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_MOVETRANSFERS_H
#define TRANSFUSION_LIB_CORE_SEARCH_MOVETRANSFERS_H

#include "transfusion/Core/Cost/Evaluate.h"

namespace transfusion::core {

/// Adds prefetch and defer to group `g` of `s`, whose plan and cost without any
/// are given. False: nothing to gain.
bool moveTransfers(const Cascade &c, const Arch &a, Schedule &s, int32_t g,
                   const Plan &plan, const CostReport &cost,
                   int64_t capacityBytes);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_MOVETRANSFERS_H
