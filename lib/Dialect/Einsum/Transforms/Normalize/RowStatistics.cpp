//===- RowStatistics.cpp - Maxima and sums of a row's scores --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowStatistics.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

bool normal::isCompare(const Node &node, arith::CmpFPredicate predicate) {
  return node.isOp("arith.cmpf") &&
         cast<IntegerAttr>(
             cast<DictionaryAttr>(node.attributes).get("predicate"))
                 .getInt() == static_cast<int64_t>(predicate);
}

std::optional<Ref> normal::ignoringNaN(const Graph &graph, const Ref &ref) {
  if (!graph[ref].isOp("arith.select"))
    return std::nullopt;
  Ref isNumber = graph.operand(ref, 0), x = graph.operand(ref, 1);
  std::optional<double> hidden = graph.constantOf(graph.operand(ref, 2));
  if (!isCompare(graph[isNumber], arith::CmpFPredicate::ORD) || !hidden ||
      *hidden != -std::numeric_limits<double>::infinity() ||
      graph.operand(isNumber, 0) != x || graph.operand(isNumber, 1) != x)
    return std::nullopt;
  return x;
}

/// Whether the condition says that x is this constant.
static bool says(const Graph &graph, const Ref &condition, const Ref &x,
                 double constant) {
  if (!isCompare(graph[condition], arith::CmpFPredicate::OEQ))
    return false;
  for (unsigned i : {0, 1})
    if (graph.operand(condition, i) == x &&
        graph.constantOf(graph.operand(condition, 1 - i)) == constant)
      return true;
  return false;
}

/// A maximum that begins at the lowest number (TOSA's do), or is a number
/// wherever it were -inf, is another only for empty rows, and those divide 0 by
/// 0 where the others have NaN: exp(-inf - lowest) is 0.
static std::optional<Ref> throughFinite(const Graph &graph, const Ref &ref,
                                        bool &isFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Node &node = graph[ref];
  if (node.isOp("arith.select")) {
    Ref max = graph.operand(ref, 2);
    std::optional<double> value = graph.constantOf(graph.operand(ref, 1));
    isFinite = value && std::isfinite(*value) &&
               says(graph, graph.operand(ref, 0), max, -infinity);
    return isFinite ? std::optional<Ref>(max) : std::nullopt;
  }
  if (!node.isOp("arith.maximumf"))
    return std::nullopt;
  double lowest =
      llvm::APFloat::getLargest(cast<FloatType>(node.type).getFloatSemantics(),
                                /*Negative=*/true)
          .convertToDouble();
  for (unsigned i : {0, 1}) {
    std::optional<double> value = graph.constantOf(graph.operand(ref, i));
    isFinite = value && *value == lowest;
    if (isFinite || value == -infinity)
      return graph.operand(ref, 1 - i);
  }
  return std::nullopt;
}

Subtracted normal::subtractedOf(const Graph &graph, const Ref &ref) {
  Subtracted result;
  auto crossCasts = [&](Ref from) {
    for (; graph[from].isOp("arith.extf") || graph[from].isOp("arith.truncf");
         from = graph.operand(from, 0))
      result.bits =
          std::min(result.bits, graph[from].type.getIntOrFloatBitWidth());
    return from;
  };
  result.maximum = crossCasts(ref);
  if (std::optional<Ref> under =
          throughFinite(graph, result.maximum, result.isFinite))
    result.maximum = crossCasts(*under);
  const Node &node = graph[result.maximum];
  if (node.isOp("arith.select")) {
    std::optional<double> value =
        graph.constantOf(graph.operand(result.maximum, 1));
    if (value && std::isnan(*value)) {
      result.allNaN = graph.operand(result.maximum, 0);
      result.maximum = graph.operand(result.maximum, 2);
    }
  }
  return result;
}

Ref normal::withoutFloor(const Graph &graph, const Ref &ref) {
  const Node &node = graph[ref];
  // Of 1 and more, the last place of f32 is 2^-23: what is added is rounded
  // off.
  if (node.kind == Kind::Sum && node.operands.size() == 1 &&
      node.coefficients[0] == 1 && node.constant > 0 &&
      node.constant <= std::ldexp(1.0, -25))
    return graph.operand(ref, 0);
  if (node.isOp("arith.maximumf"))
    for (unsigned i : {0, 1}) {
      std::optional<double> value = graph.constantOf(graph.operand(ref, i));
      if (value && *value > 0 && *value <= 1)
        return graph.operand(ref, 1 - i);
    }
  if (node.isOp("arith.select")) {
    Ref sum = graph.operand(ref, 2);
    std::optional<double> value = graph.constantOf(graph.operand(ref, 1));
    if (value && *value > 0 && std::isfinite(*value) &&
        says(graph, graph.operand(ref, 0), sum, 0))
      return sum;
  }
  return ref;
}
