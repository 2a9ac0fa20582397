//===- bert_base_1024_b1.mlir - A layer of BERT-base, to execute -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One encoder layer of BERT-base: width 768, 12 heads, hidden width 3072, exact
// GELU, post-norm. Batch 1 of bert_base_1024_b64.mlir, to execute: the
// schedule found for 64 serves it.
//
//===----------------------------------------------------------------------===//

func.func @bert(
    %x: tensor<1x1024x768xf32>, %wq: tensor<768x768xf32>, %bq: tensor<768xf32>,
    %wk: tensor<768x768xf32>, %bk: tensor<768xf32>, %wv: tensor<768x768xf32>,
    %bv: tensor<768xf32>, %wo: tensor<768x768xf32>, %bo: tensor<768xf32>,
    %gamma1: tensor<768xf32>, %beta1: tensor<768xf32>,
    %w1: tensor<768x3072xf32>, %b1: tensor<3072xf32>,
    %w2: tensor<3072x768xf32>, %b2: tensor<768xf32>, %gamma2: tensor<768xf32>,
    %beta2: tensor<768xf32>) -> tensor<1x1024x768xf32> {
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv bias %bq, %bk, %bv heads 12
      : (tensor<1x1024x768xf32>, tensor<768x768xf32>, tensor<768x768xf32>, tensor<768x768xf32>, tensor<768xf32>, tensor<768xf32>, tensor<768xf32>)
        -> (tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32>)
  %a = einsum.mha %q, %k, %v scale 0.125
      : (tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32>, tensor<1x12x1024x64xf32>) -> tensor<1x1024x768xf32>
  %o = einsum.linear %a, %wo bias %bo : (tensor<1x1024x768xf32>, tensor<768x768xf32>, tensor<768xf32>) -> tensor<1x1024x768xf32>
  %r1 = einsum.add %x, %o : tensor<1x1024x768xf32>
  %n1 = einsum.layer_norm %r1, %gamma1, %beta1 eps 1.0e-12
      : (tensor<1x1024x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<1x1024x768xf32>
  %f = einsum.ffn %n1, %w1, %w2 bias %b1, %b2 activation gelu
      : (tensor<1x1024x768xf32>, tensor<768x3072xf32>, tensor<3072x768xf32>, tensor<3072xf32>, tensor<768xf32>) -> tensor<1x1024x768xf32>
  %r2 = einsum.add %n1, %f : tensor<1x1024x768xf32>
  %n2 = einsum.layer_norm %r2, %gamma2, %beta2 eps 1.0e-12
      : (tensor<1x1024x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<1x1024x768xf32>
  return %n2 : tensor<1x1024x768xf32>
}
