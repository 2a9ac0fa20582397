//===- ScheduleVerifier.cpp - Local rules of groups, phases, runs ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Dialect/Sched/IR/Sched.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace transfusion::sched;

/// Only ops of kind T stand in the region.
template <typename T>
static LogicalResult verifyBody(Operation *op, Region &body, bool mayBeEmpty) {
  for (Operation &nested : body.front())
    if (!isa<T>(nested))
      return nested.emitOpError()
             << "may not stand in '" << op->getName() << "'";
  if (!mayBeEmpty && body.front().empty())
    return op->emitOpError() << "holds no '" << T::getOperationName() << "'";
  return success();
}

static llvm::SmallMapVector<StringAttr, int64_t, 8> sizesOf(TilingAttr tiling) {
  llvm::SmallMapVector<StringAttr, int64_t, 8> sizes;
  if (tiling)
    for (auto [rank, size] : llvm::zip(tiling.getRanks(), tiling.getSizes()))
      sizes[rank] = size;
  return sizes;
}

/// (9) of ScheduleOp, (3) of GroupOp
static LogicalResult verifyResidents(Operation *op, ArrayAttr residents) {
  if (!residents)
    return success();
  if (residents.empty())
    return op->emitOpError() << "has an empty list of resident tensors";
  llvm::SmallDenseSet<StringAttr, 8> seen;
  for (auto resident : residents.getAsRange<ResidentAttr>())
    if (!seen.insert(resident.getTensor()).second)
      return op->emitOpError()
             << "has " << resident.getTensor() << " reside twice";
  return success();
}

LogicalResult ScheduleOp::verifyRegions() {
  if (failed(verifyBody<GroupOp>(*this, getBody(), /*mayBeEmpty=*/true)))
    return failure();                               // (1)
  return verifyResidents(*this, getResidentAttr()); // (9)
}

LogicalResult GroupOp::verifyRegions() {
  if (failed(verifyBody<PhaseOp>(*this, getBody(), /*mayBeEmpty=*/false)))
    return failure(); // (1)
  if (failed(verifyResidents(*this, getResidentAttr())))
    return failure(); // (3)
  if (!getRetainAttr())
    return success();
  if (getRetainAttr().empty())
    return emitOpError() << "retains an empty list of tensors";
  llvm::SmallDenseSet<StringAttr, 8> seen;
  for (auto retain : getRetainAttr().getAsRange<RetainAttr>())
    if (!seen.insert(retain.getTensor()).second) // (2)
      return emitOpError() << "retains " << retain.getTensor() << " twice";
  return success();
}

/// (6) of PhaseOp
template <typename T>
static LogicalResult verifyMoves(PhaseOp phase, ArrayAttr moves,
                                 const char *verb) {
  if (!moves)
    return success();
  if (moves.empty())
    return phase.emitOpError() << verb << " an empty list of tensors";
  llvm::SmallDenseSet<StringAttr, 8> seen;
  for (auto move : moves.getAsRange<T>())
    if (!seen.insert(move.getTensor()).second)
      return phase.emitOpError() << verb << " " << move.getTensor() << " twice";
  return success();
}

LogicalResult PhaseOp::verifyRegions() {
  if (failed(verifyBody<RunOp>(*this, getBody(), /*mayBeEmpty=*/false)))
    return failure(); // (1)
  llvm::SmallDenseSet<StringAttr, 4> units;
  for (auto run : getBody().getOps<RunOp>())
    if (!units.insert(run.getUnitAttr().getAttr()).second) // (1)
      return run.emitOpError()
             << "is the second run of " << run.getUnitAttr() << " in its phase";

  if (failed(
          verifyMoves<PrefetchAttr>(*this, getPrefetchAttr(), "prefetches")) ||
      failed(verifyMoves<DeferAttr>(*this, getDeferAttr(), "defers")))
    return failure();

  llvm::SmallDenseSet<StringAttr, 8> order;
  for (auto rank : getOrder().getAsRange<StringAttr>())
    if (!order.insert(rank).second) // (2)
      return emitOpError() << "lists rank '" << rank.getValue()
                           << "' twice in its order";

  auto group = cast<GroupOp>((*this)->getParentOp());
  auto tile = sizesOf(group.getTileAttr());
  auto block = sizesOf(getBlockAttr()), inner = sizesOf(getInnerAttr());
  auto within = [&](const char *what, StringAttr rank, int64_t size,
                    const char *enclosing, const auto &sizes) -> LogicalResult {
    auto found = sizes.find(rank);
    if (found == sizes.end() || size <= found->second)
      return success();
    return emitOpError() << what << " " << size << " of rank '"
                         << rank.getValue() << "' exceeds its " << enclosing
                         << " " << found->second;
  };
  for (auto [rank, size] : inner) // (3)
    if (failed(within("inner", rank, size, "block", block)) ||
        failed(within("inner", rank, size, "tile", tile)))
      return failure();
  for (auto [rank, size] : block) // (3)
    if (failed(within("block", rank, size, "tile", tile)))
      return failure();
  return success();
}

LogicalResult RunOp::verify() {
  if (getSlots().empty())
    return emitOpError() << "of " << getUnitAttr() << " has no slot";
  return success();
}
