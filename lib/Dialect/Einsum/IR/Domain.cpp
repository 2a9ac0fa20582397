//===- Domain.cpp - Which points of an Einsum exist -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "RankExpr.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/IR/IntegerSet.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::detail;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

static int64_t clamped(__int128 value) {
  constexpr int64_t limit = std::numeric_limits<int64_t>::max() / 4;
  return static_cast<int64_t>(
      std::min<__int128>(std::max<__int128>(value, -limit), limit));
}

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && a < 0);
}

Interval transfusion::einsum::getRange(AffineExpr expr,
                                       ArrayRef<int64_t> extents) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return {0, extents[dim.getPosition()] - 1};
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) // a symbol: not verified yet
    return {clamped(std::numeric_limits<int64_t>::min()),
            clamped(std::numeric_limits<int64_t>::max())};
  Interval l = getRange(binary.getLHS(), extents);
  Interval r = getRange(binary.getRHS(), extents);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return {clamped(__int128(l.min) + r.min), clamped(__int128(l.max) + r.max)};
  case AffineExprKind::Mul: { // the right side is a constant
    int64_t a = clamped(__int128(l.min) * r.min);
    int64_t b = clamped(__int128(l.max) * r.min);
    return {std::min(a, b), std::max(a, b)};
  }
  case AffineExprKind::FloorDiv:
    return {floorDiv(l.min, r.min), floorDiv(l.max, r.min)};
  case AffineExprKind::CeilDiv:
    return {-floorDiv(-l.min, r.min), -floorDiv(-l.max, r.min)};
  default: // mod
    if (floorDiv(l.min, r.min) == floorDiv(l.max, r.min)) {
      int64_t base = floorDiv(l.min, r.min) * r.min;
      return {l.min - base, l.max - base};
    }
    return {0, r.min - 1};
  }
}

bool transfusion::einsum::isOutside(AffineExpr expr,
                                    std::optional<int64_t> atLeast,
                                    std::optional<int64_t> atMost,
                                    ArrayRef<int64_t> extents,
                                    IntegerSet domain) {
  Interval range = getRange(expr, extents);
  if ((atLeast && range.max < *atLeast) || (atMost && range.min > *atMost))
    return true;
  if (!domain)
    return false;
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> exprs(domain.getConstraints());
  SmallVector<bool> equalities(domain.getEqFlags());
  auto add = [&](AffineExpr e) {
    exprs.push_back(e);
    equalities.push_back(false);
  };
  for (auto [i, extent] : llvm::enumerate(extents)) {
    AffineExpr dim = getAffineDimExpr(i, context);
    add(dim);
    add(extent - 1 - dim);
  }
  if (atLeast)
    add(expr - *atLeast);
  if (atMost)
    add(*atMost - expr);
  FlatLinearValueConstraints constraints(
      IntegerSet::get(extents.size(), 0, exprs, equalities));
  return constraints.isIntegerEmpty();
}

//===----------------------------------------------------------------------===//
// Result maps backwards
//===----------------------------------------------------------------------===//

SmallVector<AffineExpr>
transfusion::einsum::getInverseResultMap(MapReduceOp op) {
  SmallVector<int64_t> extents = op.getExtents();
  SmallVector<AffineExpr> inverse(extents.size());
  for (auto [d, expr] : llvm::enumerate(op.getResultMap().getResults())) {
    std::optional<LinearForm> form = getLinearForm(expr, extents.size());
    if (!form)
      continue;
    // Ranks from the fastest to the slowest, as digits of a mixed radix.
    SmallVector<unsigned> digits = getDigits(*form, extents);
    for (auto [i, c] : llvm::enumerate(form->coefficients)) {
      if (c == 0 || extents[i] != 1)
        continue;
      // A rank of one point is 0, but alone in its dimension it stays visible:
      // whether a reader reduces it decides where the reader's result exists,
      // and that must not change when the extent becomes 1.
      if (digits.empty())
        digits.push_back(i);
      else
        inverse[i] = getAffineConstantExpr(0, op.getContext());
    }
    AffineExpr value = getAffineDimExpr(d, op.getContext()) - form->constant;
    // A negative digit counts down: shift it so that it counts up from 0.
    for (unsigned i : digits)
      if (form->coefficients[i] < 0)
        value = value - form->coefficients[i] * (extents[i] - 1);
    for (auto [k, i] : llvm::enumerate(digits)) {
      AffineExpr digit = value.floorDiv(std::abs(form->coefficients[i]));
      if (k + 1 < digits.size())
        digit = digit % extents[i];
      inverse[i] = form->coefficients[i] < 0 ? extents[i] - 1 - digit : digit;
    }
  }
  return inverse;
}

MapReduceOp transfusion::einsum::getProducer(Value value, CascadeOp cascade) {
  auto producer = value.getDefiningOp<MapReduceOp>();
  return producer && producer->getParentOp() == cascade ? producer
                                                        : MapReduceOp();
}

/// `rank + constant`.
static bool isShiftedRank(AffineExpr expr, unsigned numRanks, unsigned &rank,
                          int64_t &constant) {
  std::optional<LinearForm> form = getLinearForm(expr, numRanks);
  if (!form)
    return false;
  int found = -1;
  for (auto [i, c] : llvm::enumerate(form->coefficients)) {
    if (c == 0)
      continue;
    if (c != 1 || found >= 0)
      return false;
    found = i;
  }
  if (found < 0)
    return false;
  rank = found;
  constant = form->constant;
  return true;
}

