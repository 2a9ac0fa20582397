//===- EinsumToLinalgEinsum.cpp - One Einsum as linalg.generic ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Up to three generics: map and reduce over the ranks; finish over the ranks of
// the result; and, where the result's coordinates are not simply its ranks, one
// that arranges the points.
//
//===----------------------------------------------------------------------===//

#include "EinsumLayout.h"
#include "EinsumLoopNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IntegerSet.h"
#include "transfusion/Dialect/Einsum/IR/Reduce.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::einsum;

Value transfusion::emitEinsum(OpBuilder &b, MapReduceOp op,
                              ArrayRef<OperandSource> sources,
                              IntegerSet domain, IntegerSet resultDomain,
                              std::optional<Slice> slice) {
  Location loc = op.getLoc();
  SmallVector<int64_t> extents = op.getExtents();
  SmallVector<bool> reduced = op.getReducedRanks();
  SmallVector<unsigned> parallel, all;
  SmallVector<int64_t> parallelShape;
  for (unsigned i = 0, e = extents.size(); i < e; ++i)
    if (!reduced[i] && !(slice && slice->rank == i)) {
      parallel.push_back(i);
      parallelShape.push_back(extents[i]);
    }
  all = parallel;
  for (unsigned i = 0, e = extents.size(); i < e; ++i)
    if (reduced[i])
      all.push_back(i);

  // The result as it is stored, and whether its coordinates are its ranks.
  auto resultType = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(resultType.getShape());
  SmallVector<AffineExpr> coordinates(op.getResultMap().getResults());
  if (slice) {
    shape.erase(shape.begin() + slice->dim);
    coordinates.erase(coordinates.begin() + slice->dim);
  }
  // Behind a base only the points of the equation's own are computed.
  int extendedDim = op.getExtendedDim();
  if (extendedDim >= 0) {
    int64_t start =
        cast<RankedTensorType>(op.getBase().getType()).getDimSize(extendedDim);
    shape[extendedDim] -= start;
    coordinates[extendedDim] =
        simplifyAffineExpr(coordinates[extendedDim] - start, extents.size(), 0);
  }
  auto storedType = RankedTensorType::get(shape, resultType.getElementType());
  SmallVector<AffineExpr> outputExprs;
  bool isPlain = coordinates.size() == parallel.size();
  for (auto [d, expr] : llvm::enumerate(coordinates)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto it = dim ? llvm::find(parallel, dim.getPosition()) : parallel.end();
    if (it == parallel.end() || extents[*it] != shape[d]) {
      isPlain = false;
      break;
    }
    outputExprs.push_back(b.getAffineDimExpr(it - parallel.begin()));
  }
  AffineMap identity = b.getMultiDimIdentityMap(parallel.size());
  auto getOutput = [&](Type element) -> Value {
    return tensor::EmptyOp::create(b, loc, isPlain ? shape : parallelShape,
                                   element);
  };
  auto getOutputMap = [&](unsigned numLoops) {
    return AffineMap::get(
        numLoops, 0, isPlain ? ArrayRef(outputExprs) : identity.getResults(),
        b.getContext());
  };

  unsigned numInputs = op.getInputs().size();
  Value base;
  if (extendedDim >= 0) {
    base = sources.back().tensor;
    sources = sources.drop_back();
  }
  EinsumLoopNest nest(b, op, slice, all);
  for (const OperandSource &source : sources.take_front(numInputs))
    nest.addOperand(source.tensor, source.access);
  Value points;
  if (!op.getReduce()) {
    for (const OperandSource &source : sources.drop_front(numInputs))
      nest.addOperand(source.tensor, source.access);
    points = nest.emit(
        getOutput(resultType.getElementType()), getOutputMap(all.size()),
        all.size(), domain,
        /*keep=*/false, [&](OpBuilder &, ValueRange scalars, Value) {
          Value value =
              nest.cloneBody(op.getMap(), scalars.take_front(numInputs));
          if (op.getFinish().empty())
            return value;
          SmallVector<Value> arguments{value};
          llvm::append_range(arguments, scalars.drop_front(numInputs));
          return nest.cloneBody(op.getFinish(), arguments);
        });
  } else {
    ReduceKind kind = *op.getReduce();
    Type accumulator = op.getAccumulatorType();
    bool hasFinish = !op.getFinish().empty();
    Value identityValue =
        arith::ConstantOp::create(b, loc, identityOf(kind, accumulator));
    Value empty =
        hasFinish ? tensor::EmptyOp::create(b, loc, parallelShape, accumulator)
                        .getResult()
                  : getOutput(accumulator);
    Value start =
        linalg::FillOp::create(b, loc, identityValue, empty).getResult(0);
    AffineMap reduceMap =
        hasFinish ? AffineMap::get(all.size(), 0, identity.getResults(),
                                   b.getContext())
                  : getOutputMap(all.size());
    points = nest.emit(start, reduceMap, parallel.size(), domain, /*keep=*/true,
                       [&](OpBuilder &inner, ValueRange scalars, Value out) {
                         return combine(inner, loc, kind, out,
                                        nest.cloneBody(op.getMap(), scalars));
                       });
    if (hasFinish) {
      EinsumLoopNest finish(b, op, slice, parallel);
      finish.addLoopOperand(points, identity);
      for (const OperandSource &source : sources.drop_front(numInputs))
        finish.addOperand(source.tensor, source.access);
      points = finish.emit(getOutput(resultType.getElementType()),
                           getOutputMap(parallel.size()), parallel.size(),
                           resultDomain, /*keep=*/false,
                           [&](OpBuilder &, ValueRange scalars, Value) {
                             return finish.cloneBody(op.getFinish(), scalars);
                           });
    }
  }
  if (!isPlain)
    points = emitLayout(b, op, points, parallel, storedType, slice);
  return base ? emitExtension(b, op, base, points, extendedDim) : points;
}
