//===- ScoreContraction.cpp - Queries times keys --------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreContraction.h"
#include "Indices.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

std::optional<Contraction> normal::matchContraction(Graph &graph, Frame &frame,
                                                    const Ref &ref,
                                                    AffineExpr key) {
  const Node &node = graph[ref];
  if (node.kind != Kind::Reduce || node.reduce != ReduceKind::Add ||
      !node.type.isFloat() || !graph.dependsOn(ref, key))
    return std::nullopt;
  SmallVector<int> seen;
  for (AffineExpr expr : ref.at) {
    int dim = plainDim(expr);
    if (dim < 0 || llvm::is_contained(seen, dim))
      return std::nullopt;
    seen.push_back(dim);
  }
  Contraction result;
  result.ref = ref;
  unsigned numDims = frame.dims.size();
  result.contracted = graph.bind(frame, ref);
  Factors factors = graph.factors(graph.operand(ref, 0, result.contracted));
  for (const Factor &factor : factors.list)
    (graph.dependsOn(factor.ref, key) ? result.keys : result.queries)
        .list.push_back(factor);
  if (factors.constant == 1 && !result.queries.list.empty() &&
      !result.keys.list.empty())
    return result;
  frame.dims.truncate(numDims);
  return std::nullopt;
}

void normal::findContraction(Graph &graph, Frame &frame, const Ref &ref,
                             AffineExpr key, unsigned depth,
                             std::optional<Ref> &best) {
  unsigned numDims = frame.dims.size();
  if (matchContraction(graph, frame, ref, key)) {
    frame.dims.truncate(numDims);
    if (!best || graph.dimsOf(ref).size() > graph.dimsOf(*best).size())
      best = ref;
    return;
  }
  const Node &node = graph[ref];
  if (node.kind == Kind::Reduce || node.kind == Kind::Piece || depth == 0)
    return;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
    findContraction(graph, frame, graph.operand(ref, i), key, depth - 1, best);
}

Ref normal::substitute(Graph &graph, const Frame &frame, const Ref &ref,
                       const Ref &from, const Ref &to) {
  if (ref == from)
    return to;
  const Node &node = graph[ref];
  if (node.operands.empty() || node.kind == Kind::Reduce ||
      node.kind == Kind::Piece)
    return ref;
  SmallVector<Ref> operands;
  bool changed = false;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    Ref operand = graph.operand(ref, i);
    operands.push_back(substitute(graph, frame, operand, from, to));
    changed |= operands.back() != operand;
  }
  return changed ? graph.rebuild(frame, node, operands) : ref;
}
