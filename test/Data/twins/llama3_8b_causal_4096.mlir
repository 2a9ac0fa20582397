//===- llama3_8b_causal_4096.mlir - Llama 3 8B in named ops ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llama3_8b_causal_4096.linalg.mlir as a person writes it: the same arguments in the same order.
// Scores are scaled by 0.08838834764831845.
//
//===----------------------------------------------------------------------===//

func.func @llama3_8b_causal_4096(
    %x: tensor<1x4096x4096xf32>, %cos: tensor<1x4096x128xf32>, %sin: tensor<1x4096x128xf32>,
    %wq: tensor<4096x4096xf32>, %wk: tensor<1024x4096xf32>, %wv: tensor<1024x4096xf32>, %wo: tensor<4096x4096xf32>,
    %gate: tensor<14336x4096xf32>, %up: tensor<14336x4096xf32>, %down: tensor<4096x14336xf32>, %gamma1: tensor<4096xf32>, %gamma2: tensor<4096xf32>) -> tensor<1x4096x4096xf32> {
  %n1 = einsum.rms_norm %x, %gamma1 eps 1.0e-6 : (tensor<1x4096x4096xf32>, tensor<4096xf32>) -> tensor<1x4096x4096xf32>
  %q, %k, %v = einsum.qkv %n1, %wq, %wk, %wv heads 32 kv_heads 8 out_in
      : (tensor<1x4096x4096xf32>, tensor<4096x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>) -> (tensor<1x32x4096x128xf32>, tensor<1x8x4096x128xf32>, tensor<1x8x4096x128xf32>)
  %qr = einsum.rope %q, %cos, %sin : (tensor<1x32x4096x128xf32>, tensor<1x4096x128xf32>, tensor<1x4096x128xf32>) -> tensor<1x32x4096x128xf32>
  %kr = einsum.rope %k, %cos, %sin : (tensor<1x8x4096x128xf32>, tensor<1x4096x128xf32>, tensor<1x4096x128xf32>) -> tensor<1x8x4096x128xf32>
  %a = einsum.mha %qr, %kr, %v scale 0.08838834764831845 causal guarded : (tensor<1x32x4096x128xf32>, tensor<1x8x4096x128xf32>, tensor<1x8x4096x128xf32>) -> tensor<1x4096x4096xf32>
  %o = einsum.linear %a, %wo out_in : (tensor<1x4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096x4096xf32>
  %r1 = einsum.add %x, %o : tensor<1x4096x4096xf32>
  %n2 = einsum.rms_norm %r1, %gamma2 eps 1.0e-6 : (tensor<1x4096x4096xf32>, tensor<4096xf32>) -> tensor<1x4096x4096xf32>
  %f = einsum.ffn %n2, %up, %down gate %gate activation silu out_in : (tensor<1x4096x4096xf32>, tensor<14336x4096xf32>, tensor<4096x14336xf32>, tensor<14336x4096xf32>) -> tensor<1x4096x4096xf32>
  %r2 = einsum.add %r1, %f : tensor<1x4096x4096xf32>
  return %r2 : tensor<1x4096x4096xf32>
}
