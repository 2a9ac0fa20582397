//===- LoadSchedule.cpp - A schedule from another file --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decisions refer to Einsums, ranks, tensors and units by name, so a schedule
// can be taken to another layer in which they are all known: one of another
// batch or length. Sizes that reach the whole extent there become "whole".
//
//===----------------------------------------------------------------------===//
#include "LayerToSchedule.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Core/Search/Policy.h"
#include "transfusion/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"

namespace transfusion {
#define GEN_PASS_DEF_LOADSCHEDULEPASS
#include "transfusion/Transforms/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

namespace {

struct LoadSchedulePass
    : transfusion::impl::LoadSchedulePassBase<LoadSchedulePass> {
  using LoadSchedulePassBase::LoadSchedulePassBase;

  /// `--load-schedule=FILE` is `--load-schedule=file=FILE`.
  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    options = options.trim();
    if (options.empty() || options.starts_with("file="))
      return LoadSchedulePassBase::initializeOptions(options, errorHandler);
    return LoadSchedulePassBase::initializeOptions("file=" + options.str(),
                                                   errorHandler);
  }

  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult run(ModuleOp module);
};

/// Ids of one cascade in another one, by name.
class Translation {
public:
  Translation(const ImportedCascade &from, const ImportedCascade &to,
              Location loc)
      : from(from), to(to), loc(loc) {}

  /// The schedule in the other cascade's ids and sizes; an error at `loc` when
  /// a name is unknown there.
  FailureOr<core::Schedule> operator()(const core::Schedule &schedule);

private:
  core::RankId rank(core::RankId id) {
    return known(to.rankId(from.cascade.ranks[id].name), "rank",
                 from.cascade.ranks[id].name);
  }
  core::EinsumId einsum(core::EinsumId id) {
    return known(to.einsumId(from.cascade.einsums[id].name), "Einsum",
                 from.cascade.einsums[id].name);
  }
  core::TensorId tensor(core::TensorId id) {
    return known(to.tensorId(from.cascade.tensors[id].name), "tensor",
                 from.cascade.tensors[id].name);
  }
  int32_t known(int32_t id, StringRef kind, const std::string &name);
  std::vector<core::RankId> ranks(const std::vector<core::RankId> &list);
  /// `sizes` by rank; those above `whole` become 0.
  std::vector<int64_t> sizes(const std::vector<int64_t> &sizes,
                             const std::vector<int64_t> &whole);
  std::vector<core::Resident>
  residents(const std::vector<core::Resident> &list);
  core::Phase phase(const core::Phase &p, const std::vector<int64_t> &fromTile,
                    const std::vector<int64_t> &tile);

  const ImportedCascade &from, &to;
  Location loc;
  bool failed = false;
};

} // namespace

int32_t Translation::known(int32_t id, StringRef kind,
                           const std::string &name) {
  if (id < 0 && !failed) {
    failed = true;
    InFlightDiagnostic diag = emitError(loc)
                              << "the schedule names " << kind << " '" << name
                              << "', which this layer does not have";
    diag.attachNote() << "a schedule can be taken to a layer of the same ops "
                         "and other sizes";
  }
  return id < 0 ? 0 : id;
}

std::vector<core::RankId>
Translation::ranks(const std::vector<core::RankId> &list) {
  std::vector<core::RankId> result;
  for (core::RankId r : list)
    result.push_back(rank(r));
  return result;
}

std::vector<int64_t> Translation::sizes(const std::vector<int64_t> &sizes,
                                        const std::vector<int64_t> &whole) {
  std::vector<int64_t> result(to.cascade.ranks.size(), 0);
  for (size_t r = 0; r < sizes.size(); ++r) {
    if (sizes[r] <= 0)
      continue;
    core::RankId there = rank(r);
    result[there] = sizes[r] <= whole[there] ? sizes[r] : 0;
  }
  return result;
}

/// A tensor is held for one inner tile of the ranks outside the innermost
/// blocked one that it depends on (Plan.h). Where that rank is whole here, the
/// next one outside takes its place, or the pieces would grow to whole tiles.
static void keepPieces(const core::Phase &from,
                       const std::vector<int64_t> &fromTile, core::Phase &to,
                       const std::vector<int64_t> &tile) {
  auto isBlocked = [](int64_t block, int64_t tile) {
    return block > 0 && block < tile;
  };
  bool vanished = false;
  for (size_t i = from.order.size(); i-- > 0;) {
    core::RankId there = from.order[i], here = to.order[i];
    const bool blocked = isBlocked(to.block[here], tile[here]);
    vanished |= isBlocked(from.block[there], fromTile[there]) && !blocked;
    if (vanished && !blocked && isBlocked(to.inner[here], tile[here])) {
      to.block[here] = to.inner[here];
      vanished = false;
    }
  }
}

core::Phase Translation::phase(const core::Phase &p,
                               const std::vector<int64_t> &fromTile,
                               const std::vector<int64_t> &tile) {
  core::Phase result = p;
  result.order = ranks(p.order);
  result.block = sizes(p.block, tile);
  result.inner = sizes(p.inner, tile);
  keepPieces(p, fromTile, result, tile);
  auto byTensor = [](const auto &x, const auto &y) {
    return x.tensor < y.tensor;
  };
  for (core::Prefetch &prefetch : result.prefetch)
    prefetch.tensor = tensor(prefetch.tensor);
  llvm::sort(result.prefetch, byTensor);
  for (core::Defer &defer : result.defer)
    defer.tensor = tensor(defer.tensor);
  llvm::sort(result.defer, byTensor);
  for (core::Run &run : result.runs)
    for (core::Slot &slot : run.slots) {
      slot.einsum = einsum(slot.einsum);
      slot.rows = ranks(slot.rows);
      slot.cols = ranks(slot.cols);
      for (core::InstancePart &part : slot.instances)
        part.rank = rank(part.rank);
    }
  return result;
}

