//===- Reductions.cpp - The operator that a body accumulates with ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "transfusion/Dialect/Einsum/IR/Reduce.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::raise;

Value transfusion::raise::castFloat(OpBuilder &b, Location loc, Value value,
                                    Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

bool transfusion::raise::isIdentity(TypedAttr value,
                                    const Reduction &reduction) {
  ReduceKind kind = reduction.kind;
  if (auto real = dyn_cast<FloatAttr>(value)) {
    APFloat number = real.getValue();
    if (kind == ReduceKind::Add)
      return number.isZero();
    return number.bitwiseIsEqual(
        cast<FloatAttr>(identityOf(kind, value.getType())).getValue());
  }
  if (auto integer = dyn_cast<IntegerAttr>(value);
      integer && reduction.isUnsigned) {
    APInt number = integer.getValue();
    number.flipBit(number.getBitWidth() - 1);
    value = IntegerAttr::get(integer.getType(), number);
  }
  return value == identityOf(kind, value.getType());
}

Value transfusion::raise::flipSign(OpBuilder &b, Location loc, Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Value sign = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(x.getType(), APInt::getSignMask(width)));
  return arith::XOrIOp::create(b, loc, x, sign);
}

Value transfusion::raise::isNumber(OpBuilder &b, Location loc, Value x) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, x, x);
}

Value transfusion::raise::withoutNaN(OpBuilder &b, Location loc, Value x,
                                     ReduceKind kind) {
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value nothing =
      arith::ConstantOp::create(b, loc, identityOf(kind, x.getType()));
  return arith::SelectOp::create(b, loc, isNaN, nothing, x);
}

namespace {
struct Combination {
  ReduceKind kind;
  bool ignoresNaN = false; ///< maxnumf: a NaN counts as nothing
  bool negatesRight = false;
  bool isUnsigned = false;
};
} // namespace

static std::optional<Combination> combinationOf(Operation *op) {
  if (!op)
    return std::nullopt;
  bool isBit =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  if (isa<arith::AddFOp>(op) || (isa<arith::AddIOp>(op) && !isBit))
    return Combination{ReduceKind::Add};
  if (isa<arith::SubFOp>(op))
    return Combination{ReduceKind::Add, false, true};
  if (isa<arith::MulFOp>(op) || (isa<arith::MulIOp>(op) && !isBit))
    return Combination{ReduceKind::Mul};
  if (isa<arith::MaximumFOp>(op) || (isa<arith::MaxSIOp>(op) && !isBit))
    return Combination{ReduceKind::Max};
  if (isa<arith::MinimumFOp>(op) || (isa<arith::MinSIOp>(op) && !isBit))
    return Combination{ReduceKind::Min};
  if (isa<arith::MaxNumFOp>(op))
    return Combination{ReduceKind::Max, true};
  if (isa<arith::MinNumFOp>(op))
    return Combination{ReduceKind::Min, true};
  if (isa<arith::MaxUIOp>(op) && !isBit)
    return Combination{ReduceKind::Max, false, false, true};
  if (isa<arith::MinUIOp>(op) && !isBit)
    return Combination{ReduceKind::Min, false, false, true};
  if (isa<arith::AndIOp>(op) ||
      (isBit && isa<arith::MulIOp, arith::MinUIOp>(op)))
    return Combination{ReduceKind::And};
  if (isa<arith::OrIOp>(op) || (isBit && isa<arith::MaxUIOp>(op)))
    return Combination{ReduceKind::Or};
  return std::nullopt;
}

std::optional<ReduceKind> transfusion::raise::plainReduceKind(Operation *op) {
  std::optional<Combination> found = combinationOf(op);
  if (!found || found->negatesRight || found->isUnsigned)
    return std::nullopt;
  return found->kind;
}

static bool dependsOn(Value value, Value on) {
  SmallVector<Value> stack{value};
  llvm::SmallDenseSet<Value> seen;
  while (!stack.empty()) {
    Value top = stack.pop_back_val();
    if (top == on)
      return true;
    if (seen.insert(top).second && top.getDefiningOp())
      llvm::append_range(stack, top.getDefiningOp()->getOperands());
  }
  return false;
}

