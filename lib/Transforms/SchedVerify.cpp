//===- SchedVerify.cpp - Check every schedule of the module ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Transforms/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_SCHEDVERIFYPASS
#include "transfusion/Transforms/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

namespace {
struct SchedVerifyPass
    : transfusion::impl::SchedVerifyPassBase<SchedVerifyPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    if (module.getOps<sched::ScheduleOp>().empty()) {
      InFlightDiagnostic diag = emitError(module.getLoc())
                                << "the module holds no schedule";
      diag.attachNote() << "--dpipe makes one";
      return signalPassFailure();
    }
    for (auto op : module.getOps<sched::ScheduleOp>()) {
      FailureOr<ImportedSchedule> imported = importSchedule(op);
      if (failed(imported) || failed(verifySchedule(*imported)))
        signalPassFailure(); // The others are checked, too.
    }
  }
};
} // namespace
