//===- RecognizeActivation.cpp - ReLU, GELU, SiLU and their gates ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   relu       max(x, 0)
//   gelu       x (1/2 + 1/2 erf(x / sqrt 2))
//   gelu_tanh  x (1/2 + 1/2 tanh(sqrt(2/pi) (x + 0.044715 x^3)))
//   silu       x / (1 + exp(-x))
// A function f(x) = x g(x) is found as a product: a factor that is g of
// something, and a factor that is that same something. Constants may stand
// anywhere; they are compared in double precision.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Matching.h"
#include "Recognize.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

static constexpr double kInverseSqrt2 = 0.70710678118654752440;
static constexpr double kSqrt2OverPi = 0.79788456080286535588;
static constexpr double kCubic = 0.044715;

/// factor * inner function of x; the product is the activation where x
/// times `scale` stands beside it.
namespace {
struct Gate {
  Activation function;
  Ref x;
  double scale; ///< what the other factors' constant must be
};
} // namespace

/// k and x, where ref is k x. What x is made of does not matter: it is not
/// opened.
static std::pair<double, Ref> scaled(Graph &graph, const Frame &frame,
                                     const Ref &ref) {
  Factors factors = graph.ownFactors(ref);
  double constant = factors.constant;
  if (constant == 1)
    return {1, ref};
  factors.constant = 1;
  return {constant, graph.product(frame, factors, graph[ref].type)};
}

/// The terms of a sum, or of a multiple of one; no further.
static std::optional<Terms> openSum(Graph &graph, const Frame &frame,
                                    const Ref &ref) {
  auto [factor, sum] = scaled(graph, frame, ref);
  const Node &node = graph[sum];
  if (node.kind != Kind::Sum)
    return std::nullopt;
  Terms result{factor * node.constant, {}};
  for (auto [i, coefficient] : llvm::enumerate(node.coefficients))
    result.list.push_back({factor * coefficient, graph.operand(sum, i)});
  return result;
}

/// Whether ref is x to this power.
static bool isPower(const Graph &graph, const Ref &ref, const Ref &x,
                    int power) {
  const Node &node = graph[ref];
  return node.kind == Kind::Product && node.constant == 1 &&
         node.operands.size() == 1 && node.powers[0] == power &&
         graph.operand(ref, 0) == x;
}

/// x, where ref is `scale` sqrt(2/pi) (x + 0.044715 x^3).
static std::optional<Ref> tanhArgument(Graph &graph, const Frame &frame,
                                       const Ref &ref, double scale) {
  Type type = graph[ref].type;
  double linear = scale * kSqrt2OverPi, cubic = linear * kCubic;
  std::optional<Terms> terms = openSum(graph, frame, ref);
  if (terms && terms->constant == 0 && terms->list.size() == 2)
    for (unsigned i : {0u, 1u}) {
      const Term &x = terms->list[i], &other = terms->list[1 - i];
      if (isPower(graph, other.ref, x.ref, 3) &&
          isClose(x.coefficient, linear, type) &&
          isClose(other.coefficient, cubic, type))
        return x.ref;
    }
  // x (1 + 0.044715 x^2)
  const Node &node = graph[ref];
  if (node.kind == Kind::Product && node.operands.size() == 2 &&
      node.powers[0] == 1 && node.powers[1] == 1 &&
      isClose(node.constant, linear, type))
    for (unsigned i : {0u, 1u}) {
      Ref x = graph.operand(ref, i);
      std::optional<Terms> inner =
          openSum(graph, frame, graph.operand(ref, 1 - i));
      if (inner && inner->list.size() == 1 &&
          isClose(inner->constant, 1, type) &&
          isClose(inner->list[0].coefficient, kCubic, type) &&
          isPower(graph, inner->list[0].ref, x, 2))
        return x;
    }
  return std::nullopt;
}

