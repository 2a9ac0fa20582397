//===- ScheduleSymbols.cpp - What a schedule refers to --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"
#include "transfusion/Dialect/Sched/IR/Names.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::sched;

namespace {

/// The function and the machine as a schedule sees them: by name.
struct Referents {
  ArchOp arch;
  SmallVector<einsum::CascadeOp> cascades;
  llvm::MapVector<StringAttr, einsum::MapReduceOp> einsums;
  llvm::SmallMapVector<StringAttr, int64_t, 16> extents;
  /// m0 in m1*256 + m0.
  llvm::SmallDenseSet<StringAttr> uncut;
};

/// Ranks within a tile that an iterative rank counts: m0 in b*512 + m1*256 +
/// m0.
void collectUncut(einsum::MapReduceOp op, Referents &names) {
  auto ranks = llvm::to_vector(op.getRanks().getAsRange<StringAttr>());
  auto isIterative = [&](StringAttr rank) {
    einsum::RankAttr declared = op.getCascade().lookupRank(rank);
    return declared && declared.getIterative();
  };
  for (AffineMap map : op.getMaps().getAsValueRange<AffineMapAttr>()) {
    if (map.getNumDims() != ranks.size())
      continue; // The Einsum's own verifier says so.
    for (AffineExpr expr : map.getResults()) {
      auto form = einsum::getLinearForm(expr, ranks.size());
      if (!form)
        continue;
      int64_t tile = 0;
      for (auto [rank, coefficient] : llvm::zip(ranks, form->coefficients))
        if (isIterative(rank))
          tile = std::max(tile, std::abs(coefficient));
      for (auto [rank, coefficient] : llvm::zip(ranks, form->coefficients))
        if (coefficient != 0 && std::abs(coefficient) < tile &&
            !isIterative(rank))
          names.uncut.insert(rank);
    }
  }
}

/// A rank for each of whose places there is a recurrence of its own does not
/// stand within a tile: kv in kv*4 + m1*8 + m0, where windows are short.
void dropRecurrent(einsum::MapReduceOp op, Referents &names) {
  if (op.getIterativeDim() < 0)
    return;
  auto ranks = llvm::to_vector(op.getRanks().getAsRange<StringAttr>());
  for (auto [i, rank] : llvm::enumerate(ranks))
    if (op.getResultMap().isFunctionOfDim(i))
      names.uncut.erase(rank);
}

template <typename Map> SmallVector<StringRef> keysOf(const Map &map) {
  SmallVector<StringRef> keys;
  for (auto &entry : map)
    keys.push_back(entry.first.getValue());
  return keys;
}

class Verifier {
public:
  explicit Verifier(ScheduleOp schedule) : schedule(schedule) {}
  LogicalResult run(SymbolTableCollection &symbols);

private:
  LogicalResult resolve(SymbolTableCollection &symbols);
  LogicalResult verifyRank(Operation *op, StringAttr rank);
  LogicalResult verifySizes(Operation *op, TilingAttr sizes, const char *what);
  LogicalResult verifyPhaseSizes(GroupOp group, PhaseOp phase);
  LogicalResult verifyRun(RunOp run);
  LogicalResult verifyResidents(Operation *op, ArrayAttr residents);
  LogicalResult verifyReads(GroupOp group);
  LogicalResult verifyMoves(PhaseOp phase);
  LogicalResult verifyComplete();

  ScheduleOp schedule;
  Referents names;
  llvm::DenseMap<StringAttr, RunOp> scheduled, finished;
};

} // namespace

LogicalResult Verifier::resolve(SymbolTableCollection &symbols) {
  Operation *function =
      symbols.lookupNearestSymbolFrom(schedule, schedule.getFunctionAttr());
  if (!isa_and_nonnull<FunctionOpInterface>(function)) // (2)
    return schedule.emitOpError() << "is of " << schedule.getFunctionAttr()
                                  << ", which is no function of this module";
  names.arch = dyn_cast_or_null<ArchOp>(
      symbols.lookupNearestSymbolFrom(schedule, schedule.getArchAttr()));
  if (!names.arch) // (2)
    return schedule.emitOpError() << "is on " << schedule.getArchAttr()
                                  << ", which is no sched.arch of this module";
  function->walk([&](einsum::CascadeOp op) { names.cascades.push_back(op); });
  if (names.cascades.empty()) { // (2)
    InFlightDiagnostic diag = schedule.emitOpError()
                              << "needs an einsum.cascade in "
                              << schedule.getFunctionAttr()
                              << ", which has none";
    diag.attachNote(function->getLoc()) << "--einsum-decompose makes one";
    return diag;
  }
  for (einsum::CascadeOp cascade : names.cascades) {
    for (auto rank : cascade.getRanks().getAsRange<einsum::RankAttr>())
      names.extents[rank.getName()] = rank.getExtent();
    for (auto op : cascade.getBody().getOps<einsum::MapReduceOp>()) {
      names.einsums[op.getEinsumNameAttr()] = op;
      collectUncut(op, names);
    }
  }
  for (auto &[name, op] : names.einsums)
    dropRecurrent(op, names);
  return success();
}

