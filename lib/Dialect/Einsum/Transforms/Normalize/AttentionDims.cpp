//===- AttentionDims.cpp - What the dims of an attention are --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionDims.h"
#include "RecognizeAttention.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

AttentionDims normal::classifyDims(const Graph &graph, const Node &node) {
  AttentionTraits traits = AttentionTraits::unpack(node.attributes);
  auto uses = [&](unsigned operand, unsigned dim) {
    return operand < node.operands.size() &&
           graph.dependsOn(node.operands[operand],
                           getAffineDimExpr(dim, graph.getContext()));
  };
  auto isConstrained = [&](unsigned dim) {
    if (traits.blocks &&
        (dim == traits.blocks->block || dim == traits.blocks->within))
      return true;
    return llvm::any_of(traits.constraints(),
                        [&](AffineExpr c) { return c.isFunctionOfDim(dim); });
  };
  AttentionDims result;
  for (unsigned i = 0, e = node.dims.size(); i < e; ++i) {
    if (!traits.ofScore[i])
      result.features.push_back(i);
    else if (uses(attention::Keys, i) || uses(attention::Values, i))
      result.shared.push_back(i);
    else if (isConstrained(i) || StringRef(node.dims[i].hint).starts_with("p"))
      result.rows.push_back(i);
    else
      result.groups.push_back(i);
  }
  return result;
}
