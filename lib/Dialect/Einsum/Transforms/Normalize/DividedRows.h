//===- DividedRows.h - Sums over a row, divided after it --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_DIVIDEDROWS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_DIVIDEDROWS_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// The sum over a row of x, divided by y, which is the same for all of the row:
/// the sum of x / y.
struct DividedRow {
  Ref quotient;        ///< x's sum / y; over the frame that it was found in
  Ref sum;             ///< of x / y; over the quotient's own dims
  unsigned bits = ~0u; ///< of the narrowest type that x's sum is cast to
};

/// The quotients of that form in a product.
llvm::SmallVector<DividedRow> dividedRowsOf(Graph &graph, const Frame &frame,
                                            const Ref &ref);

/// The product, with `by` in the place of the quotient.
Ref replaceQuotient(Graph &graph, const Frame &frame, const Ref &product,
                    const Ref &quotient, const Ref &by);

/// The sum of `condition ? 0 : x` where `sum` is that of x; with the branches
/// exchanged where `isNegated`.
Ref guardTerms(Graph &graph, const Frame &frame, const Ref &sum,
               const Ref &condition, bool isNegated);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_DIVIDEDROWS_H
