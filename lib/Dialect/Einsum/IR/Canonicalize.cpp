//===- Canonicalize.cpp - Cascades without what nobody needs --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/PatternMatch.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace transfusion::einsum;

namespace {
/// Removes Einsums that no result depends on. A recurrence that nobody reads
/// keeps itself alive as far as uses go, so this asks what the results reach.
struct RemoveDeadEinsums : OpRewritePattern<CascadeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CascadeOp cascade,
                                PatternRewriter &rewriter) const override {
    llvm::DenseSet<Operation *> live;
    SmallVector<Value> worklist(cascade.getYield().getOperands());
    while (!worklist.empty()) {
      MapReduceOp op = getProducer(worklist.pop_back_val(), cascade);
      if (op && live.insert(op).second)
        llvm::append_range(worklist, op->getOperands());
    }
    SmallVector<MapReduceOp> dead;
    for (auto op : cascade.getBody().front().getOps<MapReduceOp>())
      if (!live.contains(op))
        dead.push_back(op);
    if (dead.empty())
      return failure();
    // They may read each other in a cycle: let go of all operands first.
    for (MapReduceOp op : dead)
      rewriter.modifyOpInPlace(op, [&] { op->setOperands({}); });
    for (MapReduceOp op : dead)
      rewriter.eraseOp(op);
    return success();
  }
};

/// Removes declarations of ranks that no Einsum iterates.
struct DropUnusedRanks : OpRewritePattern<CascadeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CascadeOp cascade,
                                PatternRewriter &rewriter) const override {
    llvm::DenseSet<Attribute> used;
    for (auto op : cascade.getBody().front().getOps<MapReduceOp>())
      for (Attribute name : op.getRanks())
        used.insert(name);
    SmallVector<Attribute> ranks;
    for (RankAttr rank : cascade.getRanks().getAsRange<RankAttr>())
      if (used.contains(rank.getName()))
        ranks.push_back(rank);
    if (ranks.size() == cascade.getRanks().size())
      return failure();
    rewriter.modifyOpInPlace(
        cascade, [&] { cascade.setRanksAttr(rewriter.getArrayAttr(ranks)); });
    return success();
  }
};

/// Drops results that nobody uses, that come from outside, or that repeat an
/// earlier one.
struct DropResults : OpRewritePattern<CascadeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CascadeOp cascade,
                                PatternRewriter &rewriter) const override {
    YieldOp yield = cascade.getYield();
    SmallVector<Value> kept;
    SmallVector<Type> types;
    // Position of each result among the kept ones; -1 is not needed.
    SmallVector<int> position;
    for (auto [value, result] :
         llvm::zip(yield.getOperands(), cascade.getResults())) {
      auto it = llvm::find(kept, value);
      if (result.use_empty() || !getProducer(value, cascade)) {
        position.push_back(-1);
      } else if (it != kept.end()) {
        position.push_back(it - kept.begin());
      } else {
        position.push_back(kept.size());
        kept.push_back(value);
        types.push_back(value.getType());
      }
    }
    if (kept.size() == cascade.getNumResults())
      return failure();
    SmallVector<Value> outside(yield.getOperands());
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(kept); });
    auto fresh = CascadeOp::create(rewriter, cascade.getLoc(), types,
                                   cascade.getRanks());
    fresh->setDiscardableAttrs(cascade->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(cascade.getBody(), fresh.getBody(),
                                fresh.getBody().end());
    SmallVector<Value> replacements;
    for (auto [i, at] : llvm::enumerate(position)) {
      if (at >= 0)
        replacements.push_back(fresh.getResult(at));
      else // from outside, or unused: any value of the type will do
        replacements.push_back(cascade.getResult(i).use_empty() ? Value()
                                                                : outside[i]);
    }
    rewriter.replaceOp(cascade, replacements);
    return success();
  }
};

/// A body that yields its argument is no body.
struct DropIdentityBodies : OpRewritePattern<MapReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool isIdentity(Region &region) {
    if (region.empty() || region.front().getNumArguments() != 1)
      return false;
    Block &body = region.front();
    return body.getTerminator()->getOperand(0) == body.getArgument(0);
  }

  LogicalResult matchAndRewrite(MapReduceOp op,
                                PatternRewriter &rewriter) const override {
    bool map = isIdentity(op.getMap()), finish = isIdentity(op.getFinish());
    if (!map && !finish)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (map)
        rewriter.eraseBlock(&op.getMap().front());
      if (finish)
        rewriter.eraseBlock(&op.getFinish().front());
    });
    return success();
  }
};

/// An Einsum that copies a tensor point by point is that tensor.
struct FoldCopy : OpRewritePattern<MapReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMap().empty() || !op.getFinish().empty() || op.getReduce() ||
        op.getDomain() || op.getInit() || op.getBase() ||
        op.getInputs().size() != 1)
      return failure();
    Value input = op.getInputs().front();
    if (input == op.getResult() || input.getType() != op.getType() ||
        op.getInputMap(0) != op.getResultMap())
      return failure();
    rewriter.replaceOp(op, input);
    return success();
  }
};
} // namespace

void CascadeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<RemoveDeadEinsums, DropUnusedRanks, DropResults>(context);
}

void MapReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropIdentityBodies, FoldCopy>(context);
}
