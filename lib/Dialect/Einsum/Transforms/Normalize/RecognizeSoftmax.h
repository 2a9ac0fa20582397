//===- RecognizeSoftmax.h - Values weighted by a softmax --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sum over keys of  exp(score - max) / (sum of exp(score - max)) * values
//
// with max the maximum of the score over the keys, or nothing subtracted; under
// the guard  all scores are -inf ? 0 : weight,  or without. What is proved:
// both sums and the maximum reduce the same keys, namely all that the
// contraction reduces; both exponentials are one node; the maximum's body is
// the score; the guard asks this score. A softmax of a row does not change when
// a value that is the same for all keys is subtracted, but such a program is
// not matched: what was meant is not known.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZESOFTMAX_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZESOFTMAX_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// Refs are over the frame that was given, the keys among its dims.
struct SoftmaxContraction {
  Exprs keys;
  Ref score; ///< masks included
  Ref values;
  mlir::Type weight; ///< the narrowest type that a weight is rounded to
  bool isGuarded = false;
  /// Reductions that nobody needs when this is replaced.
  llvm::SmallVector<NodeId> softmax;
};

/// `ref` is a reduction at the dims of `frame`, to which keys are added.
std::optional<SoftmaxContraction>
matchSoftmaxContraction(Graph &graph, Frame &frame, const Ref &ref);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZESOFTMAX_H
