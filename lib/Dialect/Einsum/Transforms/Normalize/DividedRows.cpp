//===- DividedRows.cpp - Sums over a row, divided after it ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DividedRows.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

static bool isSum(const Node &node) {
  return node.kind == Kind::Reduce && node.reduce == ReduceKind::Add &&
         node.type.isFloat();
}

static Ref castTo(Graph &graph, const Frame &frame, const Ref &ref, Type type) {
  unsigned from = graph[ref].type.getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (graph[ref].type == type)
    return ref;
  return graph.op(frame, from < to ? "arith.extf" : "arith.truncf", {}, {ref},
                  type);
}

SmallVector<DividedRow> normal::dividedRowsOf(Graph &graph, const Frame &frame,
                                              const Ref &ref) {
  SmallVector<DividedRow> result;
  const Node &node = graph[ref]; // stays valid
  if (node.kind != Kind::Product)
    return result;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
    for (unsigned j = 0; j < e; ++j) {
      Ref row = graph.operand(ref, i), divisor = graph.operand(ref, j);
      if (node.powers[i] != 1 || node.powers[j] != -1 ||
          !isSum(graph[graph.throughCasts(row)]))
        continue;
      DividedRow found;
      for (; graph[row].isOp("arith.extf") || graph[row].isOp("arith.truncf");
           row = graph.operand(row, 0))
        found.bits =
            std::min(found.bits, graph[row].type.getIntOrFloatBitWidth());
      row = graph.operand(ref, i);
      found.quotient =
          graph.product(frame, {1, {{row, 1}, {divisor, -1}}}, node.type);
      const Node &quotient = graph[found.quotient];
      if (quotient.kind != Kind::Product || quotient.operands.size() != 2)
        continue;
      // Over its own dims.
      Frame own = graph.frameOf(found.quotient.node);
      Ref self{found.quotient.node, own.all()};
      unsigned above = quotient.powers[0] == 1 ? 0 : 1;
      Ref sum = graph.throughCasts(graph.operand(self, above));
      divisor = graph.operand(self, 1 - above);
      Exprs bound = graph.bind(own, sum);
      Type type = graph[sum].type;
      Factors factors{1,
                      {{graph.operand(sum, 0, bound), 1},
                       {castTo(graph, own, divisor, type), -1}}};
      found.sum = graph.reduce(own, ReduceKind::Add,
                               graph.product(own, factors, type), bound);
      result.push_back(found);
    }
  return result;
}

Ref normal::replaceQuotient(Graph &graph, const Frame &frame,
                            const Ref &product, const Ref &quotient,
                            const Ref &by) {
  const Node &node = graph[product];
  SmallVector<Ref> gone;
  for (unsigned i : {0, 1})
    gone.push_back(graph.operand(quotient, i));
  Factors factors{node.constant, {{by, 1}}};
  for (auto [i, power] : llvm::enumerate(node.powers)) {
    Ref operand = graph.operand(product, i);
    auto it = llvm::find(gone, operand);
    if (it != gone.end())
      gone.erase(it);
    else
      factors.list.push_back({operand, power});
  }
  return graph.product(frame, factors, node.type);
}

Ref normal::guardTerms(Graph &graph, const Frame &frame, const Ref &sum,
                       const Ref &condition, bool isNegated) {
  Frame inner = frame;
  Exprs bound = graph.bind(inner, sum);
  Ref term = graph.operand(sum, 0, bound);
  Type type = graph[term].type;
  Ref zero = graph.constant(0.0, type);
  Ref guarded = graph.op(
      inner, "arith.select", {},
      {condition, isNegated ? term : zero, isNegated ? zero : term}, type);
  return graph.reduce(inner, ReduceKind::Add, guarded, bound);
}
