//===- EinsumNamedOps.td - The ops of a Transformer layer --*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a person writes. Keywords name what varies (`bias`, `mask`, `scale`,
// `causal`, `out_in`); operands come first, then the types of a function. Later
// variants (grouped heads, gates, rotary embedding) are further keywords.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUMNAMEDOPS
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUMNAMEDOPS

include "transfusion/Dialect/Einsum/IR/EinsumOps.td"

/// What a layer computes on: `einsum.cascade` holds more, a layer does not.
def Einsum_FloatTensor : StaticShapeTensorOf<[F16, BF16, F32]>;

/// Every dimension of every operand has an extent of at least 1.
class Einsum_NamedOp<string mnemonic, list<Trait> traits = []>
    : Einsum_Op<mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
}

/// The result types follow from the operands; written ones are compared.
class Einsum_InferredOp<string mnemonic, list<Trait> traits = []>
    : Einsum_NamedOp<mnemonic,
        !listconcat([InferTypeOpAdaptor], traits)>;

def Einsum_QkvOp : Einsum_InferredOp<"qkv", [AttrSizedOperandSegments]> {
  let summary = "projection to queries, keys and values, split into heads";
  let description = [{
    `q[b,h,p,e] = sum over d of x[b,p,d] * wq[d, h*E+e] + bq[h*E+e]`, and
    likewise k and v. One weight (and bias) holds all three side by side, in
    this order. `out_in` says that weights are stored [out, in], as in PyTorch.

    ```mlir
    %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv bias %bq, %bk, %bv heads 12
        : (tensor<1x8x48xf32>, ...) -> (tensor<1x12x8x4xf32>, ...)
    ```

    Constraints: (1) x has 3 dimensions [b, p, d]; (2) there are one or three
    weights, of 2 dimensions; (3) their in dimension is d; (4) `heads` is at
    least 1 and divides each out dimension; (5) a fused out dimension is a
    multiple of 3; (6) query and key weights have the same out dimension;
    (7) there are as many biases as weights or none, of 1 dimension that is the
    weight's out dimension; (8) all have x's element type.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Variadic<Einsum_FloatTensor>:$weights,
      Variadic<Einsum_FloatTensor>:$biases, I64Attr:$heads, UnitAttr:$out_in);
  let results = (outs Einsum_FloatTensor:$q, Einsum_FloatTensor:$k,
                      Einsum_FloatTensor:$v);
  let assemblyFormat = [{
    $x `,` $weights (`bias` $biases^)? `heads` $heads (`out_in` $out_in^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    bool isFused() { return getWeights().size() == 1; }
  }];
}

def Einsum_MhaOp : Einsum_NamedOp<"mha"> {
  let summary = "multi-head attention";
  let description = [{
    `softmax over m of (scale * q k^T + mask) v`, per batch entry and head. The
    mask is added and broadcasts to [b, h, p, m] from the right, as in NumPy.
    `causal` lets query p see key m when m <= p + M - P: the last query is
    aligned with the last key. A query that sees no key yields NaN, as a plain
    softmax does. The result is [b, h, p, f], or with heads merged [b, p, h*f].

    ```mlir
    %a = einsum.mha %q, %k, %v mask %mask scale 1.25e-01 causal
        : (tensor<1x12x8x4xf32>, ...) -> tensor<1x8x48xf32>
    ```

    Constraints: (1) q, k, v have 4 dimensions; (2) with equal batch and heads;
    (3) q and k have the same width e; (4) k and v have the same length m;
    (5) the mask broadcasts to [b, h, p, m]; (6) the result is [b, h, p, f] or
    [b, p, h*f]; (7) all but the mask have q's element type; (8) `scale` is
    finite.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$q, Einsum_FloatTensor:$k, Einsum_FloatTensor:$v,
      Optional<Einsum_FloatTensor>:$mask, OptionalAttr<F64Attr>:$scale,
      UnitAttr:$causal);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`scale` $scale^)? (`causal` $causal^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizeMethod = 1;
}

def Einsum_SoftmaxOp
    : Einsum_NamedOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "softmax along one axis";
  let description = [{
    `exp(x - max x) / sum of exp(x - max x)`, maximum and sum along `axis`.

    ```mlir
    %s = einsum.softmax %x axis 2 : tensor<4x8x16xf32>
    ```

    Constraints: (1) `axis` is a dimension of x.
  }];
  let arguments = (ins Einsum_FloatTensor:$x, I64Attr:$axis);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = "$x `axis` $axis attr-dict `:` type($x)";
}

def Einsum_LayerNormOp
    : Einsum_InferredOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "layer normalisation over the last dimension";
  let description = [{
    `(x - mean) / sqrt(variance + eps) * gamma + beta`, mean and variance over
    the last dimension.

    ```mlir
    %n = einsum.layer_norm %x, %gamma, %beta eps 1.0e-12
        : (tensor<1x8x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<1x8x48xf32>
    ```

    Constraints: (1) gamma and beta have 1 dimension, the last of x; (2) beta
    needs gamma; (3) they have x's element type; (4) `eps` is finite and not
    negative.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Optional<Einsum_FloatTensor>:$gamma,
      Optional<Einsum_FloatTensor>:$beta, F64Attr:$eps);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`,` $gamma^)? (`,` $beta^)? `eps` $eps attr-dict `:`
    functional-type(operands, results)
  }];
}

