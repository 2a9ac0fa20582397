//===- Plan.cpp - Which nodes become tensors ------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "Indices.h"
#include "RecognizeAttention.h"

#include <array>
#include <map>
#include <set>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

Ref normal::throughWidening(const Graph &graph, Ref ref) {
  while (graph[ref].isOp("arith.extf"))
    ref = graph.operand(ref, 0);
  return ref;
}

static bool isLeafKind(const Node &node) {
  return node.kind == Kind::Input || node.kind == Kind::Constant ||
         node.kind == Kind::Index;
}

bool normal::isRoundedResidual(const Graph &graph, const Node &node) {
  return isResidual(graph, node) ||
         (node.isOp("arith.truncf") &&
          isResidual(graph, graph[node.operands[0]]));
}

bool normal::isResidual(const Graph &graph, const Node &node) {
  if (node.kind != Kind::Sum)
    return false;
  unsigned whole = 0;
  for (const Ref &operand : node.operands) {
    Ref term = throughWidening(graph, operand);
    if (graph[term].isOp("arith.truncf"))
      term = graph.operand(term, 0);
    Kind kind = graph[term].kind;
    whole += graph.dimsOf(operand).size() == node.dims.size() &&
             (kind == Kind::Input || kind == Kind::Reduce ||
              kind == Kind::Piece || kind == Kind::Sum);
  }
  return whole >= 2;
}

namespace {
class Planner {
public:
  Planner(const Imported &imported, const PieceKinds &kinds)
      : imported(imported), graph(imported.graph), kinds(kinds) {}
  Plan run();

private:
  void reach();
  void mark(const Ref &ref);
  void demand(NodeId id);
  bool isRoundedOnly(NodeId id);
  bool isBiased(NodeId id);
  void decide();
  void shareBiased();
  void absorb();
  void sort();

  const Imported &imported;
  const Graph &graph;
  const PieceKinds &kinds;
  Plan plan;
  std::set<NodeId> reached;
  /// Tensors whose expression a node is in; two are enough to know.
  std::map<NodeId, std::set<NodeId>> owners;
  std::map<NodeId, std::set<NodeId>> readers; ///< owners, of tensors
  /// Nodes that have it as an operand, and ~0u for what is outside; two are
  /// enough to know.
  std::map<NodeId, std::set<NodeId>> users;
  llvm::DenseMap<NodeId, bool> reads; ///< whether any input; looked up
  /// Parts of a score around the place of its contraction, which is nothing
  /// anywhere else.
  llvm::DenseSet<NodeId> aroundDot; // asked, never walked
};
} // namespace

/// What the Einsum of a kept input reads; nothing for other nodes.
static void forEachKeptOperand(const Imported &imported, NodeId id,
                               llvm::function_ref<void(const Ref &)> visit) {
  const Node &node = imported.graph[id];
  if (node.kind != Kind::Input)
    return;
  auto it = imported.kept.find(node.value);
  if (it != imported.kept.end())
    for (auto &[i, tensor] : it->second.operands)
      visit(tensor.ref);
}

void Planner::reach() {
  SmallVector<NodeId> stack;
  auto push = [&](const Ref &ref) {
    if (reached.insert(ref.node).second)
      stack.push_back(ref.node);
  };
  // Whoever reads from outside is one more reader.
  constexpr NodeId outside = ~0u;
  auto root = [&](const Ref &ref) {
    push(ref);
    demand(ref.node);
    owners[ref.node].insert(outside);
    users[ref.node].insert(outside);
  };
  for (const Tensor &tensor : imported.results)
    root(tensor.ref);
  while (!stack.empty()) {
    NodeId id = stack.pop_back_val();
    llvm::for_each(graph[id].operands, push);
    for (const Ref &operand : graph[id].operands)
      if (users[operand.node].size() < 2)
        users[operand.node].insert(id);
    forEachKeptOperand(imported, id, root);
  }
  // Operands are made before what reads them.
  for (NodeId id : reached) {
    bool result = graph[id].kind == Kind::Input;
    for (const Ref &operand : graph[id].operands)
      result |= reads.lookup(operand.node);
    reads[id] = result;
    if (graph[id].isOp(AttentionTraits::kDot) ||
        (graph[id].kind != Kind::Piece && graph[id].kind != Kind::Reduce &&
         llvm::any_of(graph[id].operands, [&](const Ref &operand) {
           return aroundDot.contains(operand.node);
         })))
      aroundDot.insert(id);
  }
}

