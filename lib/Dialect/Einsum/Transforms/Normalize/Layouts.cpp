//===- Layouts.cpp - How tensors of the normal form are laid out ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever reads a tensor as a whole says how: the results of the cascade, kept
// Einsums, attention. Nobody else minds, and gets the dims in their order.
//
//===----------------------------------------------------------------------===//

#include "Import.h"
#include "Indices.h"
#include "Materialize.h"
#include "Plan.h"
#include "RecognizeAttention.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

static std::optional<WalkedBlocks> blocksOf(const Node &node) {
  if (!node.isPiece(AttentionTraits::kPiece))
    return std::nullopt;
  return AttentionTraits::unpack(node.attributes).blocks;
}

normal::Exprs normal::layoutOver(const Graph &graph, const Tensor &tensor) {
  SmallVector<AffineExpr> local(tensor.frame.dims.size());
  std::optional<WalkedBlocks> blocks = blocksOf(graph[tensor.ref]);
  if (blocks) {
    AffineExpr within = tensor.ref.at[blocks->within];
    int dim = blocks->dimOf(tensor.ref.at[blocks->block], within);
    if (dim < 0 || tensor.frame.dims[dim].extent != blocks->extent)
      return {};
    local[dim] = blocks->index(within.getContext());
  }
  for (auto [i, expr] : llvm::enumerate(tensor.ref.at)) {
    if (blocks && (i == blocks->block || i == blocks->within))
      continue;
    int dim = plainDim(expr);
    if (dim < 0 || local[dim] ||
        tensor.frame.dims[dim].extent != graph[tensor.ref].dims[i].extent)
      return {};
    local[dim] = getAffineDimExpr(i, expr.getContext());
  }
  normal::Exprs result;
  for (AffineExpr expr : tensor.layout) {
    bool covered = true;
    expr.walk([&](AffineExpr e) {
      if (int dim = plainDim(e); dim >= 0)
        covered &= static_cast<bool>(local[dim]);
    });
    if (!covered)
      return {};
    // A dim without a place is not in the expression.
    SmallVector<AffineExpr> places(local);
    for (AffineExpr &place : places)
      if (!place)
        place = getAffineConstantExpr(0, expr.getContext());
    AffineExpr coordinate = expr.replaceDims(places);
    // Blocks that are cut off have a dimension of their own.
    if (blocks && blocks->isCutOff(graph[tensor.ref]) &&
        coordinate.isFunctionOfDim(blocks->within) &&
        simplifyIndex(coordinate, {}) !=
            simplifyIndex(blocks->index(expr.getContext()), {}))
      return {};
    result.push_back(coordinate);
  }
  return result;
}

/// What a piece of a concat reads is laid out like the concat, whatever layout
/// the program has for it; empty where it is no permutation of that.
static normal::Exprs layoutInPiece(const Graph &graph, const Kept &piece,
                                   unsigned operand) {
  MapReduceOp op = piece.op;
  const Ref &ref = piece.operands.find(operand)->second.byCoordinate;
  AffineMap access = cast<AffineMapAttr>(op.getMaps()[operand]).getValue();
  SmallVector<int64_t> extents = op.getExtents();
  SmallVector<int> dimOf(extents.size(), -1); // of the node, by rank
  for (auto [i, expr] : llvm::enumerate(ref.at)) {
    int rank =
        plainDim(simplifyIndex(expr.replaceDims(access.getResults()), extents));
    if (rank < 0 || dimOf[rank] >= 0)
      return {};
    dimOf[rank] = i;
  }
  normal::Exprs layout;
  for (AffineExpr expr : op.getResultMap().getResults()) {
    std::optional<LinearForm> form = getLinearForm(expr, extents.size());
    if (!form)
      return {};
    // Digits from the slowest to the fastest.
    SmallVector<unsigned> digits = getDigits(*form, extents);
    for (unsigned rank : llvm::reverse(digits))
      if (dimOf[rank] >= 0)
        layout.push_back(getAffineDimExpr(dimOf[rank], graph.getContext()));
  }
  return layout.size() == ref.at.size() ? layout : normal::Exprs();
}

void Materializer::chooseLayouts() {
  auto want = [&](const Tensor &tensor) {
    if (plan.isTensor(tensor.ref.node) && !tensor.layout.empty())
      if (Exprs layout = layoutOver(graph, tensor); !layout.empty())
        layouts.try_emplace(tensor.ref.node, layout);
  };
  auto wantOperands = [&](const Node &node, bool onlyMerged) {
    auto kind = kinds.find(node.name);
    if (node.kind != Kind::Piece || kind == kinds.end() || !kind->second.layout)
      return;
    for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
      NodeId operand = throughWidening(graph, node.operands[i]).node;
      Exprs layout = kind->second.layout(graph, node, i);
      bool isMerged = !llvm::all_of(layout, llvm::IsaPred<AffineDimExpr>);
      if (plan.isTensor(operand) && !layout.empty() &&
          (isMerged || !onlyMerged))
        layouts.try_emplace(operand, layout);
    }
  };
  llvm::for_each(imported.results, want);
  // Digits of a key (MergedKeys.h) can be read at the key in one layout only;
  // who reads them one by one can in that as well.
  for (NodeId id : plan.order)
    wantOperands(graph[id], /*onlyMerged=*/true);
  for (NodeId id : plan.order) {
    const Node &node = graph[id];
    if (auto it = imported.kept.find(node.value); it != imported.kept.end())
      for (auto &[i, tensor] : it->second.operands) {
        if (!isConcatPiece(it->second.op)) {
          want(tensor);
          continue;
        }
        Exprs layout = layoutInPiece(graph, it->second, i);
        if (plan.isTensor(tensor.ref.node) && !layout.empty())
          layouts.try_emplace(tensor.ref.node, layout);
      }
    wantOperands(node, /*onlyMerged=*/false);
  }
  // What is rotated is laid out like the result.
  for (NodeId id : llvm::reverse(plan.order)) {
    const Node &node = graph[id];
    auto wanted = layouts.find(id);
    if (!node.isPiece("rope") || wanted == layouts.end())
      continue;
    Ref operand = throughWidening(graph, node.operands[0]);
    if (!plan.isTensor(operand.node))
      continue;
    SmallVector<AffineExpr> inverse(node.dims.size());
    for (auto [i, expr] : llvm::enumerate(operand.at))
      inverse[plainDim(expr)] = getAffineDimExpr(i, graph.getContext());
    Exprs layout;
    for (AffineExpr expr : wanted->second)
      layout.push_back(expr.replaceDims(inverse));
    layouts.try_emplace(operand.node, layout);
  }
}

normal::Exprs Materializer::layoutOf(NodeId node) const {
  auto it = layouts.find(node);
  if (it != layouts.end())
    return it->second;
  return graph.frameOf(node).all();
}
