//===- StepTimes.h - Remembered timings of pipeline steps -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search asks for the same few steps over and over: tiles change how often a
// step occurs, seldom what is in it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_STEPTIMES_H
#define TRANSFUSION_LIB_CORE_COST_STEPTIMES_H

#include "transfusion/Core/Cost/Timing.h"
#include "transfusion/Core/Model/Plan.h"

#include <map>

namespace transfusion::core {

struct StepTime {
  int64_t ii = 0, fill = 0, drain = 0;
};

/// Timings of one phase: of its runs, order and inner tiles, whatever its tiles
/// and blocks are.
class PhaseTimes {
public:
  PhaseTimes(const Cascade &c, const Arch &a, const Phase &p,
             const PhasePlan &plan);

  /// perStage[s]: the inner tile that stage s works on, null when idle.
  const StepTime &step(const std::vector<const Extents *> &perStage);
  /// Cycles of every slot of the plan (-1: unsupported).
  const std::vector<int64_t> &slots(const Extents &inner);

  /// What timePhase finds wrong with a full step.
  std::vector<std::string> violations;

private:
  void appendKey(const Extents &inner);

  const Cascade &c;
  const Arch &a;
  Phase phase;
  std::vector<PlannedSlot> planned;
  std::vector<RankId> ranks; ///< that some slot has
  using Key = std::vector<int64_t>;
  Key key; ///< scratch
  std::map<Key, StepTime> steps;
  std::map<Key, std::vector<int64_t>> slotTimes;
};

/// Phases by content.
class StepTimes {
public:
  StepTimes(const Cascade &c, const Arch &a) : c(c), a(a) {}
  PhaseTimes &phase(const Phase &p, const PhasePlan &plan);

private:
  const Cascade &c;
  const Arch &a;
  std::vector<int64_t> key; ///< scratch
  std::map<std::vector<int64_t>, PhaseTimes> phases;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_STEPTIMES_H
