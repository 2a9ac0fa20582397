//===- SelectedAccumulation.cpp - Accumulation that is written as a select ===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forms, both by select:
//   - a maximum by comparison, x > acc ? x : acc, as acc max (x is NaN ? -inf :
//     x): x never wins as NaN, and nothing wins over an acc that is NaN;
//   - an accumulation that some points take no part in, c ? acc : acc op x, as
//     acc op (c ? nothing : x), with what leaves every acc unchanged.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "transfusion/Dialect/Einsum/IR/Reduce.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::raise;

/// Whether the condition says that its left side is the greater (1) or the less
/// (-1), and never does of NaN; 0 for anything else.
static int orderOf(Value condition, Value &left, Value &right) {
  if (auto compare = condition.getDefiningOp<arith::CmpFOp>()) {
    left = compare.getLhs();
    right = compare.getRhs();
    switch (compare.getPredicate()) {
    case arith::CmpFPredicate::OGT:
    case arith::CmpFPredicate::OGE:
      return 1;
    case arith::CmpFPredicate::OLT:
    case arith::CmpFPredicate::OLE:
      return -1;
    default:
      return 0;
    }
  }
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>()) {
    left = compare.getLhs();
    right = compare.getRhs();
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      return 1;
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
      return -1;
    default:
      return 0;
    }
  }
  return 0;
}

/// The maximum or minimum that `c ? x : acc` is; null when it is none.
static Value asExtremum(OpBuilder &b, arith::SelectOp select,
                        BlockArgument accumulator) {
  Value x = select.getTrueValue(), left, right;
  int order = orderOf(select.getCondition(), left, right);
  if (order == 0 || select.getFalseValue() != accumulator || x == accumulator)
    return {};
  if (left == accumulator && right == x)
    order = -order;
  else if (left != x || right != accumulator)
    return {};
  Location loc = select.getLoc();
  if (isa<FloatType>(x.getType())) {
    ReduceKind kind = order > 0 ? ReduceKind::Max : ReduceKind::Min;
    x = withoutNaN(b, loc, x, kind);
    return order > 0
               ? arith::MaximumFOp::create(b, loc, x, accumulator).getResult()
               : arith::MinimumFOp::create(b, loc, x, accumulator).getResult();
  }
  if (x.getType().isInteger(1))
    return {};
  return order > 0 ? arith::MaxSIOp::create(b, loc, x, accumulator).getResult()
                   : arith::MinSIOp::create(b, loc, x, accumulator).getResult();
}

/// The accumulation that `c ? acc : acc op x` is; null when it is none.
static Value asMasked(OpBuilder &b, arith::SelectOp select,
                      BlockArgument accumulator) {
  bool skipsIfTrue = select.getTrueValue() == accumulator;
  if (!skipsIfTrue && select.getFalseValue() != accumulator)
    return {};
  Operation *op = (skipsIfTrue ? select.getFalseValue() : select.getTrueValue())
                      .getDefiningOp();
  std::optional<ReduceKind> kind = plainReduceKind(op);
  if (!kind ||
      (op->getOperand(0) != accumulator && op->getOperand(1) != accumulator))
    return {};
  unsigned at = op->getOperand(0) == accumulator;
  Value x = op->getOperand(at);
  // i1 is added and multiplied modulo 2.
  if (x == accumulator || x.getType().isInteger(1))
    return {};
  Location loc = select.getLoc();
  Value nothing =
      arith::ConstantOp::create(b, loc, identityOf(*kind, x.getType()));
  Value taken = arith::SelectOp::create(b, loc, select.getCondition(),
                                        skipsIfTrue ? nothing : x,
                                        skipsIfTrue ? x : nothing);
  Operation *made = b.clone(*op);
  made->setOperand(at, taken);
  return made->getResult(0);
}

void transfusion::raise::writeAsAccumulation(Body &body,
                                             BlockArgument accumulator) {
  for (auto select :
       llvm::make_early_inc_range(body.block().getOps<arith::SelectOp>())) {
    OpBuilder b(select);
    Value made = asExtremum(b, select, accumulator);
    if (!made)
      made = asMasked(b, select, accumulator);
    if (!made)
      continue;
    select.getResult().replaceAllUsesWith(made);
    select.erase();
  }
}
