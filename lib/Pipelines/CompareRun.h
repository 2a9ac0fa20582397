//===- CompareRun.h - One search of a comparison ----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Pipelines.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_PIPELINES_COMPARERUN_H
#define TRANSFUSION_LIB_PIPELINES_COMPARERUN_H

#include "transfusion/Bridge/ImportSchedule.h"
#include "transfusion/Pipelines/Compare.h"

namespace transfusion {

/// Changes the machine before it is scheduled for; false: nothing to change.
using ArchChange = std::function<bool(sched::ArchOp)>;

struct ScheduledLayer {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< owns what `imported` refers to
  ImportedSchedule imported;
};

/// The machine of the options, loaded into the module, or the module's own.
mlir::FailureOr<sched::ArchOp> machineOf(mlir::ModuleOp module,
                                         const CompareOptions &options);

/// Schedules a copy of the module; `evaluations` 0: --dpipe alone. Errors go to
/// the diagnostic handler of the context.
mlir::FailureOr<ScheduledLayer>
scheduleCopy(mlir::ModuleOp module, const CompareOptions &options,
             core::Policy policy, int64_t evaluations,
             const ArchChange &change = nullptr);

CompareRow rowOf(const ScheduledLayer &layer, core::Policy policy);

/// Rows under a named model.
mlir::LogicalResult compareByModel(mlir::ModuleOp module,
                                   const CompareOptions &options,
                                   Comparison &result);

/// The row of a mapping under the model accelforge.
mlir::LogicalResult compareByMapping(mlir::ModuleOp module,
                                     const CompareOptions &options,
                                     Comparison &result);

/// The changes to the machine that help most.
mlir::LogicalResult suggestChanges(mlir::ModuleOp module,
                                   const CompareOptions &options,
                                   Comparison &result);

} // namespace transfusion

#endif // TRANSFUSION_LIB_PIPELINES_COMPARERUN_H
