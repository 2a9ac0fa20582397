//===- RankRoles.cpp - What the ranks of a layer are called ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankRoles.h"
#include "AttentionDims.h"
#include "Indices.h"
#include "RecognizeAttention.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

#include <set>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

RankRoles::Names &RankRoles::at(NodeId node) {
  Names &result = names[node];
  result.resize(graph[node].dims.size() + graph[node].bound.size());
  return result;
}

static StringRef hintOf(const Node &node, unsigned i) {
  unsigned numDims = node.dims.size();
  return i < numDims ? node.dims[i].hint : node.bound[i - numDims].hint;
}

std::string RankRoles::nameOf(NodeId node, unsigned i) const {
  auto it = names.find(node);
  if (it != names.end() && !it->second[i].empty())
    return it->second[i];
  StringRef hint = hintOf(graph[node], i);
  return hint.empty() ? "x" : hint.str();
}

/// One dim is `name`; several are name1, name0, or what they are called if that
/// is the same but for the order.
static void nameGroup(const Node &node, ArrayRef<unsigned> dims, StringRef name,
                      MutableArrayRef<std::string> names) {
  if (dims.size() == 1) {
    names[dims.front()] = name.str();
    return;
  }
  std::set<std::string> wanted, hints;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    wanted.insert(name.str() + std::to_string(i));
    hints.insert(hintOf(node, dim).str());
  }
  for (auto [i, dim] : llvm::enumerate(dims))
    names[dim] = wanted == hints
                     ? hintOf(node, dim).str()
                     : name.str() + std::to_string(dims.size() - 1 - i);
}

void RankRoles::nameAttention(NodeId id) {
  const Node &node = graph[id];
  unsigned numDims = node.dims.size();
  AttentionDims dims = classifyDims(graph, node);
  Names &mine = at(id);
  SmallVector<unsigned> heads, rows, contracted;
  for (unsigned dim : dims.shared)
    if (!hintOf(node, dim).starts_with("b"))
      heads.push_back(dim);
  for (unsigned dim : dims.rows)
    rows.push_back(dim);
  for (unsigned i = numDims + 1, e = mine.size(); i < e; ++i)
    contracted.push_back(i);
  for (unsigned dim : dims.shared)
    mine[dim] = hintOf(node, dim).str();
  nameGroup(node, heads, dims.groups.empty() ? "h" : "kv", mine);
  nameGroup(node, dims.groups, "g", mine);
  nameGroup(node, rows, "p", mine);
  nameGroup(node, dims.features, "f", mine);
  nameGroup(node, contracted, "e", mine);
  mine[numDims] = "m";
  Names frame = mine;
  for (const Ref &operand : node.operands)
    pushDown(operand, frame);
}

/// What an activation is read for: the dims that a contraction reduces.
void RankRoles::nameHidden(NodeId id) {
  const Node &node = graph[id];
  const Ref &body = node.operands[0];
  if (node.reduce != ReduceKind::Add || graph[body].kind != Kind::Product)
    return;
  for (unsigned i = 0, e = graph[body].operands.size(); i < e; ++i) {
    Ref factor = throughWidening(graph, graph.operand(body, i));
    if (!graph[factor].isPiece("activation"))
      continue;
    Names frame(node.dims.size() + node.bound.size());
    SmallVector<unsigned> hidden;
    for (unsigned k = node.dims.size(); k < frame.size(); ++k)
      hidden.push_back(k);
    nameGroup(node, hidden, "s", frame);
    pushDown(factor, frame);
  }
}

/// Names the dims of a tensor, and of what it is computed from point by point.
void RankRoles::pushDown(const Ref &ref, ArrayRef<std::string> frame) {
  Ref source = throughWidening(graph, ref);
  const Node &node = graph[source];
  if (node.kind == Kind::Input)
    return pushIntoPiece(source, frame);
  if (node.kind == Kind::Constant || node.kind == Kind::Index)
    return;
  Names &mine = at(source.node);
  bool isNew = false;
  for (auto [i, expr] : llvm::enumerate(source.at)) {
    int dim = plainDim(expr);
    if (dim < 0 || frame[dim].empty() || !mine[i].empty() ||
        llvm::is_contained(mine, frame[dim]))
      continue;
    mine[i] = frame[dim];
    isNew = true;
  }
  bool isPointwise = node.kind != Kind::Reduce &&
                     (node.kind != Kind::Piece || node.isPiece("rope") ||
                      node.isPiece("activation"));
  if (!isNew || !isPointwise)
    return;
  Names inner = mine;
  for (const Ref &operand : node.operands)
    pushDown(operand, inner);
}

