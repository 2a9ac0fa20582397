//===- EinsumNamedOps.td - The ops of a Transformer layer --*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMNAMEDOPS
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMNAMEDOPS

include "transfusion/Dialect/Einsum/IR/EinsumOps.td"

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMNAMEDOPS
