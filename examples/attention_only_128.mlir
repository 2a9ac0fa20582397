//===- attention_only_128.mlir - Attention as published --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The twelve Einsums of FuseMax's one-pass attention, as TransFusion schedules
// them: 4 heads of width 128, 4096 queries and keys, 16 bits throughout, no scale
// and no mask. Written out, because a layer with `einsum.mha` would reduce in
// f32; --einsum-decompose=accumulator=storage makes the same. All keys are one
// tile of width 4096 until --einsum-partition splits them for a machine.
//
//===----------------------------------------------------------------------===//

func.func @attention_only_128(
    %Q: tensor<1x4x4096x128xbf16>,
    %BK: tensor<1x4x4096x128xbf16>,
    %BV: tensor<1x4x4096x128xbf16>)
    -> tensor<1x4x4096x128xbf16> {
  %av = einsum.cascade ranks(b = 1, h = 4, p = 4096, e = 128, f = 128, m1 = 1 iterative, m0 = 4096) {
    %QK = einsum.map_reduce "QK" [b,h,m1,m0,p] from %Q[b,h,p,e], %BK[b,h,m1*4096+m0,e] map arith.mulf reduce add over [e]
        : (tensor<1x4x4096x128xbf16>, tensor<1x4x4096x128xbf16>) -> tensor<1x4x1x4096x4096xbf16>
    %LM = einsum.map_reduce "LM" [b,h,m1,p] from %QK[b,h,m1,m0,p] reduce max over [m0]
        : (tensor<1x4x1x4096x4096xbf16>) -> tensor<1x4x1x4096xbf16>
    %RM = einsum.map_reduce "RM" [b,h,m1+1,p] from %RM[b,h,m1,p], %LM[b,h,m1,p] map arith.maximumf init -inf
        : (tensor<1x4x2x4096xbf16>, tensor<1x4x1x4096xbf16>) -> tensor<1x4x2x4096xbf16>
    %SLN = einsum.map_reduce "SLN" [b,h,m1,m0,p] from %QK[b,h,m1,m0,p], %RM[b,h,m1+1,p] map {
    ^bb0(%a: bf16, %m: bf16):
      %d = arith.subf %a, %m : bf16
      %s = math.exp %d : bf16
      einsum.yield %s : bf16
    } : (tensor<1x4x1x4096x4096xbf16>, tensor<1x4x2x4096xbf16>) -> tensor<1x4x1x4096x4096xbf16>
    %SLD = einsum.map_reduce "SLD" [b,h,m1,p] from %SLN[b,h,m1,m0,p] reduce add over [m0]
        : (tensor<1x4x1x4096x4096xbf16>) -> tensor<1x4x1x4096xbf16>
    %SLNV = einsum.map_reduce "SLNV" [b,h,f,m1,p] from %SLN[b,h,m1,m0,p], %BV[b,h,m1*4096+m0,f] map arith.mulf reduce add over [m0]
        : (tensor<1x4x1x4096x4096xbf16>, tensor<1x4x4096x128xbf16>) -> tensor<1x4x128x1x4096xbf16>
    %PRM = einsum.map_reduce "PRM" [b,h,m1,p] from %RM[b,h,m1,p], %RM[b,h,m1+1,p] map {
    ^bb0(%a: bf16, %m: bf16):
      %d = arith.subf %a, %m : bf16
      %s = math.exp %d : bf16
      einsum.yield %s : bf16
    } : (tensor<1x4x2x4096xbf16>, tensor<1x4x2x4096xbf16>) -> tensor<1x4x1x4096xbf16>
    %SPD = einsum.map_reduce "SPD" [b,h,m1,p] from %RD[b,h,m1,p], %PRM[b,h,m1,p] map arith.mulf
        : (tensor<1x4x2x4096xbf16>, tensor<1x4x1x4096xbf16>) -> tensor<1x4x1x4096xbf16>
    %RD = einsum.map_reduce "RD" [b,h,m1+1,p] from %SLD[b,h,m1,p], %SPD[b,h,m1,p] map arith.addf init 0.000000e+00 : bf16
        : (tensor<1x4x1x4096xbf16>, tensor<1x4x1x4096xbf16>) -> tensor<1x4x2x4096xbf16>
    %SPNV = einsum.map_reduce "SPNV" [b,h,f,m1,p] from %RNV[b,h,f,m1,p], %PRM[b,h,m1,p] map arith.mulf
        : (tensor<1x4x128x2x4096xbf16>, tensor<1x4x1x4096xbf16>) -> tensor<1x4x128x1x4096xbf16>
    %RNV = einsum.map_reduce "RNV" [b,h,f,m1+1,p] from %SLNV[b,h,f,m1,p], %SPNV[b,h,f,m1,p] map arith.addf init 0.000000e+00 : bf16
        : (tensor<1x4x128x1x4096xbf16>, tensor<1x4x128x1x4096xbf16>) -> tensor<1x4x128x2x4096xbf16>
    %AV = einsum.map_reduce "AV" [b,h,p,f] from %RNV[b,h,f,1,p], %RD[b,h,1,p] map arith.divf
        : (tensor<1x4x128x2x4096xbf16>, tensor<1x4x2x4096xbf16>) -> tensor<1x4x4096x128xbf16>
    einsum.yield %AV : tensor<1x4x4096x128xbf16>
  } -> tensor<1x4x4096x128xbf16>
  return %av : tensor<1x4x4096x128xbf16>
}

