//===- ScheduledToLLVM.cpp - Execute what a schedule emits ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last part is the naive path's, so that a difference between their numbers
// comes from the schedule.
//
//===----------------------------------------------------------------------===//
#include "mlir/Pass/PassManager.h"
#include "transfusion/Conversion/Passes.h"
#include "transfusion/Pipelines/Pipelines.h"

using namespace mlir;

void transfusion::buildScheduledToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(createDropMemorySpacesPass());
  buildLoopsToLLVMPipeline(pm);
}
