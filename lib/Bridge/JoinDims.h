//===- JoinDims.h - Dimensions that are read as one -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 2 x 3 that is read as 3 x 2 is read at [(c*2 + d) floordiv 3, (c*2 + d) mod
// 3]: no dimension is a sum of multiples of ranks, but their row-major index
// c*2 + d is. Core then has one dimension of 6 in the place of both.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_BRIDGE_JOINDIMS_H
#define TRANSFUSION_LIB_BRIDGE_JOINDIMS_H

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <vector>

namespace transfusion {

/// Coefficients of the dims and the constant, if `expr` is linear in them once
/// quotients and remainders have cancelled.
std::optional<std::vector<int64_t>> linearForm(mlir::AffineExpr expr,
                                               unsigned numDims);

/// How many dimensions of the shape, in order, each joined one stands for: the
/// fewest for which all accesses are linear, where joining can make them so.
std::vector<unsigned> joinDims(llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<mlir::AffineMap> accesses);

/// The row-major index in each joined dimension.
std::vector<mlir::AffineExpr> joinAccess(mlir::AffineMap access,
                                         llvm::ArrayRef<int64_t> shape,
                                         llvm::ArrayRef<unsigned> joined);

/// The extents of the joined dimensions; -1 for one that overflows.
std::vector<int64_t> joinShape(llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<unsigned> joined);

} // namespace transfusion

#endif // TRANSFUSION_LIB_BRIDGE_JOINDIMS_H
