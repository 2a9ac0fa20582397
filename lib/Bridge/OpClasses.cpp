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
#include "llvm/ADT/StringMap.h"

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

namespace {
class Table {
public:
  Table();
  const OpHistogram *find(StringRef op) const {
    auto found = rows.find(op);
    return found == rows.end() ? nullptr : &found->second;
  }

private:
  template <typename... Ops> void put(std::initializer_list<OpClass> classes) {
    (rows.try_emplace(Ops::getOperationName(), histogram(classes)), ...);
  }
  llvm::StringMap<OpHistogram> rows; // looked up only
};
} // namespace

/// The table. A division by a constant is in classify().
Table::Table() {
  using namespace arith;
  put<ConstantOp, einsum::IndexOp, einsum::YieldOp>({});
  put<ExtFOp, TruncFOp, ExtSIOp, ExtUIOp, TruncIOp, SIToFPOp, UIToFPOp,
      FPToSIOp, FPToUIOp, IndexCastOp, IndexCastUIOp, BitcastOp>({});
  put<MulFOp, MulIOp, math::FmaOp>({OpClass::Mac});
  put<AddFOp, SubFOp, NegFOp, AddIOp, SubIOp>({OpClass::Add});
  put<AndIOp, OrIOp, XOrIOp, ShLIOp, ShRSIOp, ShRUIOp>({OpClass::Add});
  put<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
      math::TruncOp>({OpClass::Add});
  put<MaximumFOp, MinimumFOp, MaxNumFOp, MinNumFOp, MaxSIOp, MaxUIOp, MinSIOp,
      MinUIOp, CmpFOp, CmpIOp, SelectOp>({OpClass::Max});
  put<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::IsNaNOp,
      math::IsInfOp, math::IsFiniteOp>({OpClass::Max});
  put<DivFOp, DivSIOp, DivUIOp>({OpClass::Div});
  put<FloorDivSIOp, CeilDivSIOp, CeilDivUIOp>({OpClass::Div, OpClass::Add});
  put<RemFOp, RemSIOp, RemUIOp>({OpClass::Div, OpClass::Mac});
  put<math::ExpOp, math::Exp2Op>({OpClass::Exp});
  put<math::ExpM1Op>({OpClass::Exp, OpClass::Add});
  put<math::LogOp, math::Log2Op, math::Log10Op>({OpClass::Log});
  put<math::Log1pOp>({OpClass::Log, OpClass::Add});
  put<math::RsqrtOp>({OpClass::Rsqrt});
  put<math::SqrtOp>({OpClass::Sqrt});
  put<math::SinOp>({OpClass::Sin});
  put<math::CosOp>({OpClass::Cos});
  put<math::TanOp>({OpClass::Sin, OpClass::Cos, OpClass::Div});
  put<math::TanhOp>({OpClass::Tanh});
  put<math::ErfOp>({OpClass::Erf});
  put<math::ErfcOp>({OpClass::Erf, OpClass::Add});
  put<math::PowFOp, math::FPowIOp, math::IPowIOp, math::CbrtOp>(
      {OpClass::Log, OpClass::Mac, OpClass::Exp});
  put<math::SinhOp, math::CoshOp>(
      {OpClass::Exp, OpClass::Div, OpClass::Add, OpClass::Mac});
  put<math::ClampFOp>({OpClass::Max, OpClass::Max});
}

static const OpHistogram *lookup(OperationName name) {
  static const Table table;
  return table.find(name.getStringRef());
}

bool transfusion::hasOpClass(OperationName name) { return lookup(name); }

/// No value: the op is in no class.
static std::optional<OpHistogram> classify(Operation *op) {
  const OpHistogram *row = lookup(op->getName());
  if (!row)
    return std::nullopt;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(op) &&
      isConstant(op->getOperand(1)))
    return histogram({OpClass::Mac});
  return *row;
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
      if (!one) {
        InFlightDiagnostic diag = emitError(op.getLoc());
        diag << "'" << op.getName()
             << "' op is in no class of operations that machines are described "
                "by, so it cannot be costed";
        diag.attachNote()
            << "compute it from ops that are (add, mul, div, exp, "
               "log, sqrt, sin, cos, tanh, erf, ...)";
        return diag;
      }
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
