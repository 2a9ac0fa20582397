//===- OpClasses.cpp - Which class a scalar op belongs to -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/OpClasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion;
using core::OpClass;
using core::OpHistogram;

static OpHistogram histogram(std::initializer_list<OpClass> classes) {
  OpHistogram h;
  for (OpClass c : classes)
    ++h[c];
  return h;
}

/// Values pass through these unchanged, as far as work is concerned.
static bool isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::IndexCastOp, arith::IndexCastUIOp,
             arith::BitcastOp>(op);
}

static bool isConstant(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isCast(op))
      return matchPattern(value, m_Constant());
    value = op->getOperand(0);
  }
  return false;
}

/// The table. No value: the op is in no class.
static std::optional<OpHistogram> classify(Operation *op) {
  if (isCast(op))
    return OpHistogram();
  using R = std::optional<OpHistogram>;
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case<arith::ConstantOp, einsum::IndexOp, einsum::YieldOp>(
          [](auto) { return OpHistogram(); })
      .Case<arith::MulFOp, arith::MulIOp, math::FmaOp>(
          [](auto) { return histogram({OpClass::Mac}); })
      .Case<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::AddIOp,
            arith::SubIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
            arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, math::FloorOp,
            math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
          [](auto) { return histogram({OpClass::Add}); })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
            arith::MinUIOp, arith::CmpFOp, arith::CmpIOp, arith::SelectOp,
            math::AbsFOp, math::AbsIOp, math::CopySignOp, math::IsNaNOp,
            math::IsInfOp, math::IsFiniteOp>(
          [](auto) { return histogram({OpClass::Max}); })
      .Case<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>([](auto div) {
        return histogram(
            {isConstant(div.getRhs()) ? OpClass::Mac : OpClass::Div});
      })
      .Case<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [](auto) { return histogram({OpClass::Div, OpClass::Add}); })
      .Case<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(
          [](auto) { return histogram({OpClass::Div, OpClass::Mac}); })
      .Case<math::ExpOp, math::Exp2Op>(
          [](auto) { return histogram({OpClass::Exp}); })
      .Case<math::ExpM1Op>(
          [](auto) { return histogram({OpClass::Exp, OpClass::Add}); })
      .Case<math::LogOp, math::Log2Op, math::Log10Op>(
          [](auto) { return histogram({OpClass::Log}); })
      .Case<math::Log1pOp>(
          [](auto) { return histogram({OpClass::Log, OpClass::Add}); })
      .Case<math::RsqrtOp>([](auto) { return histogram({OpClass::Rsqrt}); })
      .Case<math::SqrtOp>([](auto) { return histogram({OpClass::Sqrt}); })
      .Case<math::SinOp>([](auto) { return histogram({OpClass::Sin}); })
      .Case<math::CosOp>([](auto) { return histogram({OpClass::Cos}); })
      .Case<math::TanOp>([](auto) {
        return histogram({OpClass::Sin, OpClass::Cos, OpClass::Div});
      })
      .Case<math::TanhOp>([](auto) { return histogram({OpClass::Tanh}); })
      .Case<math::ErfOp>([](auto) { return histogram({OpClass::Erf}); })
      .Case<math::ErfcOp>(
          [](auto) { return histogram({OpClass::Erf, OpClass::Add}); })
      .Case<math::PowFOp, math::CbrtOp>([](auto) {
        return histogram({OpClass::Log, OpClass::Mac, OpClass::Exp});
      })
      .Default([](Operation *) { return R(); });
}

static void addTo(OpHistogram &sum, const OpHistogram &more) {
  for (int i = 0; i < core::kNumOpClasses; ++i)
    sum.count[i] += more.count[i];
}

FailureOr<OpHistogram> transfusion::classifyBody(Region &body) {
  OpHistogram sum;
  for (Block &block : body)
    for (Operation &op : block) {
      std::optional<OpHistogram> one = classify(&op);
      if (!one)
        return op.emitOpError()
               << "is in no class of operations that machines are described by";
      addTo(sum, *one);
    }
  return sum;
}

/// True when what the body yields is a product, seen through casts.
static bool yieldsProduct(Region &body) {
  Value value = body.front().getTerminator()->getOperand(0);
  Operation *op = value.getDefiningOp();
  while (op && isCast(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op);
}

static OpClass classOf(einsum::ReduceKind kind) {
  switch (kind) {
  case einsum::ReduceKind::Mul:
    return OpClass::Mac;
  case einsum::ReduceKind::Max:
  case einsum::ReduceKind::Min:
    return OpClass::Max;
  case einsum::ReduceKind::Add:
  case einsum::ReduceKind::And:
  case einsum::ReduceKind::Or:
    break;
  }
  return OpClass::Add;
}

LogicalResult transfusion::classifyEinsum(einsum::MapReduceOp op,
                                          core::Einsum &to) {
  if (!op.getMap().empty()) {
    FailureOr<OpHistogram> map = classifyBody(op.getMap());
    if (failed(map))
      return failure();
    to.pointOps = *map;
  }
  if (std::optional<einsum::ReduceKind> reduce = op.getReduce()) {
    bool isMac = *reduce == einsum::ReduceKind::Add && !op.getMap().empty() &&
                 yieldsProduct(op.getMap());
    if (!isMac)
      ++to.pointOps[classOf(*reduce)];
  }
  to.hasFinish = !op.getFinish().empty();
  if (to.hasFinish) {
    FailureOr<OpHistogram> finish = classifyBody(op.getFinish());
    if (failed(finish))
      return failure();
    to.finishOps = *finish;
  }
  if (to.pointOps.empty() && to.finishOps.empty())
    ++to.pointOps[OpClass::Copy];
  return success();
}
