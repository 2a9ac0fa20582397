//===- Rewrite.cpp - Offers every node to the rules -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognize.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
class Rewriter {
public:
  Rewriter(Graph &graph, ArrayRef<Rule> rules) : graph(graph), rules(rules) {}
  Ref rewrite(const Ref &ref, const Frame &frame);

private:
  /// The node at its own dims, rewritten.
  Ref rewriteNode(NodeId id);

  Graph &graph;
  ArrayRef<Rule> rules;
  llvm::DenseMap<NodeId, Ref> done; // looked up only
};
} // namespace

Ref Rewriter::rewriteNode(NodeId root) {
  // Operands first, without recursion: a model is as deep as it has layers.
  SmallVector<NodeId> stack = {root};
  while (!stack.empty()) {
    NodeId id = stack.back();
    if (done.count(id)) {
      stack.pop_back();
      continue;
    }
    bool ready = true;
    for (const Ref &operand : graph[id].operands)
      if (!done.count(operand.node)) {
        ready = false;
        stack.push_back(operand.node);
      }
    if (!ready)
      continue;
    stack.pop_back();
    const Node &node = graph[id]; // stays valid: see Graph
    Frame own = graph.frameOf(id);
    Ref result{id, own.all()};
    if (!node.operands.empty()) {
      Frame inner = own;
      inner.dims.append(node.bound.begin(), node.bound.end());
      SmallVector<Ref> operands;
      for (const Ref &operand : node.operands)
        operands.push_back(
            graph.compose(done.find(operand.node)->second, operand.at, inner));
      result = graph.rebuild(inner, node, operands);
    }
    for (const Rule &rule : rules) {
      // What rebuilding made may have other dims: a rule sees its own.
      Frame frame = graph.frameOf(result.node);
      std::optional<Ref> answer =
          rule(graph, frame, {result.node, frame.all()});
      if (!answer)
        continue;
      result = graph.compose(*answer, result.at, own);
      break;
    }
    done[id] = result;
  }
  return done.find(root)->second;
}

Ref Rewriter::rewrite(const Ref &ref, const Frame &frame) {
  return graph.compose(rewriteNode(ref.node), ref.at, frame);
}

void normal::rewrite(Graph &graph, ArrayRef<Root> roots, ArrayRef<Rule> rules) {
  Rewriter rewriter(graph, rules);
  for (const Root &root : roots)
    *root.ref = rewriter.rewrite(*root.ref, *root.frame);
}
