//===- Views.cpp - Reading nodes of the normal form -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "NormalForm.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

Ref Graph::operand(const Ref &ref, unsigned i,
                   ArrayRef<AffineExpr> bound) const {
  const Node &node = nodes[ref.node];
  const Ref &operand = node.operands[i];
  SmallVector<AffineExpr> at(ref.at);
  llvm::append_range(at, bound);
  // Without the frame's extents: enough where `at` are plain, which is where
  // recognisers look, and what is made from it is simplified with them.
  Ref result{operand.node, {}};
  for (AffineExpr expr : operand.at)
    result.at.push_back(simplifyIndex(expr.replaceDims(at), {}));
  return result;
}

normal::Exprs Graph::bind(Frame &frame, const Ref &ref) const {
  Exprs result;
  for (const Dim &dim : nodes[ref.node].bound)
    result.push_back(frame.add(dim));
  return result;
}

Ref Graph::compose(const Ref &ref, ArrayRef<AffineExpr> at,
                   const Frame &frame) const {
  SmallVector<int64_t> extents = frame.extents();
  Ref result{ref.node, {}};
  for (AffineExpr expr : ref.at)
    result.at.push_back(simplifyIndex(expr.replaceDims(at), extents));
  return result;
}

static void collect(const Graph &graph, const Ref &ref, double coefficient,
                    unsigned most, Terms &terms) {
  const Node &node = graph[ref];
  if (node.kind == Kind::Constant && node.type.isFloat()) {
    terms.constant += coefficient * node.constant;
    return;
  }
  if (node.kind == Kind::Product && node.constant != 1 &&
      node.operands.size() == 1 && node.powers[0] == 1)
    return collect(graph, graph.operand(ref, 0), coefficient * node.constant,
                   most, terms);
  if (node.kind != Kind::Sum ||
      terms.list.size() + node.operands.size() > most) {
    terms.list.push_back({coefficient, ref});
    return;
  }
  terms.constant += coefficient * node.constant;
  for (auto [i, c] : llvm::enumerate(node.coefficients))
    collect(graph, graph.operand(ref, i), coefficient * c, most, terms);
}

Terms Graph::terms(const Ref &ref, unsigned most) const {
  Terms result;
  collect(*this, ref, 1, most, result);
  return result;
}

static void collect(const Graph &graph, const Ref &ref, int power,
                    unsigned most, Factors &factors) {
  const Node &node = graph[ref];
  if (node.kind == Kind::Constant && node.type.isFloat()) {
    factors.constant *= std::pow(node.constant, power);
    return;
  }
  if (node.kind != Kind::Product ||
      factors.list.size() + node.operands.size() > most) {
    factors.list.push_back({ref, power});
    return;
  }
  factors.constant *= std::pow(node.constant, power);
  for (auto [i, p] : llvm::enumerate(node.powers))
    collect(graph, graph.operand(ref, i), power * p, most, factors);
}

Factors Graph::factors(const Ref &ref, unsigned most) const {
  Factors result;
  collect(*this, ref, 1, most, result);
  return result;
}

Factors Graph::ownFactors(const Ref &ref) const {
  const Node &node = nodes[ref.node];
  if (node.kind != Kind::Product)
    return {1, {{ref, 1}}};
  Factors result{node.constant, {}};
  for (auto [i, power] : llvm::enumerate(node.powers))
    result.list.push_back({operand(ref, i), power});
  return result;
}

std::optional<double> Graph::constantOf(const Ref &ref) const {
  const Node &node = nodes[ref.node];
  if (node.kind == Kind::Constant && node.type.isFloat())
    return node.constant;
  return std::nullopt;
}

SmallVector<unsigned> Graph::dimsOf(const Ref &ref) const {
  SmallVector<unsigned> result;
  for (AffineExpr expr : ref.at)
    expr.walk([&](AffineExpr e) {
      if (int dim = plainDim(e); dim >= 0 && !llvm::is_contained(result, dim))
        result.push_back(dim);
    });
  llvm::sort(result);
  return result;
}

bool Graph::dependsOn(const Ref &ref, AffineExpr dim) const {
  return llvm::any_of(ref.at, [&](AffineExpr expr) {
    return expr.isFunctionOfDim(plainDim(dim));
  });
}

Ref Graph::throughCasts(Ref ref) const {
  while (nodes[ref.node].isOp("arith.extf") ||
         nodes[ref.node].isOp("arith.truncf"))
    ref = operand(ref, 0);
  return ref;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Graph::print(const Ref &ref, raw_ostream &os, unsigned depth) const {
  const Node &node = nodes[ref.node];
  auto at = [&] {
    os << "[";
    llvm::interleaveComma(ref.at, os);
    os << "]";
  };
  auto list = [&](unsigned i) {
    Exprs bound;
    for (unsigned k = 0; k < node.bound.size(); ++k)
      bound.push_back(getAffineDimExpr(100 * (depth + 1) + k, context));
    print(operand(ref, i, bound), os, depth - 1);
  };
  if (depth == 0 && !node.operands.empty()) {
    os << "%" << ref.node;
    return at();
  }
  switch (node.kind) {
  case Kind::Input:
    os << "in" << node.ordinal;
    return at();
  case Kind::Constant:
    if (node.attributes)
      os << node.attributes;
    else
      os << node.constant;
    return;
  case Kind::Index:
    os << "index";
    return at();
  case Kind::Sum:
    os << "(";
    if (node.constant != 0)
      os << node.constant << " + ";
    for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
      os << (i ? " + " : "");
      if (node.coefficients[i] != 1)
        os << node.coefficients[i] << "*";
      list(i);
    }
    os << ")";
    return;
  case Kind::Product:
    os << "(";
    if (node.constant != 1)
      os << node.constant << " * ";
    for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
      os << (i ? " * " : "");
      list(i);
      if (node.powers[i] != 1)
        os << "^" << node.powers[i];
    }
    os << ")";
    return;
  case Kind::Reduce:
    os << stringifyReduceKind(node.reduce);
    break;
  case Kind::Op:
  case Kind::Piece:
    os << node.name;
    break;
  }
  os << "(";
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    os << (i ? ", " : "");
    list(i);
  }
  os << ")";
}
