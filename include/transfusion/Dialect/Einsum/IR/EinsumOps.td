//===- EinsumOps.td - Cascade, Einsum and their bodies -----*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMOPS
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "transfusion/Dialect/Einsum/IR/EinsumAttrs.td"
include "transfusion/Dialect/Einsum/IR/EinsumInterfaces.td"

class Einsum_Op<string mnemonic, list<Trait> traits = []>
    : Op<Einsum_Dialect, mnemonic, traits>;

// What accelerators compute with and masks are stored as.
def Einsum_Element
    : AnyTypeOf<[F16, BF16, F32, I1, I8, I32, I64],
                "f16, bf16, f32, or a mask or index of i1, i8, i32, i64">;
def Einsum_Tensor : StaticShapeTensorOf<[Einsum_Element]>;

def Einsum_CascadeOp : Einsum_Op<"cascade",
    [Pure, SingleBlock, DeclareOpInterfaceMethods<RegionKindInterface>]> {
  let summary = "a set of extended Einsums over named ranks";
  let description = [{
    A graph region: the Einsums inside are equations, their textual order means
    nothing, and a recurrence is an equation that reads slice m1 and defines
    slice m1+1 of one tensor. Values from outside are used directly. The
    terminator yields the results.

    ```mlir
    %n = einsum.cascade ranks(p = 32, m1 = 2 iterative, m0 = 16) {
      %S = einsum.map_reduce "S" [m1,p] from %x[p,m1*16+m0] reduce add over [m0]
          : (tensor<32x32xf32>) -> tensor<2x32xf32>
      %N = einsum.map_reduce "N" [m1+1,p] from %N[m1,p], %S[m1,p] map arith.addf
          init 0.0 : f32
          : (tensor<3x32xf32>, tensor<2x32xf32>) -> tensor<3x32xf32>
      einsum.yield %N : tensor<3x32xf32>
    } -> tensor<3x32xf32>
    ```

    Constraints: (1) rank names are distinct; (2) only `einsum.map_reduce` and
    the terminator stand inside; (3) Einsum names are distinct; (4) every cycle
    of equations advances an iterative rank: some iterative rank indexes every
    result on the cycle, and the offsets at which results are written minus
    those at which they are read add up to at least 1; (5) the terminator's
    operand types are the result types.
  }];
  let arguments = (ins Einsum_RankArrayAttr:$ranks);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Einsum_Tensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Declaration of the rank called `name`; null when there is none.
    RankAttr lookupRank(::llvm::StringRef name);
    YieldOp getYield();
  }];
}