LogicalResult Verifier::verifyRank(Operation *op, StringAttr rank) {
  if (names.extents.count(rank))
    return success();
  return op->emitOpError() // (3)
         << "names rank '" << rank.getValue() << "', which the cascade of "
         << schedule.getFunctionAttr() << " does not have"
         << suggest(rank, keysOf(names.extents), "ranks");
}

LogicalResult Verifier::verifySizes(Operation *op, TilingAttr sizes,
                                    const char *what) {
  if (!sizes)
    return success();
  for (auto [rank, size] : llvm::zip(sizes.getRanks(), sizes.getSizes())) {
    if (failed(verifyRank(op, rank)))
      return failure();
    int64_t extent = names.extents[rank];
    if (size > extent) // (5)
      return op->emitOpError()
             << what << " " << size << " of rank '" << rank.getValue()
             << "' exceeds its extent " << extent;
    if (size < extent && names.uncut.contains(rank)) // (8)
      return op->emitOpError()
             << what << " " << size << " cuts rank '" << rank.getValue()
             << "' of extent " << extent
             << "; repartition it with --einsum-partition instead";
  }
  return success();
}

static int64_t sizeOf(TilingAttr sizes, StringAttr rank, int64_t otherwise) {
  if (sizes)
    for (auto [name, size] : llvm::zip(sizes.getRanks(), sizes.getSizes()))
      if (name == rank)
        return size;
  return otherwise;
}

LogicalResult Verifier::verifyPhaseSizes(GroupOp group, PhaseOp phase) {
  if (failed(verifySizes(phase, phase.getBlockAttr(), "block")) ||
      failed(verifySizes(phase, phase.getInnerAttr(), "inner")))
    return failure();
  for (auto rank : phase.getOrder().getAsRange<StringAttr>())
    if (failed(verifyRank(phase, rank)))
      return failure();
  for (auto [rank, extent] : names.extents) {
    int64_t tile = sizeOf(group.getTileAttr(), rank, extent);
    int64_t block = sizeOf(phase.getBlockAttr(), rank, tile);
    int64_t inner = sizeOf(phase.getInnerAttr(), rank, block);
    if (block < tile && block % inner != 0) // (5)
      return phase.emitOpError()
             << "block " << block << " of rank '" << rank.getValue()
             << "' is no multiple of inner " << inner;
    if (inner < tile && !llvm::is_contained(phase.getOrder(), rank)) // (5)
      return phase.emitOpError()
             << "inner " << inner << " of rank '" << rank.getValue()
             << "' is smaller than its tile " << tile
             << ", but the order does not list it";
  }
  return success();
}

LogicalResult Verifier::verifyRun(RunOp run) {
  StringAttr unit = run.getUnitAttr().getAttr();
  if (!isa_and_nonnull<UnitOp>(names.arch.lookupSymbol(unit))) { // (3)
    SmallVector<StringRef> units;
    for (auto op : names.arch.getBody().getOps<UnitOp>())
      units.push_back(op.getSymName());
    return run.emitOpError()
           << "is on " << run.getUnitAttr() << ", which is no unit of "
           << schedule.getArchAttr() << suggest(unit, units, "units");
  }
  for (auto slot : run.getSlots().getAsRange<SlotAttr>()) {
    auto found = names.einsums.find(slot.getEinsum());
    if (found == names.einsums.end()) // (3)
      return run.emitOpError()
             << "schedules Einsum '" << slot.getDisplayName() << "', which "
             << schedule.getFunctionAttr() << " does not have"
             << suggest(slot.getEinsum(), keysOf(names.einsums), "Einsums");
    auto &seen = slot.getFinishOnly() ? finished : scheduled;
    auto [first, isNew] = seen.try_emplace(slot.getEinsum(), run);
    if (!isNew) { // (4)
      InFlightDiagnostic diag = run.emitOpError()
                                << "schedules Einsum '" << slot.getDisplayName()
                                << "' a second time";
      diag.attachNote(first->second.getLoc()) << "it is scheduled here first";
      return diag;
    }
    ArrayRef<StringAttr> split;
    if (slot.getInstances())
      split = slot.getInstances().getRanks();
    for (ArrayRef<StringAttr> ranks : {slot.getRows(), slot.getCols(), split})
      for (StringAttr rank : ranks) {
        if (failed(verifyRank(run, rank)))
          return failure();
        if (!llvm::is_contained(found->second.getRanks(), rank)) // (6)
          return run.emitOpError()
                 << "maps rank '" << rank.getValue() << "', which Einsum '"
                 << slot.getDisplayName() << "' lacks";
      }
  }
  return success();
}

