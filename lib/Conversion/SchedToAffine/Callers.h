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

#include <optional>
#include <vector>

namespace transfusion::schedtoaffine {

/// By result of a function: the argument to which it is appended.
using AppendedTo = llvm::SmallVector<std::optional<unsigned>>;

struct Caller {
  mlir::func::CallOp call;
  AppendedTo appendedTo;
};

/// Calls of `func`; an error at whatever else refers to it, but schedules.
mlir::FailureOr<std::vector<Caller>> findCallers(mlir::func::FuncOp func,
                                                 mlir::ModuleOp module);

/// Calls what `func` became with buffers of the operands, and allocates those
/// of the results: the caller stays on tensors. What is appended to is copied
/// into a buffer with room: the caller's tensor must not change.
void rewriteCall(const Caller &caller);

} // namespace transfusion::schedtoaffine

#endif // TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_CALLERS_H
