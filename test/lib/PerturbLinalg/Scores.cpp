//===- Scores.cpp - The parts of attention that perturbations move --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Scores.h"
#include "Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace transfusion;

std::optional<double> test::constantScalar(Value scalar) {
  FloatAttr attr;
  if (matchPattern(scalar, m_Constant(&attr)))
    return attr.getValueAsDouble();
  Operation *def = scalar.getDefiningOp();
  if (!def)
    return std::nullopt;
  if (isa<arith::TruncFOp, arith::ExtFOp>(def)) {
    std::optional<double> inner = constantScalar(def->getOperand(0));
    if (inner && def->getResult(0).getType().isF32())
      return static_cast<double>(static_cast<float>(*inner));
    return inner;
  }
  return std::nullopt;
}

std::optional<double> test::matchScale(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || !isPointwise(generic) || generic.getNumDpsInputs() != 1)
    return std::nullopt;
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  Operation *def = yielded.getDefiningOp();
  Value input = generic.getBody()->getArgument(0);
  if (!def || def->getNumOperands() != 2)
    return std::nullopt;
  if (isa<arith::MulFOp>(def))
    for (unsigned i : {0, 1})
      if (def->getOperand(i) == input)
        return constantScalar(def->getOperand(1 - i));
  if (isa<arith::DivFOp>(def) && def->getOperand(0) == input)
    if (std::optional<double> by = constantScalar(def->getOperand(1)))
      return 1.0 / *by;
  return std::nullopt;
}

bool test::isView(Operation *op) {
  return op && isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                   linalg::TransposeOp>(op);
}

linalg::BatchMatmulOp test::producingContraction(Value value,
                                                 bool throughScales) {
  Operation *def = value.getDefiningOp();
  while (isView(def) || (throughScales && matchScale(def)))
    def = def->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<linalg::BatchMatmulOp>(def);
}

/// A scalar of type f32 in the body that `inner` builds.
static Value makeConstant(OpBuilder &inner, Location loc, double value,
                          bool rounded) {
  if (!rounded)
    return arith::ConstantOp::create(inner, loc, inner.getF32FloatAttr(value));
  Value exact =
      arith::ConstantOp::create(inner, loc, inner.getF64FloatAttr(value));
  return arith::TruncFOp::create(inner, loc, inner.getF32Type(), exact);
}

Value test::scaled(OpBuilder &b, Location loc, Value value, double factor,
                   Dice &dice) {
  bool divide = dice.coin();
  double constant = divide ? 1.0 / factor : factor;
  bool first = dice.coin();
  RankedTensorType type = tensorType(value);
  auto combine = [&](OpBuilder &inner, Location at, Value x, Value c) -> Value {
    if (divide)
      return arith::DivFOp::create(inner, at, x, c);
    return arith::MulFOp::create(inner, at, first ? c : x, first ? x : c);
  };
  unsigned form = dice.below(4);
  if (form < 2)
    return elementwise(b, loc, value, type.getElementType(),
                       [&](OpBuilder &inner, Location at, ValueRange args) {
                         return combine(
                             inner, at, args[0],
                             makeConstant(inner, at, constant, form == 0));
                       });
  // A tensor of rank 0, or a splat as large as the value.
  unsigned rank = type.getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap scalar = AffineMap::get(rank, 0, b.getContext());
  auto dense = DenseElementsAttr::get(
      form == 2 ? RankedTensorType::get({}, type.getElementType()) : type,
      static_cast<float>(constant));
  Value tensor = arith::ConstantOp::create(b, loc, dense);
  return elementwise(b, loc, type.getShape(), type.getElementType(),
                     {value, tensor}, {identity, form == 2 ? scalar : identity},
                     [&](OpBuilder &inner, Location at, ValueRange args) {
                       return combine(inner, at, args[0], args[1]);
                     });
}
