//===- bert_base_1024_b64_bf16.mlir - A layer of BERT-base in bf16 ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One encoder layer of BERT-base: width 768, 12 heads, hidden width 3072, exact
// GELU, post-norm. Batch 64, 1024 tokens, stored in bf16;
// reductions and recurrences are f32 unless --einsum-decompose=accumulator=storage.
//
//===----------------------------------------------------------------------===//

func.func @bert(
    %x: tensor<64x1024x768xbf16>, %wq: tensor<768x768xbf16>,
    %bq: tensor<768xbf16>, %wk: tensor<768x768xbf16>, %bk: tensor<768xbf16>,
    %wv: tensor<768x768xbf16>, %bv: tensor<768xbf16>,
    %wo: tensor<768x768xbf16>, %bo: tensor<768xbf16>,
    %gamma1: tensor<768xbf16>, %beta1: tensor<768xbf16>,
    %w1: tensor<768x3072xbf16>, %b1: tensor<3072xbf16>,
    %w2: tensor<3072x768xbf16>, %b2: tensor<768xbf16>,
    %gamma2: tensor<768xbf16>,
    %beta2: tensor<768xbf16>) -> tensor<64x1024x768xbf16> {
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv bias %bq, %bk, %bv heads 12
      : (tensor<64x1024x768xbf16>, tensor<768x768xbf16>, tensor<768x768xbf16>, tensor<768x768xbf16>, tensor<768xbf16>, tensor<768xbf16>, tensor<768xbf16>)
        -> (tensor<64x12x1024x64xbf16>, tensor<64x12x1024x64xbf16>, tensor<64x12x1024x64xbf16>)
  %a = einsum.mha %q, %k, %v scale 0.125
      : (tensor<64x12x1024x64xbf16>, tensor<64x12x1024x64xbf16>, tensor<64x12x1024x64xbf16>) -> tensor<64x1024x768xbf16>
  %o = einsum.linear %a, %wo bias %bo : (tensor<64x1024x768xbf16>, tensor<768x768xbf16>, tensor<768xbf16>) -> tensor<64x1024x768xbf16>
  %r1 = einsum.add %x, %o : tensor<64x1024x768xbf16>
  %n1 = einsum.layer_norm %r1, %gamma1, %beta1 eps 1.0e-12
      : (tensor<64x1024x768xbf16>, tensor<768xbf16>, tensor<768xbf16>) -> tensor<64x1024x768xbf16>
  %f = einsum.ffn %n1, %w1, %w2 bias %b1, %b2 activation gelu
      : (tensor<64x1024x768xbf16>, tensor<768x3072xbf16>, tensor<3072x768xbf16>, tensor<3072xbf16>, tensor<768xbf16>) -> tensor<64x1024x768xbf16>
  %r2 = einsum.add %n1, %f : tensor<64x1024x768xbf16>
  %n2 = einsum.layer_norm %r2, %gamma2, %beta2 eps 1.0e-12
      : (tensor<64x1024x768xbf16>, tensor<768xbf16>, tensor<768xbf16>) -> tensor<64x1024x768xbf16>
  return %n2 : tensor<64x1024x768xbf16>
}
