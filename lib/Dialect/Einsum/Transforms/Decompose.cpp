//===- Decompose.cpp - Named ops become one cascade -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace transfusion::einsum {
#define GEN_PASS_DEF_EINSUMDECOMPOSEPASS
#include "transfusion/Dialect/Einsum/Transforms/Passes.h.inc"
} // namespace transfusion::einsum

using namespace mlir;
using namespace transfusion::einsum;

/// Whether `op`, or an op inside it, reads a result of `ops`.
static bool readsResultOf(Operation *op,
                          const llvm::DenseSet<Operation *> &ops) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (ops.contains(operand.getDefiningOp()))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `op` is a view that only named ops and such views read.
static bool isAbsorbed(Operation *op) {
  return getViewSource(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return user->getBlock() == op->getBlock() &&
                  (isNamedOp(user) || isAbsorbed(user));
         });
}

namespace {
/// Named ops, the pure foreign ops that read their results, and the op that the
/// cascade is put in front of.
struct Group {
  SmallVector<Operation *> named;
  SmallVector<Operation *> deferred;
  Operation *before = nullptr;
};
} // namespace

/// (Named ops, and the views between them.) One group, unless a foreign op
/// stands between: one that reads a result of the group and is read by a later
/// named op, or has effects.
static SmallVector<Group> groupsOf(Block &block) {
  SmallVector<Group> groups;
  Group open;
  llvm::DenseSet<Operation *> named, deferred; // asked, never walked
  auto close = [&](Operation *before) {
    open.before = before;
    if (!open.named.empty())
      groups.push_back(std::move(open));
    open = {};
    named.clear();
    deferred.clear();
  };
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      close(&op);
    } else if (isNamedOp(&op) || isAbsorbed(&op)) {
      if (readsResultOf(&op, deferred))
        close(&op);
      open.named.push_back(&op);
      named.insert(&op);
    } else if (readsResultOf(&op, named) || readsResultOf(&op, deferred)) {
      if (isPure(&op)) {
        open.deferred.push_back(&op);
        deferred.insert(&op);
      } else {
        close(&op);
      }
    }
  }
  return groups;
}

/// Named ops that nobody reads make no Einsum.
static void eraseDead(Operation *function) {
  SmallVector<Operation *> named;
  function->walk([&](Operation *op) {
    if (isNamedOp(op))
      named.push_back(op);
  });
  for (Operation *op : llvm::reverse(named))
    if (op->use_empty())
      op->erase();
}

static LogicalResult decomposeOp(Run &run, Operation *op) {
  if (!isNamedOp(op))
    return decomposeView(run, op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<QkvOp, MhaOp, RopeOp, SoftmaxOp, LayerNormOp, RmsNormOp, LinearOp,
            FfnOp, AddOp>([&](auto named) { return decompose(run, named); });
}

static LogicalResult decomposeGroup(Group &group, EinsumNames &names,
                                    const DecomposeOptions &options) {
  llvm::DenseSet<Operation *> ops(group.named.begin(), group.named.end());
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (Operation *op : group.named)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !ops.contains(user); })) {
        results.push_back(result);
        types.push_back(result.getType());
      }

  OpBuilder builder(group.before);
  CascadeBuilder cascade(builder, group.named.front()->getLoc(), types);
  Run run{options, names, cascade, ops, llvm::DenseMap<Value, Value>(), {}};
  for (Operation *op : group.named)
    if (failed(decomposeOp(run, op)))
      return failure();

  SmallVector<Value> yields;
  for (Value result : results)
    yields.push_back(run.escaping.lookup(result));
  CascadeOp made = cascade.finish(yields);
  for (Operation *op : group.deferred)
    op->moveBefore(group.before);
  for (auto [result, value] : llvm::zip(results, made.getResults()))
    result.replaceAllUsesWith(value);
  for (Operation *op : llvm::reverse(group.named)) {
    // What a transpose would have written to.
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      if (auto empty = operand.getDefiningOp<tensor::EmptyOp>())
        if (empty->use_empty())
          empty->erase();
  }
  return success();
}

LogicalResult
transfusion::einsum::decomposeNamedOps(func::FuncOp function,
                                       const DecomposeOptions &options) {
  eraseDead(function);
  EinsumNames names(function);
  SmallVector<Block *> blocks;
  function.walk([&](Operation *op) {
    if (isNamedOp(op) && !llvm::is_contained(blocks, op->getBlock()))
      blocks.push_back(op->getBlock());
  });
  for (Block *block : blocks)
    for (Group &group : groupsOf(*block))
      if (failed(decomposeGroup(group, names, options)))
        return failure();
  mergeCascades(function);
  return success();
}

namespace {
struct DecomposePass
    : transfusion::einsum::impl::EinsumDecomposePassBase<DecomposePass> {
  using EinsumDecomposePassBase::EinsumDecomposePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (keyTile < 0) {
      function.emitError() << "key-tile is " << keyTile.getValue()
                           << ", but needs at least 1 key";
      return signalPassFailure();
    }
    if (attentionPasses < 1 || attentionPasses > 3) {
      function.emitError() << "attention-passes is "
                           << attentionPasses.getValue()
                           << ", but must be 1, 2 or 3";
      return signalPassFailure();
    }
    DecomposeOptions options;
    options.keyTile = keyTile;
    options.attentionPasses = attentionPasses;
    options.storageAccumulator = accumulator == AccumulatorKind::Storage;
    options.reportPasses = reportPasses;

    if (failed(decomposeNamedOps(function, options)))
      signalPassFailure();
  }
};
} // namespace
