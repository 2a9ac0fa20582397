//===- Translations.cpp - Outputs of a scheduled module -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Target/Translations.h"

#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Bridge/ImportSchedule.h"
#include "transfusion/Core/Check/Rules.h"
#include "transfusion/Options/Choice.h"
#include "transfusion/Target/ScheduleJson.h"
#include "transfusion/Target/ScheduleReport.h"
#include "transfusion/Target/ScheduleTrace.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

#include <functional>

using namespace mlir;
using namespace transfusion;

namespace {
enum class ReportFormat { Text, Json };
} // namespace

template <>
class llvm::cl::parser<ReportFormat>
    : public transfusion::ChoiceParser<ReportFormat> {
  using ChoiceParser::ChoiceParser;
};

namespace {

/// Made when the translations are registered: an option that is a global would
/// show up in every tool that links this library.
struct Options {
  llvm::cl::opt<std::string> schedule{
      "schedule",
      llvm::cl::desc("which schedule, where the module has several"),
      llvm::cl::value_desc("name")};
  llvm::cl::opt<ReportFormat> format{
      "report-format", llvm::cl::desc("form of the report"),
      llvm::cl::values(clEnumValN(ReportFormat::Text, "text", "for people"),
                       clEnumValN(ReportFormat::Json, "json", "for programs")),
      llvm::cl::init(ReportFormat::Text)};
  llvm::cl::opt<std::string> tracePhase{
      "trace-phase", llvm::cl::desc("phase to trace, as the report names it"),
      llvm::cl::value_desc("g1.p1"), llvm::cl::init("g1.p1")};
  llvm::cl::opt<int64_t> traceFirst{"trace-first-step",
                                    llvm::cl::desc("first step to trace"),
                                    llvm::cl::init(0)};
  llvm::cl::opt<int64_t> traceSteps{"trace-steps",
                                    llvm::cl::desc("number of steps to trace"),
                                    llvm::cl::init(16)};
};

Options &options() {
  static Options o;
  return o;
}

/// The schedule that is asked for, or the only one.
FailureOr<sched::ScheduleOp> findSchedule(Operation *top) {
  SmallVector<sched::ScheduleOp> all;
  top->walk([&](sched::ScheduleOp op) { all.push_back(op); });
  const std::string &name = options().schedule;
  if (name.empty() && all.size() == 1)
    return all.front();
  for (sched::ScheduleOp op : all)
    if (!name.empty() && op.getSymName() == name)
      return op;
  InFlightDiagnostic diag = emitError(top->getLoc());
  if (all.empty())
    diag << "the module has no schedule: run --dpipe first";
  else if (name.empty())
    diag << "the module has " << all.size()
         << " schedules: choose one with --schedule";
  else
    diag << "the module has no schedule '" << name << "'";
  for (sched::ScheduleOp op : all)
    diag.attachNote(op.getLoc()) << "there is '" << op.getSymName() << "'";
  return failure();
}

SearchRecord recordOf(sched::SearchAttr search) {
  SearchRecord record;
  if (!search)
    return record;
  record.policy = sched::stringifyEnum(search.getPolicy()).str();
  record.strategy = sched::stringifyEnum(search.getStrategy()).str();
  if (sched::TileSearchAttr tiles = search.getTiles()) {
    record.objective = sched::stringifyEnum(tiles.getObjective()).str();
    record.seed = tiles.getSeed();
    record.evaluations = tiles.getEvaluations();
  }
  return record;
}

/// Imports, checks and plans, then writes: nothing comes out of a schedule that
/// is not legal.
LogicalResult
translate(Operation *top,
          function_ref<LogicalResult(sched::ScheduleOp, const ScheduleView &)>
              write) {
  // As in the optimizer: an error names its op, it does not print all of it.
  top->getContext()->printOpOnDiagnostic(false);
  FailureOr<sched::ScheduleOp> op = findSchedule(top);
  if (failed(op))
    return failure();
  FailureOr<ImportedSchedule> imported = importSchedule(*op);
  if (failed(imported) || failed(verifySchedule(*imported)))
    return failure();
  core::Plan plan =
      core::makePlan(imported->cascade(), imported->arch, imported->schedule);
  ScheduleView view{op->getSymName().str(),
                    imported->cascade(),
                    imported->arch,
                    imported->schedule,
                    plan,
                    recordOf(imported->search),
                    describeUnscheduled(imported->function)};
  return write(*op, view);
}

FailureOr<core::CostReport> costOf(sched::ScheduleOp op,
                                   const ScheduleView &view,
                                   core::CostDetail &detail) {
  core::CostReport cost = core::Evaluator(view.cascade, view.arch)
                              .evaluate(view.schedule, view.plan, detail);
  for (const std::string &fault : cost.faults)
    op.emitOpError() << "has no cost: " << fault;
  if (!cost.faults.empty())
    return failure();
  return cost;
}

LogicalResult toJson(Operation *top, raw_ostream &os) {
  return translate(top, [&](sched::ScheduleOp op, const ScheduleView &view) {
    core::CostDetail detail;
    FailureOr<core::CostReport> cost = costOf(op, view, detail);
    if (failed(cost))
      return failure();
    writeScheduleJson(view, *cost, os);
    return success();
  });
}

LogicalResult toReport(Operation *top, raw_ostream &os) {
  return translate(top, [&](sched::ScheduleOp op, const ScheduleView &view) {
    core::CostDetail detail;
    FailureOr<core::CostReport> cost = costOf(op, view, detail);
    if (failed(cost))
      return failure();
    core::EnergyAccount energy = accountEnergy(view.arch, *cost, detail);
    for (const std::string &fault : energy.faults)
      op.emitOpError() << "has no account of its energy: " << fault;
    if (!energy.faults.empty())
      return failure();
    core::LowerBound bound = lowerBound(view.cascade, view.arch);
    ReportNumbers numbers{*cost,
                          bound,
                          groupBounds(view.cascade, view.arch, view.schedule),
                          static_cast<int64_t>(core::checkRules().size()),
                          detail,
                          std::move(energy),
                          limitsOf(view.cascade, view.arch, view.schedule,
                                   view.plan, *cost, detail)};
    if (options().format == ReportFormat::Json)
      writeReportJson(view, numbers, os);
    else
      writeReportText(view, numbers, os);
    return success();
  });
}

LogicalResult toTrace(Operation *top, raw_ostream &os) {
  return translate(top, [&](sched::ScheduleOp op, const ScheduleView &view) {
    TraceWindow window;
    window.firstStep = options().traceFirst;
    window.steps = options().traceSteps;
    if (window.firstStep < 0 || window.steps < 1 || window.steps > 100000)
      return LogicalResult(
          op.emitOpError("cannot be traced from step ")
          << window.firstStep << " for " << window.steps
          << " steps: give a first step of at least 0 and 1 to 100000 steps");
    std::string known;
    for (window.group = 0;
         window.group < static_cast<int32_t>(view.schedule.groups.size());
         ++window.group)
      for (window.phase = 0;
           window.phase < static_cast<int32_t>(
                              view.schedule.groups[window.group].phases.size());
           ++window.phase) {
        std::string name = phaseName(window.group, window.phase);
        if (name == options().tracePhase) {
          writeScheduleTrace(view, window, os);
          return success();
        }
        known += (known.empty() ? "" : ", ") + name;
      }
    return LogicalResult(op.emitOpError("has no phase '")
                         << options().tracePhase << "' (its phases: " << known
                         << ")");
  });
}

void registerDialects(DialectRegistry &registry) {
  // What a scheduled module may hold besides: ops that no Einsum stands for.
  registry
      .insert<affine::AffineDialect, arith::ArithDialect, einsum::EinsumDialect,
              func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
              scf::SCFDialect, sched::SchedDialect, tensor::TensorDialect>();
}

} // namespace

void transfusion::registerTransFusionTranslations() {
  options();
  TranslateFromMLIRRegistration json("schedule-to-json",
                                     "write the hardware-level schedule "
                                     "(docs/schemas/schedule-v1.schema.json)",
                                     toJson, registerDialects);
  TranslateFromMLIRRegistration report(
      "schedule-to-report",
      "report latency, bound, energy, traffic and memory of the schedule",
      toReport, registerDialects);
  TranslateFromMLIRRegistration trace(
      "schedule-to-trace",
      "write a window of a phase as a trace that Perfetto opens", toTrace,
      registerDialects);
}
