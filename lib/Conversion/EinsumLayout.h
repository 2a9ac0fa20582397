//===- EinsumLayout.h - Where an Einsum's points lie ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_EINSUMLAYOUT_H
#define TRANSFUSION_LIB_CONVERSION_EINSUMLAYOUT_H

#include "EinsumToLinalg.h"

namespace transfusion {

/// Arranges `points`, indexed by the ranks in `loops`, as the result's
/// coordinates say.
mlir::Value emitLayout(mlir::OpBuilder &builder, einsum::MapReduceOp op,
                       mlir::Value points, llvm::ArrayRef<unsigned> loops,
                       mlir::RankedTensorType type, std::optional<Slice> slice);

/// `base`, and `points` behind it along dimension `dim`.
mlir::Value emitExtension(mlir::OpBuilder &builder, einsum::MapReduceOp op,
                          mlir::Value base, mlir::Value points, int dim);

} // namespace transfusion

#endif // TRANSFUSION_LIB_CONVERSION_EINSUMLAYOUT_H
