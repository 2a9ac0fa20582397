//===- ScheduleJson.h - The hardware-level schedule as a file ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who does what at which cycle, with addresses and transfers: enough to execute
// the schedule and nothing else. Loop nests stay loops: each phase has one
// prologue, steady and epilogue body. docs/schemas/schedule-v1.schema.json says
// what every key means.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TARGET_SCHEDULEJSON_H
#define TRANSFUSION_TARGET_SCHEDULEJSON_H

#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Target/ScheduleView.h"

namespace llvm {
class raw_ostream;
}

namespace transfusion {

inline constexpr int kScheduleSchemaVersion = 1;

/// Requires a plan and a cost without faults. `cost` is what the file claims to
/// take; nothing else in it comes from the cost model.
void writeScheduleJson(const ScheduleView &view, const core::CostReport &cost,
                       llvm::raw_ostream &os);

} // namespace transfusion

#endif // TRANSFUSION_TARGET_SCHEDULEJSON_H
