//===- LayerToSchedule.cpp - A layer on its way to a schedule -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LayerToSchedule.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Core/Search/PhaseShape.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"
#include "transfusion/Dialect/Einsum/Transforms/Decompose.h"
#include "transfusion/Dialect/Einsum/Transforms/Partition.h"

using namespace mlir;
using namespace transfusion;

static bool holdsEinsums(func::FuncOp function) {
  return function
      ->walk<WalkOrder::PreOrder>([](Operation *op) {
        // A cascade that only passes values on is nothing to schedule.
        if (auto cascade = dyn_cast<einsum::CascadeOp>(op);
            cascade && cascade.getBody().getOps<einsum::MapReduceOp>().empty())
          return WalkResult::skip();
        return isa_and_nonnull<einsum::EinsumDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Rank that `outer` counts tiles of: m0 in m1*256 + m0, whatever else is added
/// (keys of block b are at b*512 + m1*256 + m0). Empty when there is none.
static StringRef innerOf(einsum::CascadeOp cascade, StringRef outer) {
  for (auto op : cascade.getBody().getOps<einsum::MapReduceOp>()) {
    auto ranks = llvm::to_vector(op.getRanks().getAsValueRange<StringAttr>());
    auto found = llvm::find(ranks, outer);
    if (found == ranks.end())
      continue;
    SmallVector<int64_t> extents = op.getExtents();
    for (AffineMap map : op.getMaps().getAsValueRange<AffineMapAttr>())
      for (AffineExpr expr : map.getResults()) {
        auto form = einsum::getLinearForm(expr, ranks.size());
        int64_t tile = form ? form->coefficients[found - ranks.begin()] : 0;
        if (tile == 0)
          continue;
        for (auto [i, rank] : llvm::enumerate(ranks))
          if (rank != outer && form->coefficients[i] != 0 &&
              form->coefficients[i] * extents[i] == tile)
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

FailureOr<std::vector<LayerToSchedule>>
transfusion::layersToSchedule(ModuleOp module, StringRef pass) {
  std::vector<LayerToSchedule> layers;
  int64_t functions = 0;
  Location where = module.getLoc();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (functions++ == 0)
      where = function.getLoc();
    if (!function.isExternal() &&
        (holdsEinsums(function) || einsum::onlyPassesOn(function)))
      layers.push_back({function, {}, {}, {}});
  }
  // Einsums that no function of the module holds: of a module within it, or in
  // another kind of function.
  Operation *elsewhere = nullptr;
  for (Operation &top : *module.getBody())
    if (!isa<func::FuncOp, sched::ScheduleOp, sched::ArchOp>(top))
      top.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isa_and_nonnull<einsum::EinsumDialect>(op->getDialect()))
          return WalkResult::advance();
        elsewhere = op->getParentOp();
        return WalkResult::interrupt();
      });
  if (elsewhere) {
    InFlightDiagnostic diag =
        emitError(elsewhere->getLoc())
        << "'" << elsewhere->getName() << "' op"
        << " holds Einsums, but is no func.func of the module that is given, "
           "and nothing else is scheduled";
    diag.attachNote(elsewhere->getParentOp()->getLoc())
        << "make it a func.func of this module; a module within it can be "
           "given to the tool alone";
    return diag;
  }
  if (layers.empty()) {
    InFlightDiagnostic diag = emitError(where)
                              << "the module holds nothing to schedule: it has "
                              << functions
                              << (functions == 1 ? " function" : " functions")
                              << ", and no Einsum";
    diag.attachNote() << "--" << pass << " schedules functions of einsum ops"
                      << " (--convert-linalg-to-einsum makes them of linalg)";
    return diag;
  }
  return layers;
}

LogicalResult transfusion::prepareLayer(LayerToSchedule &layer,
                                        const core::Arch &arch,
                                        int attentionPasses) {
  layer.prepared = layer.original.clone();
  func::FuncOp function = *layer.prepared;
  einsum::DecomposeOptions decompose;
  decompose.attentionPasses = attentionPasses;
  if (failed(einsum::decomposeNamedOps(function, decompose)) ||
      failed(partitionFor(function, arch)))
    return failure();
  if (failed(einsum::copyPassedResults(function)))
    return failure();
  FailureOr<ImportedCascade> source =
      importCascade(cast<FunctionOpInterface>(function.getOperation()));
  if (failed(source))
    return failure();
  layer.source = std::move(*source);
  return emitViolations(core::checkCascade(layer.source.cascade), layer.source,
                        function);
}

void transfusion::materializeLayer(ModuleOp module, LayerToSchedule &layer,
                                   sched::ArchOp arch,
                                   sched::SearchAttr search) {
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
      (function.getSymName() + "_" + arch.getSymName()).str(), layer.source,
      cast<FunctionOpInterface>(function.getOperation()), arch, layer.schedule,
      search);
  SymbolTable(module).insert(schedule); // renames where the name is taken
}
