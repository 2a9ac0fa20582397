//===- Indices.h - Affine expressions in one form ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Equal accesses must be the same expression, or equal nodes are not found. The
// form is a sum of `coefficient * atom`, greatest coefficient first, where an
// atom is a dim, or a mod or floordiv that the extents do not do away with:
// (h*12 + e) floordiv 12 is h where e < 12, and
// (d floordiv 12)*12 + d mod 12 is d.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_INDICES_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_INDICES_H

#include "mlir/IR/AffineExpr.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"

namespace transfusion::einsum::normal {

/// The one form. An extent of 0 is unbounded.
mlir::AffineExpr simplifyIndex(mlir::AffineExpr expr,
                               llvm::ArrayRef<int64_t> extents);

/// Values of the expression; nullopt where a dim is unbounded.
std::optional<Interval> rangeOf(mlir::AffineExpr expr,
                                llvm::ArrayRef<int64_t> extents);

/// A total order that does not depend on where expressions are in memory.
int compareIndices(mlir::AffineExpr a, mlir::AffineExpr b);

/// Depends on the expression's form alone.
uint64_t hashIndex(mlir::AffineExpr expr);

/// Position of a plain dim; -1 for anything else.
int plainDim(mlir::AffineExpr expr);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_INDICES_H
