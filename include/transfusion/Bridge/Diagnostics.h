//===- Diagnostics.h - What Core found, at the op it is about ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_BRIDGE_DIAGNOSTICS_H
#define TRANSFUSION_BRIDGE_DIAGNOSTICS_H

#include "transfusion/Bridge/ImportSchedule.h"
#include "transfusion/Core/Check/Check.h"

namespace transfusion {

/// One error per violation, at the Einsum it is about, else at `otherwise`;
/// its notes follow, the last one says what would fix it.
mlir::LogicalResult emitViolations(llvm::ArrayRef<core::Violation> violations,
                                   const ImportedCascade &source,
                                   mlir::Operation *otherwise);

/// The same; a violation about a phase or group is at its op.
mlir::LogicalResult emitViolations(llvm::ArrayRef<core::Violation> violations,
                                   const ImportedSchedule &source);

/// Rules of the arch alone, at its memories and units; warnings, too.
mlir::LogicalResult verifyArch(sched::ArchOp op, const core::Arch &arch);

/// The same, and that schedules can be made for it.
mlir::LogicalResult verifySchedulable(sched::ArchOp op, const core::Arch &arch);

/// Says, as a remark, why they cannot.
void remarkUnschedulable(sched::ArchOp op, const core::Arch &arch);

/// Rules of a schedule and its plan, for what a search has found.
mlir::LogicalResult verifySolution(const ImportedCascade &source,
                                   const core::Arch &arch,
                                   const core::Schedule &schedule,
                                   mlir::Operation *otherwise);

/// All rules: cascade, arch, schedule, plan.
mlir::LogicalResult verifySchedule(const ImportedSchedule &imported);

} // namespace transfusion

#endif // TRANSFUSION_BRIDGE_DIAGNOSTICS_H
