//===- ScalarBody.h - A scalar expression as a body -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_SCALARBODY_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_SCALARBODY_H

#include "Materialize.h"

namespace transfusion::einsum::normal {

/// One op of a body: a scalar that is read, or a node over earlier steps.
struct Step {
  const Node *node; ///< null: scalar `read` of the body
  unsigned read = 0;
  llvm::SmallVector<unsigned, 4> operands;
  /// Of an Index node: names of ranks for the dims of `index`.
  mlir::AffineExpr index;
  llvm::SmallVector<std::string, 2> names;
  bool asQuotient = false; ///< a quotient by a constant is no product
};
using Steps = llvm::SmallVector<Step>;

/// Writes the steps and returns the value of the last. One spelling per
/// expression: positive factors, then the constant, then divisions; terms with
/// coefficient 1 as additions, with -1 as subtractions, the constant last.
mlir::Value writeBody(const Steps &steps, mlir::OpBuilder &b,
                      mlir::Location loc, mlir::ValueRange scalars);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_SCALARBODY_H
