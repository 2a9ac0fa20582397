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

void ProgramEmitter::forEachValue(
    TensorId t, const Access &access, ArrayRef<BufferDim> dims,
    const Piece &piece, Location loc, const StepBounds *only, RankId rank,
    function_ref<void(ArrayRef<AffineExpr>, ArrayRef<AffineExpr>)> body) {
  const Tensor &tensor = c.tensors[t];
  SmallVector<Bound> bounds;
  for (const BufferDim &dim : dims) {
    if (dim.rank >= 0) {
      bounds.push_back(piece.size[dim.rank]);
      continue;
    }
    // A halo: what of it lies within the tensor.
    AffineExpr least = leastCoordinate(access[dim.tensorDim], piece);
    bounds.push_back({scope.constant(dim.extent),
                      scope.constant(tensor.shape[dim.tensorDim]) - least});
  }
  scope.nest(loc, bounds, [&](ArrayRef<AffineExpr> ivs) {
    // Ranks that have no dimension are at their start: one value.
    SmallVector<AffineExpr> coordinates;
    for (const LinearExpr &e : access)
      coordinates.push_back(leastCoordinate(e, piece));
    SmallVector<int> terms(coordinates.size(), 0);
    SmallVector<Condition> inside;
    for (auto [dim, iv] : llvm::zip_equal(dims, ivs)) {
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
    }
    // Ranks that make up one dimension together may overshoot its end.
    if (only)
      inside.append(only->possible);
    for (size_t d = 0; d < coordinates.size(); ++d)
      if (terms[d] > 1)
        inside.push_back(
            {scope.constant(tensor.shape[d] - 1) - coordinates[d], false});
    scope.when(loc, inside, [&] { body(ivs, coordinates); });
  });
}

void ProgramEmitter::loadBuffer(int32_t id, AffineExpr slot, const Piece &piece,
                                Location loc, const StepBounds *only,
                                RankId rank) {
  const Buffer &buffer = plan.buffers[id];
  const PlannedResident *resident = nullptr; // a piece to load from
  Value from = at.outer[buffer.tensor];
  for (auto [r, view] : llvm::zip_equal(plan.residents, at.pieces))
    if (r.group == buffer.group && r.tensor == buffer.tensor) {
      resident = &r;
      from = view;
    }
  forEachValue(
      buffer.tensor, buffer.access, buffer.dims, piece, loc, only, rank,
      [&](ArrayRef<AffineExpr> index, ArrayRef<AffineExpr> coordinates) {
        SmallVector<AffineExpr> source(coordinates);
        if (resident) {
          source.clear();
          const Piece tile = tilePiece(*tileNow);
          for (auto [dim, i] : llvm::zip_equal(resident->dims, index))
            source.push_back(
                dim.rank >= 0 ? i + piece.start[dim.rank] - tile.start[dim.rank]
                              : coordinates[dim.tensorDim] -
                                    leastCoordinate(
                                        resident->access[dim.tensorDim], tile));
        }
        SmallVector<AffineExpr> indices = {slot};
        indices.append(index.begin(), index.end());
        Value v = scope.load(loc, from, source);
        scope.store(loc, v, at.buffers[id], indices);
      });
}

void ProgramEmitter::copyPiece(size_t resident, const OuterTile &tile,
                               Location loc) {
  const PlannedResident &r = plan.residents[resident];
  if (poison)
    poisonPool(r.memory, r.address, r.address + r.bytes);
  forEachValue(
      r.tensor, r.access, r.dims, tilePiece(tile), loc,
      /*only=*/nullptr, /*rank=*/-1,
      [&](ArrayRef<AffineExpr> index, ArrayRef<AffineExpr> coordinates) {
        Value v = scope.load(loc, at.outer[r.tensor], coordinates);
        scope.store(loc, v, at.pieces[resident], index);
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
