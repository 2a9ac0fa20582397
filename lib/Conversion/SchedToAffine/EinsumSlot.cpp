//===- EinsumSlot.cpp - One Einsum on the inner tile of one epoch ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the result's ranks, then over the reduced ones with the partial
// result in a register; bodies are cloned from the Einsum. Outside of them are
// loops over the instances of the unit, which have no location, as those over
// tiles and steps.
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::schedtoaffine;

static arith::AtomicRMWKind combiner(einsum::ReduceKind kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case einsum::ReduceKind::Add:
    return isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  case einsum::ReduceKind::Mul:
    return isFloat ? arith::AtomicRMWKind::mulf : arith::AtomicRMWKind::muli;
  case einsum::ReduceKind::Max:
    return isFloat ? arith::AtomicRMWKind::maximumf
                   : arith::AtomicRMWKind::maxs;
  case einsum::ReduceKind::Min:
    return isFloat ? arith::AtomicRMWKind::minimumf
                   : arith::AtomicRMWKind::mins;
  case einsum::ReduceKind::And:
    return arith::AtomicRMWKind::andi;
  case einsum::ReduceKind::Or:
    return arith::AtomicRMWKind::ori;
  }
  return arith::AtomicRMWKind::addf;
}

Value ProgramEmitter::readOperand(const Operand &operand,
                                  const OperandSource &from,
                                  const EpochSpace &space, const Epoch &epoch,
                                  ArrayRef<AffineExpr> point, Location loc) {
  OpBuilder &b = scope.builder();
  Piece piece = bufferPiece(from.buffer, space, &epoch);
  AffineExpr slot = bufferSlot(from.buffer, space, epoch, from.distance);
  auto loaded = [&] {
    return scope.load(
        loc, at.buffers[from.buffer],
        bufferIndices(from.buffer, slot, piece, operand.access, point));
  };
  const Tensor &tensor = c.tensors[operand.tensor];
  if (tensor.iterativeDim < 0 || tensor.producer < 0)
    return loaded();
  // Slice 0 is the initial value, which no buffer holds.
  TypedAttr init = src.producer(operand.tensor).getInitAttr();
  auto initial = [&]() -> Value {
    return arith::ConstantOp::create(b, loc, init);
  };
  if (space.skips()) // no slice before the first step that runs
    return from.distance == 0 ? loaded()
                              : scope.choose(loc, init.getType(),
                                             epoch.notFirst, loaded, initial);
  AffineExpr slice = evaluate(operand.access[tensor.iterativeDim], point);
  return scope.choose(loc, init.getType(), {{slice, true}}, initial, loaded);
}

Value ProgramEmitter::cloneBody(Region &region, ArrayRef<Value> args,
                                EinsumId e, ArrayRef<AffineExpr> point) {
  if (region.empty())
    return args.front();
  OpBuilder &b = scope.builder();
  IRMapping mapping;
  for (auto [arg, value] : llvm::zip_equal(region.getArguments(), args))
    mapping.map(arg, value);
  Block &body = region.front();
  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<einsum::IndexOp>(op)) {
      for (RankId r : c.einsums[e].ranks)
        if (c.ranks[r].name == index.getRank())
          mapping.map(index.getResult(), scope.value(op.getLoc(), point[r]));
      continue;
    }
    b.clone(op, mapping);
  }
  return mapping.lookup(body.getTerminator()->getOperand(0));
}

Value ProgramEmitter::reducePoint(const PlannedSlot &slot,
                                  const EpochSpace &space, const Epoch &epoch,
                                  std::vector<AffineExpr> &point,
                                  Value initial) {
  const Einsum &e = c.einsums[slot.einsum];
  einsum::MapReduceOp op = src.ops[slot.einsum];
  Location loc = op->getLoc();
  OpBuilder &b = scope.builder();
  auto mapped = [&]() -> Value {
    SmallVector<Value> args;
    for (size_t i = 0; i < e.inputs.size(); ++i)
      args.push_back(
          readOperand(e.inputs[i], slot.inputs[i], space, epoch, point, loc));
    return cloneBody(op.getMap(), args, slot.einsum, point);
  };
  std::vector<RankId> reduced = reducedRanks(c, slot.einsum);
  if (reduced.empty())
    return mapped();

  Type type = initial.getType();
  arith::AtomicRMWKind kind = combiner(*op.getReduce(), type);
  std::function<Value(size_t, Value)> open = [&](size_t depth, Value acc) {
    if (depth < reduced.size()) {
      RankId r = reduced[depth];
      return scope.reduce(loc, epoch.inner.size[r], acc,
                          [&](AffineExpr iv, Value partial) {
                            point[r] = epoch.inner.start[r] + iv;
                            return open(depth + 1, partial);
                          });
    }
    return scope.choose(
        loc, type, reducedConditions(slot.einsum, point),
        [&]() -> Value {
          return arith::getReductionOp(kind, b, loc, acc, mapped());
        },
        [&] { return acc; });
  };
  return open(0, initial);
}

