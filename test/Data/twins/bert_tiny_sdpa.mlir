//===- bert_tiny_sdpa.mlir - A small BERT layer in named ops ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bert_tiny_sdpa.linalg.mlir as a person writes it: the same arguments in the same order.
// Scores are scaled by 0.28867513459481287.
//
//===----------------------------------------------------------------------===//

func.func @bert_tiny_sdpa(
    %x: tensor<2x29x48xf32>, %mask: tensor<2x1x1x29xf32>, %wq: tensor<48x48xf32>, %bq: tensor<48xf32>, %wk: tensor<48x48xf32>, %bk: tensor<48xf32>,
    %wv: tensor<48x48xf32>, %bv: tensor<48xf32>, %wo: tensor<48x48xf32>, %bo: tensor<48xf32>, %gamma1: tensor<48xf32>, %beta1: tensor<48xf32>,
    %w1: tensor<96x48xf32>, %b1: tensor<96xf32>, %w2: tensor<48x96xf32>, %b2: tensor<48xf32>, %gamma2: tensor<48xf32>, %beta2: tensor<48xf32>) -> tensor<2x29x48xf32> {
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv bias %bq, %bk, %bv heads 4 out_in
      : (tensor<2x29x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) -> (tensor<2x4x29x12xf32>, tensor<2x4x29x12xf32>, tensor<2x4x29x12xf32>)
  %a = einsum.mha %q, %k, %v mask %mask scale 0.28867513459481287 guarded : (tensor<2x4x29x12xf32>, tensor<2x4x29x12xf32>, tensor<2x4x29x12xf32>, tensor<2x1x1x29xf32>) -> tensor<2x29x48xf32>
  %o = einsum.linear %a, %wo bias %bo out_in : (tensor<2x29x48xf32>, tensor<48x48xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
  %r1 = einsum.add %x, %o : tensor<2x29x48xf32>
  %n1 = einsum.layer_norm %r1, %gamma1, %beta1 eps 1.0e-12 : (tensor<2x29x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
  %f = einsum.ffn %n1, %w1, %w2 bias %b1, %b2 activation gelu out_in : (tensor<2x29x48xf32>, tensor<96x48xf32>, tensor<48x96xf32>, tensor<96xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
  %r2 = einsum.add %n1, %f : tensor<2x29x48xf32>
  %n2 = einsum.layer_norm %r2, %gamma2, %beta2 eps 1.0e-12 : (tensor<2x29x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x29x48xf32>
  return %n2 : tensor<2x29x48xf32>
}
