//===- Decompose.h - The ops of a layer become one cascade ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_DECOMPOSE_H
#define TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_DECOMPOSE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace transfusion::einsum {

struct DecomposeOptions {
  int64_t keyTile = 0; ///< 0: all keys
  int64_t attentionPasses = 1;
  bool storageAccumulator = false;
  bool reportPasses = false;
};

/// What --einsum-decompose does to one function. On failure an error has been
/// emitted and the function may be half done.
mlir::LogicalResult decomposeNamedOps(mlir::func::FuncOp function,
                                      const DecomposeOptions &options);

/// Results that the function does not make (an argument, a constant, one that
/// it returns twice) become copies, Einsums like any other. An error where one
/// is of a type that no Einsum has.
mlir::LogicalResult copyPassedResults(mlir::func::FuncOp function);

/// Whether the function does nothing but return such results.
bool onlyPassesOn(mlir::func::FuncOp function);

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_DECOMPOSE_H
