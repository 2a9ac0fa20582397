//===- SplitInstances.h - One Einsum on several instances -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_SPLITINSTANCES_H
#define TRANSFUSION_LIB_CORE_SEARCH_SPLITINSTANCES_H

#include "PhaseProblem.h"

namespace transfusion::core {

/// The node's slot, split over the instances of `u` along ranks of its result
/// such that it takes the fewest cycles; where several do, along heads before
/// rows before others. As it is where there is one instance, or nothing gained.
Slot splitOverInstances(const Cascade &c, const Unit &u, const PhaseNode &node,
                        RankId head, const Extents &inner);

/// Cycles of that, -1: unsupported.
int64_t cyclesOn(const Cascade &c, const Unit &u, const PhaseNode &node,
                 RankId head, const Extents &inner);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_SPLITINSTANCES_H
