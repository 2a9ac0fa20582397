#ifndef TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES
#define TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def EinsumDecomposePass : Pass<"einsum-decompose", "::mlir::func::FuncOp"> {
  let summary = "turn the ops of a layer into one cascade of Einsums";
  let description = [{
    Replaces `einsum.qkv`, `mha`, `softmax`, `layer_norm`, `linear`, `ffn` and
    `add` by one `einsum.cascade` per function, under the names the literature
    uses (QK, LM, RM, SLN, ...); by several only where a foreign op stands
    between. Cascades that a function holds already join it. Merged heads, split
    heads and transposed weights become accesses, never copies. Attention splits
    its keys into m1 tiles of `key-tile` keys; a ragged last tile and `causal`
    become domain constraints of QK. Where a mask can hide all keys seen so far,
    RM is guarded by RMG.

    *Requires*: nothing; other ops are left alone. *Ensures*: no named op is
    left. *Fails when*: an option is out of range; a dimension is read in
    pieces that its producer does not make; attention of 2 or 3 passes is causal
    with more queries than keys. *Complexity*: linear in the number of ops.

    ```mlir
    %a = einsum.mha %q, %k, %v scale 1.25e-01 : (...) -> tensor<1x8x48xf32>
    // becomes
    %a = einsum.cascade ranks(b = 1, h = 12, ...) {
      %QK = einsum.map_reduce "QK" ...
    ```
  }];
  let dependentDialects = ["::transfusion::einsum::EinsumDialect"];
  let options = [
    Option<"keyTile", "key-tile", "int64_t", /*default=*/"0",
           "keys per tile m0 of attention; 0 is all keys">,
    Option<"attentionPasses", "attention-passes", "int64_t", /*default=*/"1",
           "passes over the keys: 1, 2 or 3">,
    Option<"accumulator", "accumulator",
           "::transfusion::einsum::AccumulatorKind",
           /*default=*/"::transfusion::einsum::AccumulatorKind::F32",
           "type of reductions and recurrences",
           [{::llvm::cl::values(
               clEnumValN(::transfusion::einsum::AccumulatorKind::F32, "f32",
                          "32 bits, whatever the layer stores"),
               clEnumValN(::transfusion::einsum::AccumulatorKind::Storage,
                          "storage", "the element type of the layer"))}]>,
    Option<"reportPasses", "report-passes", "bool", /*default=*/"false",
           "remark at each attention how often it walks its keys">,
  ];
}

def EinsumNormalizePass : Pass<"einsum-normalize", "::mlir::func::FuncOp"> {
  let summary = "recognise the mathematics of a cascade, however it was written";
  let description = [{
    Gives a cascade the form that `--einsum-decompose` gives to named ops: the
    same Einsums, bodies and names, whichever program it was raised from. How
    the program was cut into Einsums, the order of commutative operands, where
    constants stood and how often something was computed make no difference.

    Recognised are layer norm, RMS norm, the activations of an FFN (ReLU, GELU
    by erf or tanh, SiLU, each gated or not), rotary position embedding, and
    attention: values weighted by a softmax of any score become the one-pass
    cascade, where nothing else reads the weights. Masks of 0 and -inf that
    comparisons of indices decide, or that an argument states (`einsum.mask`),
    become constraints of QK, or where they compare blocks a rank that queries
    and keys share; other masks stay in its finish. What
    is not recognised stays, by one rule: reductions with what is applied to
    their result in their finish, map-only Einsums for what several read. Casts
    between storage types stay where the program has them. Constants are folded
    in double precision; sums are not reassociated. Einsums of a recurrence, of
    an iterative rank or with a domain are kept as they are, but for ranks of
    extent 1 that a result has, which become index 0 everywhere (a batch of one
    is no rank). Ranks around attention and FFN are called after what they are
    for (h, kv, g, p, m, e, f, s), others as the program calls them.

    *Requires*: nothing. *Ensures*: the same results, up to rounding; a cascade
    that is normal already does not change; a remark per Einsum that no result
    depends on. *Fails when*: never. *Complexity*:
    linear in the number of Einsums.

    ```mlir
    %s = einsum.map_reduce "sum1" [p] from %x[p,d] reduce add over [d] : ...
    %m = einsum.map_reduce "div1" [p] from %s[p] map { divide by 48 } : ...
    // ... becomes
    %MAV = einsum.map_reduce "ln1.MAV" [p] from %SAV[p] map { times 1/48 } : ...
    ```
  }];
  let dependentDialects = ["::transfusion::einsum::EinsumDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let options = [
    Option<"onePass", "one-pass", "bool", /*default=*/"true",
           "attention becomes one pass over its keys; else a softmax keeps its "
           "passes, as policies without one-pass attention have it">,
    Option<"reportPasses", "report-passes", "bool", /*default=*/"false",
           "remark at each cascade how often it walks the ranks that it "
           "reduces, and why not less often">,
  ];
}

def EinsumPartitionPass : Pass<"einsum-partition", "::mlir::func::FuncOp"> {
  let summary = "give tiles of an iterative rank the width of a machine";
  let description = [{
    Repartitions the ranks `m1` (tiles, iterative) and `m0` (points of a tile),
    for `rank=m`, to tiles of `width` points. Accesses `m1*W + m0` become
    `m1*width + m0`; tensors with a dimension per tile or within a tile change
    shape; a read of the last slice of a recurrence follows. Where the last tile
    is ragged, its missing points become a constraint. From any width to any
    other, and back.

    *Requires*: recurrences are folds over tiles, as in one-pass attention
    (Partition.h). *Ensures*: m0 has extent min(width, number of points).
    *Fails when*: an Einsum uses the ranks in another way than
    `m1*W + m0`, per tile, or within a tile; the cascade yields a tensor with a
    dimension per tile. Nothing has changed then.
    *Complexity*: linear in the accesses.

    ```mlir
    // ranks(m1 = 1 iterative, m0 = 29), --einsum-partition=width=8
    einsum.cascade ranks(m1 = 4 iterative, m0 = 8) {
      %QK = einsum.map_reduce "QK" [m1,m0,p] from %q[p,e], %k[m1*8+m0,e]
          map arith.mulf reduce add over [e] where m1*8 + m0 < 29 : ...
    ```
  }];
  let options = [
    Option<"rank", "rank", "std::string", /*default=*/"\"m\"",
           "the sequence: its tiles are rank1, its points within a tile rank0">,
    Option<"width", "width", "int64_t", /*default=*/"0",
           "points per tile (required)">,
  ];
}

#endif // TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PASSES
