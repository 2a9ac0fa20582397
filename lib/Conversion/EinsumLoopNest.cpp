//===- EinsumLoopNest.cpp - One loop nest of an Einsum --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EinsumLoopNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::einsum;

EinsumLoopNest::EinsumLoopNest(OpBuilder &builder, MapReduceOp op,
                               std::optional<Slice> slice,
                               ArrayRef<unsigned> loops)
    : b(builder), op(op), loc(op.getLoc()), slice(slice), loops(loops),
      extents(op.getExtents()) {
  SmallVector<AffineExpr> exprs(extents.size());
  for (auto [position, rank] : llvm::enumerate(loops))
    exprs[rank] = b.getAffineDimExpr(position);
  if (slice)
    exprs[slice->rank] = b.getAffineSymbolExpr(0);
  for (AffineExpr &expr : exprs)
    if (!expr) // a reduced rank, in finish: nothing may depend on it
      expr = b.getAffineConstantExpr(0);
  rankExprs = exprs;
}

void EinsumLoopNest::addOperand(Value tensor, AffineMap map) {
  Operand &operand = operands.emplace_back();
  operand.tensor = tensor;
  operand.map = overLoops(map);
  if (!isDirect(operand))
    return;
  operand.input = inputs.size();
  inputs.push_back(tensor);
  inputMaps.push_back(operand.map);
}

void EinsumLoopNest::addLoopOperand(Value tensor, AffineMap map) {
  Operand &operand = operands.emplace_back();
  operand.tensor = tensor;
  operand.map = map;
  operand.input = inputs.size();
  inputs.push_back(tensor);
  inputMaps.push_back(map);
}

AffineMap EinsumLoopNest::overLoops(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(expr.replaceDims(rankExprs));
  return AffineMap::get(loops.size(), slice ? 1 : 0, results, op.getContext());
}

Value EinsumLoopNest::emit(Value output, AffineMap outputMap,
                           unsigned numParallel, IntegerSet domain, bool keep,
                           BodyFn body) {
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), numParallel, utils::IteratorType::parallel);
  addShapeOperands(outputMap);
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(outputMap);
  auto generic = linalg::GenericOp::create(
      b, loc, output.getType(), inputs, output, maps, iterators,
      [&](OpBuilder &inner, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(inner.getInsertionBlock(),
                            inner.getInsertionPoint());
        // linalg.index must stand in the body itself, not in a branch.
        indices.clear();
        for (unsigned i = 0, e = loops.size(); i < e; ++i)
          indices.push_back(linalg::IndexOp::create(b, loc, i));
        Value out = arguments.back();
        Value condition = domain ? emitCondition(domain) : Value();
        Value result;
        if (!condition) {
          result = body(b, readScalars(arguments), out);
        } else {
          auto branch = scf::IfOp::create(b, loc, out.getType(), condition,
                                          /*withElseRegion=*/true);
          b.setInsertionPointToStart(branch.thenBlock());
          Value value = body(b, readScalars(arguments), out);
          scf::YieldOp::create(b, loc, value);
          b.setInsertionPointToStart(branch.elseBlock());
          Value other = out;
          if (!keep)
            other = arith::ConstantOp::create(b, loc, out.getType(),
                                              b.getZeroAttr(out.getType()));
          scf::YieldOp::create(b, loc, other);
          b.setInsertionPointAfter(branch);
          result = branch.getResult(0);
        }
        linalg::YieldOp::create(b, loc, result);
      });
  return generic.getResult(0);
}

Value EinsumLoopNest::cloneBody(Region &region, ValueRange scalars) {
  if (region.empty())
    return scalars.front();
  IRMapping mapping;
  mapping.map(region.front().getArguments(), scalars);
  for (Operation &inner : region.front().without_terminator()) {
    if (auto index = dyn_cast<IndexOp>(inner)) {
      for (auto [rank, name] :
           llvm::enumerate(op.getRanks().getAsValueRange<StringAttr>()))
        if (name == index.getRank())
          mapping.map(index.getResult(), getIndex(rankExprs[rank]));
      continue;
    }
    b.clone(inner, mapping);
  }
  return mapping.lookup(region.front().getTerminator()->getOperand(0));
}

Value EinsumLoopNest::getIndex(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  if (isa<AffineSymbolExpr>(expr))
    return slice->index;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, loc, constant.getValue());
  SmallVector<Value> values(indices);
  if (slice)
    values.push_back(slice->index);
  return affine::AffineApplyOp::create(
      b, loc, AffineMap::get(loops.size(), slice ? 1 : 0, expr), values);
}

bool EinsumLoopNest::isDirect(const Operand &operand) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(operand.tensor.getType()).getShape();
  SmallVector<unsigned> seen;
  for (auto [d, expr] : llvm::enumerate(operand.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(seen, dim.getPosition()) ||
        shape[d] != extents[loops[dim.getPosition()]])
      return false;
    seen.push_back(dim.getPosition());
  }
  // Maps of a generic have no symbols; the expressions here use none.
  return true;
}

/// linalg infers the extent of each loop from an operand's shape. A loop that
/// no operand shows gets one that is never read.
void EinsumLoopNest::addShapeOperands(AffineMap outputMap) {
  for (AffineMap &map : inputMaps)
    map = AffineMap::get(loops.size(), 0, map.getResults(), b.getContext());
  for (unsigned i = 0, e = loops.size(); i < e; ++i) {
    bool shown = outputMap.isFunctionOfDim(i);
    for (AffineMap map : inputMaps)
      shown |= map.isFunctionOfDim(i);
    if (shown)
      continue;
    inputs.push_back(tensor::EmptyOp::create(
        b, loc, ArrayRef<int64_t>{extents[loops[i]]}, b.getI8Type()));
    inputMaps.push_back(
        AffineMap::get(e, 0, b.getAffineDimExpr(i), b.getContext()));
  }
}

SmallVector<Value> EinsumLoopNest::readScalars(ValueRange arguments) {
  SmallVector<Value> scalars;
  for (const Operand &operand : operands) {
    if (operand.input >= 0) {
      scalars.push_back(arguments[operand.input]);
      continue;
    }
    SmallVector<Value> at;
    for (AffineExpr expr : operand.map.getResults())
      at.push_back(getIndex(expr));
    scalars.push_back(tensor::ExtractOp::create(b, loc, operand.tensor, at));
  }
  return scalars;
}

Value EinsumLoopNest::emitCondition(IntegerSet domain) {
  Value all;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (unsigned i = 0, e = domain.getNumConstraints(); i < e; ++i) {
    Value value = getIndex(domain.getConstraint(i).replaceDims(rankExprs));
    Value holds = arith::CmpIOp::create(
        b, loc,
        domain.isEq(i) ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge,
        value, zero);
    all = all ? arith::AndIOp::create(b, loc, all, holds).getResult() : holds;
  }
  return all;
}
