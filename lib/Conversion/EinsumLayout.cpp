//===- EinsumLayout.cpp - Where an Einsum's points lie in its result ------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EinsumLayout.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::einsum;

Value transfusion::emitLayout(OpBuilder &b, MapReduceOp op, Value points,
                              ArrayRef<unsigned> loops, RankedTensorType type,
                              std::optional<Slice> slice) {
  Location loc = op.getLoc();
  SmallVector<AffineExpr> inverse = getInverseResultMap(op);
  // Result dimensions, without the slice's.
  unsigned numDims = op.getResultMap().getNumResults();
  SmallVector<AffineExpr> coordinates;
  for (unsigned d = 0, position = 0; d < numDims; ++d)
    coordinates.push_back(slice && d == slice->dim
                              ? b.getAffineConstantExpr(0)
                              : b.getAffineDimExpr(position++));
  if (int dim = op.getExtendedDim(); dim >= 0)
    coordinates[dim] =
        coordinates[dim] +
        cast<RankedTensorType>(op.getBase().getType()).getDimSize(dim);
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  int iterativeDim = slice ? -1 : op.getIterativeDim();
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{}, empty,
      b.getMultiDimIdentityMap(type.getRank()), iterators,
      [&](OpBuilder &inner, Location, ValueRange) {
        SmallVector<Value> index;
        for (int64_t i = 0; i < type.getRank(); ++i)
          index.push_back(linalg::IndexOp::create(inner, loc, i));
        auto read = [&](OpBuilder &at) -> Value {
          SmallVector<Value> indices;
          for (unsigned rank : loops)
            indices.push_back(affine::AffineApplyOp::create(
                at, loc,
                AffineMap::get(type.getRank(), 0,
                               inverse[rank].replaceDims(coordinates)),
                index));
          return tensor::ExtractOp::create(at, loc, points, indices);
        };
        Value value;
        if (iterativeDim < 0) {
          value = read(inner);
        } else {
          Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
          Value first = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::eq, index[iterativeDim], zero);
          auto branch = scf::IfOp::create(inner, loc, type.getElementType(),
                                          first, /*withElseRegion=*/true);
          OpBuilder thenB = branch.getThenBodyBuilder();
          scf::YieldOp::create(
              thenB, loc,
              arith::ConstantOp::create(thenB, loc, op.getInitAttr())
                  .getResult());
          OpBuilder elseB = branch.getElseBodyBuilder();
          scf::YieldOp::create(elseB, loc, read(elseB));
          value = branch.getResult(0);
        }
        linalg::YieldOp::create(inner, loc, value);
      });
  return generic.getResult(0);
}

Value transfusion::emitExtension(OpBuilder &b, MapReduceOp op, Value base,
                                 Value points, int dim) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Value whole =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  for (Value piece : {base, points}) {
    auto pieceType = cast<RankedTensorType>(piece.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : pieceType.getShape())
      sizes.push_back(b.getIndexAttr(size));
    whole = tensor::InsertSliceOp::create(b, loc, piece, whole, offsets, sizes,
                                          strides);
    offsets[dim] = b.getIndexAttr(pieceType.getDimSize(dim));
  }
  return whole;
}
