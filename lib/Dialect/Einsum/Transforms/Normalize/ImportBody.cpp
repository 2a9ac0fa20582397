//===- ImportBody.cpp - Scalar bodies as nodes ----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "Indices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
class BodyImporter {
public:
  BodyImporter(Graph &graph, const Frame &frame, ArrayAttr ranks,
               const JumpFronts &fronts)
      : graph(graph), frame(frame), ranks(ranks), fronts(fronts) {}

  void bind(Value value, const Ref &ref) { refs[value] = ref; }
  Ref get(Value value) const { return refs.lookup(value); }
  std::optional<Ref> import(Operation *op);

private:
  Ref in(Operation *op, unsigned i) const { return get(op->getOperand(i)); }
  Ref multiply(Type type, Ref a, int p, Ref b, int q) {
    return graph.product(frame, {1, {{a, p}, {b, q}}}, type);
  }
  Ref add(Type type, double a, Ref x, double b, Ref y) {
    return graph.sum(frame, {0, {{a, x}, {b, y}}}, type);
  }
  std::optional<Ref> foldFloat(Operation *op, Type type);
  std::optional<Ref> foldIndex(Operation *op, Type type);
  std::optional<Ref> power(Operation *op, Type type);
  bool isRewritten(Operation *op) const;

  /// The value of an integer as an expression over the frame.
  AffineExpr indexOf(const Ref &ref) const;
  bool fits(AffineExpr expr, Type type) const;

  Graph &graph;
  const Frame &frame;
  ArrayAttr ranks;
  const JumpFronts &fronts;
  llvm::DenseMap<Value, Ref> refs; // looked up only
};
} // namespace

AffineExpr BodyImporter::indexOf(const Ref &ref) const {
  const Node &node = graph[ref];
  if (node.kind == Kind::Index)
    return ref.at[0];
  auto constant = dyn_cast_or_null<IntegerAttr>(node.attributes);
  if (node.kind == Kind::Constant && constant &&
      constant.getValue().getSignificantBits() <= 32)
    return getAffineConstantExpr(constant.getValue().getSExtValue(),
                                 graph.getContext());
  return {};
}

/// Whether arithmetic in the type cannot have wrapped.
bool BodyImporter::fits(AffineExpr expr, Type type) const {
  std::optional<Interval> range = rangeOf(expr, frame.extents());
  if (!range)
    return false;
  unsigned width = isa<IndexType>(type) ? 63 : type.getIntOrFloatBitWidth();
  int64_t most =
      width >= 63 ? int64_t(1) << 60 : (int64_t(1) << (width - 1)) - 1;
  return range->min >= -most && range->max <= most;
}

/// Integers that are affine in the ranks stay so.
std::optional<Ref> BodyImporter::foldIndex(Operation *op, Type type) {
  if (!isa<IndexType, IntegerType>(type) || type.isInteger(1) ||
      op->getNumOperands() == 0)
    return std::nullopt;
  SmallVector<AffineExpr> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<IndexType, IntegerType>(operand.getType()) ||
        operand.getType().isInteger(1))
      return std::nullopt;
    AffineExpr expr = indexOf(get(operand));
    if (!expr)
      return std::nullopt;
    operands.push_back(expr);
  }
  AffineExpr value;
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    value = operands[0];
  else if (isa<arith::AddIOp>(op))
    value = operands[0] + operands[1];
  else if (isa<arith::SubIOp>(op))
    value = operands[0] - operands[1];
  else if (isa<arith::MulIOp>(op) && (isa<AffineConstantExpr>(operands[0]) ||
                                      isa<AffineConstantExpr>(operands[1])))
    value = operands[0] * operands[1];
  else if (auto by = dyn_cast<AffineConstantExpr>(operands.back());
           isa<arith::FloorDivSIOp>(op) && by && by.getValue() > 0)
    value = operands[0].floorDiv(operands[1]);
  if (!value || !fits(value, type))
    return std::nullopt;
  value = simplifyIndex(value, frame.extents());
  if (auto constant = dyn_cast<AffineConstantExpr>(value))
    return graph.constant(
        TypedAttr(IntegerAttr::get(type, constant.getValue())));
  return graph.index(frame, value, type);
}

/// Ops on constants, in double precision.
std::optional<Ref> BodyImporter::foldFloat(Operation *op, Type type) {
  if (!type.isFloat() || op->getNumOperands() != 1)
    return std::nullopt;
  std::optional<double> x = graph.constantOf(in(op, 0));
  if (!x)
    return std::nullopt;
  if (isa<arith::ExtFOp>(op))
    return graph.constant(*x, type);
  auto rounded = [&](double value) {
    return FloatAttr::get(type, value).getValueAsDouble();
  };
  if (isa<arith::TruncFOp>(op)) {
    // The program rounds here.
    bool inexact;
    APFloat value(*x);
    value.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &inexact);
    return graph.constant(value.convertToDouble(), type);
  }
  std::optional<double> folded =
      llvm::TypeSwitch<Operation *, std::optional<double>>(op)
          .Case([&](math::SqrtOp) { return std::sqrt(*x); })
          .Case([&](math::RsqrtOp) { return 1.0 / std::sqrt(*x); })
          .Case([&](math::ExpOp) { return std::exp(*x); })
          .Case([&](math::LogOp) { return std::log(*x); })
          .Case([&](math::AbsFOp) { return std::abs(*x); })
          .Default([](Operation *) { return std::nullopt; });
  if (!folded || !std::isfinite(*folded))
    return std::nullopt;
  return graph.constant(fronts.isExact(op) ? rounded(*folded) : *folded, type);
}

