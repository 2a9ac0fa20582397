//===- RegisterPasses.cpp -------------------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "transfusion/Conversion/Passes.h"
#include "transfusion/Dialect/Einsum/Transforms/Passes.h"
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
  registerLinalgElementwiseOpFusionPass();
  registerLinalgGeneralizeNamedOpsPass();
  affine::registerAffineLoopInvariantCodeMotionPass();
  affine::registerAffineScalarReplacementPass();
  affine::registerSimplifyAffineStructuresPass();
  memref::registerExpandStridedMetadataPass();
  memref::registerFoldMemRefAliasOpsPass();
  memref::registerNormalizeMemRefsPass();
  arith::registerArithExpandOpsPass();

  registerArithToLLVMConversionPass();
  registerConvertBufferizationToMemRefPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertIndexToLLVMPass();
  registerConvertMathToLLVMPass();
  registerConvertMathToLibmPass();
  registerFinalizeMemRefToLLVMConversionPass();
  registerLowerAffinePass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
}

void transfusion::registerToolPasses() {
  registerUpstreamPasses();
  einsum::registerEinsumPasses();
  registerTransFusionPasses();
  registerTransFusionConversionPasses();
}
