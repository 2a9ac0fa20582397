//===- RecognizeNorm.cpp - Layer norm and RMS norm ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes a norm is a factor 1/sqrt(v + eps), eps > 0, where v is the mean
// over some dims of the square of something:
//   RMS norm    mean(x^2)                        times x
//   layer norm  mean((x - mean x)^2)             times x - mean x
//               mean(x^2) - (mean x)^2           likewise
// The mean divides by the extent of the dims that are summed: an unbiased
// variance (N - 1) is another function and is left alone. Then gamma, beta and
// the casts between are added one by one as they are met further up.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Matching.h"
#include "Recognize.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
/// 1/sqrt(mean over `columns` of (x - `centered` mean x)^2 + eps).
struct InverseDeviation {
  bool isCentered;
  double eps;
  Type accumulator; ///< of its sums
  Ref x;            ///< over the frame and `columns`
  Exprs columns;    ///< bound dims, added to the frame
};
} // namespace

/// The value under a reciprocal square root, and nothing else.
static std::optional<Ref> underInverseRoot(const Graph &graph,
                                           const Factor &factor) {
  const Node &node = graph[factor.ref];
  if (node.isOp("math.rsqrt") && factor.power == 1)
    return graph.operand(factor.ref, 0);
  if (node.isOp("math.sqrt") && factor.power == -1)
    return graph.operand(factor.ref, 0);
  if (node.isOp("math.powf"))
    if (auto exponent = graph.constantOf(graph.operand(factor.ref, 1)))
      if (*exponent * factor.power == -0.5)
        return graph.operand(factor.ref, 0);
  return std::nullopt;
}

/// Whether `coefficient` times a sum over `columns` is its mean.
static bool isMean(double coefficient, const Frame &frame,
                   ArrayRef<AffineExpr> columns, Type type) {
  double count = 1;
  for (AffineExpr column : columns)
    count *= frame.dims[plainDim(column)].extent;
  // Rounding 1/N to the type moves it by half a unit; one is allowed.
  return isClose(coefficient * count, 1.0, type, 1);
}

namespace {
/// A sum over bound dims; of 16 bits, it may be summed in 32 and rounded.
struct AddReduction {
  Ref sum, body; ///< the reduction; what is summed, with the columns bound
  Exprs columns;
  Type accumulator;
};
} // namespace

/// Binds its dims in the frame.
static std::optional<AddReduction> matchSum(const Graph &graph, Frame &frame,
                                            const Ref &ref) {
  AddReduction result{ref, {}, {}, {}};
  Type type = graph[ref].type;
  if (graph[ref].isOp("arith.truncf"))
    result.sum = graph.operand(ref, 0);
  const Node &node = graph[result.sum];
  if (node.kind != Kind::Reduce || node.reduce != ReduceKind::Add)
    return std::nullopt;
  result.accumulator = node.type;
  result.columns = graph.bind(frame, result.sum);
  result.body = graph.operand(result.sum, 0, result.columns);
  if (node.type != type) {
    if (!graph[result.body].isOp("arith.extf"))
      return std::nullopt;
    result.body = graph.operand(result.body, 0);
    if (graph[result.body].type != type)
      return std::nullopt;
  }
  return result;
}

/// `ref` is base^2.
static std::optional<Ref> squareRoot(const Graph &graph, const Ref &ref) {
  const Node &node = graph[ref];
  if (node.kind != Kind::Product || node.constant != 1 ||
      node.operands.size() != 1 || node.powers[0] != 2)
    return std::nullopt;
  return graph.operand(ref, 0);
}

/// Whether `sum` is the sum of x over `columns`, where x is over the frame with
/// them.
static bool isSumOf(Graph &graph, Frame frame, const Ref &sum, const Ref &x,
                    ArrayRef<AffineExpr> columns, Type accumulator) {
  std::optional<AddReduction> added = matchSum(graph, frame, sum);
  if (!added || added->columns.size() != columns.size() ||
      added->accumulator != accumulator)
    return false;
  auto match = unify(added->body, x, added->columns, frame);
  if (!match)
    return false;
  // Every column is summed over.
  return llvm::all_of(columns, [&](AffineExpr column) {
    return llvm::is_contained(*match, column);
  });
}

/// x, where `ref` is x - mean x over `columns`.
static std::optional<Ref> centered(Graph &graph, const Frame &frame,
                                   const Ref &ref, ArrayRef<AffineExpr> columns,
                                   Type accumulator) {
  const Node &node = graph[ref];
  if (node.kind == Kind::Sum && node.operands.size() == 2 && node.constant == 0)
    for (unsigned i : {0u, 1u}) {
      Ref x = graph.operand(ref, i), sum = graph.operand(ref, 1 - i);
      if (node.coefficients[i] == 1 &&
          isMean(-node.coefficients[1 - i], frame, columns, node.type) &&
          isSumOf(graph, frame, sum, x, columns, accumulator))
        return x;
    }
  return std::nullopt;
}