std::optional<int64_t> transfusion::einsum::getAdvance(MapReduceOp producer,
                                                       MapReduceOp consumer,
                                                       AffineMap access,
                                                       unsigned dim) {
  unsigned written, read;
  int64_t writtenAt, readAt;
  if (!isShiftedRank(producer.getResultMap().getResult(dim),
                     producer.getRanks().size(), written, writtenAt) ||
      !isShiftedRank(access.getResult(dim), consumer.getRanks().size(), read,
                     readAt) ||
      producer.getRanks()[written] != consumer.getRanks()[read])
    return std::nullopt;
  return writtenAt - readAt;
}

//===----------------------------------------------------------------------===//
// EffectiveDomains
//===----------------------------------------------------------------------===//

bool EffectiveDomains::involvesReducedRank(MapReduceOp op,
                                           const Constraint &c) {
  for (auto [i, reduced] : llvm::enumerate(op.getReducedRanks()))
    if (reduced && c.expr.isFunctionOfDim(i))
      return true;
  return false;
}

/// Divides by the common divisor of the coefficients and orders the terms, so
/// that equal constraints are the same expression.
static AffineExpr normalize(AffineExpr expr, bool isEquality,
                            unsigned numRanks) {
  expr = simplifyAffineExpr(expr, numRanks, 0);
  std::optional<LinearForm> form = getLinearForm(expr, numRanks);
  if (!form)
    return expr;
  int64_t divisor = 0;
  for (int64_t c : form->coefficients)
    divisor = std::gcd(divisor, c);
  if (divisor > 1 && (!isEquality || form->constant % divisor == 0)) {
    for (int64_t &c : form->coefficients)
      c /= divisor;
    form->constant = floorDiv(form->constant, divisor);
  }
  return form->toExpr(expr.getContext());
}

ArrayRef<EffectiveDomains::Constraint>
EffectiveDomains::compute(MapReduceOp op) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  inProgress.insert(op);
  SmallVector<int64_t> extents = op.getExtents();
  unsigned numRanks = extents.size();
  SmallVector<Constraint> constraints;
  auto add = [&](AffineExpr expr, bool isEquality) {
    expr = normalize(expr, isEquality, numRanks);
    Interval range = getRange(expr, extents);
    if (range.min >= 0 && (!isEquality || range.max <= 0))
      return; // holds everywhere
    for (const Constraint &c : constraints)
      if (c.expr == expr && (c.isEquality || !isEquality))
        return;
    constraints.push_back({expr, isEquality});
  };

  if (std::optional<IntegerSet> own = op.getDomain())
    for (unsigned i = 0, e = own->getNumConstraints(); i < e; ++i)
      add(own->getConstraint(i), own->isEq(i));

  CascadeOp cascade = op.getCascade();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    MapReduceOp producer = getProducer(operand, cascade);
    if (!producer || inProgress.contains(producer))
      continue;
    AffineMap access = cast<AffineMapAttr>(op.getMaps()[i]).getValue();
    // An earlier slice of a recurrence exists if this one does: a recurrence
    // does not constrain itself.
    int dim = producer.getIterativeDim();
    if (dim >= 0)
      if (auto advance = getAdvance(producer, op, access, dim);
          advance && *advance > 0)
        continue;
    SmallVector<AffineExpr> inverse = getInverseResultMap(producer);
    SmallVector<Constraint> inherited(compute(producer));
    for (const Constraint &c : inherited) {
      if (involvesReducedRank(producer, c))
        continue;
      SmallVector<AffineExpr> substitution;
      bool complete = true;
      for (auto [rank, expr] : llvm::enumerate(inverse)) {
        if (!expr) {
          complete &= !c.expr.isFunctionOfDim(rank);
          substitution.push_back(getAffineConstantExpr(0, op.getContext()));
        } else {
          substitution.push_back(expr.replaceDims(access.getResults()));
        }
      }
      if (!complete)
        continue;
      // finish runs once per result point: what cuts its operand cuts the
      // result, and no reduced rank takes part (op constraint 6).
      add(c.expr.replaceDims(substitution), c.isEquality);
    }
  }
  inProgress.erase(op);
  return known[op] = std::move(constraints);
}

IntegerSet EffectiveDomains::toSet(MapReduceOp op,
                                   ArrayRef<Constraint> constraints) {
  if (constraints.empty())
    return {};
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> equalities;
  for (const Constraint &c : constraints) {
    exprs.push_back(c.expr);
    equalities.push_back(c.isEquality);
  }
  return IntegerSet::get(op.getRanks().size(), 0, exprs, equalities);
}

IntegerSet EffectiveDomains::get(MapReduceOp op) {
  return toSet(op, compute(op));
}

IntegerSet EffectiveDomains::getOfResult(MapReduceOp op) {
  SmallVector<Constraint> constraints;
  for (const Constraint &c : compute(op))
    if (!involvesReducedRank(op, c))
      constraints.push_back(c);
  return toSet(op, constraints);
}

IntegerSet MapReduceOp::getEffectiveDomain() {
  return EffectiveDomains().get(*this);
}

IntegerSet MapReduceOp::getResultDomain() {
  return EffectiveDomains().getOfResult(*this);
}
