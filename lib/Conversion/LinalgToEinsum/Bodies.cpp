//===- Bodies.cpp - Scalar bodies, copied and simplified ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "BodyReads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::raise;

Body::Body(TypeRange scalars, unsigned numRanks, Location loc)
    : region(std::make_unique<Region>()), context(loc.getContext()) {
  auto *block = new Block();
  region->push_back(block);
  for (Type type : scalars)
    block->addArgument(type, loc);
  for (unsigned i = 0; i < numRanks; ++i)
    block->addArgument(IndexType::get(loc.getContext()), loc);
}

OpBuilder Body::atBegin() {
  OpBuilder b(context);
  b.setInsertionPointToStart(&block());
  return b;
}

OpBuilder Body::atEnd() {
  OpBuilder b(context);
  b.setInsertionPointToEnd(&block());
  return b;
}

Value Body::yielded() {
  return cast<transfusion::einsum::YieldOp>(block().getTerminator())
      .getOperand(0);
}

Type transfusion::raise::storageType(Type element) {
  return element.isF64() ? Float32Type::get(element.getContext()) : element;
}

TypedAttr transfusion::raise::storageValue(TypedAttr value) {
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || !number.getType().isF64())
    return value;
  APFloat narrow = number.getValue();
  bool losesInfo;
  narrow.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return FloatAttr::get(storageType(number.getType()), narrow);
}

void transfusion::raise::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

SmallVector<unsigned> transfusion::raise::pruneScalars(Body &body,
                                                       unsigned numScalars) {
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < numScalars; ++i)
    if (!body.scalar(i).use_empty())
      kept.push_back(i);
  for (unsigned i = numScalars; i-- > 0;)
    if (!llvm::is_contained(kept, i))
      body.block().eraseArgument(i);
  return kept;
}

Value transfusion::raise::inlineBody(OpBuilder &b, Body &body,
                                     ValueRange arguments) {
  IRMapping mapping;
  mapping.map(body.block().getArguments(), arguments);
  for (Operation &op : body.block().without_terminator())
    b.clone(op, mapping);
  return mapping.lookupOrDefault(body.yielded());
}

Value transfusion::raise::indexValue(OpBuilder &b, Location loc, Body &body,
                                     unsigned numScalars, AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return body.scalar(numScalars + dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value l = indexValue(b, loc, body, numScalars, binary.getLHS());
  Value r = indexValue(b, loc, body, numScalars, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, loc, l, r);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, loc, l, r);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, l, r);
  default: // mod: 0 is all that callers compare with
    return arith::RemSIOp::create(b, loc, l, r);
  }
}

//===----------------------------------------------------------------------===//
// What a result depends on
//===----------------------------------------------------------------------===//

llvm::SmallDenseSet<Value> transfusion::raise::slice(Value of) {
  llvm::SmallDenseSet<Value> values;
  SmallVector<Value> stack{of};
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (!values.insert(value).second)
      continue;
    if (Operation *def = value.getDefiningOp())
      llvm::append_range(stack, def->getOperands());
  }
  return values;
}

static llvm::SmallDenseSet<Value> sliceOf(linalg::LinalgOp op,
                                          unsigned result) {
  return slice(op.getBlock()->getTerminator()->getOperand(result));
}

SmallVector<bool> transfusion::raise::usedArguments(linalg::LinalgOp op,
                                                    unsigned result) {
  llvm::SmallDenseSet<Value> values = sliceOf(op, result);
  SmallVector<bool> used;
  for (Value argument : op.getBlock()->getArguments())
    used.push_back(values.contains(argument));
  return used;
}

SmallVector<bool> transfusion::raise::usedLoops(linalg::LinalgOp op,
                                                unsigned result) {
  llvm::SmallDenseSet<Value> values = sliceOf(op, result);
  OpOperand *init = op.getDpsInitOperand(result);
  if (values.contains(op.getMatchingBlockArgument(init)))
    return SmallVector<bool>(op.getNumLoops(), true);
  SmallVector<bool> used(op.getNumLoops());
  auto useDims = [&](AffineMap map) {
    for (unsigned loop = 0; loop < used.size(); ++loop)
      used[loop] = used[loop] || map.isFunctionOfDim(loop);
  };
  useDims(op.getMatchingIndexingMap(init));
  for (OpOperand &operand : op->getOpOperands())
    if (values.contains(op.getMatchingBlockArgument(&operand)))
      useDims(op.getMatchingIndexingMap(&operand));
  for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
    if (values.contains(index.getResult()))
      used[index.getDim()] = true;
  return used;
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

static Value makeConstant(OpBuilder &b, Location loc, TypedAttr value) {
  return arith::ConstantOp::create(b, loc, value);
}

/// x^n for small n as products; null otherwise.
static Value expandPower(OpBuilder &b, Location loc, Value x, int64_t n) {
  if (n == 1)
    return x;
  if (n != 2 && n != 3 && n != 4)
    return {};
  Value square = arith::MulFOp::create(b, loc, x, x);
  if (n == 2)
    return square;
  return arith::MulFOp::create(b, loc, n == 4 ? square : x, square);
}

/// A simpler value for a copied op; null to keep it.
static Value simplify(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    APFloat value(0.0);
    if (matchPattern(truncate.getIn(), m_ConstantFloat(&value))) {
      bool losesInfo;
      auto type = cast<FloatType>(truncate.getType());
      value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      return makeConstant(b, loc, FloatAttr::get(type, value));
    }
  }
  if (auto extend = dyn_cast<arith::ExtFOp>(op)) {
    APFloat value(0.0);
    if (matchPattern(extend.getIn(), m_ConstantFloat(&value))) {
      bool losesInfo;
      auto type = cast<FloatType>(extend.getType());
      value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      return makeConstant(b, loc, FloatAttr::get(type, value));
    }
  }
  if (auto power = dyn_cast<math::FPowIOp>(op)) {
    APInt exponent;
    if (matchPattern(power.getRhs(), m_ConstantInt(&exponent)) &&
        exponent.getSignificantBits() <= 8)
      return expandPower(b, loc, power.getLhs(), exponent.getSExtValue());
  }
  if (auto power = dyn_cast<math::PowFOp>(op)) {
    APFloat exponent(0.0);
    if (matchPattern(power.getRhs(), m_ConstantFloat(&exponent)))
      for (int n : {1, 2, 3, 4})
        if (exponent.isExactlyValue(n))
          return expandPower(b, loc, power.getLhs(), n);
  }
  return {};
}

