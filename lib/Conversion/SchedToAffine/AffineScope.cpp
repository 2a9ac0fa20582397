//===- AffineScope.cpp - Affine code over the values in scope -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AffineScope.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace transfusion::schedtoaffine;

static std::optional<int64_t> asConstant(AffineExpr e) {
  if (auto c = dyn_cast<AffineConstantExpr>(e))
    return c.getValue();
  return std::nullopt;
}

AffineExpr AffineScope::constant(int64_t value) const {
  return getAffineConstantExpr(value, b.getContext());
}

AffineExpr AffineScope::simplify(AffineExpr e) const {
  return simplifyAffineExpr(e, values.size(), 0);
}

std::pair<AffineMap, SmallVector<Value>>
AffineScope::map(ArrayRef<AffineExpr> exprs) const {
  SmallVector<AffineExpr> simple;
  for (AffineExpr e : exprs)
    simple.push_back(simplify(e));
  AffineMap map = AffineMap::get(values.size(), 0, simple, b.getContext());
  SmallVector<Value> operands(values);
  affine::canonicalizeMapAndOperands(&map, &operands);
  return {map, operands};
}

AffineExpr AffineScope::bind(Location loc, AffineExpr e) {
  e = simplify(e);
  if (asConstant(e) || isa<AffineDimExpr>(e))
    return e;
  values.push_back(value(loc, e));
  return getAffineDimExpr(values.size() - 1, b.getContext());
}

Value AffineScope::value(Location loc, AffineExpr e) {
  e = simplify(e);
  if (auto c = asConstant(e))
    return arith::ConstantIndexOp::create(b, loc, *c);
  if (auto d = dyn_cast<AffineDimExpr>(e))
    return values[d.getPosition()];
  auto [map, operands] = this->map(e);
  return affine::AffineApplyOp::create(b, loc, map, operands);
}

Value AffineScope::load(Location loc, Value memref,
                        ArrayRef<AffineExpr> indices) {
  auto [map, operands] = this->map(indices);
  return affine::AffineLoadOp::create(b, loc, memref, map, operands);
}

void AffineScope::store(Location loc, Value scalar, Value memref,
                        ArrayRef<AffineExpr> indices) {
  auto [map, operands] = this->map(indices);
  affine::AffineStoreOp::create(b, loc, scalar, memref, map, operands);
}

Bound AffineScope::simplify(const Bound &bound) const {
  Bound result;
  std::optional<int64_t> least;
  for (AffineExpr e : bound) {
    e = simplify(e);
    if (auto c = asConstant(e))
      least = least ? std::min(*least, *c) : *c;
    else if (!llvm::is_contained(result, e))
      result.push_back(e);
  }
  if (least)
    result.push_back(constant(*least));
  return result;
}

