//===- SkipSteps.h - Which phases leave out empty steps ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. A phase that skips runs fewer steps, but its
// pipeline fills and drains once for every row: with a step or two for a row
// that may cost more than it saves.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_SKIPSTEPS_H
#define TRANSFUSION_LIB_CORE_SEARCH_SKIPSTEPS_H

#include "transfusion/Core/Model/Plan.h"

namespace transfusion::core {

/// Sets `skip` of every phase that may skip and takes less time to compute
/// then, and clears it elsewhere. Slots must be solved.
void chooseSkips(const Cascade &c, const Arch &a, Schedule &s);

/// About which share of its epochs a phase that skips runs.
double activeShare(const Cascade &c, const PhasePlan &phase);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_SKIPSTEPS_H
