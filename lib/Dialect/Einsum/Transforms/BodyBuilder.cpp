//===- BodyBuilder.cpp - Arithmetic of Einsum bodies ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CascadeBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace transfusion::einsum;

Value BodyBuilder::cast(Value v, Type to) {
  unsigned from = v.getType().getIntOrFloatBitWidth();
  if (v.getType() == to)
    return v;
  if (from < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, to, v);
  if (from == to.getIntOrFloatBitWidth()) // f16 and bf16
    v = arith::ExtFOp::create(b, loc, b.getF32Type(), v);
  return arith::TruncFOp::create(b, loc, to, v);
}

Value BodyBuilder::constant(double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}
Value BodyBuilder::add(Value l, Value r) {
  return arith::AddFOp::create(b, loc, l, r);
}
Value BodyBuilder::sub(Value l, Value r) {
  return arith::SubFOp::create(b, loc, l, r);
}
Value BodyBuilder::mul(Value l, Value r) {
  return arith::MulFOp::create(b, loc, l, r);
}
Value BodyBuilder::div(Value l, Value r) {
  return arith::DivFOp::create(b, loc, l, r);
}
Value BodyBuilder::max(Value l, Value r) {
  return arith::MaximumFOp::create(b, loc, l, r);
}
Value BodyBuilder::exp(Value v) { return math::ExpOp::create(b, loc, v); }
Value BodyBuilder::erf(Value v) { return math::ErfOp::create(b, loc, v); }
Value BodyBuilder::rsqrt(Value v) { return math::RsqrtOp::create(b, loc, v); }
Value BodyBuilder::tanh(Value v) { return math::TanhOp::create(b, loc, v); }
Value BodyBuilder::negate(Value v) { return arith::NegFOp::create(b, loc, v); }

Value BodyBuilder::index(StringRef rank) {
  Value at = IndexOp::create(b, loc, rank);
  Value integer = arith::IndexCastOp::create(b, loc, b.getI32Type(), at);
  return arith::SIToFPOp::create(b, loc, type, integer);
}

Value BodyBuilder::select(Value condition, Value then, Value otherwise) {
  return arith::SelectOp::create(b, loc, condition, then, otherwise);
}

Value BodyBuilder::isMinusInf(Value v) {
  Value minusInf = constant(-std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, v, minusInf);
}

Value BodyBuilder::zeroIfMinusInf(Value v) {
  Value is = isMinusInf(v);
  return select(is, constant(0.0), v);
}