Value AffineScope::reduce(Location loc, const Bound &upper, Value init,
                          function_ref<Value(AffineExpr, Value)> body) {
  Bound bound = simplify(upper);
  if (bound.size() == 1)
    if (auto c = asConstant(bound.front())) {
      if (*c <= 0)
        return init;
      if (*c == 1)
        return body(constant(0), init);
    }
  size_t mark = values.size();
  auto [map, operands] = this->map(bound);
  auto loop = affine::AffineForOp::create(
      b, loc, ValueRange(), AffineMap::getConstantMap(0, b.getContext()),
      operands, map, 1, init ? ValueRange(init) : ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  values.push_back(loop.getInductionVar());
  AffineExpr iv = getAffineDimExpr(mark, b.getContext());
  Value next = body(iv, init ? loop.getRegionIterArgs().front() : Value());
  if (init)
    affine::AffineYieldOp::create(b, loc, next);
  values.truncate(mark);
  return init ? loop.getResult(0) : Value();
}

void AffineScope::loop(Location loc, const Bound &upper,
                       function_ref<void(AffineExpr)> body) {
  reduce(loc, upper, Value(), [&](AffineExpr iv, Value) {
    body(iv);
    return Value();
  });
}

void AffineScope::loopBetween(Location loc, const Bound &lowers,
                              const Bound &uppers,
                              function_ref<void(AffineExpr)> body) {
  // The greatest of some is minus the least of their negatives.
  Bound negated;
  for (AffineExpr e : lowers)
    negated.push_back(-e);
  Bound lower;
  for (AffineExpr e : simplify(negated))
    lower.push_back(simplify(-e));
  size_t mark = values.size();
  auto [lowerMap, lowerOperands] = map(lower);
  auto [upperMap, upperOperands] = map(simplify(uppers));
  auto loop = affine::AffineForOp::create(b, loc, lowerOperands, lowerMap,
                                          upperOperands, upperMap, 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  values.push_back(loop.getInductionVar());
  body(getAffineDimExpr(mark, b.getContext()));
  values.truncate(mark);
}

void AffineScope::nest(Location loc, ArrayRef<Bound> uppers,
                       function_ref<void(ArrayRef<AffineExpr>)> body) {
  SmallVector<AffineExpr> ivs;
  std::function<void()> open = [&]() {
    if (ivs.size() == uppers.size())
      return body(ivs);
    loop(loc, uppers[ivs.size()], [&](AffineExpr iv) {
      ivs.push_back(iv);
      open();
      ivs.pop_back();
    });
  };
  open();
}

std::optional<SmallVector<Condition>>
AffineScope::undecided(ArrayRef<Condition> conditions) const {
  SmallVector<Condition> left;
  for (Condition c : conditions) {
    c.expr = simplify(c.expr);
    if (auto value = asConstant(c.expr)) {
      if (c.isEquality ? *value != 0 : *value < 0)
        return std::nullopt;
      continue;
    }
    left.push_back(c);
  }
  return left;
}

static affine::AffineIfOp createIf(OpBuilder &b, Location loc, Type type,
                                   ArrayRef<Condition> conditions,
                                   ArrayRef<Value> values,
                                   bool withElse = false) {
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> equalities;
  for (const Condition &c : conditions) {
    exprs.push_back(c.expr);
    equalities.push_back(c.isEquality);
  }
  IntegerSet set = IntegerSet::get(values.size(), 0, exprs, equalities);
  SmallVector<Value> operands(values);
  affine::canonicalizeSetAndOperands(&set, &operands);
  return affine::AffineIfOp::create(
      b, loc, type ? TypeRange(type) : TypeRange(), set, operands,
      /*withElseRegion=*/withElse || type);
}

void AffineScope::when(Location loc, ArrayRef<Condition> conditions,
                       function_ref<void()> body) {
  auto left = undecided(conditions);
  if (!left)
    return;
  if (left->empty())
    return body();
  auto op = createIf(b, loc, Type(), *left, values);
  OpBuilder::InsertionGuard guard(b);
  size_t mark = values.size();
  b.setInsertionPointToStart(op.getThenBlock());
  body();
  values.truncate(mark);
}

void AffineScope::unless(Location loc, ArrayRef<Condition> conditions,
                         function_ref<void()> body) {
  auto left = undecided(conditions);
  if (!left)
    return body();
  if (left->empty())
    return;
  auto op = createIf(b, loc, Type(), *left, values, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  size_t mark = values.size();
  b.setInsertionPointToStart(op.getElseBlock());
  body();
  values.truncate(mark);
}

Value AffineScope::choose(Location loc, Type type,
                          ArrayRef<Condition> conditions,
                          function_ref<Value()> then,
                          function_ref<Value()> otherwise) {
  auto left = undecided(conditions);
  if (!left)
    return otherwise();
  if (left->empty())
    return then();
  auto op = createIf(b, loc, type, *left, values);
  OpBuilder::InsertionGuard guard(b);
  size_t mark = values.size();
  b.setInsertionPointToStart(op.getThenBlock());
  affine::AffineYieldOp::create(b, loc, then());
  values.truncate(mark);
  b.setInsertionPointToStart(op.getElseBlock());
  affine::AffineYieldOp::create(b, loc, otherwise());
  values.truncate(mark);
  return op.getResult(0);
}
