//===- ScalarBody.cpp - A scalar expression as a body ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
class BodyWriter {
public:
  BodyWriter(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  /// `asQuotient`: quotients by constants are such, and no products.
  Value write(const Step &step, ArrayRef<Value> operands, bool asQuotient);

private:
  Value constant(double value, Type type) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value times(Value v, double constant, bool asQuotient);
  Value sum(const Node &node, ArrayRef<Value> operands, bool asQuotient);
  Value product(const Node &node, ArrayRef<Value> operands, bool asQuotient);
  Value index(const Step &step, AffineExpr expr);

  OpBuilder &b;
  Location loc;
};
} // namespace

static bool isOfType(double value, Type type) {
  return FloatAttr::get(type, value).getValueAsDouble() == value;
}

/// What the program has divided by, if the factor is no number of the type, but
/// the quotient of 1 and one; else 0.
static double divisorOf(double factor, Type type) {
  double divisor = FloatAttr::get(type, 1 / factor).getValueAsDouble();
  bool isQuotient =
      std::isfinite(divisor) && divisor != 0 && !isOfType(factor, type) &&
      std::abs(1 / divisor - factor) <=
          std::abs(factor) * std::numeric_limits<double>::epsilon();
  return isQuotient ? divisor : 0;
}

Value BodyWriter::times(Value v, double factor, bool asQuotient) {
  if (factor == 1)
    return v;
  Type type = v.getType();
  if (double divisor = asQuotient ? divisorOf(factor, type) : 0)
    return arith::DivFOp::create(b, loc, v, constant(divisor, type));
  return arith::MulFOp::create(b, loc, v, constant(factor, type));
}

Value BodyWriter::sum(const Node &node, ArrayRef<Value> operands,
                      bool asQuotient) {
  // Begin with a term that is added, so that a - b is one op.
  unsigned first = 0;
  while (first < operands.size() && node.coefficients[first] == -1)
    ++first;
  Value result;
  if (first == operands.size()) {
    first = 0;
    result = arith::NegFOp::create(b, loc, operands[0]);
  } else {
    result = times(operands[first], node.coefficients[first], asQuotient);
  }
  for (unsigned i = 0, e = operands.size(); i < e; ++i) {
    if (i == first)
      continue;
    if (node.coefficients[i] == -1)
      result = arith::SubFOp::create(b, loc, result, operands[i]);
    else
      result = arith::AddFOp::create(
          b, loc, result, times(operands[i], node.coefficients[i], asQuotient));
  }
  if (node.constant != 0)
    result = arith::AddFOp::create(b, loc, result,
                                   constant(node.constant, node.type));
  return result;
}

Value BodyWriter::product(const Node &node, ArrayRef<Value> operands,
                          bool asQuotient) {
  Value result;
  double factor = node.constant;
  for (auto [operand, power] : llvm::zip(operands, node.powers))
    for (int i = 0; i < power; ++i)
      result = result ? Value(arith::MulFOp::create(b, loc, result, operand))
                      : operand;
  if (!result)
    result = constant(factor, node.type);
  else if (factor == -1)
    result = arith::NegFOp::create(b, loc, result);
  else
    result = times(result, factor, asQuotient);
  for (auto [operand, power] : llvm::zip(operands, node.powers))
    for (int i = power; i < 0; ++i)
      result = arith::DivFOp::create(b, loc, result, operand);
  return result;
}

Value BodyWriter::index(const Step &step, AffineExpr expr) {
  Type type = b.getIndexType();
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantOp::create(b, loc,
                                     b.getIndexAttr(constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return IndexOp::create(b, loc, type,
                           b.getStringAttr(step.names[dim.getPosition()]));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  // a - b is a + b * -1.
  auto right = dyn_cast<AffineBinaryOpExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Add && right &&
      right.getKind() == AffineExprKind::Mul &&
      right.getRHS() == getAffineConstantExpr(-1, expr.getContext()))
    return arith::SubIOp::create(b, loc, index(step, binary.getLHS()),
                                 index(step, right.getLHS()));
  Value l = index(step, binary.getLHS()), r = index(step, binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, loc, l, r);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, loc, l, r);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, l, r);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(b, loc, l, r);
  default: { // mod is never negative
    Value quotient = arith::FloorDivSIOp::create(b, loc, l, r);
    return arith::SubIOp::create(b, loc, l,
                                 arith::MulIOp::create(b, loc, quotient, r));
  }
  }
}

Value BodyWriter::write(const Step &step, ArrayRef<Value> operands,
                        bool asQuotient) {
  const Node &node = *step.node;
  switch (node.kind) {
  case Kind::Constant: {
    TypedAttr value = node.attributes
                          ? cast<TypedAttr>(node.attributes)
                          : b.getFloatAttr(node.type, node.constant);
    return arith::ConstantOp::create(b, loc, value);
  }
  case Kind::Index: {
    Value value = index(step, step.index);
    return node.type.isIndex()
               ? value
               : Value(arith::IndexCastOp::create(b, loc, node.type, value));
  }
  case Kind::Sum:
    return sum(node, operands, asQuotient);
  case Kind::Product:
    return product(node, operands, asQuotient);
  default: {
    OperationState state(loc, node.name);
    state.addOperands(operands);
    state.addTypes(node.type);
    if (node.attributes)
      state.addAttributes(cast<DictionaryAttr>(node.attributes).getValue());
    return b.create(state)->getResult(0);
  }
  }
}

Value normal::writeBody(const Steps &steps, OpBuilder &b, Location loc,
                        ValueRange scalars) {
  BodyWriter writer(b, loc);
  SmallVector<Value> values;
  for (const Step &step : steps) {
    if (!step.node) {
      values.push_back(scalars[step.read]);
      continue;
    }
    SmallVector<Value> operands;
    for (unsigned operand : step.operands)
      operands.push_back(values[operand]);
    values.push_back(writer.write(step, operands, step.asQuotient));
  }
  return values.back();
}
