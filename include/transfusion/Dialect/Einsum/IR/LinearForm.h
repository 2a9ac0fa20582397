//===- LinearForm.h - Coefficients of an affine expression ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_LINEARFORM_H
#define TRANSFUSION_DIALECT_EINSUM_IR_LINEARFORM_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace transfusion::einsum {

/// constant + sum of coefficients[i] * (rank i).
struct LinearForm {
  llvm::SmallVector<int64_t> coefficients;
  int64_t constant = 0;

  mlir::AffineExpr toExpr(mlir::MLIRContext *context) const;
};

/// Null for an expression with mod or floordiv.
std::optional<LinearForm> getLinearForm(mlir::AffineExpr expr,
                                        unsigned numRanks);

/// Ranks of more than one point that take part in the form, by ascending
/// factor: the digits of a mixed radix, if they are ones.
llvm::SmallVector<unsigned> getDigits(const LinearForm &form,
                                      llvm::ArrayRef<int64_t> extents);

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_IR_LINEARFORM_H
