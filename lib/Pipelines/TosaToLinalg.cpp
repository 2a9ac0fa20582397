//===- TosaToLinalg.cpp - TOSA as linalg on tensors -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's passes in upstream's order, but for two things: an op for which no
// pattern is found is left where it is (upstream's passes fail there, with an
// error that says no reason), and scaling by integers is written out as arith,
// since a body holds nothing else.
//
//===----------------------------------------------------------------------===//

#include "TosaToLinalg.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {
enum class Patterns { Named, Linalg, ArithAndTensor };

/// What upstream has a pattern for; the rest stays.
struct LowerTosaPass : PassWrapper<LowerTosaPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTosaPass)
  explicit LowerTosaPass(Patterns which) : which(which) {}

  StringRef getName() const override { return "LowerTosaPass"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, index::IndexDialect, linalg::LinalgDialect,
                math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    TypeConverter converter;
    tosa::populateTosaTypeConversion(converter);
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, index::IndexDialect,
                           linalg::LinalgDialect, math::MathDialect,
                           scf::SCFDialect, tensor::TensorDialect>();
    // What patterns of linalg make, and those of arith and tensor take.
    if (which != Patterns::ArithAndTensor)
      target.addLegalOp<tosa::ApplyScaleOp, tosa::ConcatOp, tosa::ConstOp,
                        tosa::ConstShapeOp, tosa::PadOp, tosa::ReshapeOp,
                        tosa::SliceOp>();
    switch (which) {
    case Patterns::Named:
      tosa::populateTosaToLinalgNamedConversionPatterns(converter, &patterns,
                                                        {});
      break;
    case Patterns::Linalg:
      tosa::populateTosaToLinalgConversionPatterns(converter, &patterns);
      break;
    case Patterns::ArithAndTensor:
      tosa::populateTosaToArithConversionPatterns(&patterns);
      tosa::populateTosaRescaleToArithConversionPatterns(&patterns);
      tosa::populateTosaToTensorConversionPatterns(converter, &patterns);
      break;
    }
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }

  Patterns which;
};

/// A function of linalg is left alone: what is raised, and reported, are its
/// own ops, not what a canonicalizer leaves of them.
struct TosaToLinalgPass
    : PassWrapper<TosaToLinalgPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TosaToLinalgPass)

  static void build(OpPassManager &function) {
    function.addPass(tosa::createTosaOptionalDecompositionsPass());
    function.addPass(tosa::createTosaMakeBroadcastablePass());
    function.addPass(std::make_unique<LowerTosaPass>(Patterns::Named));
    function.addPass(createCanonicalizerPass());
    function.addPass(tosa::createTosaLayerwiseConstantFoldPass());
    function.addPass(tosa::createTosaMakeBroadcastablePass());
    function.addPass(std::make_unique<LowerTosaPass>(Patterns::Linalg));
    function.addPass(std::make_unique<LowerTosaPass>(Patterns::ArithAndTensor));
    function.addPass(createCanonicalizerPass());
  }

  StringRef getArgument() const override {
    return "transfusion-tosa-to-linalg";
  }
  StringRef getDescription() const override {
    return "lower TOSA to linalg by upstream's patterns, in functions that "
           "have any";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager passes(func::FuncOp::getOperationName());
    build(passes);
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
    build(passes);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> transfusion::createTosaToLinalgPass() {
  return std::make_unique<TosaToLinalgPass>();
}