/// No tensor holds an index, or an integer of another width: whoever reads it
/// computes it.
static bool isElement(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(type) ||
         llvm::any_of(std::array{1, 8, 32, 64},
                      [&](unsigned width) { return type.isInteger(width); });
}

void Planner::demand(NodeId id) {
  if (!isLeafKind(graph[id]) && isElement(graph[id].type) &&
      !aroundDot.contains(id))
    plan.tensors.insert(id);
}

/// `ref` is a tensor, or a widened one.
void Planner::mark(const Ref &ref) { demand(throughWidening(graph, ref).node); }

/// Nobody but a narrowing cast reads it.
bool Planner::isRoundedOnly(NodeId id) {
  const std::set<NodeId> &readers = users[id];
  return readers.size() == 1 && *readers.begin() != ~0u &&
         graph[*readers.begin()].isOp("arith.truncf");
}

void Planner::decide() {
  for (NodeId id : llvm::reverse(reached)) {
    const Node &node = graph[id];
    if (isLeafKind(node))
      continue;
    std::set<NodeId> &mine = owners[id];
    bool isShared = mine.size() > 1 && !node.isOp("arith.extf") &&
                    (node.dims.size() > 1 || reads.lookup(id));
    // A residual that is rounded is so in its own Einsum.
    bool isRounded = isResidual(graph, node) && isRoundedOnly(id);
    bool rounds = node.isOp("arith.truncf") &&
                  isResidual(graph, graph[node.operands[0]]) &&
                  isRoundedOnly(node.operands[0].node);
    if (node.kind == Kind::Reduce || node.kind == Kind::Piece)
      plan.tensors.insert(id);
    else if (isShared || rounds || (isResidual(graph, node) && !isRounded))
      demand(id);
    if (plan.isTensor(id)) {
      readers[id] = mine;
      mine = {id};
    }

    if (node.kind == Kind::Reduce) {
      const Ref &body = node.operands[0];
      const Node &inner = graph[body];
      bool isProduct = inner.kind == Kind::Product &&
                       llvm::all_of(inner.powers, [](int p) { return p == 1; });
      if (isProduct && node.reduce == ReduceKind::Add)
        for (const Ref &factor : inner.operands)
          mark(factor);
      else
        mark(body);
    } else if (node.kind == Kind::Piece) {
      auto kind = kinds.find(node.name);
      for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
        if (kind != kinds.end() && kind->second.isTensor(graph, node, i))
          mark(node.operands[i]);
    } else if (isResidual(graph, node)) {
      for (const Ref &operand : node.operands)
        if (graph.dimsOf(operand).size() == node.dims.size())
          mark(operand);
    }
    // What has fewer dims is computed once, not at every point of its user.
    if (node.kind != Kind::Reduce && node.kind != Kind::Piece)
      for (const Ref &operand : node.operands)
        if (!graph[operand].isOp("arith.extf") &&
            graph[operand].kind != Kind::Input && reads.lookup(operand.node) &&
            graph.dimsOf(operand).size() < node.dims.size())
          demand(operand.node);
    for (const Ref &operand : node.operands) {
      std::set<NodeId> &theirs = owners[operand.node];
      for (NodeId owner : mine)
        if (theirs.size() < 2)
          theirs.insert(owner);
    }
  }
}

/// Visits every ref of a tensor's own expression, leaves as well.
static void forEachInside(const Graph &graph, const Plan &plan, NodeId tensor,
                          llvm::function_ref<void(const Ref &)> visit) {
  SmallVector<Ref> stack;
  std::map<NodeId, SmallVector<Exprs>> seen;
  auto expand = [&](const Ref &ref) {
    const Node &node = graph[ref];
    // Bound dims have no place in the tensor's frame; they are 0 here.
    Exprs bound(node.bound.size(),
                getAffineConstantExpr(0, graph.getContext()));
    for (unsigned i = node.operands.size(); i-- > 0;)
      stack.push_back(graph.operand(ref, i, bound));
  };
  expand({tensor, graph.frameOf(tensor).all()});
  while (!stack.empty()) {
    Ref ref = stack.pop_back_val();
    if (llvm::is_contained(seen[ref.node], ref.at))
      continue;
    seen[ref.node].push_back(ref.at);
    visit(ref);
    if (graph[ref].kind != Kind::Input && !plan.isTensor(ref.node))
      expand(ref);
  }
}

SmallVector<Ref> normal::leavesOf(const Graph &graph, const Plan &plan,
                                  NodeId tensor) {
  SmallVector<Ref> leaves;
  forEachInside(graph, plan, tensor, [&](const Ref &ref) {
    if (graph[ref].kind == Kind::Input || plan.isTensor(ref.node))
      leaves.push_back(ref);
  });
  return leaves;
}