/// What the ranks of an equation are called that defines `result` along a
/// dimension, which is read at `expr`: digits of the same weight are the same,
/// and those of one dim are numbered.
static void nameDigits(AffineExpr result, ArrayRef<int64_t> extents,
                       AffineExpr expr, ArrayRef<std::string> frame,
                       MutableArrayRef<std::string> names) {
  std::optional<LinearForm> ranks = getLinearForm(result, names.size());
  std::optional<LinearForm> dims = getLinearForm(expr, frame.size());
  if (!ranks || !dims)
    return;
  // From the fastest to the slowest.
  SmallVector<unsigned> digits = getDigits(*ranks, extents);
  int dim = plainDim(expr);
  for (auto [k, rank] : llvm::enumerate(digits)) {
    if (dim >= 0 && digits.size() > 1 && !frame[dim].empty()) {
      names[rank] = frame[dim] + std::to_string(k);
      continue;
    }
    auto same = llvm::find(dims->coefficients, ranks->coefficients[rank]);
    if (same != dims->coefficients.end())
      names[rank] = frame[same - dims->coefficients.begin()];
  }
}

/// A cache and its new rows are called after what reads them, and so is what
/// they are made from.
void RankRoles::pushIntoPiece(const Ref &ref, ArrayRef<std::string> frame) {
  auto it = imported.kept.find(graph[ref].value);
  if (it == imported.kept.end() || !isConcatPiece(it->second.op) ||
      pieces.count(graph[ref].value))
    return;
  MapReduceOp op = it->second.op;
  SmallVector<int64_t> extents = op.getExtents();
  Names mine(extents.size());
  for (auto [result, expr] : llvm::zip(op.getResultMap().getResults(), ref.at))
    nameDigits(result, extents, expr, frame, mine);
  pieces[graph[ref].value] = mine;
  unsigned base = op.getBase() ? op->getNumOperands() - 1 : ~0u;
  for (const auto &[i, tensor] : it->second.operands) {
    if (i == base) { // the same tensor, as far as it goes
      pushIntoPiece({tensor.ref.node, ref.at}, frame);
      continue;
    }
    AffineMap access = cast<AffineMapAttr>(op.getMaps()[i]).getValue();
    Ref read{tensor.byCoordinate.node, {}};
    for (AffineExpr expr : tensor.byCoordinate.at)
      read.at.push_back(expr.replaceDims(access.getResults()));
    pushDown(read, mine);
  }
}

void RankRoles::pullFrom(const Ref &ref, Names &frame) {
  const Node &node = graph[ref];
  if (node.kind == Kind::Input)
    return;
  if (plan.isTensor(ref.node)) {
    for (auto [i, expr] : llvm::enumerate(ref.at)) {
      int dim = plainDim(expr);
      std::string name = nameOf(ref.node, i);
      if (dim >= 0 && static_cast<size_t>(dim) < frame.size() &&
          frame[dim].empty() && !llvm::is_contained(frame, name))
        frame[dim] = name;
    }
    return;
  }
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
    pullFrom(graph.operand(ref, i), frame);
}

/// What a reduction sums over is called as in the tensor that it reads.
void RankRoles::pullUp(NodeId id) {
  const Node &node = graph[id];
  if (node.kind != Kind::Reduce)
    return;
  Names frame = at(id);
  for (unsigned i = 0, e = node.dims.size(); i < e; ++i)
    frame[i] = nameOf(id, i);
  Names pulled = frame;
  pullFrom(node.operands[0], pulled);
  Names &mine = at(id);
  for (unsigned i = node.dims.size(), e = mine.size(); i < e; ++i)
    if (mine[i].empty())
      mine[i] = pulled[i];
}

RankRoles::RankRoles(const Imported &imported, const Plan &plan)
    : imported(imported), graph(imported.graph), plan(plan) {
  for (NodeId id : plan.order)
    if (graph[id].isPiece(AttentionTraits::kPiece))
      nameAttention(id);
  for (NodeId id : plan.order)
    if (graph[id].kind == Kind::Reduce)
      nameHidden(id);
  for (NodeId id : plan.order)
    pullUp(id);
}