/// Folds a copied op, which then may go; returns what stands for its result.
static Value foldOp(OpBuilder &b, Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return op->getResult(0);
  SmallVector<OpFoldResult> folded;
  Value result;
  if (succeeded(op->fold(folded)) && folded.size() == 1) {
    if (auto value = dyn_cast<Value>(folded.front()))
      result = value;
    else if (auto attr = dyn_cast<TypedAttr>(cast<Attribute>(folded.front())))
      if (attr.getType() == op->getResult(0).getType())
        result = makeConstant(b, op->getLoc(), attr);
  }
  if (!result)
    result = simplify(b, op);
  return result ? result : op->getResult(0);
}

/// Values of f64 become f32; casts between equal types go.
static void narrowToStorage(Block &block) {
  for (Value argument : block.getArguments())
    argument.setType(storageType(argument.getType()));
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      TypedAttr value = storageValue(constant.getValue());
      constant.setValueAttr(value);
      constant.getResult().setType(value.getType());
      continue;
    }
    for (Value result : op.getResults())
      result.setType(storageType(result.getType()));
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
        op.getOperand(0).getType() == op.getResult(0).getType()) {
      op.getResult(0).replaceAllUsesWith(op.getOperand(0));
      op.erase();
    }
  }
}

Body transfusion::raise::cloneBody(
    linalg::LinalgOp op, unsigned result, ArrayRef<TypedAttr> constants,
    ArrayRef<SmallVector<std::pair<unsigned, int64_t>>> loops,
    unsigned numRanks) {
  Location loc = op.getLoc();
  Block *source = op.getBlock();
  Body body(source->getArgumentTypes(), numRanks, loc);
  Block &block = body.block();
  unsigned firstIndex = source->getNumArguments();
  OpBuilder b = body.atEnd();

  llvm::SmallDenseSet<Value> needed = sliceOf(op, result);
  IRMapping mapping;
  for (unsigned i = 0; i < firstIndex; ++i)
    mapping.map(source->getArgument(i), constants[i]
                                            ? makeConstant(b, loc, constants[i])
                                            : Value(block.getArgument(i)));
  // Constants, and scalar ops on them, stand outside.
  std::function<void(Value)> bring = [&](Value value) {
    if (mapping.contains(value))
      return;
    // Read by the body, and an operand in the end.
    if (isa<TensorType>(value.getType()) || isScalarRead(value))
      return mapping.map(value, value);
    Operation *def = value.getDefiningOp();
    for (Value operand : def->getOperands())
      bring(operand);
    mapping.map(value, foldOp(b, b.clone(*def, mapping)));
  };
  for (Operation &inner : source->without_terminator()) {
    if (llvm::none_of(inner.getResults(),
                      [&](Value v) { return needed.contains(v); }))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      Value number;
      for (auto [rank, extent] : loops[index.getDim()]) {
        Value part = block.getArgument(firstIndex + rank);
        if (number) {
          Value scaled = arith::MulIOp::create(
              b, loc, number, makeConstant(b, loc, b.getIndexAttr(extent)));
          part = arith::AddIOp::create(b, loc, scaled, part);
        }
        number = part;
      }
      if (!number)
        number = makeConstant(b, loc, b.getIndexAttr(0));
      mapping.map(index.getResult(), number);
      continue;
    }
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != source)
        bring(operand);
    if (hasArithForm(&inner)) {
      SmallVector<Value> operands = llvm::map_to_vector(
          inner.getOperands(), [&](Value v) { return mapping.lookup(v); });
      mapping.map(inner.getResult(0), arithForm(b, &inner, operands));
      continue;
    }
    Operation *copy = b.clone(inner, mapping);
    mapping.map(inner.getResult(0), foldOp(b, copy));
  }
  Value yielded = source->getTerminator()->getOperand(result);
  if (yielded.getParentBlock() != source)
    bring(yielded);
  transfusion::einsum::YieldOp::create(b, loc, mapping.lookup(yielded));
  narrowToStorage(block);
  writeAsAccumulation(body, body.scalar(op.getNumDpsInputs() + result));
  eraseDead(block);
  return body;
}
