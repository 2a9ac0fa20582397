//===- EinsumInterfaces.td - Interfaces of the einsum dialect *- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMINTERFACES
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMINTERFACES

include "mlir/IR/OpBase.td"

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMINTERFACES
