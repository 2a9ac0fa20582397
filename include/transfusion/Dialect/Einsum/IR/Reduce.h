//===- Reduce.h - What a reduction operator does to values ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_REDUCE_H
#define TRANSFUSION_DIALECT_EINSUM_IR_REDUCE_H

#include "mlir/IR/Builders.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion::einsum {

/// The value of an integer or float type that leaves every other unchanged.
mlir::TypedAttr identityOf(ReduceKind kind, mlir::Type type);

/// `l` and `r` combined by the operator, in their own type. `max` and `min` of
/// floats hand on NaN; of integers they are signed.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc,
                    ReduceKind kind, mlir::Value l, mlir::Value r);

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_IR_REDUCE_H
