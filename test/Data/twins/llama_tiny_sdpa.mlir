//===- llama_tiny_sdpa.mlir - A small Llama layer in named ops -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llama_tiny_sdpa.linalg.mlir as a person writes it: the same arguments in the same order.
// Scores are scaled by 0.35355339059327379.
//
//===----------------------------------------------------------------------===//

func.func @llama_tiny_sdpa(
    %x: tensor<2x23x64xf32>, %mask: tensor<2x1x23x23xf32>, %cos: tensor<1x23x8xf32>, %sin: tensor<1x23x8xf32>,
    %wq: tensor<64x64xf32>, %wk: tensor<16x64xf32>, %wv: tensor<16x64xf32>, %wo: tensor<64x64xf32>,
    %gate: tensor<88x64xf32>, %up: tensor<88x64xf32>, %down: tensor<64x88xf32>, %gamma1: tensor<64xf32>, %gamma2: tensor<64xf32>) -> tensor<2x23x64xf32> {
  %n1 = einsum.rms_norm %x, %gamma1 eps 1.0e-6 : (tensor<2x23x64xf32>, tensor<64xf32>) -> tensor<2x23x64xf32>
  %q, %k, %v = einsum.qkv %n1, %wq, %wk, %wv heads 8 kv_heads 2 out_in
      : (tensor<2x23x64xf32>, tensor<64x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) -> (tensor<2x8x23x8xf32>, tensor<2x2x23x8xf32>, tensor<2x2x23x8xf32>)
  %qr = einsum.rope %q, %cos, %sin : (tensor<2x8x23x8xf32>, tensor<1x23x8xf32>, tensor<1x23x8xf32>) -> tensor<2x8x23x8xf32>
  %kr = einsum.rope %k, %cos, %sin : (tensor<2x2x23x8xf32>, tensor<1x23x8xf32>, tensor<1x23x8xf32>) -> tensor<2x2x23x8xf32>
  %a = einsum.mha %qr, %kr, %v mask %mask scale 0.35355339059327379 guarded : (tensor<2x8x23x8xf32>, tensor<2x2x23x8xf32>, tensor<2x2x23x8xf32>, tensor<2x1x23x23xf32>) -> tensor<2x23x64xf32>
  %o = einsum.linear %a, %wo out_in : (tensor<2x23x64xf32>, tensor<64x64xf32>) -> tensor<2x23x64xf32>
  %r1 = einsum.add %x, %o : tensor<2x23x64xf32>
  %n2 = einsum.rms_norm %r1, %gamma2 eps 1.0e-6 : (tensor<2x23x64xf32>, tensor<64xf32>) -> tensor<2x23x64xf32>
  %f = einsum.ffn %n2, %up, %down gate %gate activation silu out_in : (tensor<2x23x64xf32>, tensor<88x64xf32>, tensor<64x88xf32>, tensor<88x64xf32>) -> tensor<2x23x64xf32>
  %r2 = einsum.add %r1, %f : tensor<2x23x64xf32>
  return %r2 : tensor<2x23x64xf32>
}
