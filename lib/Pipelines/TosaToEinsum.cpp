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
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "transfusion/Pipelines/Pipelines.h"

using namespace mlir;

static void buildTosaToLinalg(OpPassManager &function) {
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(createCanonicalizerPass());
  function.addPass(tosa::createTosaLayerwiseConstantFoldPass());
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToArithPass());
  function.addPass(createTosaToTensorPass());
  function.addPass(createCanonicalizerPass());
}

namespace {
/// A function of linalg is left alone: what is raised, and reported, are its
/// own ops, not what a canonicalizer leaves of them.
struct TosaToLinalgPass
    : PassWrapper<TosaToLinalgPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TosaToLinalgPass)

  StringRef getArgument() const override {
    return "transfusion-tosa-to-linalg";
  }
  StringRef getDescription() const override {
    return "lower TOSA to linalg by upstream's passes, in functions that have "
           "any";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(func::FuncOp::getOperationName());
    buildTosaToLinalg(passes);
    passes.getDependentDialects(registry);
  }
  void runOnOperation() override {
    bool found =
        getOperation()
            .walk([](Operation *op) {
              return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (!found)
      return;
    OpPassManager passes(func::FuncOp::getOperationName());
    buildTosaToLinalg(passes);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

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
  pm.addNestedPass<func::FuncOp>(std::make_unique<TosaToLinalgPass>());
  pm.addPass(createLinalgToEinsumPass(options));
}

void transfusion::registerTosaToEinsumPipeline() {
  PassRegistration<TosaToLinalgPass>();
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
