//===- Scores.h - The parts of attention that perturbations move -*- C++
//-*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TEST_LIB_PERTURBLINALG_SCORES_H
#define TRANSFUSION_TEST_LIB_PERTURBLINALG_SCORES_H

#include "Perturb.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace transfusion::test {

/// A scalar constant of a body: from arith.constant, possibly through
/// arith.truncf or arith.extf.
std::optional<double> constantScalar(mlir::Value scalar);

/// The factor of `op`, when it does nothing but multiply (or divide) its only
/// input by a constant.
std::optional<double> matchScale(mlir::Operation *op);

/// Only moves: tensor.expand_shape, tensor.collapse_shape, linalg.transpose.
bool isView(mlir::Operation *op);

/// The batch_matmul that `value` is the result of, through views, and through
/// scales when these are looked for.
mlir::linalg::BatchMatmulOp producingContraction(mlir::Value value,
                                                 bool throughScales);

/// `value` times `factor`: product or quotient, the constant as f32, as rounded
/// f64 or as a tensor.
mlir::Value scaled(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                   double factor, Dice &dice);

} // namespace transfusion::test

#endif // TRANSFUSION_TEST_LIB_PERTURBLINALG_SCORES_H
