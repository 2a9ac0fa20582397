//===- ImportSchedule.cpp - A machine and a schedule as Core sees them ----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/ImportSchedule.h"

using namespace mlir;
using namespace transfusion;

static_assert(static_cast<int>(sched::OpClass::Copy) + 1 == core::kNumOpClasses,
              "sched::OpClass and core::OpClass list the same classes");

//===----------------------------------------------------------------------===//
// Arch
//===----------------------------------------------------------------------===//

static double valueOr0(FloatAttr attr) {
  return attr ? attr.getValueAsDouble() : 0;
}

static core::Memory importMemory(sched::MemoryOp op) {
  core::Memory memory;
  memory.name = op.getSymName().str();
  memory.instances = op.getInstances().value_or(1);
  memory.capacityBytes = op.getCapacityBytes().value_or(-1);
  if (std::optional<sched::Roles> keeps = op.getKeeps())
    for (int role = 0; role < core::kNumOperandRoles; ++role)
      memory.keeps[role] = (static_cast<uint32_t>(*keeps) >> role) & 1;
  memory.leakageW = valueOr0(op.getLeakageWAttr());
  memory.sharedPort =
      !op.getReadBandwidthBytesPerS() && !op.getWriteBandwidthBytesPerS();
  auto bandwidth = [&](std::optional<uint64_t> own) {
    std::optional<uint64_t> given =
        memory.sharedPort ? op.getBandwidthBytesPerS() : own;
    return static_cast<double>(given.value_or(0));
  };
  memory.readBytesPerS = bandwidth(op.getReadBandwidthBytesPerS());
  memory.writeBytesPerS = bandwidth(op.getWriteBandwidthBytesPerS());
  bool isOne = static_cast<bool>(op.getEnergyPjPerByteAttr());
  memory.readPjPerByte = valueOr0(isOne ? op.getEnergyPjPerByteAttr()
                                        : op.getReadEnergyPjPerByteAttr());
  memory.writePjPerByte = valueOr0(isOne ? op.getEnergyPjPerByteAttr()
                                         : op.getWriteEnergyPjPerByteAttr());
  return memory;
}

static core::OpCost importOpCost(sched::OpCostAttr attr) {
  core::OpCost cost;
  cost.supported = true;
  cost.cycles = attr.getCycles();
  cost.pj = attr.getPj().getValueAsDouble();
  for (auto [term, count] :
       llvm::zip(attr.getTermClasses(), attr.getTermCounts()))
    cost.expansion.push_back(
        {static_cast<core::OpClass>(term), static_cast<int32_t>(count)});
  return cost;
}

static core::LaneReuse importReuse(std::optional<sched::LaneReuse> share) {
  using sched::LaneReuse;
  const LaneReuse given = share.value_or(LaneReuse::Both);
  return {given == LaneReuse::Inputs || given == LaneReuse::Both,
          given == LaneReuse::Outputs || given == LaneReuse::Both};
}

