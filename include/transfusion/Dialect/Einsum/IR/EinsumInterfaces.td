//===- EinsumInterfaces.td - Interfaces of the einsum dialect *- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMINTERFACES
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMINTERFACES

include "mlir/IR/OpBase.td"

def Einsum_DomainInterface : OpInterface<"DomainInterface"> {
  let cppNamespace = "::transfusion::einsum";
  let description = [{
    Which points of an Einsum exist. Points outside do not exist: they are not
    in a reduction (an empty one yields the operator's identity), not read, not
    stored and not counted.

    An op states only its own constraints; what follows from the operands that
    it reads is computed here, never restated. To ask for many ops of one
    cascade, keep an `EffectiveDomains` (Domain.h), which remembers.
  }];
  let methods = [
    InterfaceMethod<[{
      Own constraints intersected with the preimages of the operands' domains,
      over the op's ranks in order; null when the whole box exists.
    }], "::mlir::IntegerSet", "getEffectiveDomain">,
    InterfaceMethod<[{
      The points of the result that exist, over the same ranks: those
      constraints of the effective domain that no reduced rank takes part in.
      Null when the whole result exists.
    }], "::mlir::IntegerSet", "getResultDomain">,
  ];
}

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMINTERFACES
