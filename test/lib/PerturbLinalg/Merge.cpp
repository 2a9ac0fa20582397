//===- Merge.cpp - Generics fused into their readers ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Perturb.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace transfusion::test;

/// Named ops as generics: only these fuse.
static unsigned generalize(func::FuncOp function, IRRewriter &rewriter,
                           Dice &dice) {
  unsigned sites = 0;
  SmallVector<linalg::LinalgOp> ops(function.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : ops) {
    if (isa<linalg::GenericOp, linalg::FillOp>(op.getOperation()) ||
        dice.coin())
      continue;
    rewriter.setInsertionPoint(op);
    if (succeeded(linalg::generalizeNamedOp(rewriter, op)))
      ++sites;
  }
  return sites;
}

/// Fuses the producer of `operand` into its owner. Other readers of the
/// producer that come later read the fused op, or the producer stays for all of
/// them.
static bool fuse(OpOperand *operand, IRRewriter &rewriter, Dice &dice) {
  Operation *consumer = operand->getOwner();
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  rewriter.setInsertionPoint(consumer);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, operand);
  if (failed(fused))
    return false;
  for (Value old : consumer->getResults())
    old.replaceAllUsesWith(fused->replacements.lookup(old));
  bool share = dice.coin();
  for (Value old : producer->getResults()) {
    Value next = fused->replacements.lookup(old);
    if (next && share)
      old.replaceUsesWithIf(next, [&](OpOperand &use) {
        Operation *reader =
            fused->fusedOp->getBlock()->findAncestorOpInBlock(*use.getOwner());
        return reader && fused->fusedOp->isBeforeInBlock(reader);
      });
  }
  rewriter.eraseOp(consumer);
  if (producer->use_empty())
    rewriter.eraseOp(producer);
  return true;
}

unsigned transfusion::test::mergeGenerics(func::FuncOp function, Dice &dice) {
  IRRewriter rewriter(function.getContext());
  unsigned sites = generalize(function, rewriter, dice);
  // Each try looks at one edge: chains grow, some edges stay.
  for (int tries = 0; tries < 60; ++tries) {
    SmallVector<OpOperand *> fusable;
    function.walk([&](linalg::GenericOp op) {
      for (OpOperand *input : op.getDpsInputOperands())
        if (input->get().getDefiningOp<linalg::GenericOp>() &&
            linalg::areElementwiseOpsFusable(input))
          fusable.push_back(input);
    });
    if (fusable.empty())
      break;
    if (!dice.once(4) &&
        fuse(fusable[dice.below(fusable.size())], rewriter, dice))
      ++sites;
  }
  return sites;
}
