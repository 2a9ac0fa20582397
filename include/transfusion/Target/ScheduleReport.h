//===- ScheduleReport.h - The truth about a schedule ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TARGET_SCHEDULEREPORT_H
#define TRANSFUSION_TARGET_SCHEDULEREPORT_H

#include "transfusion/Core/Cost/EnergyAccount.h"
#include "transfusion/Core/Cost/Limits.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Target/ScheduleView.h"

namespace llvm {
class raw_ostream;
}

namespace transfusion {

struct ReportNumbers {
  const core::CostReport &cost;
  const core::LowerBound &bound;
  std::vector<core::LowerBound> groupBounds; ///< by group
  /// Rules that the schedule was checked against, all of them held.
  int64_t rulesChecked = 0;
  const core::CostDetail &detail;
  core::EnergyAccount energy;
  core::LayerLimits limits;
};

/// latency / bound - 1; 0 where there is no bound.
double gapOf(const ReportNumbers &numbers);

void writeReportText(const ScheduleView &view, const ReportNumbers &numbers,
                     llvm::raw_ostream &os);
void writeReportJson(const ScheduleView &view, const ReportNumbers &numbers,
                     llvm::raw_ostream &os);

} // namespace transfusion

#endif // TRANSFUSION_TARGET_SCHEDULEREPORT_H
