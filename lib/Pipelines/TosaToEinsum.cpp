//===- TosaToEinsum.cpp - From TOSA to cascades ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "transfusion/Pipelines/Pipelines.h"

using namespace mlir;

void transfusion::buildTosaToEinsumPipeline(
    OpPassManager &pm, const LinalgToEinsumPassOptions &options) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(createCanonicalizerPass());
  function.addPass(tosa::createTosaLayerwiseConstantFoldPass());
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToArithPass());
  function.addPass(createTosaToTensorPass());
  function.addPass(createCanonicalizerPass());
  pm.addPass(createLinalgToEinsumPass(options));
}

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

void transfusion::registerTosaToEinsumPipeline() {
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
