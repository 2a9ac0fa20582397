//===- EinsumAttrs.td - Attributes of the einsum dialect ---*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMATTRS
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "transfusion/Dialect/Einsum/IR/EinsumDialect.td"

def Einsum_ReduceKind : I32EnumAttr<"ReduceKind",
    "operator that combines the points of reduced ranks",
    [I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
     I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
     I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::transfusion::einsum";
  let genSpecializedAttr = 0;
}
def Einsum_ReduceKindAttr
    : EnumAttr<Einsum_Dialect, Einsum_ReduceKind, "reduce"> {
  let assemblyFormat = "`<` $value `>`";
}

def Einsum_Activation : I32EnumAttr<"Activation",
    "activation between the two linear layers of an FFN",
    [I32EnumAttrCase<"Relu", 0, "relu">, I32EnumAttrCase<"Gelu", 1, "gelu">,
     I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">,
     I32EnumAttrCase<"Silu", 3, "silu">]> {
  let cppNamespace = "::transfusion::einsum";
  let genSpecializedAttr = 0;
}
def Einsum_ActivationAttr
    : EnumAttr<Einsum_Dialect, Einsum_Activation, "activation">;

def Einsum_RankAttr : AttrDef<Einsum_Dialect, "Rank"> {
  let mnemonic = "rank";
  let summary = "a named index and its extent";
  let description = [{
    `#einsum.rank<"m1" = 64 iterative>`. An iterative rank carries a
    recurrence. Constraints: (1) the name starts with a letter and holds
    letters, digits and `_`; (2) the extent is at least 1.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$extent,
                        DefaultValuedParameter<"bool", "false">:$iterative);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def Einsum_RankArrayAttr
    : TypedArrayAttrBase<Einsum_RankAttr, "array of ranks">;

def Einsum_IntegerSetAttr
    : Attr<CPred<"::llvm::isa<::mlir::IntegerSetAttr>($_self)">,
           "integer set"> {
  let storageType = "::mlir::IntegerSetAttr";
  let returnType = "::mlir::IntegerSet";
  let valueType = NoneType;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mlir::IntegerSetAttr::get($0)";
}

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMATTRS
