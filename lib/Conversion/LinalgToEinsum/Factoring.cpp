//===- Factoring.cpp - Common factorisation of dimensions -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Factoring.h"

using namespace transfusion::raise;
using Node = Factoring::Node;

Node Factoring::create(int64_t extent) {
  nodes.push_back({extent, static_cast<Node>(nodes.size()), {}});
  return nodes.size() - 1;
}

Node Factoring::find(Node node) {
  while (nodes[node].link != node)
    node = nodes[node].link = nodes[nodes[node].link].link;
  return node;
}

llvm::SmallVector<Node, 4> Factoring::leaves(Node node) {
  llvm::SmallVector<Node, 4> result, stack{node};
  while (!stack.empty()) {
    Node top = find(stack.pop_back_val());
    if (nodes[top].extent == 1)
      continue;
    if (nodes[top].factors.empty()) {
      result.push_back(top);
      continue;
    }
    for (Node factor : llvm::reverse(nodes[top].factors))
      stack.push_back(factor);
  }
  return result;
}

/// The innermost leaf of a sequence whose last node is on top; false when
/// nothing but factors of 1 is left.
template <typename Nodes, typename Find>
static bool exposeLeaf(llvm::SmallVectorImpl<Node> &stack, Nodes &nodes,
                       Find find) {
  while (!stack.empty()) {
    Node top = find(stack.back());
    if (nodes[top].extent == 1) {
      stack.pop_back();
    } else if (!nodes[top].factors.empty()) {
      stack.pop_back();
      stack.append(nodes[top].factors.begin(), nodes[top].factors.end());
    } else {
      stack.back() = top;
      return true;
    }
  }
  return false;
}

bool Factoring::equate(llvm::ArrayRef<Node> a, llvm::ArrayRef<Node> b) {
  auto findNode = [&](Node node) { return find(node); };
  llvm::SmallVector<Node> left(a), right(b);
  while (true) {
    bool hasLeft = exposeLeaf(left, nodes, findNode);
    bool hasRight = exposeLeaf(right, nodes, findNode);
    if (!hasLeft || !hasRight)
      return hasLeft == hasRight;
    Node l = left.back(), r = right.back();
    int64_t x = nodes[l].extent, y = nodes[r].extent;
    if (x == y) {
      nodes[std::max(l, r)].link = std::min(l, r);
      left.pop_back();
      right.pop_back();
      continue;
    }
    Node wide = x > y ? l : r;
    int64_t inner = std::min(x, y);
    if (nodes[wide].extent % inner != 0)
      return false;
    // Create first: it may move the entries.
    Node outerFactor = create(nodes[wide].extent / inner);
    Node innerFactor = create(inner);
    nodes[wide].factors = {outerFactor, innerFactor};
  }
}
