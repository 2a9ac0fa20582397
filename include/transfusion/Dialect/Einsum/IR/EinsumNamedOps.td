//===- EinsumNamedOps.td - The ops of a Transformer layer --*- tablegen -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a person writes. Keywords name what varies (`bias`, `mask`, `scale`,
// `causal`, `guarded`, `out_in`, `kv_heads`, `memory`, `past`, `gate`); operands
// come first, then the types of a function.
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
    With `kv_heads`, k and v have that many heads, each of which serves a group
    of `heads / kv_heads` neighbouring query heads. With `memory` (cross
    attention), k and v are projections of that sequence instead of x.

    ```mlir
    %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv bias %bq, %bk, %bv heads 12
        : (tensor<1x8x48xf32>, ...) -> (tensor<1x12x8x4xf32>, ...)
    %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads 8 kv_heads 2
        : (tensor<1x8x48xf32>, ...) -> (tensor<1x8x8x6xf32>, tensor<1x2x8x6xf32>, ...)
    ```

    Constraints: (1) x has 3 dimensions [b, p, d]; (2) there are one or three
    weights, of 2 dimensions; (3) their in dimension is d; (4) `heads` is at
    least 1 and divides each out dimension (`kv_heads` those of k and v);
    (5) a fused out dimension is a multiple of 3, with `kv_heads` of
    heads + 2 kv_heads; (6) query and key weights make equally many features per
    head; (7) there are as many biases as weights or none, of 1 dimension that
    is the weight's out dimension; (8) all have x's element type;
    (9) `kv_heads` is at least 1 and divides `heads`; (10) memory has 3
    dimensions [b, m, d'], the batch of x, and d' is the in dimension of the key
    and value weights.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Variadic<Einsum_FloatTensor>:$weights,
      Variadic<Einsum_FloatTensor>:$biases,
      Optional<Einsum_FloatTensor>:$memory, I64Attr:$heads,
      OptionalAttr<I64Attr>:$kv_heads, UnitAttr:$out_in);
  let results = (outs Einsum_FloatTensor:$q, Einsum_FloatTensor:$k,
                      Einsum_FloatTensor:$v);
  let assemblyFormat = [{
    $x `,` $weights (`bias` $biases^)? (`memory` $memory^)? `heads` $heads
    (`kv_heads` $kv_heads^)? (`out_in` $out_in^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    bool isFused() { return getWeights().size() == 1; }
    /// Heads of k and v.
    int64_t getKeyHeads() { return getKvHeads().value_or(getHeads()); }
  }];
}

