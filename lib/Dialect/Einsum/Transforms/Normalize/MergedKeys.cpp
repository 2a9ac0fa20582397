//===- MergedKeys.cpp - Keys of several dims as one -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedKeys.h"
#include "Indices.h"
#include "Plan.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

static bool hasQuotient(AffineExpr expr) {
  bool found = false;
  expr.walk([&](AffineExpr e) {
    found |= e.getKind() == AffineExprKind::FloorDiv ||
             e.getKind() == AffineExprKind::Mod;
  });
  return found;
}

static bool hasQuotient(const Ref &ref) {
  return llvm::any_of(ref.at, [](AffineExpr e) { return hasQuotient(e); });
}

namespace {
class Merger {
public:
  Merger(const Imported &imported, Graph &graph, Frame &frame,
         const MergedLayouts &layouts)
      : imported(imported), graph(graph), frame(frame), layouts(layouts) {}
  bool merge(SoftmaxContraction &found, ArrayRef<AffineExpr> keys);
  /// The ones given, and those of what is merged here.
  const MergedLayouts &getLayouts() const { return layouts; }

private:
  std::optional<Ref> remake(const Ref &ref, unsigned depth = 16);
  std::optional<Ref> remakeContraction(const Ref &ref);
  bool isReadable(const Ref &ref);

  const Imported &imported;
  Graph &graph;
  Frame &frame;
  MergedLayouts layouts;
  AffineExpr key;
};
} // namespace

/// Whether it is read at the key, or made here for nobody outside, and then
/// laid out as we like.
bool Merger::isReadable(const Ref &ref) {
  if (!hasQuotient(ref))
    return true;
  Ref source = throughWidening(graph, ref);
  NodeId id = source.node;
  Kind kind = graph[id].kind;
  if (kind != Kind::Reduce && kind != Kind::Op && kind != Kind::Sum &&
      kind != Kind::Product)
    return false;
  Exprs layout = mergeDigits(source.at, key);
  if (layouts.try_emplace(id, layout).first->second != layout)
    return false;
  auto is = [&](const Tensor &tensor) { return tensor.ref.node == id; };
  return llvm::none_of(imported.results, is) &&
         llvm::none_of(imported.kept, [&](const auto &kept) {
           return llvm::any_of(kept.second.operands, [&](const auto &operand) {
             return is(operand.second);
           });
         });
}

/// The contraction over queries and keys, whose own dim is the key then.
std::optional<Ref> Merger::remakeContraction(const Ref &ref) {
  const Node &node = graph[ref];
  if (node.kind != Kind::Reduce || node.reduce != ReduceKind::Add)
    return std::nullopt;
  Frame inner = frame;
  Exprs bound = graph.bind(inner, ref);
  Ref product = graph.operand(ref, 0, bound);
  const Node &body = graph[product];
  if (body.kind != Kind::Product)
    return std::nullopt;
  Factors factors{body.constant, {}};
  unsigned sides = 0;
  for (auto [i, power] : llvm::enumerate(body.powers)) {
    Ref factor = graph.operand(product, i);
    for (AffineExpr &expr : factor.at)
      expr = simplifyIndex(expr, inner.extents());
    if (graph.dependsOn(factor, key)) {
      ++sides;
      if (power != 1 || !isReadable(factor))
        return std::nullopt;
    }
    factors.list.push_back({factor, power});
  }
  if (sides != 1)
    return std::nullopt;
  return graph.reduce(inner, ReduceKind::Add,
                      graph.product(inner, factors, body.type), bound);
}

/// `ref` over nodes that have the key for a dim, down to what is read.
std::optional<Ref> Merger::remake(const Ref &from, unsigned depth) {
  Ref ref = from;
  for (AffineExpr &expr : ref.at)
    expr = simplifyIndex(expr, frame.extents());
  const Node &node = graph[ref];
  if (!hasQuotient(ref) || node.kind == Kind::Index)
    return ref;
  if (node.kind == Kind::Reduce)
    return remakeContraction(ref);
  if (node.operands.empty() || node.kind == Kind::Piece || depth == 0)
    return std::nullopt;
  SmallVector<Ref> operands;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    std::optional<Ref> operand = remake(graph.operand(ref, i), depth - 1);
    if (!operand)
      return std::nullopt;
    operands.push_back(*operand);
  }
  return graph.rebuild(frame, node, operands);
}

bool Merger::merge(SoftmaxContraction &found, ArrayRef<AffineExpr> keys) {
  int64_t extent = 1;
  for (AffineExpr dim : keys)
    extent *= frame.dims[plainDim(dim)].extent;
  key = frame.add({extent, "m"});
  SmallVector<AffineExpr> at(frame.all());
  int64_t below = extent;
  for (auto [i, dim] : llvm::enumerate(keys)) {
    int64_t size = frame.dims[plainDim(dim)].extent;
    below /= size;
    AffineExpr digit = key.floorDiv(below);
    at[plainDim(dim)] = i == 0 ? digit : digit % size;
  }
  Ref values = graph.compose(found.values, at, frame);
  for (AffineExpr &expr : values.at)
    expr = simplifyIndex(expr, frame.extents());
  std::optional<Ref> score = remake(graph.compose(found.score, at, frame));
  if (!score || !isReadable(values))
    return false;
  found.score = *score;
  found.values = values;
  found.keys = {key};
  return true;
}

bool normal::mergeKeys(const Imported &imported, Graph &graph, Frame &frame,
                       SoftmaxContraction &found, MergedLayouts &layouts) {
  // Which is the row and which the column, what the score reads decides; where
  // it reads nothing at the keys, the order of the dims.
  Exprs keys = found.keys;
  if (keys.size() > 3)
    return false;
  llvm::sort(keys, [](AffineExpr a, AffineExpr b) {
    return plainDim(a) < plainDim(b);
  });
  do {
    Frame tried = frame;
    Merger merger(imported, graph, tried, layouts);
    if (merger.merge(found, keys)) {
      layouts = merger.getLayouts();
      frame = tried;
      return true;
    }
  } while (std::next_permutation(
      keys.begin(), keys.end(),
      [](AffineExpr a, AffineExpr b) { return plainDim(a) < plainDim(b); }));
  return false;
}

normal::Exprs normal::mergeDigits(ArrayRef<AffineExpr> at, AffineExpr key) {
  normal::Exprs result(at.size());
  int first = -1;
  for (auto [i, read] : llvm::enumerate(at)) {
    AffineExpr expr = read;
    auto digit = dyn_cast<AffineBinaryOpExpr>(expr);
    int64_t stride = 1;
    if (digit && digit.getKind() == AffineExprKind::Mod)
      expr = digit.getLHS();
    if (auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
        quotient && quotient.getKind() == AffineExprKind::FloorDiv) {
      stride = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
      expr = quotient.getLHS();
    }
    if (!digit || expr != key)
      continue;
    AffineExpr part = getAffineDimExpr(i, key.getContext()) * stride;
    if (first < 0)
      first = i;
    result[first] = result[first] ? result[first] + part : part;
    if (static_cast<int>(i) != first)
      result[i] = getAffineConstantExpr(0, key.getContext());
  }
  return result;
}
