//===- Split.cpp - One op per generic -------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Perturb.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

#include <set>

using namespace mlir;
using namespace transfusion::test;

namespace {
/// Splits the body of one parallel generic: every scalar op that depends on an
/// input becomes a generic, those that do not (constants, loop indices) go
/// along with each reader.
class BodySplit {
public:
  BodySplit(linalg::GenericOp op, Dice &dice)
      : op(op), dice(dice), b(op), shape(op.getStaticLoopRanges()) {}
  unsigned run();

private:
  /// A tensor and how a generic over the same loops reads it.
  struct Read {
    Value tensor;
    AffineMap map;
  };
  bool isFree(Value scalar);
  void makeRead(Value scalar, IRMapping &mapping, ArrayRef<Value> reads,
                ValueRange args, OpBuilder &inner);
  Value makeGeneric(Operation *scalarOp);

  linalg::GenericOp op;
  Dice &dice;
  OpBuilder b;
  SmallVector<int64_t> shape;
  DenseMap<Value, Read> tensors; ///< of scalars of the body
};
} // namespace

/// Depends on no scalar that a tensor holds.
bool BodySplit::isFree(Value scalar) {
  if (auto arg = dyn_cast<BlockArgument>(scalar))
    return arg.getOwner() != op.getBody();
  Operation *def = scalar.getDefiningOp();
  if (def->getBlock() != op.getBody())
    return true;
  return llvm::all_of(def->getOperands(), [&](Value v) { return isFree(v); });
}

/// Clones what is free into `inner`, and binds the rest to `args`.
void BodySplit::makeRead(Value scalar, IRMapping &mapping,
                         ArrayRef<Value> reads, ValueRange args,
                         OpBuilder &inner) {
  if (mapping.contains(scalar))
    return;
  if (!isFree(scalar)) {
    mapping.map(scalar, args[llvm::find(reads, scalar) - reads.begin()]);
    return;
  }
  Operation *def = scalar.getDefiningOp();
  if (!def || def->getBlock() != op.getBody())
    return; // from outside
  for (Value operand : def->getOperands())
    makeRead(operand, mapping, reads, args, inner);
  inner.clone(*def, mapping);
}

Value BodySplit::makeGeneric(Operation *scalarOp) {
  SmallVector<Value> reads;
  for (Value operand : scalarOp->getOperands())
    if (!isFree(operand) && !llvm::is_contained(reads, operand))
      reads.push_back(operand);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value scalar : reads) {
    Read read = tensors.lookup(scalar);
    inputs.push_back(read.tensor);
    maps.push_back(read.map);
  }
  return elementwise(b, op.getLoc(), shape, scalarOp->getResult(0).getType(),
                     inputs, maps,
                     [&](OpBuilder &inner, Location, ValueRange args) {
                       IRMapping mapping;
                       for (Value operand : scalarOp->getOperands())
                         makeRead(operand, mapping, reads, args, inner);
                       return inner.clone(*scalarOp, mapping)->getResult(0);
                     });
}

unsigned BodySplit::run() {
  if (op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      !ignoresInit(op) || llvm::is_contained(shape, ShapedType::kDynamic) ||
      shape.empty())
    return 0;
  Operation *yield = op.getBody()->getTerminator();
  AffineMap out = op.getIndexingMapsArray().back();
  if (isFree(yield->getOperand(0)) || !out.isIdentity())
    return 0;
  SmallVector<Operation *> scalarOps;
  for (Operation &inner : op.getBody()->without_terminator())
    if (inner.getNumResults() == 1 && !isFree(inner.getResult(0)))
      scalarOps.push_back(&inner);
  unsigned sites = scalarOps.size() > 1 ? scalarOps.size() - 1 : 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    Value tensor = input->get();
    // A broadcast may be an op of its own.
    if (!map.isIdentity() && !scalarOps.empty() && dice.coin()) {
      tensor = broadcast(b, op.getLoc(), tensor, map, shape);
      map = b.getMultiDimIdentityMap(shape.size());
      ++sites;
    }
    tensors[op.getMatchingBlockArgument(input)] = {tensor, map};
  }
  if (sites == 0)
    return 0;
  for (Operation *scalarOp : scalarOps)
    tensors[scalarOp->getResult(0)] = {makeGeneric(scalarOp),
                                       b.getMultiDimIdentityMap(shape.size())};
  Read result = tensors.lookup(yield->getOperand(0));
  if (!result.map.isIdentity()) // an input passed on beside ops that are dead
    return 0;
  op.getResult(0).replaceAllUsesWith(result.tensor);
  op.erase();
  return sites;
}

/// matmul as the generic of all products, and their sum.
static unsigned splitContraction(linalg::LinalgOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  Value init = op.getDpsInits()[0];
  Type element = tensorType(init).getElementType();
  if (!element.isF32() || llvm::any_of(op.getDpsInputs(), [&](Value v) {
        return tensorType(v).getElementType() != element;
      }))
    return 0;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value products =
      elementwise(b, loc, shape, element, op.getDpsInputs(), {maps[0], maps[1]},
                  [](OpBuilder &inner, Location at, ValueRange args) -> Value {
                    return arith::MulFOp::create(inner, at, args[0], args[1]);
                  });
  Value sum = linalg::GenericOp::create(
                  b, loc, init.getType(), products, init,
                  {b.getMultiDimIdentityMap(shape.size()), maps[2]},
                  op.getIteratorTypesArray(),
                  [](OpBuilder &inner, Location at, ValueRange args) {
                    Value next =
                        arith::AddFOp::create(inner, at, args[0], args[1]);
                    linalg::YieldOp::create(inner, at, next);
                  })
                  .getResult(0);
  op->getResult(0).replaceAllUsesWith(sum);
  op->erase();
  return 1;
}

unsigned transfusion::test::splitGenerics(func::FuncOp function, Dice &dice) {
  unsigned sites = 0;
  SmallVector<linalg::LinalgOp> ops(function.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : ops) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation())) {
      if (!dice.once(4))
        sites += BodySplit(generic, dice).run();
    } else if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op)) {
      if (dice.once(6))
        sites += splitContraction(op);
    }
  }
  return sites;
}
