//===- Storage.cpp - One allocation per memory, and views of it -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::schedtoaffine;

static Attribute memorySpace(OpBuilder &b, MemoryId m) {
  return b.getI64IntegerAttr(m);
}

/// Of the pool of memory `m`, from `address` on. `kind` and `name` are for the
/// reader; nothing depends on them.
Value ProgramEmitter::viewOfPool(Location loc, ArrayRef<int64_t> shape,
                                 Type element, MemoryId m, int64_t address,
                                 StringRef kind, StringRef name) {
  OpBuilder &b = scope.builder();
  auto type = MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                              memorySpace(b, m));
  Value offset = arith::ConstantIndexOp::create(b, loc, address);
  auto view =
      memref::ViewOp::create(b, loc, type, at.pools[m], offset, ValueRange());
  view->setDiscardableAttr(kind, b.getStringAttr(name));
  return view;
}

void ProgramEmitter::allocate(Location loc) {
  OpBuilder &b = scope.builder();
  at.pools.resize(src.arch.memories.size());
  for (size_t m = 1; m < src.arch.memories.size(); ++m) {
    int64_t bytes = plan.allocationBytes[m];
    if (bytes == 0)
      continue;
    auto type =
        MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                        memorySpace(b, static_cast<MemoryId>(m)));
    at.pools[m] = memref::AllocOp::create(
        b, loc, type, b.getI64IntegerAttr(kBufferAlignment));
    if (poison)
      poisonPool(static_cast<MemoryId>(m), 0, bytes);
  }
  at.copiedFrom = at.outer;
  for (const PlannedResident &r : plan.residents) {
    Type element = cast<RankedTensorType>(src.tensors[r.tensor].getType())
                       .getElementType();
    const Tensor &tensor = c.tensors[r.tensor];
    at.pieces.emplace_back();
    if (r.isPiece()) {
      SmallVector<int64_t> shape;
      for (const BufferDim &dim : r.dims)
        shape.push_back(dim.extent);
      at.pieces.back() = viewOfPool(loc, shape, element, r.memory, r.address,
                                    "sched.resident", tensor.name);
      continue;
    }
    at.outer[r.tensor] = viewOfPool(loc, tensor.shape, element, r.memory,
                                    r.address, "sched.resident", tensor.name);
  }

  for (size_t t = 0; t < c.tensors.size(); ++t) {
    if (at.outer[t] || extenderOf(c, static_cast<TensorId>(t)) >= 0 ||
        !livesInOuterMemory(c, src.schedule, static_cast<TensorId>(t)))
      continue;
    Type element =
        cast<RankedTensorType>(src.tensors[t].getType()).getElementType();
    at.outer[t] = memref::AllocOp::create(
        b, loc, MemRefType::get(c.tensors[t].shape, element),
        b.getI64IntegerAttr(kBufferAlignment));
  }
  // A tensor is the beginning of what extends it.
  for (size_t t = 0; t < c.tensors.size(); ++t)
    if (extenderOf(c, static_cast<TensorId>(t)) < 0)
      for (TensorId piece : piecesOf(c, static_cast<TensorId>(t)))
        if (!at.outer[piece])
          at.outer[piece] = at.outer[t];

  for (const Buffer &buffer : plan.buffers) {
    Type element = cast<RankedTensorType>(src.tensors[buffer.tensor].getType())
                       .getElementType();
    if (buffer.role == BufferRole::Accumulator)
      element = src.producer(buffer.tensor).getAccumulatorType();
    SmallVector<int64_t> shape = {buffer.slots};
    for (const BufferDim &dim : buffer.dims)
      shape.push_back(dim.extent);
    at.buffers.push_back(viewOfPool(loc, shape, element, buffer.memory,
                                    buffer.address, "sched.buffer",
                                    buffer.name));
  }
}

void ProgramEmitter::copyResident(TensorId t, Location loc) {
  SmallVector<Bound> bounds;
  for (int64_t extent : c.tensors[t].shape)
    bounds.push_back({scope.constant(extent)});
  scope.nest(loc, bounds, [&](ArrayRef<AffineExpr> ivs) {
    scope.store(loc, scope.load(loc, at.copiedFrom[t], ivs), at.outer[t], ivs);
  });
}

void ProgramEmitter::release(Location loc) {
  OpBuilder &b = scope.builder();
  for (Value pool : at.pools)
    if (pool)
      memref::DeallocOp::create(b, loc, pool);
  llvm::SmallDenseSet<Value> released;
  for (Value v : at.outer)
    if (v && v.getDefiningOp<memref::AllocOp>() && released.insert(v).second)
      memref::DeallocOp::create(b, loc, v);
}

/// Slice 0 of a recurrence whose whole history is kept in DRAM.
void ProgramEmitter::fillInitialSlices(Location loc) {
  OpBuilder &b = scope.builder();
  for (size_t t = 0; t < c.tensors.size(); ++t) {
    const Tensor &tensor = c.tensors[t];
    if (!at.outer[t] || tensor.iterativeDim < 0 || tensor.producer < 0)
      continue;
    TypedAttr init = src.producer(static_cast<TensorId>(t)).getInitAttr();
    Value v = arith::ConstantOp::create(b, loc, init);
    SmallVector<Bound> bounds;
    for (size_t d = 0; d < tensor.shape.size(); ++d)
      bounds.push_back({scope.constant(
          static_cast<int32_t>(d) == tensor.iterativeDim ? 1
                                                         : tensor.shape[d])});
    scope.nest(loc, bounds, [&](ArrayRef<AffineExpr> ivs) {
      scope.store(loc, v, at.outer[t], ivs);
    });
  }
}

/// Bytes 0xFF are a NaN in every float type: whoever reads what was not written
/// spoils the result.
void ProgramEmitter::poisonPool(MemoryId m, int64_t from, int64_t to) {
  OpBuilder &b = scope.builder();
  Location loc = b.getUnknownLoc();
  Value ones = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(-1));
  scope.loop(loc, {scope.constant(to - from)}, [&](AffineExpr i) {
    scope.store(loc, ones, at.pools[m], {i + from});
  });
}

void ProgramEmitter::poisonBuffer(int32_t id) {
  const Buffer &buffer = plan.buffers[id];
  if (poison)
    poisonPool(buffer.memory, buffer.address,
               buffer.address + buffer.slots * buffer.bytesPerSlot);
}

void ProgramEmitter::emit(std::vector<Value> outer, Location loc) {
  at.outer = std::move(outer);
  allocate(loc);
  fillInitialSlices(loc);
  for (size_t g = 0; g < plan.groups.size(); ++g)
    emitGroup(static_cast<int32_t>(g));
  release(loc);
}
