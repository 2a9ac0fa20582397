//===- Callers.h - Who calls a function whose type changes ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_CALLERS_H
#define TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_CALLERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace transfusion::schedtoaffine {

/// Calls of `func`; an error at whatever else refers to it, but schedules.
mlir::FailureOr<std::vector<mlir::func::CallOp>>
findCallers(mlir::func::FuncOp func, mlir::ModuleOp module);

/// Calls what `func` became with buffers of the operands, and allocates those
/// of the results: the caller stays on tensors.
void rewriteCall(mlir::func::CallOp call);

} // namespace transfusion::schedtoaffine

#endif // TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_CALLERS_H