/// The function and its x, where the factor is g(x) up to a constant.
static std::optional<Gate> matchGate(Graph &graph, const Frame &frame,
                                     const Factor &factor) {
  Type type = graph[factor.ref].type;
  // erfc(-x/sqrt 2) is 1 + erf(x/sqrt 2).
  if (graph[factor.ref].isOp("math.erfc") && factor.power == 1) {
    auto [k, x] = scaled(graph, frame, graph.operand(factor.ref, 0));
    if (isClose(k, -kInverseSqrt2, type))
      return Gate{Activation::Gelu, x, 0.5};
    return std::nullopt;
  }
  if (graph[factor.ref].kind != Kind::Sum)
    return std::nullopt;
  std::optional<Terms> terms = openSum(graph, frame, factor.ref);
  if (terms->list.size() != 1 || !(terms->constant > 0))
    return std::nullopt;
  const Term &term = terms->list[0];
  const Node &node = graph[term.ref];
  if (!isClose(term.coefficient, terms->constant, type))
    return std::nullopt;
  if (factor.power == -1 && node.isOp("math.exp")) {
    auto [k, x] = scaled(graph, frame, graph.operand(term.ref, 0));
    if (k == -1)
      return Gate{Activation::Silu, x, terms->constant};
    // 1 / (1 + exp(-2 z)) is (1 + tanh z) / 2.
    if (auto x = tanhArgument(graph, frame, graph.operand(term.ref, 0), -2))
      return Gate{Activation::GeluTanh, *x, terms->constant};
    return std::nullopt;
  }
  if (factor.power != 1)
    return std::nullopt;
  if (node.isOp("math.erf")) {
    auto [k, x] = scaled(graph, frame, graph.operand(term.ref, 0));
    if (isClose(k, kInverseSqrt2, type))
      return Gate{Activation::Gelu, x, 0.5 / terms->constant};
    return std::nullopt;
  }
  if (node.isOp("math.tanh"))
    if (auto x = tanhArgument(graph, frame, graph.operand(term.ref, 0), 1))
      return Gate{Activation::GeluTanh, *x, 0.5 / terms->constant};
  return std::nullopt;
}

static Ref makeActivation(Graph &graph, const Frame &frame, Activation function,
                          Ref x, Type type) {
  ActivationAttributes attributes{function, type, type};
  while (graph[x].isOp("arith.extf"))
    x = graph.operand(x, 0);
  Exprs dims;
  for (unsigned dim : dimsInOrder(graph, x))
    dims.push_back(getAffineDimExpr(dim, graph.getContext()));
  return graph.piece(frame, "activation", attributes.get(graph.getContext()),
                     {x}, dims, {}, type);
}

/// Whether the value is one of a tensor, not a constant or an index.
static bool isWhole(const Graph &graph, const Ref &ref, const Ref &like) {
  return graph.dimsOf(ref) == graph.dimsOf(like) && !graph.dimsOf(ref).empty();
}

/// An activation times one other value of the same dims, and a constant: in a
/// contraction the 1/2 of a GELU has been moved out already, and what is left
/// of it here is moved there.
static std::optional<Ref> addGate(Graph &graph, const Frame &frame,
                                  const Factors &factors, Type type) {
  const Ref &act = factors.list[0].ref;
  const Node &piece = graph[act];
  if (factors.list.size() != 2 || factors.list[1].power != 1 ||
      piece.operands.size() != 1 || piece.type != type ||
      !isWhole(graph, factors.list[1].ref, act) ||
      llvm::any_of(act.at, [](AffineExpr e) { return plainDim(e) < 0; }))
    return std::nullopt;
  ActivationAttributes attributes = ActivationAttributes::of(piece);
  attributes.gated = type;
  Ref gated = graph.piece(
      frame, "activation", attributes.get(graph.getContext()),
      {graph.operand(act, 0), factors.list[1].ref}, act.at, {}, type);
  return graph.product(frame, {factors.constant, {{gated, 1}}}, type);
}

