//===- ArgumentAttrs.h - What a function says of its arguments --*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_ARGUMENTATTRS_H
#define TRANSFUSION_DIALECT_EINSUM_IR_ARGUMENTATTRS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace transfusion::einsum {

/// Removes attributes of this dialect from the arguments: a lowered function
/// goes to tools that do not know it.
void dropArgumentAttrs(mlir::FunctionOpInterface function);

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_IR_ARGUMENTATTRS_H
