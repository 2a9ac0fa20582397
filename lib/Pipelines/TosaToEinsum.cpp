//===- TosaToEinsum.cpp - From TOSA to cascades ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaToLinalg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "transfusion/Pipelines/Pipelines.h"

using namespace mlir;

namespace {
/// Those of --convert-linalg-to-einsum.
struct Options : PassPipelineOptions<Options> {
  Option<bool> allowUnraised{
      *this, "allow-unraised",
      llvm::cl::desc("leave what cannot be raised, with a warning"),
      llvm::cl::init(false)};
  Option<transfusion::RaiseReport> raiseReport{
      *this, "raise-report", llvm::cl::desc("what became of each op"),
      llvm::cl::init(transfusion::RaiseReport::None),
      transfusion::raiseReportChoices()};
};
} // namespace

void transfusion::buildTosaToEinsumPipeline(
    OpPassManager &pm, const LinalgToEinsumPassOptions &options) {
  pm.addNestedPass<func::FuncOp>(createTosaToLinalgPass());
  pm.addPass(createLinalgToEinsumPass(options));
}

void transfusion::registerTosaToEinsumPipeline() {
  registerPass(createTosaToLinalgPass);
  PassPipelineRegistration<Options>(
      "convert-tosa-to-einsum",
      "lower TOSA to linalg, and raise that to cascades of Einsums",
      [](OpPassManager &pm, const Options &options) {
        LinalgToEinsumPassOptions raise;
        raise.allowUnraised = options.allowUnraised;
        raise.raiseReport = options.raiseReport;
        buildTosaToEinsumPipeline(pm, raise);
      });
}