def Einsum_LinearOp : Einsum_InferredOp<"linear"> {
  let summary = "affine map of the last dimension";
  let description = [{
    `y[..., n] = sum over d of x[..., d] * weight[d, n] + bias[n]`; with
    `out_in` the weight is stored [n, d].

    ```mlir
    %y = einsum.linear %x, %w bias %b out_in
        : (tensor<1x8x48xf32>, tensor<96x48xf32>, tensor<96xf32>) -> tensor<1x8x96xf32>
    ```

    Constraints: (1) the weight has 2 dimensions; (2) its in dimension is the
    last of x; (3) the bias has 1 dimension, the weight's out dimension;
    (4) all have x's element type.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Einsum_FloatTensor:$weight,
      Optional<Einsum_FloatTensor>:$bias, UnitAttr:$out_in);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $weight (`bias` $bias^)? (`out_in` $out_in^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Einsum_FfnOp : Einsum_InferredOp<"ffn"> {
  let summary = "two linear layers with an activation between";
  let description = [{
    `y = activation(x w1 + b1) w2 + b2`. `gelu` is the exact one, by erf. With
    `out_in` both weights are stored [out, in].

    ```mlir
    %y = einsum.ffn %x, %w1, %w2 bias %b1, %b2 activation gelu
        : (tensor<1x8x48xf32>, tensor<48x96xf32>, ...) -> tensor<1x8x48xf32>
    ```

    Constraints: (1) the weights have 2 dimensions; (2) w1's in dimension is the
    last of x; (3) w2's in dimension is w1's out dimension; (4) there are two
    biases or none, of 1 dimension, the out dimension of their weight; (5) all
    have x's element type.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Einsum_FloatTensor:$w1, Einsum_FloatTensor:$w2,
      Variadic<Einsum_FloatTensor>:$biases, Einsum_ActivationAttr:$activation,
      UnitAttr:$out_in);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w1 `,` $w2 (`bias` $biases^)? `activation` `` $activation
    (`out_in` $out_in^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Einsum_AddOp : Einsum_NamedOp<"add", [SameOperandsAndResultType]> {
  let summary = "elementwise sum: a residual connection";
  let description = [{
    ```mlir
    %r = einsum.add %x, %o : tensor<1x8x48xf32>
    ```

    Constraints: (1) operands and result have one type.
  }];
  let arguments = (ins Einsum_FloatTensor:$lhs, Einsum_FloatTensor:$rhs);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUMNAMEDOPS
