//===- Pieces.cpp - Which piece of a tensor a buffer holds, and where -----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::schedtoaffine;

Piece ProgramEmitter::groupPiece() const {
  Piece piece;
  for (const Rank &r : c.ranks) {
    piece.start.push_back(scope.constant(0));
    piece.size.push_back({scope.constant(r.extent)});
  }
  return piece;
}

Piece ProgramEmitter::tilePiece(const OuterTile &tile) const {
  Piece piece;
  piece.start = tile.start;
  for (int64_t size : tile.size)
    piece.size.push_back({scope.constant(size)});
  return piece;
}

Piece ProgramEmitter::bufferPiece(int32_t id, const EpochSpace &space,
                                  const Epoch *epoch) const {
  const Buffer &buffer = plan.buffers[id];
  switch (buffer.role) {
  case BufferRole::Window:
  case BufferRole::Output:
    return epoch->inner;
  case BufferRole::Accumulator:
  case BufferRole::Carried:
    return tilePiece(*space.tile);
  case BufferRole::Input:
    break;
  }
  if (buffer.level == RetainLevel::Group)
    return groupPiece();
  Piece piece = tilePiece(*space.tile);
  int32_t j = buffer.fetchPosition;
  if (buffer.level == RetainLevel::Tile || j < 0)
    return piece;
  const std::vector<RankId> &order = space.phase->order;
  for (int32_t k = 0; k < j; ++k) {
    piece.start[order[k]] = epoch->inner.start[order[k]];
    piece.size[order[k]] = epoch->inner.size[order[k]];
  }
  RankId r = order[j];
  int64_t perBlock = space.perBlock(r);
  AffineExpr offset = epoch->index[j].floorDiv(perBlock) * space.block[r];
  piece.start[r] = space.tile->start[r] + offset;
  piece.size[r] = {scope.constant(space.block[r])};
  if (space.tile->size[r] % space.block[r])
    piece.size[r].push_back(scope.constant(space.tile->size[r]) - offset);
  return piece;
}

AffineExpr ProgramEmitter::bufferSlot(int32_t id, const EpochSpace &space,
                                      const Epoch &epoch, int32_t distance) {
  const Buffer &buffer = plan.buffers[id];
  switch (buffer.role) {
  case BufferRole::Window:
  case BufferRole::Output:
    return (epoch.number - distance) % buffer.slots;
  case BufferRole::Accumulator:
  case BufferRole::Carried:
    return scope.constant(0);
  case BufferRole::Input:
    break;
  }
  int32_t j = buffer.fetchPosition;
  if (buffer.level != RetainLevel::Block || j < 0)
    return scope.constant(0);
  RankId r = space.phase->order[j];
  int64_t perBlock = space.perBlock(r);
  int64_t blocks = (space.trips[j] + perBlock - 1) / perBlock;
  AffineExpr fetch = epoch.index[j].floorDiv(perBlock);
  if (space.skips()) { // fetches count on from row to row, but not in a row
    AffineExpr before = scope.constant(0);
    if (j < space.stepPosition())
      for (int32_t k = 0; k < j; ++k)
        before = before * space.trips[k] + epoch.index[k];
    return (before * blocks + fetch) % buffer.slots;
  }
  if (int64_t around = space.stride[j] * space.trips[j]; around < space.epochs)
    fetch = epoch.number.floorDiv(around) * blocks + fetch;
  return fetch % buffer.slots;
}

SmallVector<Condition>
ProgramEmitter::fetchConditions(const Buffer &buffer, const EpochSpace &space,
                                const Epoch &epoch) const {
  int32_t j = buffer.fetchPosition;
  RankId r = space.phase->order[j];
  SmallVector<Condition> conditions;
  for (size_t k = j + 1; k < epoch.index.size(); ++k)
    conditions.push_back({epoch.index[k], true});
  int64_t perBlock = space.perBlock(r);
  conditions.push_back({epoch.index[j] % perBlock, true});
  return conditions;
}

AffineExpr ProgramEmitter::evaluate(const LinearExpr &e,
                                    ArrayRef<AffineExpr> point) const {
  AffineExpr sum = scope.constant(e.constant);
  for (const auto &[rank, coefficient] : e.terms)
    sum = sum + point[rank] * coefficient;
  return sum;
}

AffineExpr ProgramEmitter::leastCoordinate(const LinearExpr &e,
                                           const Piece &piece) const {
  AffineExpr sum = scope.constant(e.constant);
  for (const auto &[rank, coefficient] : e.terms) {
    AffineExpr value = piece.start[rank];
    // A rank that counts down: the least coordinate is at its full extent,
    // which is what the buffer was sized for.
    if (coefficient < 0)
      value = value + piece.size[rank].front() - 1;
    sum = sum + value * coefficient;
  }
  return sum;
}

bool ProgramEmitter::isSlice(const Buffer &buffer, const BufferDim &dim) const {
  return buffer.role != BufferRole::Input &&
         dim.tensorDim == c.tensors[buffer.tensor].iterativeDim;
}

static bool sameExpr(const LinearExpr &x, const LinearExpr &y) {
  return x.constant == y.constant && x.terms == y.terms;
}

/// The digits of a tensor dimension as it is laid out in a buffer.
static SmallVector<BufferDim> digitsOf(const Buffer &buffer, int32_t dim) {
  SmallVector<BufferDim> digits;
  for (const BufferDim &d : buffer.dims)
    if (d.tensorDim == dim)
      digits.push_back(d);
  return digits;
}

/// Every coordinate is one number of these digits, outermost first, or one
/// digit that counts down.
static bool isMixedRadix(ArrayRef<BufferDim> digits, const Cascade &c) {
  if (digits.size() == 1 && digits.front().coefficient == -1)
    return true;
  int64_t unit = 1;
  for (const BufferDim &digit : llvm::reverse(digits)) {
    if (digit.rank < 0 || digit.coefficient != unit)
      return false;
    unit *= c.ranks[digit.rank].extent;
  }
  return true;
}

SmallVector<AffineExpr>
ProgramEmitter::bufferIndices(int32_t id, AffineExpr slot, const Piece &piece,
                              const Access &access,
                              ArrayRef<AffineExpr> point) const {
  const Buffer &buffer = plan.buffers[id];
  SmallVector<AffineExpr> indices = {slot};
  for (const BufferDim &dim : buffer.dims) {
    if (isSlice(buffer, dim)) {
      indices.push_back(scope.constant(0));
      continue;
    }
    const LinearExpr &expr = access[dim.tensorDim];
    const LinearExpr &own = buffer.access[dim.tensorDim];
    if (dim.rank >= 0 && sameExpr(expr, own)) {
      indices.push_back(point[dim.rank] - piece.start[dim.rank]);
      continue;
    }
    if (digitsOf(buffer, dim.tensorDim).size() > 1) {
      // Read by other ranks than those it is laid out by: digit by digit.
      AffineExpr digit = (evaluate(expr, point) - scope.constant(own.constant))
                             .floorDiv(dim.coefficient) %
                         c.ranks[dim.rank].extent;
      indices.push_back(digit - piece.start[dim.rank]);
      continue;
    }
    if (dim.rank >= 0 && dim.coefficient == -1) {
      indices.push_back(scope.constant(own.constant) - evaluate(expr, point) -
                        piece.start[dim.rank]);
      continue;
    }
    AffineExpr least = leastCoordinate(own, piece);
    indices.push_back(evaluate(expr, point) - least);
  }
  return indices;
}

std::string ProgramEmitter::unsupported() const {
  for (const Buffer &buffer : plan.buffers) {
    if (buffer.bitsPerValue % 8)
      return "buffer '" + buffer.name + "' holds values of " +
             std::to_string(buffer.bitsPerValue) +
             " bits, which are not whole bytes";
  }
  // A reader that names the coordinates of a buffer in another way than the
  // ranks it is laid out by needs one buffer dimension per tensor dimension, or
  // digits that its coordinate can be taken apart into.
  auto check = [&](const Operand &operand, int32_t id) -> std::string {
    if (id < 0)
      return "";
    const Buffer &buffer = plan.buffers[id];
    for (const BufferDim &dim : buffer.dims)
      if (!isSlice(buffer, dim) &&
          !sameExpr(operand.access[dim.tensorDim],
                    buffer.access[dim.tensorDim]) &&
          dim.rank >= 0 && !isMixedRadix(digitsOf(buffer, dim.tensorDim), c))
        return "buffer '" + buffer.name +
               "' is read through ranks that it is not laid out by";
    return "";
  };
  for (const GroupPlan &group : plan.groups)
    for (const PhasePlan &phase : group.phases)
      for (const PlannedSlot &slot : phase.slots) {
        const Einsum &e = c.einsums[slot.einsum];
        for (size_t i = 0; i < slot.inputs.size(); ++i)
          if (std::string s = check(e.inputs[i], slot.inputs[i].buffer);
              !s.empty())
            return s;
        for (size_t i = 0; i < slot.finishInputs.size(); ++i)
          if (std::string s =
                  check(e.finishInputs[i], slot.finishInputs[i].buffer);
              !s.empty())
            return s;
      }
  return "";
}
