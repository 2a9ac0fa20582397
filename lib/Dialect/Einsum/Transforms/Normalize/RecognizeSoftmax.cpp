//===- RecognizeSoftmax.cpp - Values weighted by a softmax ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecognizeSoftmax.h"
#include "Plan.h"
#include "RowStatistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
class Matcher {
public:
  Matcher(Graph &graph, Frame &frame, const Ref &ref)
      : graph(graph), frame(frame), contraction(ref) {}
  std::optional<SoftmaxContraction> match();

private:
  /// A condition, or its negation.
  struct Guard {
    Ref condition;
    bool isNegated;
  };
  void open(const Ref &ref, int power, bool &foundWeight);
  bool hasRowValue(const Ref &ref, unsigned depth = 0) const;
  bool matchWeight(const Ref &exponential, const Ref &denominator);
  bool matchScore(const Ref &exponent);
  bool matchGuard(const Guard &guard);

  /// The source of casts; remembers to what it is rounded on the way.
  Ref crossCasts(Ref ref);
  void cross(Type type) {
    narrowest = std::min(narrowest, type.getIntOrFloatBitWidth());
  }

  bool isMinusInf(const Ref &ref) const;
  bool isZero(const Ref &ref) const;
  bool dependsOnKeys(const Ref &ref) const;
  /// Whether it reduces exactly the keys, by `kind`; its body at the keys then.
  std::optional<Ref> bodyOverKeys(const Ref &ref, ReduceKind kind) const;
  bool isSameSum(Terms a, Terms b) const;
  bool isScore(const Ref &ref) const;
  bool isAllNaN(const Ref &condition, const Ref &score) const;
  /// Whether the condition says of a value that it is -inf; the value then.
  std::optional<Ref> comparedWithMinusInf(const Ref &condition,
                                          bool isNegated) const;

  Graph &graph;
  Frame &frame;
  Ref contraction;
  SoftmaxContraction found;
  SmallVector<Factor> factors; ///< of the contraction, opened
  SmallVector<Guard> guards;
  SmallVector<Type> roundings; ///< casts around weights
  /// Bits of the narrowest type on the way from the scores to the sum.
  unsigned narrowest = ~0u;
  bool subtracts = false; ///< the maximum
  bool isFinite = false;  ///< which is so for rows of nothing but -inf
  bool isRounded = false; ///< which may be less than a score, or more than all
  bool isEmptyZero = false; ///< those divide 0 by something else
};
} // namespace

//===----------------------------------------------------------------------===//
// Small questions
//===----------------------------------------------------------------------===//

Ref Matcher::crossCasts(Ref ref) {
  while (graph[ref].isOp("arith.extf") || graph[ref].isOp("arith.truncf")) {
    cross(graph[ref].type);
    ref = graph.operand(ref, 0);
  }
  cross(graph[ref].type);
  return ref;
}

bool Matcher::isMinusInf(const Ref &ref) const {
  std::optional<double> value = graph.constantOf(graph.throughCasts(ref));
  return value && std::isinf(*value) && *value < 0;
}

bool Matcher::isZero(const Ref &ref) const {
  std::optional<double> value = graph.constantOf(graph.throughCasts(ref));
  return value && *value == 0;
}

bool Matcher::dependsOnKeys(const Ref &ref) const {
  return llvm::any_of(
      found.keys, [&](AffineExpr key) { return graph.dependsOn(ref, key); });
}

std::optional<Ref> Matcher::bodyOverKeys(const Ref &ref,
                                         ReduceKind kind) const {
  const Node &node = graph[ref];
  if (node.kind != Kind::Reduce || node.reduce != kind ||
      node.bound.size() != found.keys.size() || dependsOnKeys(ref))
    return std::nullopt;
  for (auto [dim, key] : llvm::zip(node.bound, found.keys))
    if (dim.extent != frame.dims[cast<AffineDimExpr>(key).getPosition()].extent)
      return std::nullopt;
  return graph.operand(ref, 0, found.keys);
}

bool Matcher::isSameSum(Terms a, Terms b) const {
  if (a.constant != b.constant || a.list.size() != b.list.size())
    return false;
  for (const Term &term : a.list) {
    auto it = llvm::find_if(b.list, [&](const Term &other) {
      return other.coefficient == term.coefficient &&
             throughWidening(graph, other.ref) ==
                 throughWidening(graph, term.ref);
    });
    if (it == b.list.end())
      return false;
    b.list.erase(it);
  }
  return true;
}

bool Matcher::isScore(const Ref &ref) const {
  return isSameSum(graph.terms(throughWidening(graph, ref)),
                   graph.terms(throughWidening(graph, found.score)));
}