/// Adds the summed dims to the frame.
static std::optional<InverseDeviation>
matchInverseDeviation(Graph &graph, Frame &frame, const Factor &factor) {
  std::optional<Ref> shifted = underInverseRoot(graph, factor);
  if (!shifted)
    return std::nullopt;
  Type type = graph[*shifted].type;
  const Node &node = graph[*shifted];
  if (node.kind != Kind::Sum || !(node.constant > 0))
    return std::nullopt;
  double eps = node.constant;
  // A variance that is cut off at 0 is itself.
  SmallVector<Term> terms;
  std::optional<unsigned> cut;
  if (node.operands.size() == 1 && node.coefficients[0] == 1)
    cut = matchRelu(graph, graph.operand(*shifted, 0));
  if (cut) {
    Ref inner = graph.operand(graph.operand(*shifted, 0), *cut);
    Terms list = graph.terms(inner, 2);
    if (list.constant != 0)
      return std::nullopt;
    terms = list.list;
  } else {
    terms = graph.terms(*shifted, 2).list;
  }

  // mean(y^2)
  unsigned first = 0;
  if (terms.size() == 2 && terms[0].coefficient < 0)
    first = 1;
  if (terms.empty() || terms.size() > 2)
    return std::nullopt;
  std::optional<AddReduction> sum = matchSum(graph, frame, terms[first].ref);
  if (!sum)
    return std::nullopt;
  ArrayRef<AffineExpr> columns = sum->columns;
  std::optional<Ref> y = squareRoot(graph, sum->body);
  if (!y || !isMean(terms[first].coefficient, frame, columns, type))
    return std::nullopt;
  if (terms.size() == 1) {
    if (std::optional<Ref> x =
            centered(graph, frame, *y, columns, sum->accumulator))
      return InverseDeviation{true, eps, sum->accumulator, *x, sum->columns};
    return InverseDeviation{false, eps, sum->accumulator, *y, sum->columns};
  }
  // - (mean y)^2
  const Term &other = terms[1 - first];
  std::optional<Ref> total = squareRoot(graph, other.ref);
  if (!total || !(other.coefficient < 0) ||
      !isMean(std::sqrt(-other.coefficient), frame, columns, type) ||
      !isSumOf(graph, frame, *total, *y, columns, sum->accumulator))
    return std::nullopt;
  return InverseDeviation{true, eps, sum->accumulator, *y, sum->columns};
}

/// The piece, where x is at `x` and the columns are `columns`.
static Ref makeNorm(Graph &graph, const Frame &frame,
                    const InverseDeviation &deviation, const Ref &x,
                    ArrayRef<AffineExpr> columns, Type type) {
  Exprs dims, last;
  for (unsigned dim : dimsInOrder(graph, x)) {
    AffineExpr expr = getAffineDimExpr(dim, graph.getContext());
    (llvm::is_contained(columns, expr) ? last : dims).push_back(expr);
  }
  NormAttributes attributes;
  attributes.eps = deviation.eps;
  attributes.columns = last.size();
  attributes.compute = attributes.affine = type;
  attributes.accumulator = deviation.accumulator;
  llvm::append_range(dims, last);
  Ref source = x;
  while (graph[source].isOp("arith.extf"))
    source = graph.operand(source, 0);
  return graph.piece(frame, deviation.isCentered ? "layer_norm" : "rms_norm",
                     attributes.get(graph.getContext()), {source}, dims, {},
                     type);
}

/// x - mean x, or x, times the inverse deviation.
static std::optional<Ref> matchFactors(Graph &graph, const Frame &original,
                                       const Factors &factors, Type type,
                                       bool wantsCentered) {
  for (auto [i, factor] : llvm::enumerate(factors.list)) {
    Frame inner = original;
    auto deviation = matchInverseDeviation(graph, inner, factor);
    if (!deviation || deviation->isCentered != wantsCentered)
      continue;
    for (auto [j, other] : llvm::enumerate(factors.list)) {
      if (i == j || other.power != 1)
        continue;
      std::optional<Exprs> columns;
      Ref x = other.ref;
      if (wantsCentered) {
        // x - mean x at this point: the columns are where x is.
        const Node &node = graph[other.ref];
        if (node.kind != Kind::Sum)
          continue;
        for (unsigned k = 0; k < node.operands.size() && !columns; ++k) {
          x = graph.operand(other.ref, k);
          columns = unify(deviation->x, x, deviation->columns, inner);
        }
        if (!columns || !areNewDims(*columns, original, factor.ref))
          continue;
        std::optional<Ref> centeredX = centered(
            graph, original, other.ref, *columns, deviation->accumulator);
        if (!centeredX || *centeredX != x)
          continue;
      } else {
        columns = unify(deviation->x, x, deviation->columns, inner);
        if (!columns || !areNewDims(*columns, original, factor.ref))
          continue;
      }
      Factors rest{factors.constant, {}};
      rest.list.push_back(
          {makeNorm(graph, original, *deviation, x, *columns, type), 1});
      for (auto [k, left] : llvm::enumerate(factors.list))
        if (k != i && k != j)
          rest.list.push_back(left);
      return addGamma(graph, original, rest, type);
    }
  }
  return std::nullopt;
}

