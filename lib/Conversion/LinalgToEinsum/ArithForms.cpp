//===- ArithForms.cpp - Ops of index and affine, as ops of arith ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion::raise;

bool transfusion::raise::hasArithForm(Operation *op) {
  return isa<index::AddOp, index::SubOp, index::MulOp, index::DivSOp,
             index::DivUOp, index::RemSOp, index::RemUOp, index::FloorDivSOp,
             index::CeilDivSOp, index::CeilDivUOp, index::MaxSOp, index::MaxUOp,
             index::MinSOp, index::MinUOp, index::AndOp, index::OrOp,
             index::XOrOp, index::CastSOp, index::CastUOp, index::CmpOp,
             index::ConstantOp, affine::AffineApplyOp>(op);
}

Value transfusion::raise::arithForm(OpBuilder &b, Operation *op,
                                    ValueRange operands) {
  Location loc = op->getLoc();
  auto binary = [&](auto made) -> Value {
    return decltype(made)::create(b, loc, operands[0], operands[1]);
  };
  auto cast = [&](auto made) -> Value {
    Type type = op->getResult(0).getType();
    return decltype(made)::create(b, loc, type, operands[0]);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](index::AddOp) { return binary(arith::AddIOp()); })
      .Case([&](index::SubOp) { return binary(arith::SubIOp()); })
      .Case([&](index::MulOp) { return binary(arith::MulIOp()); })
      .Case([&](index::DivSOp) { return binary(arith::DivSIOp()); })
      .Case([&](index::DivUOp) { return binary(arith::DivUIOp()); })
      .Case([&](index::RemSOp) { return binary(arith::RemSIOp()); })
      .Case([&](index::RemUOp) { return binary(arith::RemUIOp()); })
      .Case([&](index::FloorDivSOp) { return binary(arith::FloorDivSIOp()); })
      .Case([&](index::CeilDivSOp) { return binary(arith::CeilDivSIOp()); })
      .Case([&](index::CeilDivUOp) { return binary(arith::CeilDivUIOp()); })
      .Case([&](index::MaxSOp) { return binary(arith::MaxSIOp()); })
      .Case([&](index::MaxUOp) { return binary(arith::MaxUIOp()); })
      .Case([&](index::MinSOp) { return binary(arith::MinSIOp()); })
      .Case([&](index::MinUOp) { return binary(arith::MinUIOp()); })
      .Case([&](index::AndOp) { return binary(arith::AndIOp()); })
      .Case([&](index::OrOp) { return binary(arith::OrIOp()); })
      .Case([&](index::XOrOp) { return binary(arith::XOrIOp()); })
      .Case([&](index::CastSOp) { return cast(arith::IndexCastOp()); })
      .Case([&](index::CastUOp) { return cast(arith::IndexCastUIOp()); })
      .Case([&](index::CmpOp compare) -> Value {
        // The predicates have the same names, in another order.
        auto predicate = arith::symbolizeCmpIPredicate(
            index::stringifyIndexCmpPredicate(compare.getPred()));
        return arith::CmpIOp::create(b, loc, *predicate, operands[0],
                                     operands[1]);
      })
      .Case([&](index::ConstantOp constant) -> Value {
        return arith::ConstantIndexOp::create(
            b, loc, constant.getValue().getSExtValue());
      })
      .Case([&](affine::AffineApplyOp apply) {
        AffineMap map = apply.getAffineMap();
        return affine::expandAffineExpr(b, loc, map.getResult(0),
                                        operands.take_front(map.getNumDims()),
                                        operands.drop_front(map.getNumDims()));
      })
      .Default([](Operation *) { return Value(); });
}
