//===- EinsumDialect.td - The einsum dialect ---------------*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMDIALECT
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMDIALECT

include "mlir/IR/DialectBase.td"

def Einsum_Dialect : Dialect {
  let name = "einsum";
  let summary = "extended Einsums over named ranks";
  let description = [{
    The ops of a Transformer layer (`einsum.qkv`, `einsum.mha`, ...) and what
    they decompose into: one `einsum.cascade` of extended Einsums
    (`einsum.map_reduce`) over named ranks, in the notation of TeAAL and EDGE.
    Target-independent: nothing here knows a machine.
  }];
  let cppNamespace = "::transfusion::einsum";
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMDIALECT
