//===- EquationOrder.cpp - The order of a cascade's text ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EquationOrder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace transfusion::einsum;

void normal::orderEquations(CascadeOp cascade) {
  Block *block = &cascade.getBody().front();
  SmallVector<Operation *> order;
  llvm::DenseSet<Operation *> seen; // asked, never walked
  // Without recursion: a model is as deep as it has layers.
  SmallVector<std::pair<Operation *, unsigned>> stack = {
      {cascade.getYield(), 0}};
  while (!stack.empty()) {
    auto &[op, next] = stack.back();
    if (next == op->getNumOperands()) {
      order.push_back(op);
      stack.pop_back();
      continue;
    }
    Operation *producer = op->getOperand(next++).getDefiningOp();
    if (producer && producer->getBlock() == block &&
        seen.insert(producer).second)
      stack.push_back({producer, 0});
  }
  for (Operation *op : order)
    op->moveBefore(block, block->end());

  llvm::SetVector<Attribute> ranks;
  for (auto einsum : block->getOps<MapReduceOp>())
    for (StringRef name : einsum.getRanks().getAsValueRange<StringAttr>())
      ranks.insert(cascade.lookupRank(name));
  cascade.setRanksAttr(
      ArrayAttr::get(cascade.getContext(), ranks.getArrayRef()));
}