void ProgramEmitter::forEachInstance(ArrayRef<InstancePart> parts, Piece inner,
                                     function_ref<void(const Piece &)> body) {
  if (parts.empty())
    return body(inner);
  const InstancePart &part = parts.front();
  Bound upper;
  for (AffineExpr size : inner.size[part.rank])
    upper.push_back(size.ceilDiv(part.points));
  scope.loop(scope.builder().getUnknownLoc(), upper, [&](AffineExpr i) {
    Piece own = inner;
    own.start[part.rank] = own.start[part.rank] + i * part.points;
    for (AffineExpr &size : own.size[part.rank])
      size = size - i * part.points;
    own.size[part.rank].push_back(scope.constant(part.points));
    forEachInstance(parts.drop_front(), std::move(own), body);
  });
}

void ProgramEmitter::emitSlot(const PlannedSlot &slot, const EpochSpace &space,
                              const Epoch &epoch) {
  const Einsum &e = c.einsums[slot.einsum];
  einsum::MapReduceOp op = src.ops[slot.einsum];
  Location loc = op->getLoc();
  OpBuilder &b = scope.builder();
  std::vector<RankId> reduced = reducedRanks(c, slot.einsum);

  auto into = [&](int32_t id, ArrayRef<AffineExpr> point) {
    Piece piece = bufferPiece(id, space, &epoch);
    return bufferIndices(id, bufferSlot(id, space, epoch, 0), piece,
                         e.result.access, point);
  };
  auto identity = [&]() -> Value {
    Type type = op.getAccumulatorType();
    return arith::getIdentityValue(combiner(*op.getReduce(), type), type, b,
                                   loc);
  };

  auto computePoint = [&](std::vector<AffineExpr> &point) {
    Value value;
    if (slot.finishOnly) {
      value = scope.load(loc, at.buffers[slot.accumulator],
                         into(slot.accumulator, point));
    } else {
      Value initial;
      if (slot.accumulates) {
        // The first epoch of this result point starts from the identity.
        SmallVector<Condition> first;
        for (RankId r : reduced)
          if (int32_t k = space.plan->cuts[r].position; k >= 0)
            first.push_back({epoch.index[k], true});
        initial =
            scope.choose(loc, op.getAccumulatorType(), first, identity, [&] {
              return scope.load(loc, at.buffers[slot.accumulator],
                                into(slot.accumulator, point));
            });
      } else if (!reduced.empty()) {
        initial = identity();
      }
      value = reducePoint(slot, space, epoch, point, initial);
      if (slot.accumulates) {
        scope.store(loc, value, at.buffers[slot.accumulator],
                    into(slot.accumulator, point));
        return;
      }
    }
    SmallVector<Value> args = {value};
    for (size_t i = 0; i < e.finishInputs.size(); ++i)
      args.push_back(readOperand(e.finishInputs[i], slot.finishInputs[i], space,
                                 epoch, point, loc));
    value = cloneBody(op.getFinish(), args, slot.einsum, point);
    if (slot.window >= 0)
      scope.store(loc, value, at.buffers[slot.window],
                  into(slot.window, point));
    if (slot.carried >= 0)
      whenWritten(plan.buffers[slot.carried], space, epoch, loc, [&] {
        scope.store(loc, value, at.buffers[slot.carried],
                    into(slot.carried, point));
      });
  };
  forEachInstance(
      space.phase->runs[slot.run].slots[slot.index].instances, epoch.inner,
      [&](const Piece &own) { forEachResult(slot.einsum, own, computePoint); });

  for (int32_t id : {slot.window, slot.carried})
    if (id >= 0 && plan.buffers[id].storeToOuter && !slot.accumulates) {
      storeResult(slot, id, space, epoch);
      break;
    }
}
