//===- WalkedSteps.h - How long a phase is walked ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_WALKEDSTEPS_H
#define TRANSFUSION_CORE_COST_WALKEDSTEPS_H

#include <cstdint>

namespace transfusion::core {

/// The steps of a pipeline, in an outer tile, up to which evaluate() walks its
/// transfers beside them, one step after another. Longer ones, those with wrap
/// or more than two stages, and those that skip are summed.
inline constexpr int64_t kWalkedSteps = 64;

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_WALKEDSTEPS_H