/// As the program nests it (x may be a product), then opened.
static std::optional<Ref> matchProduct(Graph &graph, const Frame &frame,
                                       const Ref &ref, bool wantsCentered) {
  Type type = graph[ref].type;
  if (auto result = matchFactors(graph, frame, graph.ownFactors(ref), type,
                                 wantsCentered))
    return result;
  return matchFactors(graph, frame, graph.factors(ref), type, wantsCentered);
}

/// x*s - (mean x)*s, each with the same gamma, plus what else there is.
static std::optional<Ref> matchDistributed(Graph &graph, Frame &frame,
                                           const Ref &ref) {
  const Frame original = frame;
  Terms terms = graph.terms(ref);
  if (terms.list.size() < 2)
    return std::nullopt;
  Type type = graph[ref].type;
  SmallVector<Factors> products;
  for (const Term &term : terms.list) {
    products.push_back(graph.factors(term.ref));
    products.back().constant *= term.coefficient;
  }
  for (auto [a, first] : llvm::enumerate(products))
    for (auto [i, factor] : llvm::enumerate(first.list)) {
      Frame inner = original;
      auto deviation = matchInverseDeviation(graph, inner, factor);
      if (!deviation || !deviation->isCentered || first.constant != 1)
        continue;
      for (auto [j, x] : llvm::enumerate(first.list)) {
        if (i == j || x.power != 1)
          continue;
        auto columns = unify(deviation->x, x.ref, deviation->columns, inner);
        if (!columns || !areNewDims(*columns, original, factor.ref))
          continue;
        // The other term: the same factors, with the sum of x instead of x.
        for (auto [b, second] : llvm::enumerate(products)) {
          if (a == b || second.list.size() != first.list.size() ||
              !isMean(-second.constant, original, *columns, type))
            continue;
          SmallVector<Factor> left(second.list);
          bool same = true;
          for (size_t k = 0; k < first.list.size(); ++k) {
            if (k == j)
              continue;
            const Factor &wanted = first.list[k];
            auto it = llvm::find_if(left, [&](const Factor &other) {
              return other.ref == wanted.ref && other.power == wanted.power;
            });
            if ((same &= it != left.end()))
              left.erase(it);
            if (!same)
              break;
          }
          if (!same || left.size() != 1 || left[0].power != 1 ||
              !isSumOf(graph, original, left[0].ref, x.ref, *columns,
                       deviation->accumulator))
            continue;
          Factors rest{1, {}};
          rest.list.push_back(
              {makeNorm(graph, original, *deviation, x.ref, *columns, type),
               1});
          for (auto [k, f] : llvm::enumerate(first.list))
            if (k != i && k != j)
              rest.list.push_back(f);
          Terms sum{terms.constant, {}};
          sum.list.push_back({1, addGamma(graph, original, rest, type)});
          for (auto [k, term] : llvm::enumerate(terms.list))
            if (k != a && k != b)
              sum.list.push_back(term);
          return addBeta(graph, original, sum, type);
        }
      }
    }
  return std::nullopt;
}

static std::optional<Ref> recognizeNorm(Graph &graph, Frame &frame,
                                        const Ref &ref, bool wantsCentered) {
  const Node &node = graph[ref];
  if (!node.type.isFloat())
    return std::nullopt;
  StringRef name = wantsCentered ? "layer_norm" : "rms_norm";
  if (node.isOp("arith.truncf"))
    return addRounding(graph, frame, ref, name);
  if (node.kind == Kind::Product) {
    if (auto norm = extendByGamma(graph, frame, ref, name))
      return norm;
    return matchProduct(graph, frame, ref, wantsCentered);
  }
  if (node.kind == Kind::Sum && wantsCentered) {
    if (auto norm = extendByBeta(graph, frame, ref))
      return norm;
    return matchDistributed(graph, frame, ref);
  }
  return std::nullopt;
}

std::optional<Ref> normal::recognizeLayerNorm(Graph &graph, Frame &frame,
                                              const Ref &ref) {
  return recognizeNorm(graph, frame, ref, true);
}

std::optional<Ref> normal::recognizeRmsNorm(Graph &graph, Frame &frame,
                                            const Ref &ref) {
  return recognizeNorm(graph, frame, ref, false);
}
