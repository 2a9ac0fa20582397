//===- VisibleKeys.h - Masks in a score that are domains --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A score of -inf says that a query does not see a key: its exponential is 0,
// and it is no maximum. Where indices alone decide that, the point need not
// exist. So what adds, or selects, 0 or -inf by a comparison of indices is
// taken out of the score and becomes constraints. What a caller has stated
// about a mask that is data (#einsum.mask) is treated likewise.
//
// Exactly that: finite masks are values, and stay; so do disjunctions, which no
// conjunction of constraints says, and conditions of which linear constraints
// say only a part (LinearConditions.h).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_VISIBLEKEYS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_VISIBLEKEYS_H

#include "LinearConditions.h"

namespace transfusion::einsum::normal {

struct VisibleKeys {
  Ref score; ///< without the masks that became constraints
  /// Each at least 0, linear in the dims of the frame, and about the key: a
  /// query that sees nothing exists all the same.
  Exprs constraints;
  /// What follows from conditions that are still in the score.
  Exprs implied;
  /// Why a mask that indices decide is computed all the same; else empty.
  std::string computed;
  /// Inequalities that are not linear, and blocks of queries that one of them
  /// asks for.
  unsigned numNotLinear = 0;
  std::optional<Blocks> blocks;
};

/// `key`: the dim that counts the keys.
VisibleKeys splitVisibleKeys(Graph &graph, const Frame &frame, const Ref &score,
                             mlir::AffineExpr key);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_VISIBLEKEYS_H
