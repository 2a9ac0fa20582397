//===- EinsumToLinalg.h - One Einsum as linalg.generic ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_EINSUMTOLINALG_H
#define TRANSFUSION_LIB_CONVERSION_EINSUMTOLINALG_H

#include "mlir/IR/Builders.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion {

/// Where an Einsum finds an operand: a tensor, and the coordinates as functions
/// of the Einsum's ranks.
struct OperandSource {
  mlir::Value tensor;
  mlir::AffineMap access;
};

/// One slice of a recurrence: rank `rank` has the value `index`, and dimension
/// `dim` of the result, which it indexes, is left out.
struct Slice {
  unsigned rank;
  mlir::Value index;
  unsigned dim;
};

/// Emits `op` at the builder's insertion point, from `sources` (one per
/// operand). Returns the result tensor, or one slice of it. Points outside of
/// `domain` and `resultDomain` (each may be null) hold zero.
mlir::Value emitEinsum(mlir::OpBuilder &builder, einsum::MapReduceOp op,
                       llvm::ArrayRef<OperandSource> sources,
                       mlir::IntegerSet domain, mlir::IntegerSet resultDomain,
                       std::optional<Slice> slice);

} // namespace transfusion

#endif // TRANSFUSION_LIB_CONVERSION_EINSUMTOLINALG_H