core::Arch transfusion::importArch(sched::ArchOp op) {
  core::Arch arch;
  arch.name = op.getSymName().str();
  arch.clockHz = static_cast<double>(op.getClockHz());
  for (auto memory : op.getBody().getOps<sched::MemoryOp>()) {
    arch.memories.push_back(importMemory(memory));
    for (auto [i, outer] : llvm::enumerate(arch.memories))
      if (memory.getParent() == StringRef(outer.name))
        arch.memories.back().outer = static_cast<core::MemoryId>(i);
  }
  for (auto unitOp : op.getBody().getOps<sched::UnitOp>()) {
    core::Unit unit;
    unit.name = unitOp.getSymName().str();
    if (std::optional<ArrayRef<int64_t>> grid = unitOp.getGrid()) {
      unit.isGrid = true;
      unit.rows = (*grid)[0];
      unit.cols = (*grid)[1];
    } else {
      unit.cols = *unitOp.getLanes();
    }
    for (auto [i, memory] : llvm::enumerate(arch.memories))
      if (memory.name == unitOp.getMemory())
        unit.memory = static_cast<core::MemoryId>(i);
    for (auto attr : unitOp.getOps().getAsRange<sched::OpCostAttr>())
      unit.ops[static_cast<int>(attr.getOpClass())] = importOpCost(attr);
    unit.wholeEinsum = unitOp.getWholeEinsum();
    unit.instances = unitOp.getInstances().value_or(1);
    unit.alongRows = importReuse(unitOp.getRowsShare());
    unit.alongCols = importReuse(unitOp.getColsShare());
    unit.leakageW = valueOr0(unitOp.getLeakageWAttr());
    arch.units.push_back(std::move(unit));
  }
  return arch;
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

namespace {

class ScheduleImporter {
public:
  ScheduleImporter(const ImportedCascade &source, const core::Arch &arch)
      : source(source), arch(arch) {}
  core::Group group(sched::GroupOp op);
  core::Phase phase(sched::PhaseOp op);
  std::vector<core::Resident> residents(ArrayAttr list) const;

private:
  std::vector<core::RankId> ranks(ArrayRef<StringAttr> names) const {
    std::vector<core::RankId> ids;
    for (StringAttr name : names)
      ids.push_back(source.rankId(name));
    return ids;
  }
  std::vector<int64_t> sizes(sched::TilingAttr tiling) const {
    std::vector<int64_t> byRank(source.cascade.ranks.size(), 0);
    if (tiling)
      for (auto [name, size] : llvm::zip(tiling.getRanks(), tiling.getSizes()))
        byRank[source.rankId(name)] = size;
    return byRank;
  }
  core::Run run(sched::RunOp op) const;

  const ImportedCascade &source;
  const core::Arch &arch;
};

} // namespace

core::Run ScheduleImporter::run(sched::RunOp op) const {
  core::Run run;
  for (auto [i, unit] : llvm::enumerate(arch.units))
    if (unit.name == op.getUnit())
      run.unit = static_cast<core::UnitId>(i);
  for (auto attr : op.getSlots().getAsRange<sched::SlotAttr>()) {
    core::Slot slot;
    slot.einsum = source.einsumId(attr.getEinsum());
    slot.finishOnly = attr.getFinishOnly();
    slot.stage = static_cast<int32_t>(attr.getStage());
    slot.rows = ranks(attr.getRows());
    slot.cols = ranks(attr.getCols());
    if (sched::TilingAttr parts = attr.getInstances())
      for (auto [name, points] : llvm::zip(parts.getRanks(), parts.getSizes()))
        slot.instances.push_back({source.rankId(name), points});
    run.slots.push_back(std::move(slot));
  }
  return run;
}

core::Phase ScheduleImporter::phase(sched::PhaseOp op) {
  core::Phase phase;
  phase.order = ranks(llvm::to_vector(op.getOrder().getAsRange<StringAttr>()));
  phase.block = sizes(op.getBlockAttr());
  phase.inner = sizes(op.getInnerAttr());
  phase.wrap = op.getWrap();
  phase.skip = op.getSkip();
  if (op.getPrefetchAttr())
    for (auto p : op.getPrefetchAttr().getAsRange<sched::PrefetchAttr>())
      phase.prefetch.push_back(
          {source.tensorId(p.getTensor()), static_cast<int32_t>(p.getAhead())});
  if (op.getDeferAttr())
    for (auto d : op.getDeferAttr().getAsRange<sched::DeferAttr>())
      phase.defer.push_back(
          {source.tensorId(d.getTensor()), static_cast<int32_t>(d.getBy())});
  auto byTensor = [](const auto &a, const auto &b) {
    return a.tensor < b.tensor;
  };
  llvm::sort(phase.prefetch, byTensor);
  llvm::sort(phase.defer, byTensor);
  for (auto run : op.getBody().getOps<sched::RunOp>())
    phase.runs.push_back(this->run(run));
  return phase;
}

std::vector<core::Resident> ScheduleImporter::residents(ArrayAttr list) const {
  std::vector<core::Resident> residents;
  if (!list)
    return residents;
  for (auto r : list.getAsRange<sched::ResidentAttr>()) {
    core::Resident resident{source.tensorId(r.getTensor()), -1};
    for (auto [m, memory] : llvm::enumerate(arch.memories))
      if (memory.name == r.getMemory().getValue())
        resident.memory = static_cast<core::MemoryId>(m);
    residents.push_back(resident);
  }
  llvm::sort(residents, [](const core::Resident &x, const core::Resident &y) {
    return x.tensor < y.tensor;
  });
  return residents;
}

core::Group ScheduleImporter::group(sched::GroupOp op) {
  core::Group group;
  if (op.getTileAttr())
    group.tileOrder = ranks(op.getTileAttr().getRanks());
  group.tile = sizes(op.getTileAttr());
  if (op.getRetainAttr())
    for (auto retain : op.getRetainAttr().getAsRange<sched::RetainAttr>())
      group.retain.push_back(
          {source.tensorId(retain.getTensor()),
           static_cast<core::RetainLevel>(retain.getLevel())});
  llvm::sort(group.retain, [](const core::Retain &a, const core::Retain &b) {
    return a.tensor < b.tensor;
  });
  group.residents = residents(op.getResidentAttr());
  for (auto phase : op.getBody().getOps<sched::PhaseOp>())
    group.phases.push_back(this->phase(phase));
  return group;
}

FailureOr<ImportedSchedule> transfusion::importSchedule(sched::ScheduleOp op) {
  ImportedSchedule imported;
  imported.op = op;
  imported.function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      op, op.getFunctionAttr());
  imported.archOp =
      SymbolTable::lookupNearestSymbolFrom<sched::ArchOp>(op, op.getArchAttr());
  FailureOr<ImportedCascade> source = importCascade(imported.function);
  if (failed(source))
    return failure();
  imported.source = std::move(*source);
  imported.arch = importArch(imported.archOp);
  imported.search = op.getSearch();
  ScheduleImporter importer(imported.source, imported.arch);
  imported.schedule.residents = importer.residents(op.getResidentAttr());
  for (auto group : op.getBody().getOps<sched::GroupOp>()) {
    imported.groups.push_back(group);
    imported.phases.emplace_back();
    for (auto phase : group.getBody().getOps<sched::PhaseOp>())
      imported.phases.back().push_back(phase);
    imported.schedule.groups.push_back(importer.group(group));
  }
  return imported;
}
