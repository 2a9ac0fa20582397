//===- Pipelines.h ----------------------------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_PIPELINES_PIPELINES_H
#define TRANSFUSION_PIPELINES_PIPELINES_H

#include "transfusion/Conversion/Passes.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace transfusion {

/// From a layer to the LLVM dialect without a schedule: what it means, executed
/// (--transfusion-naive-to-llvm). A function's results become arguments behind
/// its own, buffers that the caller owns; every function gets a C interface.
void buildNaiveToLLVMPipeline(mlir::OpPassManager &pm);

/// From what --convert-sched-to-affine emits to the LLVM dialect, with the same
/// C interface (--transfusion-scheduled-to-llvm).
void buildScheduledToLLVMPipeline(mlir::OpPassManager &pm);

/// From loops over memrefs to the LLVM dialect, on any path.
void buildLoopsToLLVMPipeline(mlir::OpPassManager &pm);

/// From TOSA to cascades, through upstream's lowering to linalg
/// (--convert-tosa-to-einsum).
void buildTosaToEinsumPipeline(mlir::OpPassManager &pm,
                               const LinalgToEinsumPassOptions &options);
void registerTosaToEinsumPipeline();

/// Makes them options of the tools.
void registerPipelines();

} // namespace transfusion

#endif // TRANSFUSION_PIPELINES_PIPELINES_H
