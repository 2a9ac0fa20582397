//===- BlockPlan.h - What is raised, and in which cascade -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *raised* op disappears into a cascade; a *foreign* op stays. Foreign
// ops that stand between raised ones cut the block into *levels*: cascade k
// holds the raised ops of level k, and foreign ops of level k come after it. A
// foreign op that reads nothing raised has level -1.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BLOCKPLAN_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BLOCKPLAN_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace transfusion::raise {

struct BlockPlan {
  explicit BlockPlan(mlir::Block &block);

  struct Entry {
    mlir::Operation *op;
    bool raised = false;
    int level = -1;
    /// Why a tensor op is foreign; empty for what is none of our business.
    std::string reason;
  };
  llvm::SmallVector<Entry> entries; ///< in program order
  int numLevels = 0;

  /// Null for an op of another block.
  const Entry *find(mlir::Operation *op) const;
  bool isRaised(mlir::Operation *op) const;
  /// Somebody needs it: a foreign op, or a live raised one.
  bool isLive(mlir::Value value) const { return live.contains(value); }
  bool isLive(mlir::Operation *op) const;
  /// A foreign op, or an op of another block, reads it.
  bool isReadByForeign(mlir::Value value) const;

private:
  void classify();
  void findLive();
  void assignLevels();

  llvm::DenseMap<mlir::Operation *, unsigned> position; // looked up only
  llvm::DenseSet<mlir::Value> live;                     // asked only
};

/// Why `op`, taken alone, cannot become an Einsum, a view or a copy; empty when
/// it can. Results that are not live are not looked at.
std::string whyNotRaised(mlir::Operation *op);

/// The same for an op that is none of those that can be raised
/// (ForeignOps.cpp).
std::string whyNotForeign(mlir::Operation *op);

/// Why a tensor of this type can be in no cascade; empty when it can.
std::string whyNotType(mlir::Type type);

/// For a reshape that undoes others: the value that it gives back, the earliest
/// of its type on a way through reshapes alone. Those in between split
/// dimensions as nobody else does.
mlir::Value reshapedBack(mlir::Operation *op);

/// An op that can be raised in principle: linalg on tensors, views and pieces
/// of tensors, constant tensors.
bool isRaisableKind(mlir::Operation *op);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BLOCKPLAN_H
