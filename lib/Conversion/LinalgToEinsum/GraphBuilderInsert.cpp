//===- GraphBuilderInsert.cpp - Padding and insertion ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "ExpandPieces.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::YieldOp;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// A box [offset, offset + size*stride) of one dimension, every stride-th.
struct GraphBuilder::Box {
  int64_t offset, size, stride;
};

void GraphBuilder::raisePatch(Operation *op, Value inner, Value around,
                              TypedAttr constant, ArrayRef<Box> boxes,
                              const llvm::SmallBitVector &dropped) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  Type element = storageType(getElementTypeOrSelf(result.getType()));
  SmallVector<IndexParts> own;
  Equation eq = start(loc, ranks.digitsOf(result), own);
  unsigned numRanks = eq.ranks.size();

  SmallVector<Access> inputs;
  SmallVector<TypedAttr> constants; // of the inner and the outer value
  Builder builder(context);
  auto add = [&](Value value, ArrayRef<IndexParts> index) {
    const View view = viewOf(value);
    if (view.kind == View::Root) {
      inputs.push_back({view.root, substitute(view.at, ranks.digitsOf(value),
                                              index, numRanks, context)});
      constants.emplace_back();
    } else {
      constants.push_back(view.kind == View::Splat
                              ? view.splat
                              : cast<TypedAttr>(builder.getZeroAttr(element)));
    }
  };

  // Points outside of the box read some point inside, which is not used.
  SmallVector<IndexParts> index;
  SmallVector<AffineExpr> atLeast, isZero; // conditions of the box
  for (auto [dim, extent] : llvm::enumerate(shapeOf(result))) {
    Box box = boxes[dim];
    AffineExpr position = merge(own[dim], context) - box.offset;
    bool isWhole = box.offset == 0 && box.size == extent && box.stride == 1;
    if (!isWhole) {
      if (box.offset > 0)
        atLeast.push_back(position);
      if (box.offset + (box.size - 1) * box.stride + 1 < extent)
        atLeast.push_back((box.size - 1) * box.stride - position);
      if (box.stride > 1)
        isZero.push_back(position % box.stride);
    }
    if (dropped[dim])
      continue;
    if (isWhole)
      index.push_back(own[dim]);
    else if (box.size == 1)
      index.push_back({});
    else
      index.push_back({{position.floorDiv(box.stride) % box.size, box.size}});
  }
  add(inner, index);
  if (around)
    add(around, own);
  else
    constants.push_back(constant);

  eq.inputs.assign(inputs.begin(), inputs.end());
  SmallVector<Type> scalars;
  for (const Access &access : inputs)
    scalars.push_back(graph.roots[access.root].element);
  eq.map = Body(scalars, numRanks, loc);
  OpBuilder b = eq.map.atEnd();
  unsigned next = 0;
  SmallVector<Value> values;
  for (TypedAttr value : constants)
    values.push_back(value
                         ? arith::ConstantOp::create(b, loc, value).getResult()
                         : Value(eq.map.scalar(next++)));
  auto valueOf = [&](AffineExpr expr) {
    return indexValue(b, loc, eq.map, scalars.size(), expr);
  };
  Value zero, all;
  auto require = [&](arith::CmpIPredicate predicate, AffineExpr expr) {
    if (!zero)
      zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value holds = arith::CmpIOp::create(b, loc, predicate, valueOf(expr), zero);
    all = all ? arith::AndIOp::create(b, loc, all, holds).getResult() : holds;
  };
  for (AffineExpr expr : atLeast)
    require(arith::CmpIPredicate::sge, expr);
  for (AffineExpr expr : isZero)
    require(arith::CmpIPredicate::eq, expr);
  Value value = values[0];
  if (all)
    value = arith::SelectOp::create(b, loc, all, values[0], values[1]);
  YieldOp::create(b, loc, value);
  for (unsigned i = scalars.size(); i-- > 0;)
    if (eq.map.scalar(i).use_empty()) {
      eq.map.block().eraseArgument(i);
      eq.inputs.erase(eq.inputs.begin() + i);
    }
  eraseDead(eq.map.block());
  eq.name = around ? "insert" : "pad";
  eq.isCopy = true;
  View view;
  view.kind = View::Root;
  for (unsigned i = 0; i < numRanks; ++i)
    view.at.push_back(getAffineDimExpr(i, context));
  view.root = addEquation(std::move(eq), element, op);
  setView(result, view, Fate::Equation);
}

void GraphBuilder::raisePad(tensor::PadOp op) {
  SmallVector<Box> boxes;
  for (auto [low, size] : llvm::zip(op.getStaticLow(), shapeOf(op.getSource())))
    boxes.push_back({low, size, 1});
  Attribute value;
  matchPattern(op.getConstantPaddingValue(), m_Constant(&value));
  raisePatch(op, op.getSource(), Value(), cast<TypedAttr>(value), boxes,
             llvm::SmallBitVector(boxes.size()));
}

void GraphBuilder::raiseInsert(tensor::InsertSliceOp op) {
  SmallVector<Box> boxes;
  bool isWhole = true;
  for (unsigned dim = 0; dim < op.getStaticSizes().size(); ++dim) {
    boxes.push_back({op.getStaticOffsets()[dim], op.getStaticSizes()[dim],
                     op.getStaticStrides()[dim]});
    isWhole &= boxes.back().size == shapeOf(op.getResult())[dim];
  }
  if (isWhole && raiseReshape(op.getSource(), op.getResult()))
    return;
  unsigned at;
  if (SmallVector<Value> pieces = piecesOfChain(op, at); !pieces.empty())
    return raiseConcat(op, op.getResult(), pieces, at);
  raisePatch(op, op.getSource(), op.getDest(), TypedAttr(), boxes,
             op.getDroppedDims());
}
