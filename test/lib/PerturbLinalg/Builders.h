//===- Builders.h - Small linalg programs -----------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TEST_LIB_PERTURBLINALG_BUILDERS_H
#define TRANSFUSION_TEST_LIB_PERTURBLINALG_BUILDERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace transfusion::test {

using BodyFn = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;

mlir::RankedTensorType tensorType(mlir::Value value);

/// A parallel generic over `shape` that writes [i, j, ...] and reads each input
/// by its map; `body` gets the scalars and gives one.
mlir::Value elementwise(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::ArrayRef<int64_t> shape, mlir::Type element,
                        mlir::ValueRange inputs,
                        llvm::ArrayRef<mlir::AffineMap> maps, BodyFn body);

/// The same, inputs of `shape` read as they are.
mlir::Value elementwise(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::ValueRange inputs, mlir::Type element,
                        BodyFn body);

/// `input` read by `map`, written to `shape`.
mlir::Value broadcast(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input,
                      mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);

/// linalg.transpose: dimension i of the result is `permutation[i]` of the
/// input.
mlir::Value transpose(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input,
                      llvm::ArrayRef<int64_t> permutation);

/// The result of a linalg.fill of zeros.
mlir::Value zeros(mlir::OpBuilder &b, mlir::Location loc,
                  llvm::ArrayRef<int64_t> shape, mlir::Type element);

mlir::Value collapse(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input,
                     llvm::ArrayRef<mlir::ReassociationIndices> groups);
mlir::Value expand(mlir::OpBuilder &b, mlir::Location loc, mlir::Value input,
                   llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// One parallel result, elementwise over all loops, no `linalg.index`, and
/// every operand read and written as [i, j, ...].
bool isPointwise(mlir::linalg::GenericOp op);

/// Whether the scalars that `init` holds never enter the body of `op`.
bool ignoresInit(mlir::linalg::GenericOp op);

/// Whether `init` comes from a linalg.fill of (f32 or f64) zero.
bool isZeroFill(mlir::Value init);

} // namespace transfusion::test

#endif // TRANSFUSION_TEST_LIB_PERTURBLINALG_BUILDERS_H