static std::optional<Ref> matchFactors(Graph &graph, const Frame &frame,
                                       const Factors &factors, Type type) {
  for (auto [i, factor] : llvm::enumerate(factors.list)) {
    if (graph[factor.ref].isPiece("activation") && factor.power == 1) {
      Factors gated{factors.constant, {factor}};
      for (auto [k, other] : llvm::enumerate(factors.list))
        if (k != i)
          gated.list.push_back(other);
      if (auto result = addGate(graph, frame, gated, type))
        return result;
      continue;
    }
    std::optional<Gate> gate = matchGate(graph, frame, factor);
    if (!gate)
      continue;
    for (auto [j, x] : llvm::enumerate(factors.list)) {
      if (i == j || x.power < 1 || x.ref != gate->x)
        continue;
      if (graph.dimsOf(x.ref).empty() ||
          llvm::any_of(x.ref.at, [](AffineExpr e) { return plainDim(e) < 0; }))
        continue;
      Factors rest{factors.constant / gate->scale, {}};
      if (isClose(rest.constant, 1, type))
        rest.constant = 1;
      rest.list.push_back(
          {makeActivation(graph, frame, gate->function, x.ref, type), 1});
      if (x.power > 1)
        rest.list.push_back({x.ref, x.power - 1});
      for (auto [k, other] : llvm::enumerate(factors.list))
        if (k != i && k != j)
          rest.list.push_back(other);
      if (auto result = addGate(graph, frame, rest, type))
        return result;
      return graph.product(frame, rest, type);
    }
  }
  return std::nullopt;
}

/// As the program nests it, then with nested products opened.
static std::optional<Ref> matchProduct(Graph &graph, const Frame &frame,
                                       const Ref &ref) {
  Type type = graph[ref].type;
  if (auto result = matchFactors(graph, frame, graph.ownFactors(ref), type))
    return result;
  return matchFactors(graph, frame, graph.factors(ref), type);
}

/// x/2 + x/2 erf(x / sqrt 2): taken apart again.
static std::optional<Ref> matchSum(Graph &graph, const Frame &frame,
                                   const Ref &ref) {
  const Node &node = graph[ref];
  if (node.operands.size() != 2 || node.constant != 0)
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    Ref x = graph.operand(ref, i);
    Factors factors = graph.ownFactors(graph.operand(ref, 1 - i));
    for (unsigned j = 0; j < factors.list.size(); ++j) {
      if (factors.list[j].ref != x || factors.list[j].power != 1)
        continue;
      factors.list.erase(factors.list.begin() + j);
      factors.constant *= node.coefficients[1 - i];
      Ref other = graph.product(frame, factors, node.type);
      Ref sum =
          graph.sum(frame, {node.coefficients[i], {{1, other}}}, node.type);
      Ref product = graph.product(frame, {1, {{x, 1}, {sum, 1}}}, node.type);
      if (graph[product].kind == Kind::Product)
        if (auto result = matchProduct(graph, frame, product))
          return result;
      break;
    }
  }
  return std::nullopt;
}

std::optional<Ref> normal::recognizeActivation(Graph &graph, Frame &frame,
                                               const Ref &ref) {
  const Node &node = graph[ref];
  if (!node.type.isFloat() || node.dims.empty())
    return std::nullopt;
  if (node.kind == Kind::Product)
    return matchProduct(graph, frame, ref);
  if (node.kind == Kind::Sum)
    return matchSum(graph, frame, ref);
  if (node.kind != Kind::Op)
    return std::nullopt;
  if (node.isOp("arith.truncf")) {
    Ref source = graph.operand(ref, 0);
    const Node &piece = graph[source];
    if (!piece.isPiece("activation") ||
        llvm::any_of(source.at, [](AffineExpr e) { return plainDim(e) < 0; }))
      return std::nullopt;
    ActivationAttributes attributes = ActivationAttributes::of(piece);
    if (piece.type != attributes.gated)
      return std::nullopt; // rounded before
    bool isGated = piece.operands.size() > 1;
    if (!isGated)
      attributes.gated = node.type;
    SmallVector<Ref> operands;
    for (unsigned i = 0, e = piece.operands.size(); i < e; ++i)
      operands.push_back(graph.operand(source, i));
    return graph.piece(frame, "activation", attributes.get(graph.getContext()),
                       operands, source.at, {}, node.type);
  }
  if (std::optional<unsigned> i = matchRelu(graph, ref)) {
    Ref x = graph.operand(ref, *i);
    if (graph.dimsOf(x).size() == node.dims.size() &&
        llvm::all_of(x.at, [](AffineExpr e) { return plainDim(e) >= 0; }))
      return makeActivation(graph, frame, Activation::Relu, x, node.type);
  }
  return std::nullopt;
}
