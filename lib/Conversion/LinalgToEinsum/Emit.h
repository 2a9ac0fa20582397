//===- Emit.h - From equations to a cascade ---------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EMIT_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EMIT_H

#include "RankNames.h"

namespace transfusion::raise {

/// Builds the cascade at the builder; its results are the graph's yields, in
/// order.
einsum::CascadeOp emitCascade(mlir::OpBuilder &builder, mlir::Location loc,
                              RaiseGraph &graph, RankNames &names);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EMIT_H