std::optional<Ref> Matcher::comparedWithMinusInf(const Ref &condition,
                                                 bool isNegated) const {
  if (std::optional<Ref> inner = graph.underNot(condition))
    return comparedWithMinusInf(*inner, !isNegated);
  // NaN is not -inf: equal only where ordered.
  if (!isCompare(graph[condition], isNegated ? arith::CmpFPredicate::UNE
                                             : arith::CmpFPredicate::OEQ))
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (isMinusInf(graph.operand(condition, 1 - i)))
      return graph.operand(condition, i);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// Lists the factors under casts, products and guards; such a node is opened
/// only where an exponential is below it, or a value would lose its casts.
void Matcher::open(const Ref &ref, int power, bool &foundWeight) {
  const Node &node = graph[ref];
  bool isCast = node.isOp("arith.extf") || node.isOp("arith.truncf");
  bool isProduct = node.kind == Kind::Product && node.constant == 1;
  bool isSelect = node.isOp("arith.select");
  if (power == 1 && node.isOp("math.exp"))
    foundWeight = true;
  if (power != 1 || !(isCast || isProduct || isSelect)) {
    factors.push_back({ref, power});
    return;
  }
  unsigned numFactors = factors.size(), numGuards = guards.size(),
           numRoundings = roundings.size();
  bool inside = false;
  if (isCast) {
    roundings.push_back(node.type);
    open(graph.operand(ref, 0), 1, inside);
  } else if (isProduct) {
    for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
      open(graph.operand(ref, i), node.powers[i], inside);
  } else {
    for (bool isNegated : {false, true}) {
      if (!isZero(graph.operand(ref, isNegated ? 2 : 1)))
        continue;
      guards.push_back({graph.operand(ref, 0), isNegated});
      open(graph.operand(ref, isNegated ? 1 : 2), 1, inside);
      break;
    }
  }
  if (!inside) {
    factors.truncate(numFactors);
    guards.truncate(numGuards);
    roundings.truncate(numRoundings);
    factors.push_back({ref, power});
  }
  foundWeight |= inside;
}

/// Whether the condition is that of all keys the score is NaN.
bool Matcher::isAllNaN(const Ref &condition, const Ref &score) const {
  std::optional<Ref> body = bodyOverKeys(condition, ReduceKind::And);
  return body && isCompare(graph[*body], arith::CmpFPredicate::UNO) &&
         graph.operand(*body, 0) == score && graph.operand(*body, 1) == score;
}

/// Whether it has something that was reduced and is the same for all keys, or a
/// maximum of whatever: then something else was meant.
bool Matcher::hasRowValue(const Ref &ref, unsigned depth) const {
  const Node &node = graph[ref];
  if (node.kind == Kind::Reduce &&
      (node.reduce == ReduceKind::Max || node.reduce == ReduceKind::Min))
    return true;
  if (node.kind == Kind::Reduce || node.kind == Kind::Piece)
    return !dependsOnKeys(ref);
  if (depth > 16)
    return true;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
    if (hasRowValue(graph.operand(ref, i), depth + 1))
      return true;
  return false;
}

bool Matcher::matchScore(const Ref &exponent) {
  Terms terms = graph.terms(crossCasts(exponent), 16);
  // exp(score - max): a NaN among the scores makes the sum of exponentials NaN,
  // so it does not matter whether the maximum ignores it.
  for (auto [i, term] : llvm::enumerate(terms.list)) {
    Subtracted subtracted = subtractedOf(graph, term.ref);
    Ref max = subtracted.maximum;
    const std::optional<Ref> &allNaN = subtracted.allNaN;
    std::optional<Ref> body = bodyOverKeys(max, ReduceKind::Max);
    if (term.coefficient != -1 || !body)
      continue;
    Ref score = ignoringNaN(graph, *body).value_or(*body);
    if (allNaN && !isAllNaN(*allNaN, score))
      continue;
    Terms rest = terms;
    rest.list.erase(rest.list.begin() + i);
    Terms whole = graph.terms(score, 16);
    Terms widened = graph.terms(throughWidening(graph, score), 16);
    if (rest.list.size() == 1 && rest.constant == 0 &&
        rest.list[0].coefficient == 1)
      rest = graph.terms(throughWidening(graph, rest.list[0].ref), 16);
    if (!isSameSum(rest, whole) && !isSameSum(rest, widened))
      continue;
    found.score = score;
    found.softmax.push_back(max.node);
    subtracts = true;
    isFinite = subtracted.isFinite;
    isRounded =
        subtracted.bits <
        graph[throughWidening(graph, score)].type.getIntOrFloatBitWidth();
    return true;
  }
  // Nothing subtracted: each term belongs to the score.
  for (const Term &term : terms.list)
    if (!dependsOnKeys(term.ref))
      return false;
  if (terms.list.empty() || terms.constant != 0 || hasRowValue(exponent))
    return false;
  found.score = exponent;
  return true;
}

bool Matcher::matchWeight(const Ref &exponential, const Ref &denominator) {
  Ref floored = crossCasts(denominator);
  Ref under = withoutFloor(graph, floored);
  Ref sum = crossCasts(under);
  std::optional<Ref> body = bodyOverKeys(sum, ReduceKind::Add);
  if (!body || crossCasts(*body) != exponential)
    return false;
  found.softmax = {sum.node};
  subtracts = isFinite = isRounded = isEmptyZero = false;
  if (!matchScore(graph.operand(exponential, 0)))
    return false;
  // With the maximum subtracted the sum is 1 at least, or NaN, or 0 where a row
  // is empty. A rounded maximum may be greater than all scores, or -inf.
  bool hasFloor = under != floored;
  isEmptyZero = hasFloor && isFinite;
  if (isRounded)
    return !hasFloor && !isFinite;
  return subtracts || !hasFloor;
}

/// A guard holds exactly for the rows all of whose scores are -inf.
bool Matcher::matchGuard(const Guard &guard) {
  Ref condition = guard.condition;
  bool isNegated = guard.isNegated;
  while (std::optional<Ref> inner = graph.underNot(condition)) {
    condition = *inner;
    isNegated = !isNegated;
  }
  // All are -inf; or not one is something else.
  ReduceKind kind = isNegated ? ReduceKind::Or : ReduceKind::And;
  if (std::optional<Ref> body = bodyOverKeys(condition, kind)) {
    std::optional<Ref> value = comparedWithMinusInf(*body, isNegated);
    if (!value || !isScore(*value))
      return false;
    found.softmax.push_back(condition.node);
    return true;
  }
  // The maximum is -inf: the same, unless the maximum ignores NaN.
  std::optional<Ref> value = comparedWithMinusInf(condition, isNegated);
  if (!value)
    return false;
  std::optional<Ref> body =
      bodyOverKeys(throughWidening(graph, *value), ReduceKind::Max);
  return body && isScore(*body);
}

std::optional<SoftmaxContraction> Matcher::match() {
  const Node &node = graph[contraction];
  if (node.kind != Kind::Reduce || node.reduce != ReduceKind::Add ||
      !node.type.isFloat())
    return std::nullopt;
  // Most contractions have none: look before anything is bound.
  Ref body = graph.operand(contraction, 0, graph.bind(frame, contraction));
  for (unsigned i = 0, e = node.bound.size(); i < e; ++i)
    found.keys.push_back(
        getAffineDimExpr(frame.dims.size() - e + i, graph.getContext()));
  bool hasWeight = false;
  open(body, 1, hasWeight);
  if (!hasWeight || guards.size() > 1)
    return std::nullopt;

  bool matched = false;
  unsigned weight = 0, denominator = 0;
  for (unsigned i = 0, e = factors.size(); i < e && !matched; ++i) {
    if (factors[i].power != 1 || !graph[factors[i].ref].isOp("math.exp"))
      continue;
    for (unsigned j = 0; j < e && !matched; ++j) {
      narrowest = ~0u;
      if (factors[j].power == -1 &&
          matchWeight(factors[i].ref, factors[j].ref)) {
        matched = true;
        weight = i;
        denominator = j;
      }
    }
  }
  if (!matched || (!guards.empty() && !matchGuard(guards.front())))
    return std::nullopt;
  found.isGuarded = !guards.empty() || isEmptyZero;

  Factors values;
  for (auto [i, factor] : llvm::enumerate(factors))
    if (i != weight && i != denominator)
      values.list.push_back(factor);
  if (values.list.empty())
    return std::nullopt;
  found.values = graph.product(frame, values, node.type);
  for (AffineExpr key : found.keys)
    if (!graph.dependsOn(found.values, key) ||
        !graph.dependsOn(found.score, key))
      return std::nullopt;

  found.weight = node.type;
  roundings.push_back(graph[factors[weight].ref].type);
  for (Type type : roundings)
    if (type.getIntOrFloatBitWidth() < found.weight.getIntOrFloatBitWidth())
      found.weight = type;
  // What is rounded before the division may be computed in a wider type if the
  // weights are rounded as much themselves; a rounding of its own stays.
  if (narrowest < found.weight.getIntOrFloatBitWidth())
    return std::nullopt;
  return found;
}

std::optional<SoftmaxContraction>
normal::matchSoftmaxContraction(Graph &graph, Frame &frame, const Ref &ref) {
  return Matcher(graph, frame, ref).match();
}
