//===- Plan.h - Which nodes become tensors ----------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule is that of Materialize.h. It is decided users first: when a node's
// turn comes, all tensors that use it are known.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_PLAN_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_PLAN_H

#include "Import.h"
#include "Materialize.h"
#include "llvm/ADT/DenseSet.h"

namespace transfusion::einsum::normal {

struct Plan {
  /// Tensors, each after what it reads but for recurrences. Inputs among them
  /// are kept Einsums.
  std::vector<NodeId> order;
  llvm::DenseSet<NodeId> tensors; // asked, never walked
  /// The reduction whose finish a tensor is.
  llvm::DenseMap<NodeId, NodeId> reductionOf; // looked up only
  /// And the other way around: these are no Einsums of their own.
  llvm::DenseSet<NodeId> absorbed; // asked, never walked
  /// In front of a jump (Jumps.h): a quotient is written as one.
  llvm::DenseSet<NodeId> inFront; // asked, never walked

  bool isTensor(NodeId id) const { return tensors.contains(id); }
};

Plan makePlan(const Imported &imported, const PieceKinds &kinds);

/// The tensors that a tensor's own expression reads, in order, without the ones
/// behind them.
llvm::SmallVector<Ref> leavesOf(const Graph &graph, const Plan &plan,
                                NodeId tensor);

/// The layout of a tensor over the dims of its node, where each dimension is
/// made of them; empty where it is not (a broadcast, a part).
Exprs layoutOver(const Graph &graph, const Tensor &tensor);

/// The source of widening casts.
Ref throughWidening(const Graph &graph, Ref ref);

/// A sum of at least two whole tensors: it stays an Einsum of its own.
bool isResidual(const Graph &graph, const Node &node);
/// One, or one that is rounded.
bool isRoundedResidual(const Graph &graph, const Node &node);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_PLAN_H
