//===- my-opt.cpp - A compiler with TransFusion inside --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Pipelines/Pipelines.h"
#include "transfusion/Pipelines/Registration.h"

/// From a layer to loops for my accelerator: TransFusion schedules it, the
/// loops go on to a backend of mine.
static void buildMyPipeline(mlir::OpPassManager &pm) {
  transfusion::TransFusionOptions options;
  options.arch = "edge";
  options.objective = transfusion::sched::Objective::Energy;
  options.evaluations = 64;
  transfusion::buildTransFusionPipeline(pm, options);
  pm.addPass(transfusion::createConvertSchedToAffinePass());
  pm.addPass(mlir::createLowerAffinePass()); // my backend starts here
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry; // beside my dialects and passes
  transfusion::registerToolDialects(registry);
  transfusion::registerPassesAndPipelines();
  transfusion::addArchFolder(TRANSFUSION_ARCH_DIR);
  mlir::PassPipelineRegistration<>("my-pipeline", "layer to loops, on @edge",
                                   buildMyPipeline);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "my optimizer\n", registry));
}
