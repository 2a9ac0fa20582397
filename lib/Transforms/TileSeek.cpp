//===- TileSeek.cpp - Search the tile sizes of each schedule --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/TileSeek.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Transforms/Passes.h"
#include "llvm/Support/Format.h"

namespace transfusion {
#define GEN_PASS_DEF_TILESEEKPASS
#include "transfusion/Transforms/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

static_assert(static_cast<int>(sched::Objective::PeakMemory) ==
                  static_cast<int>(core::Objective::PeakMemory) &&
              static_cast<int>(sched::SearchMode::Random) ==
                  static_cast<int>(core::SearchMode::Random));

namespace {

struct Solved {
  ImportedSchedule start;
  core::TileSeekResult result;
};

struct TileSeekPass : transfusion::impl::TileSeekPassBase<TileSeekPass> {
  using TileSeekPassBase::TileSeekPassBase;
  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult run(ModuleOp module);
  FailureOr<Solved> solve(sched::ScheduleOp op);
  void materialize(Solved &solved);
};

/// One line on a terminal that is overwritten, and erased at the end.
class Progress {
public:
  Progress(StringRef name, int64_t budget) : name(name), budget(budget) {}
  ~Progress() {
    if (shown)
      llvm::errs() << "\r\033[K";
  }
  void operator()(int64_t evaluations, double best) {
    if (!llvm::errs().is_displayed())
      return;
    shown = true;
    llvm::errs() << "\r\033[K@" << name << "  " << evaluations << " / "
                 << budget << " evaluations  best "
                 << llvm::format("%.4g", best);
    llvm::errs().flush();
  }

private:
  StringRef name;
  int64_t budget;
  bool shown = false;
};

} // namespace

FailureOr<Solved> TileSeekPass::solve(sched::ScheduleOp op) {
  FailureOr<ImportedSchedule> start = importSchedule(op);
  if (failed(start) ||
      failed(emitViolations(core::checkCascade(start->cascade()), *start)) ||
      failed(verifySchedulable(start->archOp, start->arch)))
    return failure();
  Solved solved{std::move(*start), {}};
  Progress progress(op.getSymName(), evaluations);
  core::TileSeekOptions options;
  options.policy = static_cast<core::Policy>(
      static_cast<int>(solved.start.search.getPolicy()));
  options.objective =
      static_cast<core::Objective>(static_cast<int>(objective.getValue()));
  options.mode =
      static_cast<core::SearchMode>(static_cast<int>(mode.getValue()));
  options.seed = seed;
  options.evaluations = evaluations;
  options.regroup = regroup;
  options.progress = [&](int64_t done, double best) { progress(done, best); };
  solved.result = core::tileseek(solved.start.cascade(), solved.start.arch,
                                 solved.start.schedule, options);
  if (failed(emitViolations(solved.result.infeasible, solved.start)) ||
      failed(verifySolution(solved.start.source, solved.start.arch,
                            solved.result.schedule, op)))
    return failure();
  return solved;
}

void TileSeekPass::materialize(Solved &solved) {
  sched::ScheduleOp old = solved.start.op;
  OpBuilder builder(old);
  auto tiles =
      sched::TileSearchAttr::get(&getContext(), objective, mode, seed,
                                 evaluations, solved.result.evaluations);
  exportSchedule(
      builder, old.getLoc(), old.getSymName(), solved.start.source,
      solved.start.function, solved.start.archOp, solved.result.schedule,
      sched::SearchAttr::get(&getContext(), solved.start.search.getPolicy(),
                             solved.start.search.getStrategy(), tiles));
  old.erase();
}

LogicalResult TileSeekPass::run(ModuleOp module) {
  if (evaluations < 1)
    return emitError(module.getLoc())
           << "evaluations is " << evaluations.getValue()
           << ", must be at least 1";
  std::vector<Solved> all;
  for (auto op : module.getOps<sched::ScheduleOp>()) {
    FailureOr<Solved> solved = solve(op);
    if (failed(solved))
      return failure();
    all.push_back(std::move(*solved));
  }
  if (all.empty()) {
    InFlightDiagnostic diag = emitError(module.getLoc())
                              << "the module holds no schedule";
    diag.attachNote() << "--dpipe makes one";
    return diag;
  }
  for (Solved &solved : all)
    materialize(solved);
  return success();
}
