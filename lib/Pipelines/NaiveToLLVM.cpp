//===- NaiveToLLVM.cpp - Execute what a program means ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/RequestCWrappers.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "transfusion/Conversion/Passes.h"
#include "transfusion/Dialect/Einsum/Transforms/Passes.h"
#include "transfusion/Pipelines/Pipelines.h"

using namespace mlir;

namespace {
/// Neither LLVM nor libm has math.clampf, and --math-expand-ops of LLVM 22
/// takes the minimum with the lower bound and the maximum with the upper one.
struct ExpandClampPass : PassWrapper<ExpandClampPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandClampPass)

  StringRef getArgument() const override { return "transfusion-expand-clamp"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    getOperation()->walk([](math::ClampFOp op) {
      IRRewriter b(op);
      Value raised = arith::MaximumFOp::create(b, op.getLoc(), op.getValue(),
                                               op.getMin(), op.getFastmath());
      b.replaceOpWithNewOp<arith::MinimumFOp>(op, raised, op.getMax(),
                                              op.getFastmath());
    });
  }
};
} // namespace

void transfusion::buildLoopsToLLVMPipeline(OpPassManager &pm) {
  // Globals of an exporter that nobody reads have no form in LLVM.
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  // Formats without arithmetic of their own compute in f32.
  math::MathExtendToSupportedTypesOptions extend;
  extend.targetTypeStr = "f32";
  pm.addPass(math::createMathExtendToSupportedTypes(extend));
  pm.addPass(createStrictCastsPass());
  pm.addPass(std::make_unique<ExpandClampPass>());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  // libgcc converts f16, but not every version converts bf16.
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createBf16AsBitsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void transfusion::buildNaiveToLLVMPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(einsum::createEinsumDecomposePass());
  pm.addNestedPass<func::FuncOp>(createEinsumToLinalgPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Results are the caller's buffers, after the arguments.
  pm.addNestedPass<func::FuncOp>(createDistinctResultsPass());
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.hoistStaticAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  pm.addNestedPass<func::FuncOp>(createCopyToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  bufferization::BufferDeallocationPipelineOptions deallocate;
  bufferization::buildBufferDeallocationPipeline(pm, deallocate);
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  buildLoopsToLLVMPipeline(pm);
}

void transfusion::registerPipelines() {
  PassPipelineRegistration<>(
      "transfusion-naive-to-llvm",
      "decompose, lower to linalg, to loops and to LLVM, without a schedule; "
      "results become the last arguments",
      buildNaiveToLLVMPipeline);
  PassPipelineRegistration<>(
      "transfusion-scheduled-to-llvm",
      "lower what --convert-sched-to-affine emits to LLVM, for the host",
      buildScheduledToLLVMPipeline);
  registerTosaToEinsumPipeline();
  registerTransFusionPipeline();
}
