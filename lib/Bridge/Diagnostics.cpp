//===- Diagnostics.cpp - What Core found, at the op it is about -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/Diagnostics.h"

using namespace mlir;
using namespace transfusion;

static void
emitViolation(Operation *op, const core::Violation &violation,
              DiagnosticSeverity severity = DiagnosticSeverity::Error) {
  // Not op->emitOpError(): it would print the op, often the whole layer.
  InFlightDiagnostic diag =
      op->getContext()->getDiagEngine().emit(op->getLoc(), severity)
      << "'" << op->getName() << "' op " << violation.what;
  if (!violation.rule.empty() && violation.rule != "infeasible")
    diag << " (" << violation.rule << ")";
  for (const std::string &note : violation.notes)
    diag.attachNote() << note;
}

LogicalResult transfusion::emitViolations(ArrayRef<core::Violation> violations,
                                          const ImportedCascade &source,
                                          Operation *otherwise) {
  for (const core::Violation &v : violations) {
    if (v.einsum < 0) {
      emitViolation(otherwise, v);
      continue;
    }
    einsum::MapReduceOp op = source.einsums[v.einsum];
    emitViolation(op, v);
  }
  return success(violations.empty());
}

/// The schedule's op for what is about its order, the Einsum's for the rest.
static Operation *placeOf(const core::Violation &v,
                          const ImportedSchedule &imported) {
  auto count = [](const auto &list) {
    return static_cast<int32_t>(list.size());
  };
  if (v.group >= 0 && v.group < count(imported.groups)) {
    if (v.phase >= 0 && v.phase < count(imported.phases[v.group]))
      return sched::PhaseOp(imported.phases[v.group][v.phase]);
    return sched::GroupOp(imported.groups[v.group]);
  }
  if (v.einsum >= 0 && v.einsum < count(imported.source.einsums))
    return einsum::MapReduceOp(imported.source.einsums[v.einsum]);
  return sched::ScheduleOp(imported.op);
}

LogicalResult transfusion::emitViolations(ArrayRef<core::Violation> violations,
                                          const ImportedSchedule &imported) {
  for (const core::Violation &v : violations)
    emitViolation(placeOf(v, imported), v);
  return success(violations.empty());
}

/// The memory or unit that it is about, else the machine.
static Operation *placeOf(const core::Violation &v, sched::ArchOp arch) {
  int32_t memory = 0, unit = 0;
  for (Operation &op : arch.getBody().front())
    if (isa<sched::MemoryOp>(op) ? memory++ == v.memory : unit++ == v.archUnit)
      return &op;
  return arch;
}

LogicalResult transfusion::verifyArch(sched::ArchOp op,
                                      const core::Arch &arch) {
  std::vector<core::Violation> violations = core::checkArch(arch);
  for (const core::Violation &v : violations)
    emitViolation(placeOf(v, op), v);
  for (const core::Violation &v : core::lintArch(arch))
    emitViolation(placeOf(v, op), v, DiagnosticSeverity::Warning);
  return success(violations.empty());
}

LogicalResult transfusion::verifySchedulable(sched::ArchOp op,
                                             const core::Arch &arch) {
  std::vector<core::Violation> violations = core::checkArch(arch);
  if (violations.empty())
    violations = core::checkSchedulable(arch);
  for (const core::Violation &v : violations)
    emitViolation(placeOf(v, op), v);
  return success(violations.empty());
}

void transfusion::remarkUnschedulable(sched::ArchOp op,
                                      const core::Arch &arch) {
  for (const core::Violation &v : core::checkSchedulable(arch))
    emitViolation(placeOf(v, op), v, DiagnosticSeverity::Remark);
}

/// The plan of an illegal schedule may not be one.
static std::vector<core::Violation> checkBoth(const core::Cascade &cascade,
                                              const core::Arch &arch,
                                              const core::Schedule &schedule) {
  std::vector<core::Violation> found =
      core::checkSchedule(cascade, arch, schedule);
  if (!found.empty())
    return found;
  return core::checkPlan(cascade, arch, schedule,
                         core::makePlan(cascade, arch, schedule));
}

LogicalResult transfusion::verifySolution(const ImportedCascade &source,
                                          const core::Arch &arch,
                                          const core::Schedule &schedule,
                                          Operation *otherwise) {
  return emitViolations(checkBoth(source.cascade, arch, schedule), source,
                        otherwise);
}

LogicalResult transfusion::verifySchedule(const ImportedSchedule &imported) {
  if (failed(
          emitViolations(core::checkCascade(imported.cascade()), imported)) ||
      failed(verifySchedulable(imported.archOp, imported.arch)))
    return failure();
  return emitViolations(
      checkBoth(imported.cascade(), imported.arch, imported.schedule),
      imported);
}
