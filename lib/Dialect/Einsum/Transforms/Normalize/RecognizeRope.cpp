//===- RecognizeRope.cpp - Rotary position embedding ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x cos + x' sin, where x' is the other of a pair, negated for the first of the
// two. The sign is a select or 2i - 1, with i the index of the half.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Matching.h"
#include "Recognize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

/// The dim whose index `ref` is, through conversions of integers.
static int indexDim(const Graph &graph, Ref ref) {
  while (graph[ref].isOp("arith.sitofp") || graph[ref].isOp("arith.uitofp") ||
         graph[ref].isOp("arith.index_cast") || graph[ref].isOp("arith.extf") ||
         graph[ref].isOp("arith.truncf"))
    ref = graph.operand(ref, 0);
  return graph[ref].kind == Kind::Index ? plainDim(ref.at[0]) : -1;
}

static bool isHalf(const Frame &frame, int dim) {
  return dim >= 0 && frame.dims[dim].extent == 2;
}

/// The half's dim, where ref is -1 for the first and 1 for the second.
static int signDim(const Graph &graph, const Frame &frame, const Ref &ref) {
  Terms terms = graph.terms(ref, 1);
  if (terms.constant != -1 || terms.list.size() != 1 ||
      terms.list[0].coefficient != 2)
    return -1;
  int dim = indexDim(graph, terms.list[0].ref);
  return isHalf(frame, dim) ? dim : -1;
}

/// x and the half's dim, where ref is -x for the first of a pair and x for the
/// second.
static std::optional<std::pair<Ref, int>>
selectedSign(const Graph &graph, const Frame &frame, const Ref &ref) {
  if (!graph[ref].isOp("arith.select"))
    return std::nullopt;
  Ref condition = graph.operand(ref, 0);
  const Node &compare = graph[condition];
  auto attributes = dyn_cast_or_null<DictionaryAttr>(compare.attributes);
  if (!compare.isOp("arith.cmpi") || !attributes)
    return std::nullopt;
  auto predicate = attributes.getAs<arith::CmpIPredicateAttr>("predicate");
  int dim = indexDim(graph, graph.operand(condition, 0));
  const Node &bound = graph[graph.operand(condition, 1)];
  auto constant = dyn_cast_or_null<IntegerAttr>(bound.attributes);
  if (!predicate || !isHalf(frame, dim) || bound.kind != Kind::Constant ||
      !constant)
    return std::nullopt;
  // Is the first of the pair (index 0) selected, and the second not?
  auto holds = [&](int64_t index) {
    return arith::applyCmpPredicate(predicate.getValue(), APInt(64, index),
                                    constant.getValue().sextOrTrunc(64));
  };
  if (holds(0) == holds(1))
    return std::nullopt;
  Ref first = graph.operand(ref, holds(0) ? 1 : 2);
  Ref second = graph.operand(ref, holds(0) ? 2 : 1);
  const Node &negated = graph[first];
  bool isNegation = negated.kind == Kind::Product && negated.constant == -1 &&
                    negated.operands.size() == 1 && negated.powers[0] == 1 &&
                    graph.operand(first, 0) == second;
  if (!isNegation)
    return std::nullopt;
  return std::pair(second, dim);
}

/// Whether b is a with this half exchanged.
static bool isPartner(const Ref &a, const Ref &b, int half) {
  if (a.node != b.node)
    return false;
  bool exchanged = false;
  for (auto [x, y] : llvm::zip(a.at, b.at)) {
    if (plainDim(x) != half) {
      if (x != y || x.isFunctionOfDim(half))
        return false;
      continue;
    }
    if (y != simplifyIndex(1 - x, {}))
      return false;
    exchanged = true;
  }
  return exchanged;
}

std::optional<Ref> normal::recognizeRope(Graph &graph, Frame &frame,
                                         const Ref &ref) {
  const Node &node = graph[ref];
  if (node.isOp("arith.truncf")) {
    Ref source = graph.operand(ref, 0);
    const Node &piece = graph[source];
    if (!piece.isPiece("rope") ||
        piece.type != RopeAttributes::of(piece).compute ||
        llvm::any_of(source.at, [](AffineExpr e) { return plainDim(e) < 0; }))
      return std::nullopt;
    SmallVector<Ref> operands;
    for (unsigned i = 0, e = piece.operands.size(); i < e; ++i)
      operands.push_back(graph.operand(source, i));
    return graph.piece(frame, "rope", piece.attributes, operands, source.at, {},
                       node.type);
  }
  if (node.kind != Kind::Sum || node.operands.size() != 2 ||
      node.constant != 0 || node.coefficients[0] != node.coefficients[1] ||
      node.coefficients[0] != 1)
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    Factors straight = graph.ownFactors(graph.operand(ref, i));
    Factors turned = graph.factors(graph.operand(ref, 1 - i), 4);
    if (straight.constant != 1 || straight.list.size() != 2 ||
        turned.constant != 1)
      continue;
    // The turned term: the partner, its sign, sin.
    std::optional<Ref> partner, sin;
    int half = -1;
    bool isTurned = true;
    SmallVector<Ref> plain;
    for (const Factor &factor : turned.list) {
      isTurned &= factor.power == 1;
      if (auto selected = selectedSign(graph, frame, factor.ref);
          selected && half < 0) {
        partner = selected->first;
        half = selected->second;
      } else if (int dim = signDim(graph, frame, factor.ref);
                 dim >= 0 && half < 0) {
        half = dim;
      } else {
        plain.push_back(factor.ref);
      }
    }
    if (!isTurned || half < 0 || plain.size() != (partner ? 1u : 2u))
      continue;
    for (unsigned j : {0u, 1u}) {
      const Factor &x = straight.list[j], &cos = straight.list[1 - j];
      if (x.power != 1 || cos.power != 1)
        continue;
      std::optional<Ref> other = partner;
      sin = std::nullopt;
      for (const Ref &candidate : plain)
        if (!other && isPartner(x.ref, candidate, half))
          other = candidate;
        else
          sin = candidate;
      if (!other || !sin || !isPartner(x.ref, *other, half))
        continue;
      Ref source = x.ref;
      while (graph[source].isOp("arith.extf"))
        source = graph.operand(source, 0);
      // All of the rotated tensor is read, at plain dims.
      if (llvm::any_of(source.at,
                       [](AffineExpr e) { return plainDim(e) < 0; }) ||
          source.at.size() != node.dims.size())
        continue;
      RopeAttributes attributes;
      attributes.compute = node.type;
      for (auto [k, expr] : llvm::enumerate(source.at))
        if (plainDim(expr) == half)
          attributes.half = k;
      return graph.piece(frame, "rope", attributes.get(graph.getContext()),
                         {source, cos.ref, *sin}, source.at, {}, node.type);
    }
  }
  return std::nullopt;
}