def Einsum_MhaOp : Einsum_NamedOp<"mha", [AttrSizedOperandSegments]> {
  let summary = "multi-head attention";
  let description = [{
    `softmax over m of (scale * q k^T + mask) v`, per batch entry and head. The
    mask is added and broadcasts to [b, h, p, m] from the right, as in NumPy.
    `causal` lets query p see key m when m <= p + M - P: the last query is
    aligned with the last key. The result is [b, h, p, f], or with heads merged
    [b, p, h*f].

    A query that sees no key (all its scores are -inf) yields NaN, as a plain
    softmax does. `guarded` makes it 0, as scaled dot product attention of
    PyTorch does.

    k and v may have fewer heads than q (grouped queries): head h of q reads
    head h / (H / KV) of k and v, which are not repeated in memory.

    `past` gives a cache of earlier keys and values. They come before those of
    k and v, so there are M_past + M keys; nothing is copied to put them side by
    side, and what is computed is the softmax over all of them. The caller owns
    the cache and appends k and v to it.

    ```mlir
    %a = einsum.mha %q, %k, %v mask %mask scale 1.25e-01 causal
        : (tensor<1x12x8x4xf32>, ...) -> tensor<1x8x48xf32>
    %a = einsum.mha %q, %k, %v past %k_cache, %v_cache scale 1.25e-01
        : (tensor<1x8x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>,
           tensor<1x2x37x4xf32>, tensor<1x2x37x4xf32>) -> tensor<1x1x32xf32>
    ```

    Constraints: (1) q, k, v have 4 dimensions; (2) with equal batch, k and v
    with equal heads, which divide those of q; (3) q and k have the same width
    e; (4) k and v have the same length m; (5) the mask broadcasts to
    [b, h, p, m]; (6) the result is [b, h, p, f] or [b, p, h*f]; (7) all but the
    mask have q's element type; (8) `scale` is finite; (9) `past` has two
    tensors, of the shapes of k and v but for their common length.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$q, Einsum_FloatTensor:$k, Einsum_FloatTensor:$v,
      Variadic<Einsum_FloatTensor>:$past, Optional<Einsum_FloatTensor>:$mask,
      OptionalAttr<F64Attr>:$scale, UnitAttr:$causal, UnitAttr:$guarded);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`past` $past^)? (`mask` $mask^)? (`scale` $scale^)?
    (`causal` $causal^)? (`guarded` $guarded^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasCanonicalizeMethod = 1;
  let extraClassDeclaration = [{
    /// Keys in `past`, 0 without.
    int64_t getPastLength();
  }];
}

def Einsum_RopeOp : Einsum_InferredOp<"rope"> {
  let summary = "rotary position embedding";
  let description = [{
    Rotates pairs of features by an angle of the position, whose cosine and sine
    are tables. A pair is (e0, E/2 + e0): `y = x cos + rotated sin` where
    `rotated` is -x[E/2 + e0] in the first half and x[e0] in the second. With
    `interleaved` a pair is (2 e0, 2 e0 + 1). The tables broadcast to x's
    [b, p, e] from the right, or hold one value per pair.

    ```mlir
    %r = einsum.rope %q, %cos, %sin
        : (tensor<1x8x16x64xf32>, tensor<1x16x64xf32>, tensor<1x16x64xf32>) -> tensor<1x8x16x64xf32>
    ```

    Constraints: (1) x has 4 dimensions [b, h, p, e]; (2) e is even; (3) cos and
    sin have one shape, of 2 dimensions [p, e] or 3 dimensions [b, p, e], where
    b and p may be 1 and e may be the number of pairs; (4) all have x's element
    type.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Einsum_FloatTensor:$cos, Einsum_FloatTensor:$sin,
      UnitAttr:$interleaved);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $cos `,` $sin (`interleaved` $interleaved^)? attr-dict `:`
    functional-type(operands, results)
  }];
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

def Einsum_RmsNormOp : Einsum_InferredOp<"rms_norm"> {
  let summary = "normalisation by the root mean square of the last dimension";
  let description = [{
    `x / sqrt(mean of x^2 + eps) * gamma`, the mean over the last dimension.

    ```mlir
    %n = einsum.rms_norm %x, %gamma eps 1.0e-06
        : (tensor<1x8x48xf32>, tensor<48xf32>) -> tensor<1x8x48xf32>
    ```

    Constraints: (1) gamma has 1 dimension, the last of x; (2) it has x's
    element type; (3) `eps` is finite and not negative.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Optional<Einsum_FloatTensor>:$gamma,
      F64Attr:$eps);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`,` $gamma^)? `eps` $eps attr-dict `:` functional-type(operands, results)
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

def Einsum_FfnOp : Einsum_InferredOp<"ffn", [AttrSizedOperandSegments]> {
  let summary = "two linear layers with an activation between, gated or not";
  let description = [{
    `y = activation(x w1 + b1) w2 + b2`; with `gate`
    `y = (activation(x wg + bg) * (x w1 + b1)) w2 + b2` (SwiGLU with `silu`,
    GeGLU with a gelu). `gelu` is the exact one, by erf, `gelu_tanh` its
    approximation by tanh, `silu` is x / (1 + exp(-x)). With `out_in` all weights
    are stored [out, in]. Biases stand in the order b1, b2, bg.

    ```mlir
    %y = einsum.ffn %x, %w1, %w2 bias %b1, %b2 activation gelu
        : (tensor<1x8x48xf32>, tensor<48x96xf32>, ...) -> tensor<1x8x48xf32>
    %y = einsum.ffn %x, %up, %down gate %gate activation silu
        : (tensor<1x8x48xf32>, tensor<48x96xf32>, ...) -> tensor<1x8x48xf32>
    ```

    Constraints: (1) the weights have 2 dimensions; (2) the in dimension of w1
    and gate is the last of x; (3) w2's in dimension is w1's out dimension;
    (4) there are as many biases as weights or none, of 1 dimension, the out
    dimension of their weight; (5) all have x's element type; (6) gate has w1's
    out dimension.
  }];
  let arguments = (ins
      Einsum_FloatTensor:$x, Einsum_FloatTensor:$w1, Einsum_FloatTensor:$w2,
      Optional<Einsum_FloatTensor>:$gate, Variadic<Einsum_FloatTensor>:$biases,
      Einsum_ActivationAttr:$activation, UnitAttr:$out_in);
  let results = (outs Einsum_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $w1 `,` $w2 (`gate` $gate^)? (`bias` $biases^)? `activation` ``
    $activation (`out_in` $out_in^)? attr-dict `:`
    functional-type(operands, results)
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
