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

def Einsum_MaskAttr : AttrDef<Einsum_Dialect, "Mask"> {
  let mnemonic = "mask";
  let summary = "what an attention mask that is given as data leaves visible";
  let description = [{
    Stated by the caller on a function argument, `einsum.mask`. The argument's
    last two dimensions are P queries and M keys (a mask of keys alone may have
    one dimension). Where all that is stated holds, the mask lets query p see
    key m: its value is 0, or true. Elsewhere it is -inf (or so low that the
    exponential is 0), or false. `--einsum-normalize` then computes what is
    visible, and nothing else, and does not read the argument.

      * `causal`: m <= p + M - P, the last query is aligned with the last key;
      * `sliding_window(w)`: the last w keys of those, p + M - P - w < m;
      * `prefix(n)`: m < n;
      * `left_padding(n)`: m >= n.

    ```mlir
    func.func @layer(%x: tensor<2x23x64xf32>,
        %mask: tensor<2x1x23x23xf32> {einsum.mask = #einsum.mask<causal>})
    %mask: tensor<2x1x23x23xf32>
        {einsum.mask = #einsum.mask<sliding_window(4), left_padding(3)>}
    ```

    Constraints: (1) something is stated, and each kind once; (2) w and n are at
    least 1; (3) the argument is a static tensor of floats of at most 32 bits,
    or of i1; (4) it has a key dimension, for `causal` and `sliding_window` a
    query dimension as well; (5) `prefix` and `left_padding` leave a key: prefix
    is at most M, left padding less than M and less than the prefix.
  }];
  let parameters = (ins "bool":$causal, "int64_t":$window, "int64_t":$prefix,
                        "int64_t":$leftPadding);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kArgument = "einsum.mask";
    /// Each is at least 0 where query `p` of `queries` sees key `m` of `keys`.
    ::llvm::SmallVector<::mlir::AffineExpr>
    getConstraints(::mlir::AffineExpr p, ::mlir::AffineExpr m, int64_t queries,
                   int64_t keys) const;
    /// Constraints 3 to 5, of an argument of this type.
    ::mlir::LogicalResult
    verifyArgument(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                   ::mlir::Type type) const;
  }];
}

def Einsum_AppendAttr : AttrDef<Einsum_Dialect, "Append"> {
  let mnemonic = "append";
  let summary = "an argument has room for what is appended to it";
  let description = [{
    On a function argument: the caller passes a buffer of the size of result
    `result`, of which the argument is the beginning along dimension `dim`. A
    scheduled function then writes the new rows into that buffer, and no old one
    is moved; the result has no buffer of its own.

    ```mlir
    func.func @decode(%x: tensor<1x8xf32>,
        %k: tensor<37x8xf32> {einsum.append = #einsum.append<result = 1, dim = 0>})
        -> (tensor<1x8xf32>, tensor<38x8xf32>)
    ```

    Constraints: (1) the attribute stands on an argument of a function; (2) the
    function has that result, a static tensor of the argument's type but longer
    in that dimension; (3) no two arguments name one result.
  }];
  let parameters = (ins "int64_t":$result, "int64_t":$dim);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kArgument = "einsum.append";
    /// Constraints 2 and 3, on this argument of `function`.
    ::mlir::LogicalResult
    verifyArgument(::mlir::Operation *function, unsigned index) const;
  }];
}

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
