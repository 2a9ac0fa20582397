//===- Pipelines.h ----------------------------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_PIPELINES_PIPELINES_H
#define TRANSFUSION_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"
#include "transfusion/Conversion/Passes.h"
#include "transfusion/Transforms/Passes.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace transfusion {

/// Options of --transfusion; those of a pass have its names and defaults.
struct TransFusionOptions : mlir::PassPipelineOptions<TransFusionOptions> {
  TransFusionOptions();

  // --load-arch; empty where the module has its machine already.
  Option<std::string> arch;
  // --convert-linalg-to-einsum
  Option<bool> allowUnraised;
  Option<RaiseReport> raiseReport;
  // --einsum-normalize, or not
  Option<bool> normalize;
  // --dpipe
  Option<sched::Policy> policy;
  Option<sched::Strategy> strategy;
  // --tileseek
  Option<sched::Objective> objective;
  Option<sched::SearchMode> mode;
  Option<uint64_t> seed;
  Option<int64_t> evaluations;
  Option<bool> regroup;
};

/// From a layer as linalg, TOSA or named ops of einsum to its cascade.
/// Attention has as many passes as the policy wants; with one, the cascade is
/// the same whoever wrote the layer.
void buildToCascadePipeline(mlir::OpPassManager &pm,
                            const LinalgToEinsumPassOptions &raise,
                            sched::Policy policy);

/// From a layer as linalg, TOSA or named ops of einsum to a verified
/// schedule (--transfusion).
void buildTransFusionPipeline(mlir::OpPassManager &pm,
                              const TransFusionOptions &options);
void registerTransFusionPipeline();

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