def Einsum_MapReduceOp : Einsum_Op<"map_reduce",
    [Pure, AttrSizedOperandSegments, IsolatedFromAbove,
     DeclareOpInterfaceMethods<Einsum_DomainInterface>,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
     HasParent<"CascadeOp">]> {
  let summary = "one extended Einsum";
  let description = [{
    For every point of the iteration space (the product of the ranks, cut by
    the effective domain) the `map` body is evaluated on the scalars that
    `inputs` hold there; the ranks that the result lacks are reduced by `reduce`;
    then `finish` runs once per result point on the reduced value followed by
    the scalars of `finish_inputs`. A missing `map` passes its only input on, a
    missing `finish` the reduced value. Points outside the domain do not exist:
    they are not in a reduction (an empty one yields the operator's identity),
    not read, not stored and not counted.

    ```mlir
    %QK = einsum.map_reduce "QK" [h,m1,m0,p]
        from %q[h,p,e], %k[h,m1*16+m0,e] map arith.mulf reduce add over [e]
        finish from %mask[p,m1*16+m0] arith.addf
        where m1*16 + m0 < 29 and m1*16 + m0 <= p
        : (tensor<4x32x8xf32>, tensor<4x29x8xf32>, tensor<32x29xf32>)
          -> tensor<4x2x16x32xf32>
    %RM = einsum.map_reduce "RM" [h,m1+1,p] from %RM[h,m1,p], %LM[h,m1,p]
        map arith.maximumf init -inf
        : (tensor<4x3x32xf32>, tensor<4x2x32xf32>) -> tensor<4x3x32xf32>
    ```

    The ranks are those of the result, in order of appearance, then those that
    `over` lists; another order is written as `iterate [m0,h,...]`. They are
    stored as names, accesses as affine maps over their positions (one per
    input, then per finish input), constraints as an integer set: `[..]` and
    `where` are read once, by the parser. A body of one op on the scalars in
    order is written as that op, any other as a region; bodies hold ops of arith
    and math, and `einsum.index`. `init` is the value of the points of an
    iterative result that no equation defines: slice 0.

    `extends %cache` makes the result longer than its own points: it is the base
    `%cache`, followed along one dimension by the points that the equation
    defines. A concat is a chain of these, a cache with a new row is one, and a
    schedule writes each into the storage of its base, so that no point moves.

    ```mlir
    %K = einsum.map_reduce "K" [h,p+37,e] extends %cache from %new[h,p,e]
        : (tensor<4x1x8xf32>, tensor<4x37x8xf32>) -> tensor<4x38x8xf32>
    ```

    Constraints: (1) ranks are declared by the cascade, distinct; (2) one map
    per operand, with as many results as the operand has dimensions; (3) every
    access stays within its tensor over the effective domain; (4) a reduced rank
    needs `reduce`, and `reduce` a reduced rank; (5) block arguments and yields
    of the bodies have the element types; (6) finish reads no reduced rank;
    (7) `init` exactly when the result is iterative, of its element type;
    (8) every result point is defined once: each dimension of the result counts
    its ranks as digits of a number (`h*64+e`), no rank occurs in two, and they
    cover the tensor, but for the initial slice and the points of the base;
    (9) a base has the result's element type and its shape but in one dimension,
    where the equation starts at the base's size, and the result is not
    iterative; the last map is that of the base, the result's with 0 in that
    dimension; (10) with a base, every point of the equation's own exists.
  }];
  let arguments = (ins
      StrAttr:$einsum_name, StrArrayAttr:$ranks, AffineMapArrayAttr:$maps,
      AffineMapAttr:$result_map,
      OptionalAttr<Einsum_IntegerSetAttr>:$domain,
      OptionalAttr<Einsum_ReduceKindAttr>:$reduce,
      OptionalAttr<TypedAttrInterface>:$init,
      Variadic<Einsum_Tensor>:$inputs, Variadic<Einsum_Tensor>:$finish_inputs,
      Optional<Einsum_Tensor>:$base);
  let regions = (region AnyRegion:$map, AnyRegion:$finish);
  let results = (outs Einsum_Tensor:$result);
  let builders = [
    // Without a base.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::StringAttr":$name,
        "::mlir::ArrayAttr":$ranks, "::mlir::ArrayAttr":$maps,
        "::mlir::AffineMapAttr":$result_map, "::mlir::IntegerSetAttr":$domain,
        "ReduceKindAttr":$reduce, "::mlir::TypedAttr":$init,
        "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$finish_inputs)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    CascadeOp getCascade();
    /// Extents of `ranks`, in order.
    ::llvm::SmallVector<int64_t> getExtents();
    /// Dimension along which the result extends its base; -1 without one.
    int getExtendedDim();
    /// The result's map with 0 in dimension `dim`: the map of a base.
    static ::mlir::AffineMap getBaseMap(::mlir::AffineMap resultMap, int dim);
    /// Map of input i, or of finish input i.
    ::mlir::AffineMap getInputMap(unsigned i);
    ::mlir::AffineMap getFinishInputMap(unsigned i);
    /// By position in `ranks`: the result lacks it.
    ::llvm::SmallVector<bool> getReducedRanks();
    /// Dimension of the result that is iterative (its extent is M1 + 1), or -1.
    int getIterativeDim();
    /// Type of the values that are reduced: what map yields.
    ::mlir::Type getAccumulatorType();
  }];
}

def Einsum_IndexOp : Einsum_Op<"index", [Pure]> {
  let summary = "value of a rank at this point";
  let description = [{
    `%i = einsum.index "m0"`. Constraints: (1) the Einsum iterates the rank;
    (2) in finish, the result has it; (3) it stands in a map or finish body.
  }];
  let arguments = (ins StrAttr:$rank);
  let results = (outs Index:$result);
  let assemblyFormat = "$rank attr-dict";
  let hasVerifier = 1;
}

def Einsum_YieldOp : Einsum_Op<"yield",
    [Pure, Terminator, ReturnLike,
     ParentOneOf<["CascadeOp", "MapReduceOp"]>]> {
  let summary = "terminator of cascades and bodies";
  let description = [{
    In a cascade, its results; in a body, the one value of the point.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

include "transfusion/Dialect/Einsum/IR/EinsumNamedOps.td"

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMOPS
