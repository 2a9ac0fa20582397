//===- ConstantIndices.h - Constants that list indices ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters that have no index op (TOSA) write 0, 1, 2, ... as a constant.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_CONSTANTINDICES_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_CONSTANTINDICES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"

namespace transfusion::einsum::normal {

/// The integers of a constant tensor as an affine expression of its
/// coordinates; null where they are not one. Looks at every element.
mlir::AffineExpr indicesOf(mlir::Value tensor);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_CONSTANTINDICES_H
