//===- NormCascade.h - The equations of a norm ------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever wrote it: a named op, or a norm that was recognised.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMCASCADE_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMCASCADE_H

#include "CascadeBuilder.h"

namespace transfusion::einsum {

/// What one norm is computed over.
struct NormSpace {
  Exprs rows, columns;
  int64_t width; ///< of all columns
  double eps;
  mlir::Type compute;
  /// Of sums, where they are rounded to `compute` when they are complete; null:
  /// `compute`.
  mlir::Type accumulator;

  /// Rows, then columns.
  Exprs all() const;
};

/// What NR is made from.
struct Normalizer {
  Read value;   ///< x - mean x, or x
  Read inverse; ///< 1 / sqrt(variance + eps)
};
/// SAV, MAV, DAV, QAV, SQAV, MQAV, SR.
Normalizer emitLayerNorm(const NormSpace &space, const Read &x,
                         const EmitEinsum &emit);
/// QAV, SQAV, MQAV, SR.
Normalizer emitRmsNorm(const NormSpace &space, const Read &x,
                       const EmitEinsum &emit);

} // namespace transfusion::einsum

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMCASCADE_H
