//===- Scales.cpp - The factor of scores, elsewhere -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Perturb.h"
#include "Scores.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::test;

/// Takes out the scales on the way from `value` up through views, as long as
/// nobody else reads them; returns their product.
static double stripAbove(OpOperand &operand) {
  double factor = 1.0;
  OpOperand *at = &operand;
  while (Operation *def = at->get().getDefiningOp()) {
    std::optional<double> scale = matchScale(def);
    if ((!scale && !isView(def)) || !def->hasOneUse())
      break;
    if (!scale) {
      at = &def->getOpOperand(0);
      continue;
    }
    factor *= *scale;
    at->set(def->getOperand(0));
    def->erase();
  }
  return factor;
}

/// The same on the way down.
static double stripBelow(Value value) {
  double factor = 1.0;
  while (value.hasOneUse()) {
    OpOperand &use = *value.getUses().begin();
    Operation *reader = use.getOwner();
    std::optional<double> scale = matchScale(reader);
    if (scale && use.getOperandNumber() == 0) {
      factor *= *scale;
      reader->getResult(0).replaceAllUsesWith(value);
      reader->erase();
    } else if (isView(reader) && use.getOperandNumber() == 0) {
      value = reader->getResult(0);
    } else {
      break;
    }
  }
  return factor;
}

/// `operand`, or the operand of a view above it that is read once.
static OpOperand &somewhereAbove(OpOperand &operand, Dice &dice) {
  OpOperand *at = &operand;
  while (dice.coin()) {
    Operation *def = at->get().getDefiningOp();
    if (!isView(def) || !def->hasOneUse())
      break;
    at = &def->getOpOperand(0);
  }
  return *at;
}

/// `value`, or the result of a view below it.
static Value somewhereBelow(Value value, Dice &dice) {
  while (dice.coin() && value.hasOneUse()) {
    Operation *reader = *value.getUsers().begin();
    if (!isView(reader))
      break;
    value = reader->getResult(0);
  }
  return value;
}

static void scaleOperand(OpOperand &operand, double factor, Dice &dice) {
  OpOperand &at = somewhereAbove(operand, dice);
  OpBuilder b(at.getOwner());
  at.set(scaled(b, at.getOwner()->getLoc(), at.get(), factor, dice));
}

static void scaleResult(Value result, double factor, Dice &dice) {
  Value at = somewhereBelow(result, dice);
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : at.getUses())
    uses.push_back(&use);
  OpBuilder b(at.getContext());
  b.setInsertionPointAfterValue(at);
  Value next = scaled(b, at.getLoc(), at, factor, dice);
  for (OpOperand *use : uses)
    use->set(next);
}

unsigned transfusion::test::moveScales(func::FuncOp function, Dice &dice) {
  unsigned sites = 0;
  SmallVector<linalg::BatchMatmulOp> contractions(
      function.getOps<linalg::BatchMatmulOp>());
  for (linalg::BatchMatmulOp op : contractions) {
    OpOperand &left = op->getOpOperand(0), &right = op->getOpOperand(1);
    double factor = stripAbove(left) * stripAbove(right);
    factor *= stripBelow(op->getResult(0));
    if (factor == 1.0)
      continue;
    ++sites;
    double part = std::ldexp(1.0, static_cast<int>(dice.below(5)) - 2);
    switch (dice.below(6)) {
    case 0:
      scaleOperand(left, factor, dice);
      break;
    case 1:
      scaleOperand(right, factor, dice);
      break;
    case 2:
      scaleResult(op->getResult(0), factor, dice);
      break;
    case 3:
      scaleOperand(left, std::sqrt(factor), dice);
      scaleOperand(right, std::sqrt(factor), dice);
      break;
    case 4:
      scaleOperand(left, part, dice);
      scaleResult(op->getResult(0), factor / part, dice);
      break;
    default:
      scaleOperand(right, factor / part, dice);
      scaleResult(op->getResult(0), part, dice);
    }
  }
  return sites;
}
