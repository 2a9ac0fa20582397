//===- IndexFunction.cpp - Indices as functions of the loops --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexFunction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace transfusion::raise;

/// Every point is folded on its own.
static constexpr int64_t kMaxPoints = 16384;
static constexpr int64_t kHuge = int64_t(1) << 62;

IndexFunction::IndexFunction(Operation *op) : op(op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    extents = linalgOp.getStaticLoopRanges();
  else
    llvm::append_range(
        extents, cast<RankedTensorType>(op->getResult(0).getType()).getShape());
}

std::optional<unsigned> IndexFunction::loopOf(Value value) const {
  if (auto index = value.getDefiningOp<linalg::IndexOp>())
    return index.getDim();
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && isa<tensor::GenerateOp>(op) &&
      argument.getOwner()->getParentOp() == op)
    return argument.getArgNumber();
  return std::nullopt;
}

std::optional<IndexRange> IndexFunction::rangeOf(AffineExpr expr) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return IndexRange{0, extents[dim.getPosition()] - 1};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    int64_t value = constant.getValue();
    if (value > kHuge || value < -kHuge)
      return std::nullopt;
    return IndexRange{value, value};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<IndexRange> l = rangeOf(binary.getLHS());
  std::optional<IndexRange> r = rangeOf(binary.getRHS());
  if (!l || !r)
    return std::nullopt;
  IndexRange range;
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    range = {l->low + r->low, l->high + r->high};
    break;
  case AffineExprKind::Mul: {
    int64_t low, high;
    if (llvm::MulOverflow(l->low, r->low, low) ||
        llvm::MulOverflow(l->high, r->low, high))
      return std::nullopt;
    range = {std::min(low, high), std::max(low, high)};
    break;
  }
  case AffineExprKind::FloorDiv:
    if (r->low < 1)
      return std::nullopt;
    range = {llvm::divideFloorSigned(l->low, r->low),
             llvm::divideFloorSigned(l->high, r->low)};
    break;
  case AffineExprKind::Mod:
    if (r->low < 1)
      return std::nullopt;
    if (l->low >= 0 && l->high < r->low)
      range = *l;
    else
      range = {0, r->low - 1};
    break;
  default:
    return std::nullopt;
  }
  if (range.low < -kHuge || range.high > kHuge)
    return std::nullopt;
  return range;
}

bool IndexFunction::fits(AffineExpr expr, Type type) const {
  std::optional<IndexRange> range = rangeOf(expr);
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return range && llvm::isIntN(bits, range->low) &&
         llvm::isIntN(bits, range->high);
}

