//===- bert_base_1024_b64.mlir - BERT-base in named ops --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bert_base_1024_b64.linalg.mlir as a person writes it: the same arguments in the same order.
// Scores are scaled by 0.125.
//
//===----------------------------------------------------------------------===//

func.func @bert_base_1024_b64(
    %x: tensor<64x1024x768xf32>, %mask: tensor<64x1x1x1024xf32>, %wq: tensor<768x768xf32>, %bq: tensor<768xf32>, %wk: tensor<768x768xf32>, %bk: tensor<768xf32>,
    %wv: tensor<768x768xf32>, %bv: tensor<768xf32>, %wo: tensor<768x768xf32>, %bo: tensor<768xf32>, %gamma1: tensor<768xf32>, %beta1: tensor<768xf32>,
    %w1: tensor<3072x768xf32>, %b1: tensor<3072xf32>, %w2: tensor<768x3072xf32>, %b2: tensor<768xf32>, %gamma2: tensor<768xf32>, %beta2: tensor<768xf32>) -> tensor<64x1024x768xf32> {
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv bias %bq, %bk, %bv heads 12 out_in
      : (tensor<64x1024x768xf32>, tensor<768x768xf32>, tensor<768x768xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>) -> (tensor<64x12x1024x64xf32>, tensor<64x12x1024x64xf32>, tensor<64x12x1024x64xf32>)
  %a = einsum.mha %q, %k, %v mask %mask scale 0.125 guarded : (tensor<64x12x1024x64xf32>, tensor<64x12x1024x64xf32>, tensor<64x12x1024x64xf32>, tensor<64x1x1x1024xf32>) -> tensor<64x1024x768xf32>
  %o = einsum.linear %a, %wo bias %bo out_in : (tensor<64x1024x768xf32>, tensor<768x768xf32>, tensor<768xf32>) -> tensor<64x1024x768xf32>
  %r1 = einsum.add %x, %o : tensor<64x1024x768xf32>
  %n1 = einsum.layer_norm %r1, %gamma1, %beta1 eps 1.0e-12 : (tensor<64x1024x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<64x1024x768xf32>
  %f = einsum.ffn %n1, %w1, %w2 bias %b1, %b2 activation gelu out_in : (tensor<64x1024x768xf32>, tensor<3072x768xf32>, tensor<768x3072xf32>, tensor<3072xf32>, tensor<768xf32>) -> tensor<64x1024x768xf32>
  %r2 = einsum.add %n1, %f : tensor<64x1024x768xf32>
  %n2 = einsum.layer_norm %r2, %gamma2, %beta2 eps 1.0e-12 : (tensor<64x1024x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<64x1024x768xf32>
  return %n2 : tensor<64x1024x768xf32>
}
