//===- StepWalk.h - Transfers beside the steps of a short phase -*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost. In a phase of a few steps it matters which of them
// waits for what: blocks are due at the same step, the first ones have nothing
// to hide behind, results need their place again. So its steps are walked one
// by one, with what passes each port meanwhile. Of longer phases sums are
// enough (Evaluator::Impl::aroundTransfers).
//
// A port carries what is due first, first. What comes later is never in the way
// of what is due, and nothing new comes while a step waits. So a step waits at
// each port for exactly what is due by then and has not passed.
//
// Toy example: steps of 10 cycles, a block that takes 15 for each, two slots.
// Step 0 waits 15, and begins when block 1 sets out, which has 10 of its cycles
// behind it when step 1 wants it: 5 more. Block 2 finds its slot free when step
// 0 ends; while step 1 waits it is not in the way.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_STEPWALK_H
#define TRANSFUSION_LIB_CORE_COST_STEPWALK_H

#include "PhaseCost.h"
#include "transfusion/Core/Cost/WalkedSteps.h"

namespace transfusion::core {

/// Ends of a walk, in cycles from the start of the phase.
struct WalkedSteps {
  bool done = false;       ///< else the phase is too long, or not of that kind
  bool storesAtEnd = true; ///< results leave the last stage only
  double firstStep = 0, lastStepEnd = 0, end = 0;
};

/// Of a phase that `compute` and `traffic` are of, in this order the last ones
/// that `scratch` was used for.
WalkedSteps walkSteps(const PhaseTile &tile, const Arch &a,
                      const PhaseCompute &compute, const PhaseTraffic &traffic,
                      Tally &tally, TileScratch &scratch);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_STEPWALK_H