/// A reduction and arguments with fewer dims: it costs nothing as its finish.
bool Planner::isBiased(NodeId id) {
  const Node &node = graph[id];
  if (node.kind != Kind::Sum || plan.isTensor(id))
    return false;
  unsigned reductions = 0;
  for (const Ref &operand : node.operands) {
    const Node &term = graph[operand];
    if (term.kind == Kind::Reduce) {
      reductions += users[operand.node].size() == 1 &&
                    graph.dimsOf(operand).size() == node.dims.size();
      continue;
    }
    if (term.kind != Kind::Input || imported.kept.count(term.value) ||
        graph.dimsOf(operand).size() >= node.dims.size())
      return false;
  }
  return reductions == 1;
}

/// What a tensor reads at several places (a rotation that is no piece does), is
/// computed once.
void Planner::shareBiased() {
  for (NodeId id : llvm::reverse(reached)) {
    if (!plan.isTensor(id) || isLeafKind(graph[id]))
      continue;
    std::map<NodeId, SmallVector<Exprs>> places;
    forEachInside(graph, plan, id, [&](const Ref &ref) {
      SmallVector<Exprs> &known = places[ref.node];
      if (!llvm::is_contained(known, ref.at))
        known.push_back(ref.at);
    });
    for (auto &[node, at] : places) {
      if (at.size() < 2 || !isBiased(node))
        continue;
      demand(node);
      readers[node] = {id};
      for (const Ref &operand : graph[node].operands)
        readers[operand.node] = {node};
    }
  }
}

/// A tensor that is one reduction and arguments with fewer dims is its finish.
void Planner::absorb() {
  for (NodeId id : reached) {
    const Node &node = graph[id];
    if (!plan.isTensor(id) || isLeafKind(node) || node.kind == Kind::Reduce ||
        node.kind == Kind::Piece)
      continue;
    std::optional<NodeId> reduction;
    bool fits = true;
    for (const Ref &leaf : leavesOf(graph, plan, id)) {
      const Node &read = graph[leaf];
      if (read.kind == Kind::Reduce && !reduction) {
        reduction = leaf.node;
        SmallVector<bool> seen(node.dims.size(), false);
        for (AffineExpr expr : leaf.at) {
          int dim = plainDim(expr);
          fits &= dim >= 0 && !seen[dim];
          if (dim >= 0)
            seen[dim] = true;
        }
        fits &= leaf.at.size() == node.dims.size();
        continue;
      }
      fits &= read.kind == Kind::Input && !imported.kept.count(read.value) &&
              graph.dimsOf(leaf).size() < node.dims.size();
    }
    if (!reduction || !fits || plan.absorbed.contains(*reduction) ||
        readers[*reduction].size() != 1)
      continue;
    plan.reductionOf[id] = *reduction;
    plan.absorbed.insert(*reduction);
  }
}

void Planner::sort() {
  enum { Open = 1, Done = 2 };
  llvm::DenseMap<NodeId, int> states; // looked up only
  std::vector<std::pair<NodeId, bool>> stack;
  auto isMade = [&](NodeId node) {
    return plan.isTensor(node) || imported.kept.count(graph[node].value);
  };
  for (const Tensor &tensor : llvm::reverse(imported.results))
    if (isMade(tensor.ref.node))
      stack.push_back({tensor.ref.node, false});
  while (!stack.empty()) {
    auto [id, isReady] = stack.back();
    stack.pop_back();
    if (isReady) {
      states[id] = Done;
      plan.order.push_back(id);
      continue;
    }
    if (states.count(id))
      continue;
    states[id] = Open;
    stack.push_back({id, true});
    SmallVector<NodeId> next;
    auto add = [&](NodeId node) {
      if (isMade(node))
        next.push_back(node);
    };
    const Node &node = graph[id];
    if (node.kind == Kind::Input) {
      forEachKeptOperand(imported, id, [&](const Ref &ref) { add(ref.node); });
    } else {
      for (const Ref &leaf : leavesOf(graph, plan, id))
        add(leaf.node);
    }
    for (NodeId operand : llvm::reverse(next))
      stack.push_back({operand, false});
  }
}

Plan Planner::run() {
  reach();
  decide();
  shareBiased();
  absorb();
  sort();
  return std::move(plan);
}

Plan normal::makePlan(const Imported &imported, const PieceKinds &kinds) {
  return Planner(imported, kinds).run();
}
