//===- CompareSuggest.cpp - Which change to the machine would help --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule of thumb ("limited by dram, so more bandwidth") does not know what the
// next limit is. So each change is made, one at a time, and the layer searched
// again, with the same seed and budget.
//
//===----------------------------------------------------------------------===//
#include "CompareRun.h"

#include "mlir/IR/Builders.h"

#include <algorithm>

using namespace mlir;
using namespace transfusion;

namespace {
struct Change {
  std::string what;
  ArchChange apply;
};
} // namespace

static sched::UnitOp unitOf(sched::ArchOp arch, bool grid) {
  for (auto unit : arch.getBody().getOps<sched::UnitOp>())
    if (unit.getGrid().has_value() == grid)
      return unit;
  return {};
}

static bool doubleGrid(sched::ArchOp arch, int dim) {
  sched::UnitOp unit = unitOf(arch, /*grid=*/true);
  if (!unit)
    return false;
  SmallVector<int64_t> grid(*unit.getGrid());
  grid[dim] *= 2;
  unit.setGrid(grid);
  return true;
}

static bool doubleLanes(sched::ArchOp arch) {
  sched::UnitOp unit = unitOf(arch, /*grid=*/false);
  if (!unit)
    return false;
  unit.setLanes(2 * *unit.getLanes());
  return true;
}

static bool doubleBandwidth(sched::MemoryOp memory) {
  bool any = false;
  if (auto b = memory.getBandwidthBytesPerS()) {
    memory.setBandwidthBytesPerS(2 * *b);
    any = true;
  }
  if (auto b = memory.getReadBandwidthBytesPerS()) {
    memory.setReadBandwidthBytesPerS(2 * *b);
    any = true;
  }
  if (auto b = memory.getWriteBandwidthBytesPerS()) {
    memory.setWriteBandwidthBytesPerS(2 * *b);
    any = true;
  }
  return any;
}

/// The outermost one, those in between, and the one that feeds the units: every
/// memory is in the one before it.
static SmallVector<sched::MemoryOp> memoriesOf(sched::ArchOp arch) {
  return llvm::to_vector(arch.getBody().getOps<sched::MemoryOp>());
}

static bool doubleCapacity(ArrayRef<sched::MemoryOp> memories) {
  bool any = false;
  for (sched::MemoryOp memory : memories)
    if (auto bytes = memory.getCapacityBytes()) {
      memory.setCapacityBytes(2 * *bytes);
      any = true;
    }
  return any;
}

/// What the lanes can and the grid cannot, at what it costs there. Expansions
/// come along once their parts are there.
static bool addToGrid(sched::ArchOp arch, sched::OpClass cls) {
  sched::UnitOp grid = unitOf(arch, true), lanes = unitOf(arch, false);
  if (!grid || !lanes)
    return false;
  SmallVector<Attribute> ops(grid.getOps().begin(), grid.getOps().end());
  auto has = [&](sched::OpClass c) {
    return llvm::any_of(ops, [&](Attribute op) {
      return cast<sched::OpCostAttr>(op).getOpClass() == c;
    });
  };
  if (has(cls))
    return false;
  for (auto op : lanes.getOps().getAsRange<sched::OpCostAttr>())
    if (op.getOpClass() == cls)
      ops.push_back(op);
  if (!has(cls))
    return false;
  for (auto op : lanes.getOps().getAsRange<sched::OpCostAttr>())
    if (op.isExpansion() && !has(op.getOpClass()) &&
        llvm::all_of(op.getTermClasses(), [&](auto term) {
          return has(static_cast<sched::OpClass>(term));
        }))
      ops.push_back(op);
  grid.setOpsAttr(ArrayAttr::get(arch.getContext(), ops));
  return true;
}

static std::vector<Change> changesOf() {
  std::vector<Change> changes = {
      {"twice the bandwidth of the outer memory",
       [](sched::ArchOp a) { return doubleBandwidth(memoriesOf(a).front()); }},
      {"twice the bandwidth of the buffer",
       [](sched::ArchOp a) { return doubleBandwidth(memoriesOf(a).back()); }},
      {"twice the buffer",
       [](sched::ArchOp a) { return doubleCapacity(memoriesOf(a).back()); }},
      {"twice what is between the outer memory and the buffer",
       [](sched::ArchOp a) {
         return doubleCapacity(
             ArrayRef(memoriesOf(a)).drop_front().drop_back());
       }},
      {"twice the rows of the 2D array",
       [](sched::ArchOp a) { return doubleGrid(a, 0); }},
      {"twice the columns of the 2D array",
       [](sched::ArchOp a) { return doubleGrid(a, 1); }},
      {"twice the vector lanes", doubleLanes},
  };
  for (sched::OpClass cls : {sched::OpClass::Max, sched::OpClass::Div})
    changes.push_back({stringifyOpClass(cls).str() + " on the 2D array",
                       [cls](sched::ArchOp a) { return addToGrid(a, cls); }});
  return changes;
}

LogicalResult transfusion::suggestChanges(ModuleOp module,
                                          const CompareOptions &options,
                                          Comparison &result) {
  // Of the fastest policy that was asked for.
  const CompareRow *best = nullptr;
  for (const CompareRow &row : result.rows)
    if (row.infeasible.empty() && (!best || row.latencyS < best->latencyS))
      best = &row;
  const core::Policy policy = *core::policyFromName(best->policy);
  result.suggestedFor = best->policy;
  for (const Change &change : changesOf()) {
    bool applied = false;
    ArchChange apply = [&](sched::ArchOp arch) {
      return applied = change.apply(arch);
    };
    FailureOr<ScheduledLayer> layer =
        scheduleCopy(module, options, policy, options.evaluations, apply);
    if (!applied) // this machine has nothing to change there
      continue;
    if (failed(layer))
      return failure();
    const CompareRow row = rowOf(*layer, policy);
    if (row.infeasible.empty())
      result.changes.push_back(
          {change.what, row.latencyS, best->latencyS / row.latencyS});
  }
  llvm::sort(
      result.changes, [](const CompareChange &x, const CompareChange &y) {
        return x.speedup != y.speedup ? x.speedup > y.speedup : x.what < y.what;
      });
  return success();
}
