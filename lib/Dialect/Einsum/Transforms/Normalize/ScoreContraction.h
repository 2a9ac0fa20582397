//===- ScoreContraction.h - Queries times keys ------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_SCORECONTRACTION_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_SCORECONTRACTION_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

struct Contraction {
  Ref ref;
  Factors queries, keys; ///< over the frame with the contracted dims
  Exprs contracted;
};

/// Factors with the key and factors without it, summed over dims of their own;
/// at plain dims: what QK is.
std::optional<Contraction> matchContraction(Graph &graph, Frame &frame,
                                            const Ref &ref,
                                            mlir::AffineExpr key);

/// The contraction that the score is made from: the one of most dims.
void findContraction(Graph &graph, Frame &frame, const Ref &ref,
                     mlir::AffineExpr key, unsigned depth,
                     std::optional<Ref> &best);

/// `ref` with `to` instead of `from`, not looking into reductions.
Ref substitute(Graph &graph, const Frame &frame, const Ref &ref,
               const Ref &from, const Ref &to);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_SCORECONTRACTION_H
