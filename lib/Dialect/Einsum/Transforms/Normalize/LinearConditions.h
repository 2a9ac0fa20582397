//===- LinearConditions.h - Conditions without quotients --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Domains are linear; conditions of a program may ask for the block that an
// index is in. With integers, much of that is linear all the same:
//
//   m floordiv 8 <= r      is   m <= 8*r + 7
//   8*(p floordiv 8) <= m  is   p floordiv 8 <= m floordiv 8, and so, once p is
//                               walked as 8*b + i,   8*b <= m
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_LINEARCONDITIONS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_LINEARCONDITIONS_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// A linear expression that is at least 0 exactly where `expr` is; null where
/// none is found.
mlir::AffineExpr linearEquivalent(mlir::AffineExpr expr,
                                  llvm::ArrayRef<int64_t> extents);

/// A linear expression that is at least 0 wherever `expr` is; null where none
/// is found.
mlir::AffineExpr linearConsequence(mlir::AffineExpr expr);

/// What a condition asks about: (dim + offset) floordiv size.
struct Blocks {
  mlir::AffineExpr dim;
  int64_t size = 1, offset = 0; ///< 0 <= offset < size
};

/// The first blocks in `expr` of another dim than `key`.
std::optional<Blocks> findBlocks(mlir::AffineExpr expr, mlir::AffineExpr key,
                                 llvm::ArrayRef<int64_t> extents);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_LINEARCONDITIONS_H
