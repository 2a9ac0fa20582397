//===- ConvertSchedToAffine.cpp - The pass ------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Callers.h"
#include "FunctionLowering.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Conversion/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_CONVERTSCHEDTOAFFINEPASS
#include "transfusion/Conversion/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

namespace {
struct ConvertSchedToAffinePass
    : transfusion::impl::ConvertSchedToAffinePassBase<
          ConvertSchedToAffinePass> {
  using ConvertSchedToAffinePassBase::ConvertSchedToAffinePassBase;

  void runOnOperation() override;
  LogicalResult lower(const ImportedSchedule &imported);
};
} // namespace

LogicalResult
ConvertSchedToAffinePass::lower(const ImportedSchedule &imported) {
  auto function = dyn_cast<func::FuncOp>(*imported.function);
  if (!function)
    return imported.function->emitOpError(
        "is scheduled, but no 'func.func'; make it one");
  core::Plan plan =
      core::makePlan(imported.cascade(), imported.arch, imported.schedule);
  if (!plan.faults.empty()) {
    sched::ScheduleOp op = imported.op;
    InFlightDiagnostic error = op.emitOpError("describes no program: ");
    error << plan.faults.front();
    for (const std::string &fault : llvm::drop_begin(plan.faults))
      error.attachNote() << fault;
    return error;
  }
  schedtoaffine::Source source{
      imported.cascade(),      imported.arch,          imported.schedule, plan,
      imported.source.einsums, imported.source.tensors};
  return schedtoaffine::lowerFunction(function, source, poison);
}

void ConvertSchedToAffinePass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<sched::ScheduleOp> schedules(module.getOps<sched::ScheduleOp>());
  if (schedules.empty()) {
    module.emitError("the module holds no 'sched.schedule'").attachNote()
        << "--dpipe makes one";
    return signalPassFailure();
  }

  // All are judged before the first function changes.
  std::vector<ImportedSchedule> imported;
  std::vector<schedtoaffine::Caller> calls;
  llvm::SmallPtrSet<Operation *, 4> functions;
  for (sched::ScheduleOp op : schedules) {
    FailureOr<ImportedSchedule> result = importSchedule(op);
    if (failed(result) || (verify && failed(verifySchedule(*result))))
      return signalPassFailure();
    if (!functions.insert(result->function).second) {
      op.emitOpError("is the second schedule of its function")
              .attachNote(result->function.getLoc())
          << "a program has one: erase the others";
      return signalPassFailure();
    }
    if (auto function = dyn_cast<func::FuncOp>(*result->function)) {
      auto callers = schedtoaffine::findCallers(function, module);
      if (failed(callers))
        return signalPassFailure();
      calls.insert(calls.end(), callers->begin(), callers->end());
    }
    imported.push_back(std::move(*result));
  }
  for (const ImportedSchedule &one : imported)
    if (failed(lower(one)))
      return signalPassFailure();
  for (const schedtoaffine::Caller &call : calls)
    schedtoaffine::rewriteCall(call);
  for (sched::ScheduleOp op : schedules)
    op.erase();
  for (auto arch : llvm::make_early_inc_range(module.getOps<sched::ArchOp>()))
    arch.erase();
}