std::optional<AffineExpr> IndexFunction::opByOp(Operation *def) {
  APInt constant;
  if (matchPattern(def->getResult(0), m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= 63)
    return getAffineConstantExpr(constant.getSExtValue(), def->getContext());
  if (def->getNumResults() != 1 || !def->getResult(0).getType().isIntOrIndex())
    return std::nullopt;
  bool isCast =
      isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp, index::CastSOp, index::CastUOp>(def);
  bool isBinary =
      isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp,
          arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          index::AddOp, index::SubOp, index::MulOp, index::FloorDivSOp,
          index::DivSOp, index::DivUOp, index::RemSOp, index::RemUOp>(def);
  auto apply = dyn_cast<affine::AffineApplyOp>(def);
  if (!isCast && !isBinary && !apply)
    return std::nullopt;
  SmallVector<AffineExpr> operands;
  for (Value operand : def->getOperands()) {
    std::optional<AffineExpr> expr = of(operand);
    if (!expr)
      return std::nullopt;
    operands.push_back(*expr);
  }
  AffineExpr result;
  if (apply) {
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all(operands);
    result = map.getResult(0).replaceDimsAndSymbols(
        all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  } else if (isCast) {
    result = operands[0];
    std::optional<IndexRange> range = rangeOf(result);
    if (isa<arith::IndexCastUIOp, arith::ExtUIOp, index::CastUOp>(def) &&
        (!range || range->low < 0))
      return std::nullopt;
  } else if (isa<arith::AddIOp, index::AddOp>(def)) {
    result = operands[0] + operands[1];
  } else if (isa<arith::SubIOp, index::SubOp>(def)) {
    result = operands[0] - operands[1];
  } else if (isa<arith::MulIOp, index::MulOp>(def)) {
    result = operands[0] * operands[1];
  } else {
    // Rounded towards zero, and unsigned: as floored where nothing is negative.
    std::optional<IndexRange> l = rangeOf(operands[0]);
    std::optional<IndexRange> r = rangeOf(operands[1]);
    bool isFloor = isa<arith::FloorDivSIOp, index::FloorDivSOp>(def);
    if (!l || !r || r->low < 1 || r->low != r->high || (l->low < 0 && !isFloor))
      return std::nullopt;
    bool isRest =
        isa<arith::RemSIOp, arith::RemUIOp, index::RemSOp, index::RemUOp>(def);
    result =
        isRest ? operands[0] % operands[1] : operands[0].floorDiv(operands[1]);
  }
  if (!result.isPureAffine() || !fits(result, def->getResult(0).getType()))
    return std::nullopt;
  return result;
}

/// A line through the values; or one that is repeated `k` times, or begun again
/// after `k` steps.
static AffineExpr fit(ArrayRef<int64_t> values, AffineExpr loop) {
  int64_t first = values[0];
  int64_t step = values.size() > 1 ? values[1] - first : 0;
  auto all = [&](auto expected) {
    return llvm::all_of(llvm::enumerate(values), [&](auto value) {
      return value.value() == expected(int64_t(value.index()));
    });
  };
  if (all([&](int64_t i) { return first + step * i; }))
    return loop * step + first;
  int64_t length = std::distance(
      values.begin(),
      llvm::find_if(values, [&](int64_t v) { return v != first; }));
  int64_t height = values[length] - first;
  if (all([&](int64_t i) { return first + height * (i / length); }))
    return loop.floorDiv(length) * height + first;
  int64_t period =
      std::distance(values.begin(), llvm::find(values.drop_front(), first));
  if (all([&](int64_t i) { return first + step * (i % period); }))
    return (loop % period) * step + first;
  return {};
}

std::optional<AffineExpr> IndexFunction::pointByPoint(Value value) {
  // What it takes, in the order of the body.
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> stack{value};
  SmallVector<int64_t> loops;
  while (!stack.empty()) {
    Value top = stack.pop_back_val();
    if (std::optional<unsigned> loop = loopOf(top)) {
      if (!llvm::is_contained(loops, *loop))
        loops.push_back(*loop);
      continue;
    }
    Operation *def = top.getDefiningOp();
    bool isData =
        !def || def->getNumRegions() != 0 || def->getNumResults() != 1 ||
        !isa<arith::ArithDialect, math::MathDialect, index::IndexDialect,
             affine::AffineDialect, linalg::LinalgDialect>(def->getDialect());
    if (isData) {
      reason = "at an index that is data, and an access of an Einsum is an "
               "affine function of its loops; look the elements up outside of "
               "the function, and pass what was found as an argument";
      return std::nullopt;
    }
    if (needed.insert(def))
      llvm::append_range(stack, def->getOperands());
  }
  if (loops.size() > 1 ||
      (loops.size() == 1 && extents[loops[0]] > kMaxPoints)) {
    reason = loops.size() > 1
                 ? "at an index that is no affine function of the " +
                       std::to_string(loops.size()) +
                       " loops it is computed of; write it as sums and "
                       "multiples of them"
                 : "at an index that is computed by more than sums and "
                   "multiples, over a loop of " +
                       std::to_string(extents[loops[0]]) + " steps; at most " +
                       std::to_string(kMaxPoints) +
                       " are tried one by one: write it as sums and multiples";
    return std::nullopt;
  }
  // Folding may change an op: copies are folded.
  Block copies;
  IRMapping mapping;
  OpBuilder b(value.getContext());
  b.setInsertionPointToStart(&copies);
  Value number = copies.addArgument(b.getIndexType(), value.getLoc());
  auto bring = [&](auto &&self, Value wanted) -> void {
    if (mapping.contains(wanted))
      return;
    if (loopOf(wanted)) {
      mapping.map(wanted, number);
      return;
    }
    Operation *def = wanted.getDefiningOp();
    for (Value operand : def->getOperands())
      self(self, operand);
    b.clone(*def, mapping);
  };
  bring(bring, value);
  SmallVector<int64_t> values;
  int64_t extent = loops.empty() ? 1 : extents[loops[0]];
  for (int64_t i = 0; i < extent; ++i) {
    llvm::DenseMap<Value, Attribute> known;
    known[number] = b.getIndexAttr(i);
    for (Operation &copy : copies) {
      SmallVector<Attribute> operands;
      for (Value operand : copy.getOperands())
        operands.push_back(known.lookup(operand));
      SmallVector<OpFoldResult> folded;
      if (failed(copy.fold(operands, folded)) || folded.size() != 1)
        break;
      auto attribute = dyn_cast<Attribute>(folded[0]);
      known[copy.getResult(0)] =
          attribute ? attribute : known.lookup(cast<Value>(folded[0]));
    }
    auto result =
        dyn_cast_or_null<IntegerAttr>(known.lookup(mapping.lookup(value)));
    if (!result || result.getValue().getSignificantBits() > 62) {
      reason = "at an index that is no number known here; compute it of loops "
               "and constants by ops of arith";
      return std::nullopt;
    }
    values.push_back(result.getValue().getSExtValue());
  }
  AffineExpr loop = loops.empty() ? getAffineConstantExpr(0, b.getContext())
                                  : getAffineDimExpr(loops[0], b.getContext());
  if (AffineExpr expr = fit(values, loop))
    return expr;
  reason = "at ";
  for (auto [i, v] : llvm::enumerate(ArrayRef<int64_t>(values).take_front(6)))
    reason += (i ? ", " : "") + std::to_string(v);
  reason += values.size() > 6 ? ", ..." : "";
  reason += " along a loop, which is no affine access; multiply by a constant "
            "matrix that picks (or interpolates) instead";
  return std::nullopt;
}

std::optional<AffineExpr> IndexFunction::of(Value value) {
  if (std::optional<unsigned> loop = loopOf(value))
    return getAffineDimExpr(*loop, value.getContext());
  if (Operation *def = value.getDefiningOp())
    if (std::optional<AffineExpr> expr = opByOp(def))
      return expr;
  return pointByPoint(value);
}
