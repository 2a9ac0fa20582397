//===- SpaceWalks.cpp - Three ways through a tile space -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SpaceSearch.h"

#include <algorithm>
#include <cmath>

namespace transfusion::core {

//===----------------------------------------------------------------------===//
// Monte Carlo tree search
//===----------------------------------------------------------------------===//

void SpaceSearch::open(Node &n) {
  n.opened = true;
  n.values = space.candidates(n.prefix);
  // The order in which children are tried: what the rollouts would do first.
  if (space.decision(n.prefix.size()).kind == DecisionKind::Block) {
    int64_t first = chooser.choose(n.prefix, 0).front();
    auto it = std::find(n.values.begin(), n.values.end(), first);
    if (it != n.values.end())
      std::rotate(n.values.begin(), it, it + 1);
  }
}

void SpaceSearch::close(int32_t node) {
  while (node >= 0) {
    Node &n = nodes[node];
    n.closed = true;
    node = n.parent;
    if (node < 0)
      break;
    Node &p = nodes[node];
    if (p.children.size() < p.values.size())
      break;
    bool all = true;
    for (int32_t child : p.children)
      all = all && nodes[child].closed;
    if (!all)
      break;
  }
}

/// The next child to visit: a new one while the node has few for its visits,
/// else the one of the greatest upper confidence bound. -1: all are closed.
int32_t SpaceSearch::select(int32_t node) {
  if (!nodes[node].opened)
    open(nodes[node]);
  auto expand = [&]() {
    Node child;
    child.prefix = nodes[node].prefix;
    child.prefix.push_back(nodes[node].values[nodes[node].children.size()]);
    child.parent = node;
    int32_t id = static_cast<int32_t>(nodes.size());
    nodes[node].children.push_back(id);
    nodes.push_back(std::move(child));
    return id;
  };
  const Node &n = nodes[node];
  bool anyOpen = false;
  for (int32_t child : n.children)
    anyOpen |= !nodes[child].closed;
  const double width = 1 + std::pow(static_cast<double>(n.visits), 0.6);
  if (n.children.size() < n.values.size() &&
      (!anyOpen || static_cast<double>(n.children.size()) < width))
    return expand();
  int32_t chosen = -1;
  double most = 0;
  for (int32_t child : n.children) {
    const Node &k = nodes[child];
    if (k.closed)
      continue;
    const double visits = static_cast<double>(std::max<int64_t>(k.visits, 1));
    // How near the node's best and its average come to the best known.
    const double near =
        k.best < kNone ? std::max(0.0, 2 - k.best / bestCost) : 0;
    const double value =
        0.5 * near + 0.5 * k.rewards / visits +
        0.3 * std::sqrt(std::log(static_cast<double>(n.visits + 1)) / visits);
    if (chosen < 0 || value > most) {
      chosen = child;
      most = value;
    }
  }
  return chosen;
}

bool SpaceSearch::stepMcts() {
  ++taken;
  int32_t node = 0;
  while (!nodes[0].closed) {
    Node &n = nodes[node];
    const bool useless =
        !mayFit(n.prefix) || (found() && bound(n.prefix) >= bestCost);
    if (!useless &&
        (n.prefix.size() == space.size() || (n.visits == 0 && node != 0)))
      break;
    const int32_t next = useless ? -1 : select(node);
    if (next < 0)
      close(node);
    node = std::max(next, 0); // from the root again
  }
  done = nodes[0].closed;
  if (done)
    return false;
  Choices leaf = rollout(nodes[node].prefix);
  double cost = leaf.size() == space.size() ? evaluateLeaf(leaf) : kNone;
  double reward = cost < kNone ? std::max(0.0, 2 - cost / bestCost) : 0;
  if (nodes[node].prefix.size() == space.size())
    close(node);
  for (int32_t i = node; i >= 0; i = nodes[i].parent) {
    ++nodes[i].visits;
    nodes[i].rewards += reward;
    nodes[i].best = std::min(nodes[i].best, cost);
  }
  done = nodes[0].closed;
  return !done;
}

//===----------------------------------------------------------------------===//
// Exhaustive and random
//===----------------------------------------------------------------------===//

void SpaceSearch::enumerate(Choices &prefix) {
  if (!mayFit(prefix) || (found() && bound(prefix) >= bestCost))
    return;
  if (prefix.size() == space.size()) {
    evaluateLeaf(prefix);
    return;
  }
  for (int64_t v : space.candidates(prefix)) {
    prefix.push_back(v);
    enumerate(prefix);
    prefix.pop_back();
  }
}

void SpaceSearch::exhaust() {
  Choices prefix;
  enumerate(prefix);
  done = true;
}

bool SpaceSearch::stepRandom() {
  const int64_t before = evaluated;
  // Draws that do not fit, or that were drawn before, cost nothing; a space
  // with nothing else ends after many of them.
  for (int tries = 0; tries < 2000 && evaluated == before; ++tries) {
    Choices choices;
    while (choices.size() < space.size()) {
      std::vector<int64_t> values = space.candidates(choices);
      choices.push_back(values[rng.below(values.size())]);
    }
    evaluateLeaf(choices);
  }
  done = evaluated == before;
  return !done;
}

} // namespace transfusion::core
