//===- ArchVerifier.cpp - Rules of sched.arch -----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Dialect/Sched/IR/Sched.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::sched;

/// Lanes of a unit: counts of points times cycles stay far below 2^63.
static constexpr int64_t kMaxLanes = int64_t(1) << 24;

/// A memory that is in itself, by way of others: told apart from one that is
/// merely in the wrong place.
static LogicalResult verifyNoCycle(ArchOp arch) {
  llvm::SmallDenseMap<StringAttr, MemoryOp> memories;
  for (auto memory : arch.getBody().getOps<MemoryOp>())
    memories[memory.getSymNameAttr()] = memory;
  for (auto memory : arch.getBody().getOps<MemoryOp>()) {
    std::string way = "@" + memory.getSymName().str();
    MemoryOp at = memory;
    for (size_t i = 0; i < memories.size() && at; ++i) {
      FlatSymbolRefAttr parent = at.getParentAttr();
      at = parent ? memories.lookup(parent.getAttr()) : MemoryOp();
      if (!at)
        break;
      way += " in @" + at.getSymName().str();
      if (at == memory && (i || memories.size() == 1)) {
        InFlightDiagnostic diag = memory.emitOpError()
                                  << "is in itself (" << way
                                  << "): the hierarchy has a cycle";
        diag.attachNote() << "list memories from outer to inner, each in one "
                             "before it";
        return diag;
      }
    }
  }
  return success();
}

LogicalResult ArchOp::verifyRegions() {
  if (failed(verifyNoCycle(*this))) // (3)
    return failure();
  llvm::DenseMap<StringAttr, bool> memories;
  bool hasUnit = false;
  for (Operation &op : getBody().front()) {
    if (auto memory = dyn_cast<MemoryOp>(op)) {
      if (hasUnit) // (2)
        return memory.emitOpError() << "must stand before the units";
      FlatSymbolRefAttr parent = memory.getParentAttr();
      if (memories.empty() != !parent) { // (3)
        if (parent)
          return memory.emitOpError()
                 << "is the first memory of @" << getSymName()
                 << ", the outermost one, and is in no other";
        return memory.emitOpError()
               << "needs 'in @MEMORY': only the first memory of @"
               << getSymName() << " is in no other";
      }
      if (parent && !memories.count(parent.getAttr())) // (3)
        return memory.emitOpError()
               << "is in " << parent << ", which is no memory before it";
      memories[memory.getSymNameAttr()] = true;
    } else if (auto unit = dyn_cast<UnitOp>(op)) {
      hasUnit = true;
      if (!memories.count(unit.getMemoryAttr().getAttr())) // (4)
        return unit.emitOpError()
               << "is on " << unit.getMemoryAttr()
               << ", which is no memory of @" << getSymName();
    } else { // (2)
      return op.emitOpError() << "may not stand in 'sched.arch'";
    }
  }
  if (memories.empty()) // (2)
    return emitOpError() << "has no memory";
  if (!hasUnit) // (2)
    return emitOpError() << "has no unit";
  return success();
}

static bool isNoQuantity(FloatAttr attr) {
  return attr && (!std::isfinite(attr.getValueAsDouble()) ||
                  attr.getValueAsDouble() < 0);
}

LogicalResult MemoryOp::verify() {
  if (getParentAttr() && !getCapacityBytesAttr()) // (2)
    return emitOpError()
           << "needs capacity_bytes: only the outermost memory is unlimited";
  if (getBandwidthBytesPerSAttr() &&
      (getReadBandwidthBytesPerSAttr() || getWriteBandwidthBytesPerSAttr()))
    return emitOpError() << "has a shared bandwidth and a separate one; give "
                            "bandwidth_bytes_per_s alone, or one for reads and "
                            "one for writes"; // (3)
  if (getEnergyPjPerByteAttr() &&
      (getReadEnergyPjPerByteAttr() || getWriteEnergyPjPerByteAttr()))
    return emitOpError()
           << "has one energy and a separate one; give "
              "energy_pj_per_byte alone, or one for reads and one "
              "for writes"; // (3)
  for (FloatAttr energy :
       {getEnergyPjPerByteAttr(), getReadEnergyPjPerByteAttr(),
        getWriteEnergyPjPerByteAttr()})
    if (isNoQuantity(energy)) // (4)
      return emitOpError() << "needs an energy that is finite, not negative";
  if (isNoQuantity(getLeakageWAttr())) // (4)
    return emitOpError() << "needs a leakage that is finite, not negative";
  return success();
}

LogicalResult UnitOp::verify() {
  if (!getGridAttr() == !getLanesAttr()) // (1)
    return emitOpError() << "needs either a grid or lanes";
  int64_t lanes = 1;
  if (DenseI64ArrayAttr grid = getGridAttr()) {
    if (grid.size() != 2) // (1)
      return emitOpError() << "needs a grid of rows x columns, has "
                           << grid.size() << " dimensions";
    for (int64_t size : grid.asArrayRef()) {
      if (size < 1 || size > kMaxLanes) // (1)
        return emitOpError() << "has a grid dimension of " << size
                             << ", must be between 1 and " << kMaxLanes;
      lanes *= size;
    }
  } else {
    lanes = *getLanes();
  }
  if (lanes > kMaxLanes) // (1)
    return emitOpError() << "has " << lanes << " lanes, at most " << kMaxLanes
                         << " are supported";
  if (!getGridAttr() && (getRowsShareAttr() || getColsShareAttr())) // (4)
    return emitOpError() << "has lanes: only a grid shares along rows and "
                            "columns";
  if (isNoQuantity(getLeakageWAttr())) // (5)
    return emitOpError() << "needs a leakage that is finite, not negative";

  llvm::SmallDenseMap<OpClass, OpCostAttr> costs;
  for (auto cost : getOps().getAsRange<OpCostAttr>())
    if (!costs.try_emplace(cost.getOpClass(), cost).second) // (2)
      return emitOpError() << "lists op class '"
                           << stringifyOpClass(cost.getOpClass()) << "' twice";
  for (auto cost : getOps().getAsRange<OpCostAttr>())
    for (OpClass term : cost.getTermClasses()) { // (3)
      auto found = costs.find(term);
      if (found == costs.end() || found->second.isExpansion())
        return emitOpError()
               << "expands '" << stringifyOpClass(cost.getOpClass())
               << "' into '" << stringifyOpClass(term) << "', which "
               << (found == costs.end() ? "it does not support"
                                        : "is an expansion itself");
    }
  return success();
}
