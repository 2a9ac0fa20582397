//===- ScheduleTrace.h - A window of a schedule to look at ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the trace event format that Perfetto and chrome://tracing open: one track
// per unit and one for each port of the outer memory. Time 0 is the start of
// the window.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TARGET_SCHEDULETRACE_H
#define TRANSFUSION_TARGET_SCHEDULETRACE_H

#include "transfusion/Target/ScheduleView.h"

namespace llvm {
class raw_ostream;
}

namespace transfusion {

/// Steps of one phase in the first outer tile.
struct TraceWindow {
  int32_t group = 0, phase = 0;
  int64_t firstStep = 0, steps = 16;
};

void writeScheduleTrace(const ScheduleView &view, const TraceWindow &window,
                        llvm::raw_ostream &os);

} // namespace transfusion

#endif // TRANSFUSION_TARGET_SCHEDULETRACE_H