static Value stripWidening(Value value) {
  while (auto extend = value.getDefiningOp<arith::ExtFOp>())
    value = extend.getIn();
  return value;
}

/// x with value = combine(accumulator, x), built at the end of the block.
static Value takeApart(OpBuilder &b, Value value, BlockArgument accumulator,
                       std::optional<Combination> &found) {
  Operation *op = value.getDefiningOp();
  if (auto fma = dyn_cast_or_null<math::FmaOp>(op)) {
    if (stripWidening(fma.getC()) != accumulator ||
        dependsOn(fma.getA(), accumulator) ||
        dependsOn(fma.getB(), accumulator))
      return {};
    if (found && found->kind != ReduceKind::Add)
      return {};
    found = Combination{ReduceKind::Add};
    return arith::MulFOp::create(b, op->getLoc(), fma.getA(), fma.getB());
  }
  std::optional<Combination> here = combinationOf(op);
  if (!here || (found && (found->kind != here->kind ||
                          found->ignoresNaN != here->ignoresNaN ||
                          found->isUnsigned != here->isUnsigned)))
    return {};
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (dependsOn(right, accumulator)) {
    if (here->negatesRight || dependsOn(left, accumulator))
      return {};
    std::swap(left, right);
  } else if (!dependsOn(left, accumulator)) {
    return {};
  }
  Location loc = op->getLoc();
  Value x = right;
  if (here->negatesRight)
    x = arith::NegFOp::create(b, loc, x);
  if (here->ignoresNaN)
    x = withoutNaN(b, loc, x, here->kind);
  if (here->isUnsigned)
    x = flipSign(b, loc, x);
  here->negatesRight = false;
  found = here;
  if (stripWidening(left) == accumulator)
    return x;
  // (accumulator + a) + b is accumulator + (a + b).
  Value inner = takeApart(b, left, accumulator, found);
  return inner ? combine(b, loc, here->kind, inner, x) : Value();
}

std::optional<Reduction>
transfusion::raise::extractReduction(Body &body, BlockArgument accumulator) {
  Operation *yield = body.block().getTerminator();
  OpBuilder b(yield);
  Value value = yield->getOperand(0);
  // Accumulated in a wider type and rounded at each step: rounded once.
  while (auto truncate = value.getDefiningOp<arith::TruncFOp>())
    value = truncate.getIn();
  std::optional<Combination> found;
  Value x = takeApart(b, value, accumulator, found);
  if (!x) {
    eraseDead(body.block());
    return std::nullopt;
  }
  Location loc = yield->getLoc();
  Type type = x.getType();
  // Sums of narrow floats are kept in f32.
  bool isSum = found->kind == ReduceKind::Add || found->kind == ReduceKind::Mul;
  if (isSum && isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32) {
    type = b.getF32Type();
    auto product = x.getDefiningOp<arith::MulFOp>();
    if (product && product->hasOneUse())
      x = arith::MulFOp::create(b, loc,
                                castFloat(b, loc, product.getLhs(), type),
                                castFloat(b, loc, product.getRhs(), type));
    else
      x = castFloat(b, loc, x, type);
  }
  yield->setOperand(0, x);
  eraseDead(body.block());
  return Reduction{found->kind, type, found->ignoresNaN, found->isUnsigned};
}

bool transfusion::raise::extractIsNumber(Body &body,
                                         BlockArgument accumulator) {
  Operation *yield = body.block().getTerminator();
  OpBuilder b(yield);
  Value value = yield->getOperand(0), any;
  while (value != accumulator) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    if (!isa_and_nonnull<arith::MaxNumFOp, arith::MinNumFOp>(op))
      return false;
    Value rest = op->getOperand(0), x = op->getOperand(1);
    if (dependsOn(x, accumulator))
      std::swap(rest, x);
    Value here = isNumber(b, op->getLoc(), x);
    any = any ? arith::OrIOp::create(b, op->getLoc(), any, here) : here;
    value = rest;
  }
  if (!any)
    return false;
  yield->setOperand(0, any);
  eraseDead(body.block());
  return true;
}
