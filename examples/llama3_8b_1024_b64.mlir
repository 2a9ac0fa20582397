//===- llama3_8b_1024_b64.mlir - Layer of Llama 3 8B, 1024 tokens ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Batch 64, width 4096, 32 heads of 128 features that share 8 heads of keys and
// values, hidden width 14336, bf16. Cosines and sines are arguments; the scale
// is 1 / sqrt(128).
//
//===----------------------------------------------------------------------===//

func.func @llama3_8b_1024_b64(
    %x: tensor<64x1024x4096xbf16>, %cos: tensor<1x1024x128xbf16>,
    %sin: tensor<1x1024x128xbf16>, %wq: tensor<4096x4096xbf16>, %wk: tensor<1024x4096xbf16>,
    %wv: tensor<1024x4096xbf16>, %wo: tensor<4096x4096xbf16>, %gate: tensor<14336x4096xbf16>,
    %up: tensor<14336x4096xbf16>, %down: tensor<4096x14336xbf16>, %gamma1: tensor<4096xbf16>,
    %gamma2: tensor<4096xbf16>) -> tensor<64x1024x4096xbf16> {
  %n1 = einsum.rms_norm %x, %gamma1 eps 1.0e-5
      : (tensor<64x1024x4096xbf16>, tensor<4096xbf16>) -> tensor<64x1024x4096xbf16>
  %q, %k, %v = einsum.qkv %n1, %wq, %wk, %wv heads 32 kv_heads 8 out_in
      : (tensor<64x1024x4096xbf16>, tensor<4096x4096xbf16>, tensor<1024x4096xbf16>, tensor<1024x4096xbf16>)
        -> (tensor<64x32x1024x128xbf16>, tensor<64x8x1024x128xbf16>, tensor<64x8x1024x128xbf16>)
  %qr = einsum.rope %q, %cos, %sin
      : (tensor<64x32x1024x128xbf16>, tensor<1x1024x128xbf16>, tensor<1x1024x128xbf16>) -> tensor<64x32x1024x128xbf16>
  %kr = einsum.rope %k, %cos, %sin
      : (tensor<64x8x1024x128xbf16>, tensor<1x1024x128xbf16>, tensor<1x1024x128xbf16>) -> tensor<64x8x1024x128xbf16>
  %a = einsum.mha %qr, %kr, %v scale 0.08838834764831845 causal
      : (tensor<64x32x1024x128xbf16>, tensor<64x8x1024x128xbf16>, tensor<64x8x1024x128xbf16>) -> tensor<64x1024x4096xbf16>
  %o = einsum.linear %a, %wo out_in : (tensor<64x1024x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<64x1024x4096xbf16>
  %r1 = einsum.add %x, %o : tensor<64x1024x4096xbf16>
  %n2 = einsum.rms_norm %r1, %gamma2 eps 1.0e-5
      : (tensor<64x1024x4096xbf16>, tensor<4096xbf16>) -> tensor<64x1024x4096xbf16>
  %f = einsum.ffn %n2, %up, %down gate %gate activation silu out_in
      : (tensor<64x1024x4096xbf16>, tensor<14336x4096xbf16>, tensor<4096x14336xbf16>, tensor<14336x4096xbf16>) -> tensor<64x1024x4096xbf16>
  %r2 = einsum.add %r1, %f : tensor<64x1024x4096xbf16>
  return %r2 : tensor<64x1024x4096xbf16>
}
