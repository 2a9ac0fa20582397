//===- FunctionLowering.h - A scheduled function becomes one on memrefs -*- C++
//-*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_FUNCTIONLOWERING_H
#define TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_FUNCTIONLOWERING_H

#include "Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace transfusion::schedtoaffine {

/// Replaces `func` by a function on memrefs that runs `source.plan`. Arguments
/// come first, then one memref per result, which the caller provides.
mlir::LogicalResult lowerFunction(mlir::func::FuncOp func, const Source &source,
                                  bool poison);

} // namespace transfusion::schedtoaffine

#endif // TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_FUNCTIONLOWERING_H
