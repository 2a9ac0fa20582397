//===- ArchCheck.cpp - Is this a machine? ---------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Transforms/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_ARCHCHECKPASS
#include "transfusion/Transforms/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

namespace {
struct ArchCheckPass : transfusion::impl::ArchCheckPassBase<ArchCheckPass> {
  void runOnOperation() override {
    bool any = false;
    for (auto op : getOperation().getOps<sched::ArchOp>()) {
      any = true;
      const core::Arch arch = importArch(op);
      if (failed(verifyArch(op, arch)))
        signalPassFailure();
      else
        remarkUnschedulable(op, arch);
    }
    if (any)
      return;
    InFlightDiagnostic diag = emitError(getOperation().getLoc())
                              << "the module describes no machine (sched.arch)";
    diag.attachNote() << "--load-arch=NAME puts one into it";
    signalPassFailure();
  }
};
} // namespace
