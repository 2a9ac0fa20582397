//===- EinsumToLinalgReduce.cpp - The operators of a reduction ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EinsumToLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::einsum;

TypedAttr transfusion::getReduceIdentity(OpBuilder &builder, ReduceKind kind,
                                         Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    switch (kind) {
    case ReduceKind::Max:
    case ReduceKind::Min:
      return FloatAttr::get(real, APFloat::getInf(real.getFloatSemantics(),
                                                  kind == ReduceKind::Max));
    case ReduceKind::Mul:
      return builder.getFloatAttr(real, 1.0);
    default:
      return builder.getFloatAttr(real, 0.0);
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case ReduceKind::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case ReduceKind::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case ReduceKind::Mul:
    return IntegerAttr::get(type, APInt(width, 1));
  case ReduceKind::And:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  default:
    return IntegerAttr::get(type, APInt(width, 0));
  }
}

Value transfusion::emitReduce(OpBuilder &b, Location loc, ReduceKind kind,
                              Value l, Value r) {
  bool real = isa<FloatType>(l.getType());
  switch (kind) {
  case ReduceKind::Add:
    return real ? arith::AddFOp::create(b, loc, l, r).getResult()
                : arith::AddIOp::create(b, loc, l, r).getResult();
  case ReduceKind::Mul:
    return real ? arith::MulFOp::create(b, loc, l, r).getResult()
                : arith::MulIOp::create(b, loc, l, r).getResult();
  case ReduceKind::Max:
    return real ? arith::MaximumFOp::create(b, loc, l, r).getResult()
                : arith::MaxSIOp::create(b, loc, l, r).getResult();
  case ReduceKind::Min:
    return real ? arith::MinimumFOp::create(b, loc, l, r).getResult()
                : arith::MinSIOp::create(b, loc, l, r).getResult();
  case ReduceKind::And:
    return arith::AndIOp::create(b, loc, l, r);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, loc, l, r);
  }
  return {};
}
