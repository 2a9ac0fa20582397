//===- Reduce.cpp - What a reduction operator does to values --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/IR/Reduce.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace transfusion::einsum;

static arith::AtomicRMWKind atomicKind(ReduceKind kind, Type type) {
  using Kind = arith::AtomicRMWKind;
  bool real = isa<FloatType>(type);
  switch (kind) {
  case ReduceKind::Add:
    return real ? Kind::addf : Kind::addi;
  case ReduceKind::Mul:
    return real ? Kind::mulf : Kind::muli;
  case ReduceKind::Max:
    return real ? Kind::maximumf : Kind::maxs;
  case ReduceKind::Min:
    return real ? Kind::minimumf : Kind::mins;
  case ReduceKind::And:
    return Kind::andi;
  case ReduceKind::Or:
    return Kind::ori;
  }
  return Kind::assign;
}

TypedAttr transfusion::einsum::identityOf(ReduceKind kind, Type type) {
  OpBuilder builder(type.getContext());
  return arith::getIdentityValueAttr(atomicKind(kind, type), type, builder,
                                     builder.getUnknownLoc());
}

Value transfusion::einsum::combine(OpBuilder &builder, Location loc,
                                   ReduceKind kind, Value l, Value r) {
  return arith::getReductionOp(atomicKind(kind, l.getType()), builder, loc, l,
                               r);
}
