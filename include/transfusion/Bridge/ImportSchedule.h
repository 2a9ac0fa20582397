//===- ImportSchedule.h - A schedule as Core sees it ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From IR to Core and back: what importSchedule reads is what exportSchedule
// writes, to the letter, if sizes stand in the order of the cascade's ranks and
// retained tensors in the order of their ids.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_BRIDGE_IMPORTSCHEDULE_H
#define TRANSFUSION_BRIDGE_IMPORTSCHEDULE_H

#include "mlir/IR/Builders.h"
#include "transfusion/Bridge/ImportCascade.h"
#include "transfusion/Core/Model/Schedule.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"

namespace transfusion {

/// Memories and units by the order in which they stand.
core::Arch importArch(sched::ArchOp arch);

struct ImportedSchedule {
  ImportedCascade source; ///< maps ids back to ops
  core::Arch arch;
  core::Schedule schedule;
  sched::SearchAttr search; ///< provenance
  mlir::FunctionOpInterface function;
  sched::ArchOp archOp;
  sched::ScheduleOp op;
  std::vector<sched::GroupOp> groups;              ///< by group
  std::vector<std::vector<sched::PhaseOp>> phases; ///< by group and phase

  const core::Cascade &cascade() const { return source.cascade; }
};

/// Requires a verified module. Fails, with an error at the op, as
/// importCascade.
mlir::FailureOr<ImportedSchedule> importSchedule(sched::ScheduleOp op);

/// Writes `schedule` as a new op at the insertion point of `builder`.
sched::ScheduleOp
exportSchedule(mlir::OpBuilder &builder, mlir::Location loc,
               llvm::StringRef name, const ImportedCascade &source,
               mlir::FunctionOpInterface function, sched::ArchOp arch,
               const core::Schedule &schedule, sched::SearchAttr search);

} // namespace transfusion

#endif // TRANSFUSION_BRIDGE_IMPORTSCHEDULE_H
