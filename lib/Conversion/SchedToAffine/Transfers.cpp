//===- Transfers.cpp - Loads into buffers, and results on their way out ---===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::schedtoaffine;

Condition ProgramEmitter::holds(const Constraint &k,
                                ArrayRef<AffineExpr> point) const {
  return {evaluate(k.expr, point), false};
}

static bool usesReducedRank(const Cascade &c, EinsumId e, const Constraint &k) {
  for (const auto &term : k.expr.terms)
    if (isReducedRank(c, e, term.first))
      return true;
  return false;
}

SmallVector<Condition>
ProgramEmitter::resultConditions(EinsumId e, ArrayRef<AffineExpr> point) const {
  SmallVector<Condition> conditions;
  for (const Constraint &k : c.einsums[e].domain)
    if (!usesReducedRank(c, e, k))
      conditions.push_back(holds(k, point));
  return conditions;
}

SmallVector<Condition>
ProgramEmitter::reducedConditions(EinsumId e,
                                  ArrayRef<AffineExpr> point) const {
  SmallVector<Condition> conditions;
  for (const Constraint &k : c.einsums[e].domain)
    if (usesReducedRank(c, e, k))
      conditions.push_back(holds(k, point));
  return conditions;
}

void ProgramEmitter::forEachResult(
    EinsumId e, const Piece &inner,
    function_ref<void(std::vector<AffineExpr> &)> body) {
  Location loc = src.ops[e]->getLoc();
  SmallVector<RankId> ranks;
  SmallVector<Bound> bounds;
  for (RankId r : c.einsums[e].ranks)
    if (!isReducedRank(c, e, r)) {
      ranks.push_back(r);
      bounds.push_back(inner.size[r]);
    }
  scope.nest(loc, bounds, [&](ArrayRef<AffineExpr> ivs) {
    std::vector<AffineExpr> point = inner.start;
    for (size_t i = 0; i < ranks.size(); ++i)
      point[ranks[i]] = inner.start[ranks[i]] + ivs[i];
    scope.when(loc, resultConditions(e, point), [&] { body(point); });
  });
}

void ProgramEmitter::loadBuffer(int32_t id, AffineExpr slot, const Piece &piece,
                                Location loc, const StepBounds *only,
                                RankId rank) {
  const Buffer &buffer = plan.buffers[id];
  const Tensor &tensor = c.tensors[buffer.tensor];
  SmallVector<Bound> bounds;
  for (const BufferDim &dim : buffer.dims) {
    if (dim.rank >= 0) {
      bounds.push_back(piece.size[dim.rank]);
      continue;
    }
    // A halo: what of it lies within the tensor.
    AffineExpr least = leastCoordinate(buffer.access[dim.tensorDim], piece);
    bounds.push_back({scope.constant(dim.extent),
                      scope.constant(tensor.shape[dim.tensorDim]) - least});
  }
  scope.nest(loc, bounds, [&](ArrayRef<AffineExpr> ivs) {
    // Ranks that have no dimension are at their start: one value.
    SmallVector<AffineExpr> coordinates;
    for (const LinearExpr &e : buffer.access)
      coordinates.push_back(leastCoordinate(e, piece));
    SmallVector<int> terms(coordinates.size(), 0);
    SmallVector<AffineExpr> indices = {slot};
    SmallVector<Condition> inside;
    for (auto [dim, iv] : llvm::zip_equal(buffer.dims, ivs)) {
      if (only && dim.rank == rank) {
        AffineExpr at = piece.start[rank] + iv;
        for (AffineExpr lower : only->lowers)
          inside.push_back({at - lower, false});
        for (AffineExpr upper : only->uppers)
          inside.push_back({upper - at - 1, false});
      }
      AffineExpr &x = coordinates[dim.tensorDim];
      int64_t step = dim.rank >= 0 ? dim.coefficient : 1;
      if (step < 0) // leastCoordinate is at the far end
        x = x + (piece.size[dim.rank].front() - 1 - iv) * -step;
      else
        x = x + iv * step;
      ++terms[dim.tensorDim];
      indices.push_back(iv);
    }
    // Ranks that make up one dimension together may overshoot its end.
    if (only)
      inside.append(only->possible);
    for (size_t d = 0; d < coordinates.size(); ++d)
      if (terms[d] > 1)
        inside.push_back(
            {scope.constant(tensor.shape[d] - 1) - coordinates[d], false});
    scope.when(loc, inside, [&] {
      Value v = scope.load(loc, at.outer[buffer.tensor], coordinates);
      scope.store(loc, v, at.buffers[id], indices);
    });
  });
}

static bool keepsLastSlice(const Buffer &buffer, const Tensor &tensor) {
  bool isLast =
      buffer.role == BufferRole::Carried || buffer.storesLastSliceOnly;
  return isLast && tensor.iterativeDim >= 0;
}

void ProgramEmitter::whenWritten(const Buffer &buffer, const EpochSpace &space,
                                 const Epoch &epoch, Location loc,
                                 function_ref<void()> body) {
  const Tensor &tensor = c.tensors[buffer.tensor];
  if (!keepsLastSlice(buffer, tensor))
    return body();
  if (space.skips())
    return scope.unless(loc, epoch.notLast, body);
  RankId m = tensor.iterativeRank;
  scope.when(loc, {{epoch.inner.start[m] - (c.ranks[m].extent - 1), true}},
             body);
}

void ProgramEmitter::storeResult(const PlannedSlot &slot, int32_t id,
                                 const EpochSpace &space, const Epoch &epoch) {
  const Buffer &buffer = plan.buffers[id];
  const Einsum &e = c.einsums[slot.einsum];
  Location loc = src.ops[slot.einsum]->getLoc();
  AffineExpr from = scope.bind(loc, bufferSlot(id, space, epoch, 0));
  Piece piece = bufferPiece(id, space, &epoch);
  const Tensor &tensor = c.tensors[buffer.tensor];
  whenWritten(buffer, space, epoch, loc, [&] {
    forEachResult(slot.einsum, epoch.inner, [&](auto &point) {
      SmallVector<AffineExpr> coordinates;
      for (const LinearExpr &x : e.result.access)
        coordinates.push_back(evaluate(x, point));
      // After fewer steps than there are it is still the last slice.
      if (keepsLastSlice(buffer, tensor))
        coordinates[tensor.iterativeDim] =
            scope.constant(tensor.shape[tensor.iterativeDim] - 1);
      Value v =
          scope.load(loc, at.buffers[id],
                     bufferIndices(id, from, piece, e.result.access, point));
      scope.store(loc, v, at.outer[buffer.tensor], coordinates);
    });
  });
}
