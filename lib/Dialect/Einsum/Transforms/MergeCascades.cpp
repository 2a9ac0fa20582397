//===- MergeCascades.cpp - Cascades with nothing between them are one -----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named ops beside ops that were raised give cascades of their own. Two of one
// block become one, where no other op reads the first and is read by the
// second: what is fused with what must not depend on where a cascade came from.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace transfusion::einsum;

static bool reads(Operation *op, const llvm::DenseSet<Operation *> &ops) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value operand) {
                              return ops.contains(operand.getDefiningOp());
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What stands between and reads `first`, all of which can stand behind
/// `second`; nothing where it cannot.
static std::optional<SmallVector<Operation *>> movable(CascadeOp first,
                                                       CascadeOp second) {
  SmallVector<Operation *> behind;
  llvm::DenseSet<Operation *> dependent = {first}; // asked, never walked
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode()) {
    if (!reads(op, dependent))
      continue;
    if (!isPure(op))
      return std::nullopt;
    behind.push_back(op);
    dependent.insert(op);
  }
  dependent.erase(first);
  if (reads(second, dependent))
    return std::nullopt;
  return behind;
}

static bool shareNames(CascadeOp first, CascadeOp second) {
  llvm::DenseSet<StringAttr> names; // asked, never walked
  for (auto op : first.getBody().getOps<MapReduceOp>())
    names.insert(op.getEinsumNameAttr());
  return llvm::any_of(
      second.getBody().getOps<MapReduceOp>(),
      [&](MapReduceOp op) { return names.contains(op.getEinsumNameAttr()); });
}

static RankAttr findRank(ArrayRef<Attribute> ranks, StringAttr name) {
  for (Attribute rank : ranks)
    if (cast<RankAttr>(rank).getName() == name)
      return cast<RankAttr>(rank);
  return {};
}

/// Ranks of the cascade that have the name, but not the meaning, of one of
/// `others` get another (p_2). Adds the cascade's ranks to `others`.
static void renameRanks(CascadeOp cascade, SmallVectorImpl<Attribute> &others) {
  SmallVector<Attribute> ranks(cascade.getRanks().getValue());
  llvm::DenseMap<Attribute, StringAttr> renamed; // looked up only
  for (Attribute &attr : ranks) {
    auto rank = cast<RankAttr>(attr);
    StringAttr name = rank.getName();
    RankAttr known = findRank(others, name);
    if (known == rank)
      continue;
    for (int i = 2; known; ++i) {
      name = StringAttr::get(rank.getContext(),
                             rank.getName().getValue() + "_" + Twine(i));
      known = findRank(others, name);
      if (!known)
        known = findRank(ranks, name);
    }
    renamed[rank.getName()] = name;
    attr = RankAttr::get(rank.getContext(), name, rank.getExtent(),
                         rank.getIterative());
    others.push_back(attr);
  }
  cascade.setRanksAttr(ArrayAttr::get(cascade.getContext(), ranks));
  auto newName = [&](StringAttr name) {
    StringAttr other = renamed.lookup(name);
    return other ? other : name;
  };
  for (auto op : cascade.getBody().getOps<MapReduceOp>()) {
    SmallVector<Attribute> own;
    for (auto name : op.getRanks().getAsRange<StringAttr>())
      own.push_back(newName(name));
    op.setRanksAttr(ArrayAttr::get(op.getContext(), own));
    op->walk([&](IndexOp index) {
      index.setRankAttr(newName(index.getRankAttr()));
    });
  }
}

/// One cascade in the place of `second`.
static CascadeOp merge(CascadeOp first, CascadeOp second,
                       ArrayRef<Operation *> behind) {
  SmallVector<Attribute> ranks(first.getRanks().getValue());
  renameRanks(second, ranks);
  for (Operation *op : llvm::reverse(behind))
    op->moveAfter(second);
  Block &from = first.getBody().front(), &to = second.getBody().front();
  SmallVector<Value> firstYields(first.getYield().getOperands());
  // The second reads tensors, not results.
  for (auto [result, tensor] : llvm::zip(first.getResults(), firstYields))
    result.replaceUsesWithIf(tensor, [&](OpOperand &use) {
      return second->isProperAncestor(use.getOwner());
    });
  SmallVector<Value> secondYields(second.getYield().getOperands());

  OpBuilder b(second);
  SmallVector<Value> results, yields;
  SmallVector<Type> types;
  for (auto [cascade, tensors] :
       {std::pair(first, &firstYields), std::pair(second, &secondYields)})
    for (auto [result, tensor] : llvm::zip(cascade.getResults(), *tensors)) {
      if (cascade == first && result.use_empty())
        continue;
      results.push_back(result);
      yields.push_back(tensor);
      types.push_back(result.getType());
    }
  first.getYield()->erase();
  second.getYield()->erase();
  auto merged = CascadeOp::create(b, first.getLoc(), types,
                                  ArrayAttr::get(first.getContext(), ranks));
  Block *body = b.createBlock(&merged.getBody());
  body->getOperations().splice(body->end(), from.getOperations());
  body->getOperations().splice(body->end(), to.getOperations());
  b.setInsertionPointToEnd(body);
  YieldOp::create(b, first.getLoc(), yields);
  for (auto [result, value] : llvm::zip(results, merged.getResults()))
    result.replaceAllUsesWith(value);
  first.erase();
  second.erase();
  return merged;
}

static void mergeIn(Block &block) {
  SmallVector<CascadeOp> cascades(block.getOps<CascadeOp>());
  for (size_t i = 0; i < cascades.size(); ++i)
    for (size_t j = i + 1; j < cascades.size();) {
      auto behind = movable(cascades[i], cascades[j]);
      if (!behind || shareNames(cascades[i], cascades[j])) {
        ++j;
        continue;
      }
      cascades[j] = merge(cascades[i], cascades[j], *behind);
      cascades.erase(cascades.begin() + i);
      j = i + 1;
    }
}

void transfusion::einsum::mergeCascades(func::FuncOp function) {
  llvm::SetVector<Block *> blocks;
  function.walk([&](CascadeOp op) { blocks.insert(op->getBlock()); });
  for (Block *block : blocks)
    mergeIn(*block);
  // A schedule names the ranks of all cascades of its function.
  SmallVector<Attribute> ranks;
  function.walk([&](CascadeOp op) { renameRanks(op, ranks); });
}
