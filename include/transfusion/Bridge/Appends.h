//===- Appends.h - Results in the buffers of arguments ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A function *appends* to an argument that has `einsum.append`: its
// caller passes a buffer of the size of a result, and the argument is the
// beginning of it. That result needs no buffer of its own.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_BRIDGE_APPENDS_H
#define TRANSFUSION_BRIDGE_APPENDS_H

#include "transfusion/Bridge/ImportCascade.h"

#include <optional>

namespace transfusion {

/// The argument in whose buffer result number `result` lies.
std::optional<unsigned> appendedArgument(mlir::FunctionOpInterface function,
                                         unsigned result);

/// Every argument that says so is extended to the result that it names, and no
/// other tensor from outside is extended: there is no room behind it.
mlir::LogicalResult checkAppends(mlir::FunctionOpInterface function,
                                 const ImportedCascade &imported);

} // namespace transfusion

#endif // TRANSFUSION_BRIDGE_APPENDS_H
