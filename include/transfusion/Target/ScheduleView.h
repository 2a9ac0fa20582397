//===- ScheduleView.h - What the schedule outputs are made of ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TARGET_SCHEDULEVIEW_H
#define TRANSFUSION_TARGET_SCHEDULEVIEW_H

#include "transfusion/Bridge/Unscheduled.h"
#include "transfusion/Core/Model/Plan.h"

namespace transfusion {

/// How a schedule came about: recorded, since it cannot be derived.
struct SearchRecord {
  std::string policy, strategy, objective;
  uint64_t seed = 0;
  int64_t evaluations = 0;
};

/// A schedule with all that it refers to. Holds references: the caller keeps
/// the objects alive.
struct ScheduleView {
  std::string name; ///< of the schedule
  const core::Cascade &cascade;
  const core::Arch &arch;
  const core::Schedule &schedule;
  const core::Plan &plan;
  SearchRecord search;
  /// Ops of the function that the schedule does not cover: no number in any
  /// output counts them.
  std::vector<UnscheduledOp> unscheduled = {};
};

/// "g2", "g2.p1": how outputs name groups and phases.
std::string groupName(int32_t group);
std::string phaseName(int32_t group, int32_t phase);

} // namespace transfusion

#endif // TRANSFUSION_TARGET_SCHEDULEVIEW_H
