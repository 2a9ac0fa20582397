//===- NormAffine.cpp - Norms grow: gamma, beta, casts --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Matching.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

static bool isNorm(const Node &node) {
  return node.isPiece("layer_norm") || node.isPiece("rms_norm");
}

/// Places of the norm's columns; empty where they are not plain dims.
static normal::Exprs columnsAt(const Graph &graph, const Ref &norm) {
  NormAttributes attributes = NormAttributes::of(graph[norm]);
  ArrayRef<AffineExpr> at = norm.at;
  at = at.take_back(attributes.columns);
  for (AffineExpr expr : norm.at)
    if (plainDim(expr) < 0)
      return {};
  return normal::Exprs(at);
}

/// Depends on columns, and on nothing else.
static bool isOverColumns(const Graph &graph, const Ref &ref,
                          ArrayRef<AffineExpr> columns) {
  SmallVector<unsigned> dims = graph.dimsOf(ref);
  return !dims.empty() && llvm::all_of(dims, [&](unsigned dim) {
    return llvm::is_contained(columns,
                              getAffineDimExpr(dim, graph.getContext()));
  });
}

/// The norm with more operands or other attributes.
static Ref rebuild(Graph &graph, const Frame &frame, const Ref &norm,
                   const NormAttributes &attributes, ArrayRef<Ref> more,
                   Type type) {
  SmallVector<Ref> operands;
  for (unsigned i = 0, e = graph[norm].operands.size(); i < e; ++i)
    operands.push_back(graph.operand(norm, i));
  llvm::append_range(operands, more);
  return graph.piece(frame, graph[norm].name,
                     attributes.get(graph.getContext()), operands, norm.at, {},
                     type);
}

Ref normal::addGamma(Graph &graph, const Frame &frame, const Factors &factors,
                     Type type) {
  Ref norm = factors.list.front().ref;
  NormAttributes attributes = NormAttributes::of(graph[norm]);
  Exprs columns = columnsAt(graph, norm);
  Factors gamma, rest{factors.constant, {}};
  for (const Factor &factor : ArrayRef(factors.list).drop_front())
    (isOverColumns(graph, factor.ref, columns) ? gamma : rest)
        .list.push_back(factor);
  if (!gamma.list.empty() && !attributes.hasGamma && !attributes.hasBeta &&
      graph[norm].type == type) {
    attributes.hasGamma = true;
    attributes.affine = type;
    norm = rebuild(graph, frame, norm, attributes,
                   graph.product(frame, gamma, type), type);
  } else {
    llvm::append_range(rest.list, gamma.list);
  }
  rest.list.insert(rest.list.begin(), Factor{norm, 1});
  return graph.product(frame, rest, type);
}

Ref normal::addBeta(Graph &graph, const Frame &frame, const Terms &terms,
                    Type type) {
  Ref norm = terms.list.front().ref;
  if (!isNorm(graph[norm])) // more than a norm: a factor of all columns
    return graph.sum(frame, terms, type);
  NormAttributes attributes = NormAttributes::of(graph[norm]);
  Exprs columns = columnsAt(graph, norm);
  Terms beta, rest{terms.constant, {}};
  for (const Term &term : ArrayRef(terms.list).drop_front())
    (isOverColumns(graph, term.ref, columns) ? beta : rest)
        .list.push_back(term);
  if (!beta.list.empty() && attributes.hasGamma && !attributes.hasBeta &&
      graph[norm].type == type && attributes.affine == type) {
    attributes.hasBeta = true;
    norm = rebuild(graph, frame, norm, attributes, graph.sum(frame, beta, type),
                   type);
  } else {
    llvm::append_range(rest.list, beta.list);
  }
  rest.list.insert(rest.list.begin(), Term{1, norm});
  return graph.sum(frame, rest, type);
}

std::optional<Ref> normal::extendByGamma(Graph &graph, const Frame &frame,
                                         const Ref &ref, StringRef name) {
  const Node &node = graph[ref];
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    const Node &norm = graph[node.operands[i]];
    if (!norm.isPiece(name) || node.powers[i] != 1 ||
        NormAttributes::of(norm).hasGamma)
      continue;
    Factors factors{node.constant, {{graph.operand(ref, i), 1}}};
    for (unsigned j = 0; j < e; ++j)
      if (j != i)
        factors.list.push_back({graph.operand(ref, j), node.powers[j]});
    Ref result = addGamma(graph, frame, factors, node.type);
    if (result != ref)
      return result;
  }
  return std::nullopt;
}

std::optional<Ref> normal::extendByBeta(Graph &graph, const Frame &frame,
                                        const Ref &ref) {
  const Node &node = graph[ref];
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    const Node &norm = graph[node.operands[i]];
    if (!norm.isPiece("layer_norm") || node.coefficients[i] != 1)
      continue;
    Terms terms{node.constant, {{1, graph.operand(ref, i)}}};
    for (unsigned j = 0; j < e; ++j)
      if (j != i)
        terms.list.push_back({node.coefficients[j], graph.operand(ref, j)});
    Ref result = addBeta(graph, frame, terms, node.type);
    if (result != ref)
      return result;
  }
  return std::nullopt;
}

std::optional<Ref> normal::addRounding(Graph &graph, const Frame &frame,
                                       const Ref &ref, StringRef name) {
  Ref norm = graph.operand(ref, 0);
  if (!graph[norm].isPiece(name))
    return std::nullopt;
  NormAttributes attributes = NormAttributes::of(graph[norm]);
  Type type = graph[ref].type;
  if (graph[norm].type != attributes.affine) // rounded before
    return std::nullopt;
  if (columnsAt(graph, norm).empty())
    return std::nullopt;
  if (!attributes.hasGamma)
    attributes.affine = type;
  return rebuild(graph, frame, norm, attributes, {}, type);
}
