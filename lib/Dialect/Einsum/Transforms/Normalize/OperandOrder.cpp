//===- OperandOrder.cpp - Order of commutative operands -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandOrder.h"
#include "Hashing.h"
#include "Indices.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
/// What tells an operand from others in every spelling of the program.
struct Rank {
  SmallVector<uint64_t, 6> key;
  unsigned index;
};
} // namespace

SmallVector<unsigned> normal::orderOf(const Graph &graph,
                                      ArrayRef<Ref> operands, bool isProduct,
                                      ArrayRef<uint64_t> extra) {
  // Where a dim occurs besides: x[p,d]*x[m,d]*y[p] has one order.
  llvm::DenseMap<unsigned, uint64_t> signatures; // looked up only
  for (const Ref &ref : operands)
    for (auto [i, expr] : llvm::enumerate(ref.at))
      expr.walk([&, i = i](AffineExpr e) {
        if (int dim = plainDim(e); dim >= 0)
          signatures[dim] += mixHash(graph[ref].hash, i);
      });
  SmallVector<Rank> ranks;
  for (auto [i, ref] : llvm::enumerate(operands)) {
    const Node &node = graph[ref];
    uint64_t dims = graph.dimsOf(ref).size();
    uint64_t level = node.level;
    uint64_t first = node.first;
    Rank rank;
    rank.index = i;
    if (isProduct)
      rank.key = {~level, first, ~dims};
    else
      rank.key = {~dims, level, first};
    // How dims were split for reading is in the hash, not in the content.
    rank.key.push_back(node.content);
    rank.key.push_back(node.hash);
    if (i < extra.size())
      rank.key.push_back(extra[i]);
    for (AffineExpr expr : ref.at) {
      uint64_t signature = 0;
      expr.walk([&](AffineExpr e) {
        if (int dim = plainDim(e); dim >= 0)
          signature = mixHash(signature, signatures[dim]);
      });
      rank.key.push_back(signature);
    }
    ranks.push_back(std::move(rank));
  }
  llvm::stable_sort(ranks, [&](const Rank &a, const Rank &b) {
    if (a.key != b.key)
      return std::lexicographical_compare(a.key.begin(), a.key.end(),
                                          b.key.begin(), b.key.end());
    const Ref &l = operands[a.index], &r = operands[b.index];
    for (auto [x, y] : llvm::zip(l.at, r.at))
      if (int order = compareIndices(x, y))
        return order < 0;
    return false;
  });
  SmallVector<unsigned> result;
  for (const Rank &rank : ranks)
    result.push_back(rank.index);
  return result;
}
