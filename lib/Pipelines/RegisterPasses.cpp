//===- RegisterPasses.cpp -------------------------------------------------===//
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
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "transfusion/Conversion/Passes.h"
#include "transfusion/Dialect/Einsum/Transforms/Passes.h"
#include "transfusion/Pipelines/Pipelines.h"
#include "transfusion/Pipelines/Registration.h"
#include "transfusion/Transforms/Passes.h"

using namespace mlir;

/// What is needed to look at a program, and to lower it to LLVM and run it.
static void registerUpstreamPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  registerInlinerPass();
  registerLoopInvariantCodeMotionPass();
  registerSymbolDCEPass();

  bufferization::registerBufferizationPasses();
  registerConvertLinalgToAffineLoopsPass();
  registerConvertLinalgToLoopsPass();
  registerConvertElementwiseToLinalgPass();
  registerLinalgElementwiseOpFusionPass();
  registerLinalgGeneralizeNamedOpsPass();
  affine::registerAffineLoopInvariantCodeMotionPass();
  affine::registerAffineScalarReplacementPass();
  affine::registerSimplifyAffineStructuresPass();
  memref::registerExpandStridedMetadataPass();
  memref::registerFoldMemRefAliasOpsPass();
  memref::registerNormalizeMemRefsPass();
  arith::registerArithExpandOpsPass();

  // One by one: mlir/Conversion/Passes.h would bring every backend's headers.
  registerPass([] { return createArithToLLVMConversionPass(); });
  registerPass([] { return createConvertBufferizationToMemRefPass(); });
  registerPass([] { return createConvertControlFlowToLLVMPass(); });
  registerPass([] { return createConvertFuncToLLVMPass(); });
  registerPass([] { return createConvertIndexToLLVMPass(); });
  registerPass([] { return createConvertMathToLLVMPass(); });
  registerPass([] { return createConvertMathToLibmPass(); });
  registerPass([] { return createFinalizeMemRefToLLVMConversionPass(); });
  registerPass([] { return createLowerAffinePass(); });
  registerPass([] { return createReconcileUnrealizedCastsPass(); });
  registerPass([] { return createSCFToControlFlowPass(); });
}

void transfusion::registerPassesAndPipelines() {
  einsum::registerEinsumPasses();
  registerTransFusionPasses();
  registerTransFusionConversionPasses();
  registerPipelines();
}

void transfusion::registerToolPasses() {
  registerUpstreamPasses();
  registerPassesAndPipelines();
}
