//===- Builders.cpp - Small linalg programs -------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace transfusion;

RankedTensorType test::tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value test::elementwise(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                        Type element, ValueRange inputs,
                        ArrayRef<AffineMap> maps, BodyFn body) {
  Value init = tensor::EmptyOp::create(b, loc, shape, element);
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), inputs, init, all, iterators,
             [&](OpBuilder &inner, Location at, ValueRange args) {
               linalg::YieldOp::create(inner, at,
                                       body(inner, at, args.drop_back()));
             })
      .getResult(0);
}

Value test::elementwise(OpBuilder &b, Location loc, ValueRange inputs,
                        Type element, BodyFn body) {
  ArrayRef<int64_t> shape = tensorType(inputs[0]).getShape();
  SmallVector<AffineMap> maps(inputs.size(),
                              b.getMultiDimIdentityMap(shape.size()));
  return elementwise(b, loc, shape, element, inputs, maps, body);
}

Value test::broadcast(OpBuilder &b, Location loc, Value input, AffineMap map,
                      ArrayRef<int64_t> shape) {
  return elementwise(
      b, loc, shape, tensorType(input).getElementType(), input, map,
      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

Value test::transpose(OpBuilder &b, Location loc, Value input,
                      ArrayRef<int64_t> permutation) {
  RankedTensorType type = tensorType(input);
  SmallVector<int64_t> shape;
  for (int64_t from : permutation)
    shape.push_back(type.getDimSize(from));
  Value init = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(b, loc, input, init, permutation)
      ->getResult(0);
}

Value test::zeros(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                  Type element) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value init = tensor::EmptyOp::create(b, loc, shape, element);
  return linalg::FillOp::create(b, loc, zero, init).getResult(0);
}

Value test::collapse(OpBuilder &b, Location loc, Value input,
                     ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(b, loc, input, groups);
}

Value test::expand(OpBuilder &b, Location loc, Value input,
                   ArrayRef<int64_t> shape,
                   ArrayRef<ReassociationIndices> groups) {
  auto type = RankedTensorType::get(shape, tensorType(input).getElementType());
  return tensor::ExpandShapeOp::create(b, loc, type, input, groups);
}

bool test::ignoresInit(linalg::GenericOp op) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init))
      return false;
  return true;
}

bool test::isPointwise(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumParallelLoops() != op.getNumLoops() ||
      op.getNumLoops() == 0 || op.hasIndexSemantics() || !ignoresInit(op))
    return false;
  return llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); });
}

bool test::isZeroFill(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat());
}