std::vector<core::Resident>
Translation::residents(const std::vector<core::Resident> &list) {
  std::vector<core::Resident> result;
  for (const core::Resident &r : list)
    result.push_back({tensor(r.tensor), r.memory});
  llvm::sort(result, [](const core::Resident &x, const core::Resident &y) {
    return x.tensor < y.tensor;
  });
  return result;
}

static std::vector<int64_t> extentsOf(const core::Cascade &c) {
  std::vector<int64_t> extents;
  for (const core::Rank &r : c.ranks)
    extents.push_back(r.extent);
  return extents;
}

/// Tile of each rank, 0 resolved.
static std::vector<int64_t> tilesOf(const core::Group &g,
                                    const core::Cascade &c) {
  std::vector<int64_t> tiles = extentsOf(c);
  for (size_t r = 0; r < g.tile.size(); ++r)
    if (g.tile[r] > 0)
      tiles[r] = std::min(tiles[r], g.tile[r]);
  return tiles;
}

FailureOr<core::Schedule>
Translation::operator()(const core::Schedule &schedule) {
  core::Schedule result;
  for (const core::Group &g : schedule.groups) {
    core::Group group;
    group.tileOrder = ranks(g.tileOrder);
    group.tile = sizes(g.tile, extentsOf(to.cascade));
    const std::vector<int64_t> fromTile = tilesOf(g, from.cascade),
                               tile = tilesOf(group, to.cascade);
    for (const core::Retain &retain : g.retain)
      group.retain.push_back({tensor(retain.tensor), retain.level});
    llvm::sort(group.retain, [](const core::Retain &x, const core::Retain &y) {
      return x.tensor < y.tensor;
    });
    group.residents = residents(g.residents);
    for (const core::Phase &p : g.phases)
      group.phases.push_back(phase(p, fromTile, tile));
    result.groups.push_back(std::move(group));
  }
  result.residents = residents(schedule.residents);
  if (failed)
    return failure();
  return result;
}

/// The machine of the module, which must be the schedule's; put there when it
/// has none.
static FailureOr<sched::ArchOp> adoptArch(ModuleOp module, sched::ArchOp arch) {
  auto machines = llvm::to_vector(module.getOps<sched::ArchOp>());
  if (machines.empty()) {
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    return cast<sched::ArchOp>(builder.clone(*arch));
  }
  if (machines.size() == 1 &&
      OperationEquivalence::isEquivalentTo(
          machines[0], arch, OperationEquivalence::IgnoreLocations))
    return machines[0];
  InFlightDiagnostic diag = emitError(machines[0].getLoc())
                            << "the schedule is for machine @"
                            << arch.getSymName()
                            << ", but the module has another one";
  diag.attachNote(arch.getLoc())
      << "the schedule's machine is here; load that one into the module";
  diag.attachNote() << "load the schedule into a module without a machine";
  return diag;
}

LogicalResult LoadSchedulePass::run(ModuleOp module) {
  if (file.empty())
    return emitError(module.getLoc())
           << "--load-schedule names no file: --load-schedule=FILE";
  FailureOr<std::vector<LayerToSchedule>> layers =
      layersToSchedule(module, getArgument());
  if (failed(layers))
    return failure();
  if (layers->size() != 1)
    return emitError((*layers)[1].original.getLoc())
           << "--load-schedule takes a module with one layer, this is the "
              "second of "
           << layers->size();
  std::string fault;
  if (!openInputFile(file, &fault))
    return emitError(module.getLoc()) << "--load-schedule: " << fault;
  OwningOpRef<ModuleOp> other =
      parseSourceFile<ModuleOp>(file, ParserConfig(&getContext()));
  if (!other)
    return failure();
  auto schedules = llvm::to_vector(other->getOps<sched::ScheduleOp>());
  if (schedules.size() != 1)
    return emitError(other->getLoc())
           << "holds " << schedules.size()
           << " schedules, but --load-schedule needs a file with one";
  FailureOr<ImportedSchedule> loaded = importSchedule(schedules[0]);
  LayerToSchedule &layer = layers->front();
  if (failed(loaded) ||
      failed(verifySchedulable(loaded->archOp, loaded->arch)) ||
      failed(prepareLayer(layer, loaded->arch,
                          core::attentionPasses(static_cast<core::Policy>(
                              static_cast<int>(loaded->search.getPolicy()))))))
    return failure();
  FailureOr<core::Schedule> translated = Translation(
      loaded->source, layer.source, layer.original.getLoc())(loaded->schedule);
  if (failed(translated))
    return failure();
  layer.schedule = std::move(*translated);
  if (failed(verifySolution(layer.source, loaded->arch, layer.schedule,
                            *layer.prepared)))
    return failure();
  FailureOr<sched::ArchOp> arch = adoptArch(module, loaded->archOp);
  if (failed(arch))
    return failure();
  materializeLayer(module, layer, *arch, loaded->search);
  return success();
}
