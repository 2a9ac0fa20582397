//===- Walker.h - The loops of Plan.h, run literally ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An oracle for evaluate(): outer tile by outer tile, step by step, point by
// point. Slow, and as plain as it can be.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_COST_WALKER_H
#define TRANSFUSION_UNITTESTS_CORE_COST_WALKER_H

#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Cost/WalkedSteps.h"

namespace transfusion::core::test {

struct WalkedPhase {
  int64_t epochs = 0, computeCycles = 0;
  /// Of these: in steps before the last stage has had an epoch, and after the
  /// first has had its last.
  int64_t fillCycles = 0, drainCycles = 0;
  double exposedCycles = 0, latencyCycles = 0;
  std::vector<int64_t> unitBusyCycles;
};

struct Walked {
  double latencyCycles = 0, arithmeticPj = 0;
  std::vector<int64_t> readBytes, writeBytes, unitBusyCycles;
  std::vector<double> laneCycles;
  std::vector<std::vector<WalkedPhase>> phases; ///< by group, phase
  // What the case exercised.
  bool ragged = false, refetched = false, accumulated = false, skipped = false;
  bool waitsForRows = false, split = false;
  int64_t shortPhases = 0, longPhases = 0; ///< with a timeline, and without
};

Walked walk(const Cascade &c, const Arch &a, const Schedule &s, const Plan &p);

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_COST_WALKER_H
