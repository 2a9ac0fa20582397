//===- BlockPlan.cpp - What is raised, and in which cascade ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockPlan.h"
#include "Bodies.h"
#include "ExpandOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace transfusion::raise;

BlockPlan::BlockPlan(Block &block) {
  for (Operation &op : block) {
    position[&op] = entries.size();
    entries.push_back({&op, false, -1, ""});
  }
  classify();
  findLive();
  assignLevels();
}

const BlockPlan::Entry *BlockPlan::find(Operation *op) const {
  auto it = position.find(op);
  return it == position.end() ? nullptr : &entries[it->second];
}

bool BlockPlan::isRaised(Operation *op) const {
  const Entry *entry = op ? find(op) : nullptr;
  return entry && entry->raised;
}

bool BlockPlan::isLive(Operation *op) const {
  return llvm::any_of(op->getResults(), [&](Value v) { return isLive(v); });
}

bool BlockPlan::isReadByForeign(Value value) const {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return !isRaised(user); });
}

Value transfusion::raise::reshapedBack(Operation *op) {
  auto isReshape = [](Operation *def) {
    return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                           tensor::ReshapeOp, tensor::CastOp>(def);
  };
  Value found;
  for (Operation *def = op; isReshape(def);
       def = def->getOperand(0).getDefiningOp())
    if (def->getOperand(0).getType() == op->getResult(0).getType())
      found = def->getOperand(0);
  return found;
}

static bool isDouble(Type type) { return getElementTypeOrSelf(type).isF64(); }

void BlockPlan::classify() {
  for (Entry &entry : entries) {
    if (entry.op->hasTrait<OpTrait::IsTerminator>())
      continue;
    entry.reason = whyNotRaised(entry.op);
    entry.raised = entry.reason.empty() && isRaisableKind(entry.op);
  }
  // f64 exists between raised ops only, where it becomes f32.
  constexpr StringRef reason =
      "has f64 on the border of the cascade, and Einsums have no f64; convert "
      "it to f32 in the program";
  bool changed = true;
  while (changed) {
    changed = false;
    for (Entry &entry : entries) {
      if (!entry.raised || knownSize(entry.op))
        continue;
      bool crosses = false;
      for (Value operand : entry.op->getOperands())
        crosses |= isa<RankedTensorType>(operand.getType()) &&
                   isDouble(operand.getType()) &&
                   !isRaised(operand.getDefiningOp());
      for (Value result : entry.op->getResults())
        crosses |= isDouble(result.getType()) && isReadByForeign(result);
      // Constants may stay where they are as well.
      if (crosses && entry.op->getNumOperands() != 0) {
        entry.raised = false;
        entry.reason = reason.str();
        changed = true;
      }
    }
  }
}

void BlockPlan::findLive() {
  for (Entry &entry : llvm::reverse(entries)) {
    Operation *op = entry.op;
    if (!entry.raised) {
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          live.insert(operand);
      });
      continue;
    }
    // A value that another block reads (a region of a later op was walked).
    for (Value result : op->getResults())
      if (isReadByForeign(result))
        live.insert(result);
    if (!isLive(op))
      continue;
    if (Value same = reshapedBack(op)) {
      live.insert(same);
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
      live.insert(reshape.getSource()); // its shape is static
      continue;
    }
    if (!linalgOp) {
      live.insert(op->operand_begin(), op->operand_end());
      continue;
    }
    for (OpResult result : op->getResults()) {
      if (!isLive(result))
        continue;
      SmallVector<bool> used =
          usedArguments(linalgOp, result.getResultNumber());
      for (OpOperand &operand : op->getOpOperands())
        if (used[linalgOp.getMatchingBlockArgument(&operand).getArgNumber()])
          live.insert(operand.get());
    }
  }
}

void BlockPlan::assignLevels() {
  int lastEffect = -1;
  for (Entry &entry : entries) {
    int level = entry.raised ? 0 : -1;
    entry.op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        const Entry *producer = def ? find(def) : nullptr;
        if (!producer || producer == &entry)
          continue;
        bool needsGap = entry.raised && !producer->raised;
        level = std::max(level, producer->level + (needsGap ? 1 : 0));
      }
    });
    if (!entry.raised && !isPure(entry.op))
      level = lastEffect = std::max(level, lastEffect);
    entry.level = level;
    if (entry.raised && isLive(entry.op))
      numLevels = std::max(numLevels, level + 1);
  }
}
