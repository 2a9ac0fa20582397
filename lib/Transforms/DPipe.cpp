//===- DPipe.cpp - Schedule each layer ------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/DPipe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Core/Search/PhaseShape.h"
#include "transfusion/Dialect/Einsum/Transforms/Decompose.h"
#include "transfusion/Dialect/Einsum/Transforms/Partition.h"
#include "transfusion/Transforms/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_DPIPEPASS
#include "transfusion/Transforms/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

namespace {

/// A function on its way: prepared and solved beside the module, so that the
/// module changes only when all of them have succeeded.
struct Solved {
  func::FuncOp original;
  OwningOpRef<func::FuncOp> prepared;
  ImportedCascade source;
  core::Schedule schedule;
};

struct DPipePass : transfusion::impl::DPipePassBase<DPipePass> {
  using DPipePassBase::DPipePassBase;
  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult run(ModuleOp module);
  LogicalResult solve(Solved &layer, sched::ArchOp archOp);
  void materialize(ModuleOp module, Solved &layer, sched::ArchOp archOp);
};

} // namespace

static bool holdsEinsums(func::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return isa_and_nonnull<einsum::EinsumDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Rank that shares a dimension with the iterative rank `outer`: m0 in
/// m1*256 + m0. Empty when there is none.
static StringRef innerOf(einsum::CascadeOp cascade, StringRef outer) {
  for (auto op : cascade.getBody().getOps<einsum::MapReduceOp>()) {
    auto ranks = llvm::to_vector(op.getRanks().getAsValueRange<StringAttr>());
    auto found = llvm::find(ranks, outer);
    if (found == ranks.end())
      continue;
    for (AffineMap map : op.getMaps().getAsValueRange<AffineMapAttr>())
      for (AffineExpr expr : map.getResults()) {
        if (!expr.isFunctionOfDim(found - ranks.begin()))
          continue;
        for (auto [i, rank] : llvm::enumerate(ranks))
          if (rank != outer && expr.isFunctionOfDim(i))
            return rank;
      }
  }
  return {};
}

/// Key tiles as wide as the columns of the machine.
static LogicalResult partitionFor(func::FuncOp function,
                                  const core::Arch &arch) {
  SmallVector<einsum::CascadeOp> cascades;
  function->walk([&](einsum::CascadeOp op) { cascades.push_back(op); });
  for (einsum::CascadeOp cascade : cascades) {
    SmallVector<std::string> iterative;
    for (auto rank : cascade.getRanks().getAsRange<einsum::RankAttr>())
      if (rank.getIterative())
        iterative.push_back(rank.getName().str());
    for (const std::string &outer : iterative) {
      std::string inner = innerOf(cascade, outer).str();
      if (!inner.empty() &&
          failed(einsum::partitionIterativeRank(cascade, outer, inner,
                                                core::gridOf(arch).cols)))
        return failure();
    }
  }
  return success();
}

LogicalResult DPipePass::solve(Solved &layer, sched::ArchOp archOp) {
  core::Arch arch = importArch(archOp);
  layer.prepared = layer.original.clone();
  func::FuncOp function = *layer.prepared;
  if (failed(einsum::decomposeNamedOps(function, {})) ||
      failed(partitionFor(function, arch)))
    return failure();
  FailureOr<ImportedCascade> source =
      importCascade(cast<FunctionOpInterface>(function.getOperation()));
  if (failed(source))
    return failure();
  layer.source = std::move(*source);
  const core::Cascade &cascade = layer.source.cascade;
  if (failed(
          emitViolations(core::checkCascade(cascade), layer.source, function)))
    return failure();
  core::DPipeResult result = core::dpipe(cascade, arch);
  if (failed(emitViolations(result.infeasible, layer.source, function)))
    return failure();
  layer.schedule = std::move(result.schedule);
  return verifySolution(layer.source, arch, layer.schedule, function);
}

void DPipePass::materialize(ModuleOp module, Solved &layer,
                            sched::ArchOp archOp) {
  for (auto old :
       llvm::make_early_inc_range(module.getOps<sched::ScheduleOp>()))
    if (old.getFunction() == layer.original.getSymName())
      old.erase();
  OpBuilder builder(layer.original);
  func::FuncOp function = layer.prepared.release();
  builder.insert(function);
  layer.original.erase();
  builder.setInsertionPointAfter(function);
  sched::ScheduleOp schedule = exportSchedule(
      builder, function.getLoc(),
      (function.getSymName() + "_" + archOp.getSymName()).str(), layer.source,
      cast<FunctionOpInterface>(function.getOperation()), archOp,
      layer.schedule,
      sched::SearchAttr::get(&getContext(), policy, strategy,
                             sched::TileSearchAttr()));
  SymbolTable(module).insert(schedule); // renames where the name is taken
}

LogicalResult DPipePass::run(ModuleOp module) {
  std::vector<Solved> layers;
  for (auto function : module.getOps<func::FuncOp>())
    if (holdsEinsums(function))
      layers.push_back({function, {}, {}, {}});
  if (layers.empty()) {
    InFlightDiagnostic diag = emitError(module.getLoc())
                              << "the module holds nothing to schedule";
    diag.attachNote() << "--dpipe schedules functions of einsum ops";
    return diag;
  }
  FailureOr<sched::ArchOp> arch = findArch(module);
  if (failed(arch) || failed(verifyArch(*arch, importArch(*arch))))
    return failure();
  for (Solved &layer : layers)
    if (failed(solve(layer, *arch)))
      return failure();
  for (Solved &layer : layers)
    materialize(module, layer, *arch);
  return success();
}
