//===- EquationGraph.cpp - Who reads whom in a cascade --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/IR/EquationGraph.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"

using namespace mlir;
using namespace transfusion::einsum;

EquationGraph::EquationGraph(CascadeOp cascade) : cascade(cascade) {
  llvm::DenseMap<Operation *, unsigned> position;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>()) {
    position[op] = ops.size();
    ops.push_back(op);
  }
  SmallVector<SmallVector<unsigned>> successors(ops.size());
  for (auto [to, op] : llvm::enumerate(ops))
    for (OpOperand &operand : op->getOpOperands())
      if (MapReduceOp producer = getProducer(operand.get(), cascade)) {
        unsigned from = position[producer];
        allEdges.push_back(
            {from, static_cast<unsigned>(to), operand.getOperandNumber()});
        successors[from].push_back(to);
      }

  // Tarjan, with its own stack: a chain of Einsums may be long.
  constexpr unsigned unseen = ~0u;
  SmallVector<unsigned> index(ops.size(), unseen), low(ops.size(), 0);
  SmallVector<bool> onStack(ops.size(), false);
  SmallVector<unsigned> stack;
  sccOf.assign(ops.size(), 0);
  unsigned counter = 0;
  struct Frame {
    unsigned node, next;
  };
  for (unsigned root = 0; root < ops.size(); ++root) {
    if (index[root] != unseen)
      continue;
    SmallVector<Frame> frames{{root, 0}};
    while (!frames.empty()) {
      unsigned node = frames.back().node;
      if (frames.back().next == 0) {
        index[node] = low[node] = counter++;
        stack.push_back(node);
        onStack[node] = true;
      }
      if (frames.back().next < successors[node].size()) {
        unsigned next = successors[node][frames.back().next++];
        if (index[next] == unseen)
          frames.push_back({next, 0});
        else if (onStack[next])
          low[node] = std::min(low[node], index[next]);
        continue;
      }
      if (low[node] == index[node]) {
        SmallVector<unsigned> &scc = sccs.emplace_back();
        unsigned member;
        do {
          member = stack.pop_back_val();
          onStack[member] = false;
          scc.push_back(member);
        } while (member != node);
        llvm::sort(scc);
      }
      frames.pop_back();
      if (!frames.empty())
        low[frames.back().node] = std::min(low[frames.back().node], low[node]);
    }
  }
  // Tarjan finds readers first.
  std::reverse(sccs.begin(), sccs.end());
  for (auto [i, scc] : llvm::enumerate(sccs))
    for (unsigned member : scc)
      sccOf[member] = i;
}

SmallVector<EquationGraph::Edge>
EquationGraph::innerEdges(unsigned component) const {
  SmallVector<Edge> inner;
  for (const Edge &edge : allEdges)
    if (sccOf[edge.from] == component && sccOf[edge.to] == component)
      inner.push_back(edge);
  return inner;
}

bool EquationGraph::isCyclic(unsigned component) const {
  return !innerEdges(component).empty();
}

std::optional<int64_t> EquationGraph::getAdvance(const Edge &edge,
                                                 StringRef rank) const {
  MapReduceOp from = ops[edge.from], to = ops[edge.to];
  AffineMap access = cast<AffineMapAttr>(to.getMaps()[edge.operand]).getValue();
  // The reader must not reduce the rank: its own result would be no slice.
  SmallVector<bool> reduced = to.getReducedRanks();
  for (auto [i, name] :
       llvm::enumerate(to.getRanks().getAsValueRange<StringAttr>()))
    if (name == rank && reduced[i])
      return std::nullopt;
  for (unsigned d = 0, e = access.getNumResults(); d < e; ++d) {
    std::optional<int64_t> advance =
        ::transfusion::einsum::getAdvance(from, to, access, d);
    if (!advance)
      continue;
    bool isRank = false;
    from.getResultMap().getResult(d).walk([&](AffineExpr expr) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        isRank |=
            cast<StringAttr>(from.getRanks()[dim.getPosition()]).getValue() ==
            rank;
    });
    if (isRank)
      return advance;
  }
  return std::nullopt;
}

SmallVector<unsigned> EquationGraph::findStuckCycle(unsigned component,
                                                    StringRef rank) const {
  ArrayRef<unsigned> members = sccs[component];
  SmallVector<Edge> inner = innerEdges(component);
  unsigned n = members.size();
  auto local = [&](unsigned node) -> unsigned {
    return std::distance(members.begin(), llvm::find(members, node));
  };
  // Bellman-Ford finds a cycle of negative length. A cycle has at most n edges,
  // so with length advance * (n + 1) - 1 those are the cycles of advance <= 0.
  // An edge without a defined advance is shorter than anything that could make
  // up for it.
  int64_t scale = n + 1, undefined = -scale;
  SmallVector<int64_t> length;
  int64_t total = 0;
  for (const Edge &edge : inner) {
    std::optional<int64_t> advance = getAdvance(edge, rank);
    // Offsets lie within a tensor, but nothing bounds a tensor's size.
    int64_t a =
        advance ? std::clamp<int64_t>(*advance, -(1 << 20), 1 << 20) : 0;
    length.push_back(advance ? a * scale - 1 : 0);
    total += std::abs(a) * scale + 1;
  }
  for (auto [i, edge] : llvm::enumerate(inner))
    if (!getAdvance(edge, rank))
      length[i] = undefined - total;

  SmallVector<int64_t> distance(n, 0);
  SmallVector<int> via(n, -1);
  int touched = -1;
  for (unsigned round = 0; round <= n; ++round) {
    touched = -1;
    for (auto [i, edge] : llvm::enumerate(inner)) {
      unsigned from = local(edge.from), to = local(edge.to);
      if (distance[from] + length[i] < distance[to]) {
        distance[to] = distance[from] + length[i];
        via[to] = i;
        touched = to;
      }
    }
    if (touched < 0)
      return {};
  }
  // n steps backwards lead onto the cycle.
  unsigned node = touched;
  for (unsigned i = 0; i < n; ++i)
    node = local(inner[via[node]].from);
  SmallVector<unsigned> cycle;
  unsigned walk = node;
  do {
    cycle.push_back(members[walk]);
    walk = local(inner[via[walk]].from);
  } while (walk != node);
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), llvm::min_element(cycle), cycle.end());
  return cycle;
}

RankAttr EquationGraph::getIterativeRank(unsigned component) const {
  for (RankAttr rank : CascadeOp(cascade).getRanks().getAsRange<RankAttr>())
    if (rank.getIterative() &&
        findStuckCycle(component, rank.getName().getValue()).empty())
      return rank;
  return {};
}
