//===- IndexFunction.cpp - What a program computes from one index ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexFunction.h"
#include "Indices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

static constexpr int64_t kMostValues = int64_t(1) << 17;
static constexpr unsigned kMostNodes = 64;

namespace {
/// Values of refs at one index. Integers have the width of their type.
class Evaluator {
public:
  Evaluator(const Graph &graph, unsigned dim) : graph(graph), dim(dim) {}
  std::optional<APInt> at(const Ref &ref, int64_t index);

private:
  std::optional<APInt> ofOp(const Ref &ref, int64_t index);
  std::optional<APInt> ofConstant(const Ref &ref, int64_t index);
  static unsigned widthOf(Type type) {
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  }
  int64_t place(AffineExpr expr, int64_t index) const;

  const Graph &graph;
  unsigned dim;
};
} // namespace

/// An access, of which no other dim is part.
int64_t Evaluator::place(AffineExpr expr, int64_t index) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (isa<AffineDimExpr>(expr))
    return index;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t l = place(binary.getLHS(), index), r = place(binary.getRHS(), index);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return l + r;
  case AffineExprKind::Mul:
    return l * r;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(l, r);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(l, r);
  default:
    return llvm::mod(l, r);
  }
}

/// An element of a constant tensor, or a constant.
std::optional<APInt> Evaluator::ofConstant(const Ref &ref, int64_t index) {
  const Node &node = graph[ref];
  if (node.kind == Kind::Constant) {
    auto value = dyn_cast_or_null<IntegerAttr>(node.attributes);
    return value ? std::optional(value.getValue()) : std::nullopt;
  }
  DenseIntElementsAttr elements;
  if (!matchPattern(node.value, m_Constant(&elements)))
    return std::nullopt;
  int64_t position = 0;
  for (auto [expr, extent] : llvm::zip(ref.at, elements.getType().getShape())) {
    int64_t coordinate = place(expr, index);
    if (coordinate < 0 || coordinate >= extent)
      return std::nullopt;
    position = position * extent + coordinate;
  }
  return elements.getValues<APInt>()[position];
}

std::optional<APInt> Evaluator::ofOp(const Ref &ref, int64_t index) {
  const Node &node = graph[ref];
  SmallVector<APInt, 3> in;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    std::optional<APInt> value = at(graph.operand(ref, i), index);
    if (!value)
      return std::nullopt;
    in.push_back(*value);
  }
  unsigned width = widthOf(node.type);
  if (node.isOp("arith.select"))
    return in[0].isZero() ? in[2] : in[1];
  if (node.isOp("arith.index_cast") || node.isOp("arith.extsi") ||
      node.isOp("arith.trunci"))
    return in[0].sextOrTrunc(width);
  if (node.isOp("arith.extui") || node.isOp("arith.index_castui"))
    return in[0].zextOrTrunc(width);
  if (node.isOp("arith.cmpi")) {
    auto predicate = static_cast<arith::CmpIPredicate>(
        cast<IntegerAttr>(
            cast<DictionaryAttr>(node.attributes).get("predicate"))
            .getInt());
    return APInt(1, arith::applyCmpPredicate(predicate, in[0], in[1]));
  }
  if (in.size() != 2)
    return std::nullopt;
  const APInt &l = in[0], &r = in[1];
  bool shifts = r.ult(width);
  // Quotients by what is no positive number are left alone.
  bool divides = r.isStrictlyPositive();
  StringRef name = node.name;
  if (name == "arith.addi")
    return l + r;
  if (name == "arith.subi")
    return l - r;
  if (name == "arith.muli")
    return l * r;
  if (name == "arith.andi")
    return l & r;
  if (name == "arith.ori")
    return l | r;
  if (name == "arith.xori")
    return l ^ r;
  if (name == "arith.minsi")
    return l.slt(r) ? l : r;
  if (name == "arith.maxsi")
    return l.sgt(r) ? l : r;
  if (name == "arith.minui")
    return l.ult(r) ? l : r;
  if (name == "arith.maxui")
    return l.ugt(r) ? l : r;
  if (name == "arith.shli" && shifts)
    return l.shl(r);
  if (name == "arith.shrsi" && shifts)
    return l.ashr(r);
  if (name == "arith.shrui" && shifts)
    return l.lshr(r);
  if (!divides)
    return std::nullopt;
  if (name == "arith.divsi")
    return l.sdiv(r);
  if (name == "arith.divui")
    return l.udiv(r);
  if (name == "arith.remsi")
    return l.srem(r);
  if (name == "arith.remui")
    return l.urem(r);
  if (name == "arith.floordivsi")
    return llvm::APIntOps::RoundingSDiv(l, r, APInt::Rounding::DOWN);
  return std::nullopt;
}

std::optional<APInt> Evaluator::at(const Ref &ref, int64_t index) {
  const Node &node = graph[ref];
  if (!isa<IndexType, IntegerType>(node.type))
    return std::nullopt;
  if (node.kind == Kind::Index)
    return APInt(64, place(ref.at[0], index), /*isSigned=*/true)
        .sextOrTrunc(widthOf(node.type));
  if (node.kind == Kind::Op)
    return ofOp(ref, index);
  if (node.kind == Kind::Constant || node.kind == Kind::Input)
    return ofConstant(ref, index);
  return std::nullopt;
}

/// The expression that has these values at 0, 1, ...; null where none is found.
static AffineExpr fit(ArrayRef<int64_t> values, AffineExpr dim) {
  int64_t count = values.size(), first = values[0];
  int64_t run = 1; // how long the first value stays
  while (run < count && values[run] == first)
    ++run;
  if (run == count)
    return getAffineConstantExpr(first, dim.getContext());
  int64_t next = run, step = values[run] - first;
  while (next < count && values[next] == values[run])
    ++next;
  // The first run may be cut off, and so may the second if it is the last.
  int64_t size = next == count ? std::max(run, next - run) : next - run;
  int64_t offset = size - run;
  if (offset < 0)
    return {};
  for (auto [i, value] : llvm::enumerate(values))
    if (value != first + step * ((static_cast<int64_t>(i) + offset) / size))
      return {};
  return (dim + offset).floorDiv(size) * step + first;
}

static void countNodes(const Graph &graph, const Ref &ref, unsigned &count) {
  if (++count > kMostNodes)
    return;
  for (const Ref &operand : graph[ref].operands)
    countNodes(graph, operand, count);
}

AffineExpr normal::indexFunction(const Graph &graph, const Frame &frame,
                                 const Ref &ref) {
  SmallVector<unsigned> dims = graph.dimsOf(ref);
  unsigned numNodes = 0;
  countNodes(graph, ref, numNodes);
  if (dims.size() != 1 || numNodes > kMostNodes)
    return {};
  int64_t extent = frame.dims[dims[0]].extent;
  if (extent <= 0 || extent > kMostValues)
    return {};
  Evaluator evaluator(graph, dims[0]);
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < extent; ++i) {
    std::optional<APInt> value = evaluator.at(ref, i);
    constexpr unsigned most = 40; // nothing that is made of it may wrap
    if (!value || value->getSignificantBits() > most)
      return {};
    values.push_back(value->getSExtValue());
  }
  return fit(values, getAffineDimExpr(dims[0], graph.getContext()));
}