/// What resides and where exist; whether it may is a rule about the whole
/// schedule.
LogicalResult Verifier::verifyResidents(Operation *op, ArrayAttr residents) {
  if (!residents)
    return success();
  TensorNames tensors(names.cascades);
  for (auto resident : residents.getAsRange<ResidentAttr>()) {
    if (!tensors.lookup(resident.getTensor())) // (3)
      return op->emitOpError()
             << "has " << resident.getTensor()
             << " reside, which the cascade of " << schedule.getFunctionAttr()
             << " neither reads nor makes";
    if (!isa_and_nonnull<MemoryOp>(SymbolTable::lookupSymbolIn(
            names.arch, resident.getMemory()))) // (9)
      return op->emitOpError()
             << "has " << resident.getTensor() << " reside in "
             << resident.getMemory() << ", which is no memory of "
             << schedule.getArchAttr();
  }
  return success();
}

/// What a group retains, and the pieces that reside for its tiles.
LogicalResult Verifier::verifyReads(GroupOp group) {
  if (failed(verifyResidents(group, group.getResidentAttr())))
    return failure(); // (10)
  if (!group.getRetainAttr() && !group.getResidentAttr())
    return success();
  TensorNames tensors(names.cascades);
  llvm::DenseSet<Value> read, made;
  group.walk([&](RunOp run) {
    for (auto slot : run.getSlots().getAsRange<SlotAttr>()) {
      einsum::MapReduceOp op = names.einsums.lookup(slot.getEinsum());
      if (!slot.getFinishOnly())
        for (Value value : op.getInputs())
          read.insert(tensorBehind(value));
      for (Value value : op.getFinishInputs())
        read.insert(tensorBehind(value));
      made.insert(op.getResult());
    }
  });
  auto isRead = [&](StringAttr name, const char *before,
                    const char *after) -> LogicalResult {
    Value tensor = tensors.lookup(name);
    if (!tensor) // (3)
      return group.emitOpError()
             << before << name << after << ", which the cascade of "
             << schedule.getFunctionAttr() << " neither reads nor makes";
    if (read.contains(tensor) && !made.contains(tensor))
      return success();
    return group.emitOpError()
           << before << name << after << ", which it "
           << (made.contains(tensor) ? "makes itself" : "does not read");
  };
  if (group.getRetainAttr())
    for (auto retain : group.getRetainAttr().getAsRange<RetainAttr>())
      if (failed(isRead(retain.getTensor(), "retains ", ""))) // (7)
        return failure();
  if (group.getResidentAttr())
    for (auto resident : group.getResidentAttr().getAsRange<ResidentAttr>())
      if (failed(isRead(resident.getTensor(), "has ", " reside"))) // (10)
        return failure();
  return success();
}

/// What is moved exists; whether the phase loads or makes it is a rule about
/// the whole schedule.
LogicalResult Verifier::verifyMoves(PhaseOp phase) {
  TensorNames tensors(names.cascades);
  auto known = [&](StringAttr tensor, const char *verb) -> LogicalResult {
    if (tensors.lookup(tensor)) // (3)
      return success();
    return phase.emitOpError()
           << verb << " " << tensor << ", which the cascade of "
           << schedule.getFunctionAttr() << " neither reads nor makes";
  };
  if (phase.getPrefetchAttr())
    for (auto move : phase.getPrefetchAttr().getAsRange<PrefetchAttr>())
      if (failed(known(move.getTensor(), "prefetches")))
        return failure();
  if (phase.getDeferAttr())
    for (auto move : phase.getDeferAttr().getAsRange<DeferAttr>())
      if (failed(known(move.getTensor(), "defers")))
        return failure();
  return success();
}

LogicalResult Verifier::verifyComplete() {
  for (auto &[name, op] : names.einsums) {
    if (scheduled.contains(name))
      continue; // (4)
    InFlightDiagnostic diag = schedule.emitOpError() << "leaves out Einsum '"
                                                     << name.getValue() << "'";
    diag.attachNote(op.getLoc())
        << "Einsum '" << name.getValue() << "'; give it a slot in a run";
    return diag;
  }
  return success();
}

LogicalResult Verifier::run(SymbolTableCollection &symbols) {
  if (failed(resolve(symbols)) ||
      failed(verifyResidents(schedule, schedule.getResidentAttr())))
    return failure();
  for (auto group : schedule.getBody().getOps<GroupOp>()) {
    if (failed(verifySizes(group, group.getTileAttr(), "tile")))
      return failure();
    for (auto phase : group.getBody().getOps<PhaseOp>()) {
      if (failed(verifyPhaseSizes(group, phase)) || failed(verifyMoves(phase)))
        return failure();
      for (auto run : phase.getBody().getOps<RunOp>())
        if (failed(verifyRun(run)))
          return failure();
    }
    if (failed(verifyReads(group)))
      return failure();
  }
  return verifyComplete();
}

LogicalResult ScheduleOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return Verifier(*this).run(symbols);
}
