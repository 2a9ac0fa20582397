//===- ExportSchedule.cpp - Decisions become sched ops --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/ImportSchedule.h"

using namespace mlir;
using namespace transfusion;

namespace {

class Exporter {
public:
  Exporter(OpBuilder &b, Location loc, const ImportedCascade &source,
           const core::Arch &arch)
      : b(b), loc(loc), source(source), arch(arch) {}
  void group(const core::Group &group);
  ArrayAttr residents(const std::vector<core::Resident> &list) const;

private:
  StringAttr rank(core::RankId r) const {
    return b.getStringAttr(source.cascade.ranks[r].name);
  }
  SmallVector<StringAttr> ranks(const std::vector<core::RankId> &ids) const {
    SmallVector<StringAttr> names;
    for (core::RankId r : ids)
      names.push_back(rank(r));
    return names;
  }
  sched::TilingAttr tiling(ArrayRef<core::RankId> ids,
                           const std::vector<int64_t> &sizes) const;
  sched::TilingAttr tiling(const std::vector<int64_t> &sizes) const;
  void phase(const core::Phase &phase);
  void run(const core::Run &run);

  OpBuilder &b;
  Location loc;
  const ImportedCascade &source;
  const core::Arch &arch;
};

} // namespace

/// Sizes of the given ranks; the whole extent where none is given.
sched::TilingAttr Exporter::tiling(ArrayRef<core::RankId> ids,
                                   const std::vector<int64_t> &sizes) const {
  if (ids.empty())
    return {};
  SmallVector<StringAttr> names;
  SmallVector<int64_t> values;
  for (core::RankId r : ids) {
    bool isGiven = r < static_cast<int64_t>(sizes.size()) && sizes[r] > 0;
    names.push_back(rank(r));
    values.push_back(isGiven ? sizes[r] : source.cascade.ranks[r].extent);
  }
  return sched::TilingAttr::get(b.getContext(), names, values);
}

/// The sizes that are given, in the order of the cascade's ranks.
sched::TilingAttr Exporter::tiling(const std::vector<int64_t> &sizes) const {
  SmallVector<core::RankId> given;
  for (auto [r, size] : llvm::enumerate(sizes))
    if (size > 0)
      given.push_back(static_cast<core::RankId>(r));
  return tiling(given, sizes);
}

void Exporter::run(const core::Run &run) {
  SmallVector<Attribute> slots;
  auto instances = [&](const core::Slot &slot) {
    SmallVector<StringAttr> names;
    SmallVector<int64_t> points;
    for (const core::InstancePart &part : slot.instances) {
      names.push_back(rank(part.rank));
      points.push_back(part.points);
    }
    return names.empty()
               ? sched::TilingAttr()
               : sched::TilingAttr::get(b.getContext(), names, points);
  };
  for (const core::Slot &slot : run.slots)
    slots.push_back(sched::SlotAttr::get(
        b.getContext(),
        b.getStringAttr(source.cascade.einsums[slot.einsum].name),
        slot.finishOnly, slot.stage, ranks(slot.rows), ranks(slot.cols),
        instances(slot)));
  sched::RunOp::create(b, loc, arch.units[run.unit].name,
                       b.getArrayAttr(slots));
}

void Exporter::phase(const core::Phase &phase) {
  SmallVector<StringAttr> order = ranks(phase.order);
  auto tensor = [&](core::TensorId t) {
    return b.getStringAttr(source.cascade.tensors[t].name);
  };
  auto listOrNone = [&](ArrayRef<Attribute> list) {
    return list.empty() ? ArrayAttr() : b.getArrayAttr(list);
  };
  SmallVector<Attribute> prefetch, defer;
  for (const core::Prefetch &p : phase.prefetch)
    prefetch.push_back(
        sched::PrefetchAttr::get(b.getContext(), tensor(p.tensor), p.ahead));
  for (const core::Defer &d : phase.defer)
    defer.push_back(
        sched::DeferAttr::get(b.getContext(), tensor(d.tensor), d.by));
  auto op = sched::PhaseOp::create(
      b, loc,
      b.getArrayAttr(SmallVector<Attribute>(order.begin(), order.end())),
      tiling(phase.block), tiling(phase.inner), phase.wrap, phase.skip,
      listOrNone(prefetch), listOrNone(defer));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&op.getBody());
  for (const core::Run &run : phase.runs)
    this->run(run);
}

ArrayAttr Exporter::residents(const std::vector<core::Resident> &list) const {
  SmallVector<Attribute> residents;
  for (const core::Resident &r : list)
    residents.push_back(sched::ResidentAttr::get(
        b.getContext(), b.getStringAttr(source.cascade.tensors[r.tensor].name),
        FlatSymbolRefAttr::get(b.getContext(), arch.memories[r.memory].name)));
  return residents.empty() ? ArrayAttr() : b.getArrayAttr(residents);
}

void Exporter::group(const core::Group &group) {
  SmallVector<core::RankId> tiled(group.tileOrder.begin(),
                                  group.tileOrder.end());
  SmallVector<Attribute> retain;
  for (const core::Retain &r : group.retain)
    retain.push_back(sched::RetainAttr::get(
        b.getContext(), b.getStringAttr(source.cascade.tensors[r.tensor].name),
        static_cast<sched::RetainLevel>(r.level)));
  auto op = sched::GroupOp::create(b, loc, tiling(tiled, group.tile),
                                   retain.empty() ? ArrayAttr()
                                                  : b.getArrayAttr(retain),
                                   residents(group.residents));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&op.getBody());
  for (const core::Phase &phase : group.phases)
    this->phase(phase);
}

sched::ScheduleOp transfusion::exportSchedule(
    OpBuilder &b, Location loc, StringRef name, const ImportedCascade &source,
    FunctionOpInterface function, sched::ArchOp arch,
    const core::Schedule &schedule, sched::SearchAttr search) {
  core::Arch machine = importArch(arch);
  Exporter exporter(b, loc, source, machine);
  auto op = sched::ScheduleOp::create(
      b, loc, name, SymbolTable::getSymbolName(function), arch.getSymName(),
      search, exporter.residents(schedule.residents));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&op.getBody());
  for (const core::Group &group : schedule.groups)
    exporter.group(group);
  return op;
}
