//===- RowStatistics.h - Maxima and sums of a row's scores ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs put around the maximum that a softmax subtracts and around the
// sum that it divides by, which changes nothing but for empty rows: those all
// of whose scores are -inf.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ROWSTATISTICS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ROWSTATISTICS_H

#include "NormalForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace transfusion::einsum::normal {

bool isCompare(const Node &node, mlir::arith::CmpFPredicate predicate);

struct Subtracted {
  Ref maximum; ///< if it is one; under what is around it
  /// Empty rows subtract a finite number: their exponentials are 0, not NaN.
  bool isFinite = false;
  /// Where this holds, NaN is subtracted: of the maximum of numbers it is that
  /// there is none.
  std::optional<Ref> allNaN;
  unsigned bits = ~0u; ///< of the narrowest type that the maximum is cast to
};
Subtracted subtractedOf(const Graph &graph, const Ref &ref);

/// Where the maximum's body turns NaN into -inf (maxnumf): what it is of.
std::optional<Ref> ignoringNaN(const Graph &graph, const Ref &ref);

/// The sum, under what makes a sum of 0 something else and leaves one of at
/// least 1 as it is: a greatest of it and a small number, a small number added,
/// a select.
Ref withoutFloor(const Graph &graph, const Ref &ref);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ROWSTATISTICS_H
