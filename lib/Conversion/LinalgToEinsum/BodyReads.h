//===- BodyReads.h - Tensors that a body reads at its indices ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body may read a tensor by tensor.extract, at indices that it computes.
// Where these are functions of the loops that an affine map says (a reversed
// dimension, rows that are repeated), the tensor is an operand like any other.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BODYREADS_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BODYREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace transfusion::raise {

/// Where a read in the body of `op` (a linalg.generic, or a tensor.generate,
/// which becomes one) takes its element, by loop; null, and the reason in
/// `whyNot`, when no affine map says it.
mlir::AffineMap accessOf(mlir::Operation *op, mlir::tensor::ExtractOp read,
                         std::string &whyNot);

/// An element of a tensor, at a constant place, that stands outside of bodies:
/// it can be read by one, or be a scalar operand.
bool isScalarRead(mlir::Value value);

/// Whether such an element is read by linalg ops and nothing else.
bool isReadByBodiesOnly(mlir::Operation *read);

/// Whether the body reads a tensor at places that are affine.
bool hasAffineReads(mlir::Operation *op);

/// Makes operands of the tensors that are read at affine places.
void expandReads(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BODYREADS_H
