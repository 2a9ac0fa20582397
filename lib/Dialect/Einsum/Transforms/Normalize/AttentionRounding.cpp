//===- AttentionRounding.cpp - A cast around an attention -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRounding.h"
#include "Indices.h"
#include "RecognizeAttention.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

/// Whether every point of the piece is read once.
static bool readsAll(const Node &piece, ArrayRef<AffineExpr> at,
                     const Frame &frame) {
  std::optional<WalkedBlocks> blocks =
      AttentionTraits::unpack(piece.attributes).blocks;
  if (!blocks)
    return at == ArrayRef<AffineExpr>(frame.all());
  llvm::SmallBitVector seen(frame.dims.size());
  for (auto [i, expr] : llvm::enumerate(at)) {
    if (i == blocks->within)
      continue;
    bool isBlock = i == blocks->block;
    int dim =
        isBlock ? blocks->dimOf(expr, at[blocks->within]) : plainDim(expr);
    int64_t extent = isBlock ? blocks->extent : piece.dims[i].extent;
    if (dim < 0 || seen.test(dim) || frame.dims[dim].extent != extent)
      return false;
    seen.set(dim);
  }
  return seen.all();
}

/// Rounding the result is AV's: it is made in the narrower type at once.
std::optional<Ref> normal::roundAttention(Graph &graph, const Frame &frame,
                                          const Ref &ref) {
  if (!graph[ref].isOp("arith.truncf"))
    return std::nullopt;
  Ref source = graph.operand(ref, 0);
  const Node &node = graph[source];
  for (AffineExpr &expr : source.at)
    expr = simplifyIndex(expr, frame.extents());
  if (!node.isPiece(AttentionTraits::kPiece) ||
      !readsAll(node, source.at, frame))
    return std::nullopt;
  Frame own = graph.frameOf(source.node);
  Exprs dims = own.all();
  Exprs bound = graph.bind(own, {source.node, dims});
  SmallVector<Ref> operands;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
    operands.push_back(graph.operand({source.node, dims}, i, bound));
  Ref piece = graph.piece(own, node.name, node.attributes, operands, dims,
                          bound, graph[ref].type);
  return graph.compose(piece, source.at, frame);
}