/// x to a small integer power is a product.
std::optional<Ref> BodyImporter::power(Operation *op, Type type) {
  std::optional<double> exponent;
  if (auto fpowi = dyn_cast<math::FPowIOp>(op)) {
    auto constant = dyn_cast_or_null<IntegerAttr>(graph[in(op, 1)].attributes);
    if (graph[in(op, 1)].kind == Kind::Constant && constant)
      exponent = constant.getValue().signedRoundToDouble();
  } else if (isa<math::PowFOp>(op)) {
    exponent = graph.constantOf(in(op, 1));
  }
  if (!exponent || *exponent != std::floor(*exponent) || *exponent == 0 ||
      std::abs(*exponent) > 8)
    return std::nullopt;
  return graph.product(frame, {1, {{in(op, 0), static_cast<int>(*exponent)}}},
                       type);
}

/// Whether sums and products compute it otherwise than the op does, but for
/// powers of two: merge constants, move them, or multiply by a reciprocal.
bool BodyImporter::isRewritten(Operation *op) const {
  if (isa<math::FmaOp>(op))
    return true;
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
    return false;
  auto isPowerOfTwo = [](double value) {
    int exponent;
    return std::abs(std::frexp(value, &exponent)) == 0.5;
  };
  bool isSum = isa<arith::AddFOp, arith::SubFOp>(op);
  for (unsigned i : {0, 1}) {
    const Node &node = graph[in(op, i)];
    if (node.kind == Kind::Constant && (isSum || !isPowerOfTwo(node.constant) ||
                                        graph.constantOf(in(op, 1 - i))))
      return true;
    if (node.kind == Kind::Product &&
        (!isPowerOfTwo(node.constant) || (!isSum && node.operands.size() == 1)))
      return true;
  }
  return false;
}

std::optional<Ref> BodyImporter::import(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return std::nullopt;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return graph.constant(cast<TypedAttr>(constant.getValue()));
  if (auto index = dyn_cast<IndexOp>(op)) {
    for (auto [i, name] : llvm::enumerate(ranks.getAsValueRange<StringAttr>()))
      if (name == index.getRank())
        return graph.index(frame, getAffineDimExpr(i, op->getContext()),
                           op->getResult(0).getType());
    return std::nullopt;
  }
  Dialect *dialect = op->getDialect();
  if (!dialect ||
      (dialect->getNamespace() != "arith" && dialect->getNamespace() != "math"))
    return std::nullopt;

  Type type = op->getResult(0).getType();
  if (auto folded = foldFloat(op, type))
    return folded;
  if (auto folded = foldIndex(op, type))
    return folded;
  bool isExact = fronts.isExact(op);
  if (!isExact)
    if (auto folded = power(op, type))
      return folded;
  using Result = std::optional<Ref>;
  Result result;
  if (!isExact || !isRewritten(op))
    result =
        llvm::TypeSwitch<Operation *, Result>(op)
            .Case([&](arith::AddFOp) {
              return add(type, 1, in(op, 0), 1, in(op, 1));
            })
            .Case([&](arith::SubFOp) {
              return add(type, 1, in(op, 0), -1, in(op, 1));
            })
            .Case([&](arith::NegFOp) {
              return graph.product(frame, {-1, {{in(op, 0), 1}}}, type);
            })
            .Case([&](arith::MulFOp) {
              return multiply(type, in(op, 0), 1, in(op, 1), 1);
            })
            .Case([&](arith::DivFOp) {
              return multiply(type, in(op, 0), 1, in(op, 1), -1);
            })
            .Case([&](math::FmaOp) {
              Ref product = multiply(type, in(op, 0), 1, in(op, 1), 1);
              return add(type, 1, product, 1, in(op, 2));
            })
            .Case([&](arith::SelectOp) -> Result {
              auto condition =
                  dyn_cast_or_null<IntegerAttr>(graph[in(op, 0)].attributes);
              if (graph[in(op, 0)].kind == Kind::Constant && condition)
                return condition.getValue().isZero() ? in(op, 2) : in(op, 1);
              if (in(op, 1) == in(op, 2))
                return in(op, 1);
              return std::nullopt;
            })
            .Case([&](arith::TruncFOp) -> Result {
              // What was widened is itself again.
              const Node &node = graph[in(op, 0)];
              if (node.isOp("arith.extf") &&
                  graph[node.operands[0]].type == type)
                return graph.operand(in(op, 0), 0);
              return std::nullopt;
            })
            .Default([](Operation *) { return Result(); });
  if (result)
    return result;

  SmallVector<Ref> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  // Flags that allow more than the op says are dropped with the default.
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase("fastmath");
  attributes.erase("overflowFlags");
  return graph.op(frame, op->getName().getStringRef(),
                  attributes.empty()
                      ? Attribute()
                      : attributes.getDictionary(op->getContext()),
                  operands, type);
}

std::optional<Ref> normal::importBody(Graph &graph, const Frame &frame,
                                      Region &body, ArrayRef<Ref> operands,
                                      ArrayAttr ranks,
                                      const JumpFronts &fronts) {
  if (body.empty())
    return operands.front();
  BodyImporter importer(graph, frame, ranks, fronts);
  Block &block = body.front();
  for (auto [argument, ref] : llvm::zip(block.getArguments(), operands))
    importer.bind(argument, ref);
  for (Operation &op : block.without_terminator()) {
    std::optional<Ref> ref = importer.import(&op);
    if (!ref)
      return std::nullopt;
    importer.bind(op.getResult(0), *ref);
  }
  return importer.get(block.getTerminator()->getOperand(0));
}
