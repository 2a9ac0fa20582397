// RUN: transfusion-opt %s --einsum-decompose --verify-roundtrip | FileCheck %s

// Two attentions over sequences of different lengths: each kind of op that
// occurs twice is numbered, ranks that differ in extent are two. A dead query
// makes no Einsum.
// CHECK-LABEL: @decoder
// CHECK: ranks({{.*}}p = 17,{{.*}}m = 17,{{.*}}m_2 = 31,{{.*}}m1 = 1 iterative, m0 = 17, {{.*}}mb1 = 1 iterative, mb0 = 31)
// CHECK: "qkv1.Q"
// CHECK: "qkv1.BK" [b,h,m,e]
// CHECK-NOT: "qkv2.Q"
// CHECK: "qkv2.BK" [b,h,m_2,e]
// CHECK: "mha1.QK" [b,h,m1,m0,p]
// CHECK: "out1.O"
// CHECK: "ln1.IAV"
// CHECK: "ln1.NR"
// CHECK: "L"
// CHECK: "mha2.QK" [b,h,mb1,mb0,p] from %L[b,p,h*5+e], %qkv2.BK[b,h,mb1*31+mb0,e]
// CHECK: "out2.O"
// CHECK: "ln2.IAV"
func.func @decoder(%x: tensor<2x17x15xf32>, %memory: tensor<2x31x15xf32>, %w: tensor<15x15xf32>) -> tensor<2x17x15xf32> {
  %q, %k, %v = einsum.qkv %x, %w, %w, %w heads 3 : (tensor<2x17x15xf32>, tensor<15x15xf32>, tensor<15x15xf32>, tensor<15x15xf32>) -> (tensor<2x3x17x5xf32>, tensor<2x3x17x5xf32>, tensor<2x3x17x5xf32>)
  %dead, %k2, %v2 = einsum.qkv %memory, %w, %w, %w heads 3 : (tensor<2x31x15xf32>, tensor<15x15xf32>, tensor<15x15xf32>, tensor<15x15xf32>) -> (tensor<2x3x31x5xf32>, tensor<2x3x31x5xf32>, tensor<2x3x31x5xf32>)
  %a = einsum.mha %q, %k, %v causal : (tensor<2x3x17x5xf32>, tensor<2x3x17x5xf32>, tensor<2x3x17x5xf32>) -> tensor<2x17x15xf32>
  %o = einsum.linear %a, %w : (tensor<2x17x15xf32>, tensor<15x15xf32>) -> tensor<2x17x15xf32>
  %r = einsum.add %x, %o : tensor<2x17x15xf32>
  %n = einsum.layer_norm %r eps 1.0e-5 : (tensor<2x17x15xf32>) -> tensor<2x17x15xf32>
  %q1 = einsum.linear %n, %w : (tensor<2x17x15xf32>, tensor<15x15xf32>) -> tensor<2x17x15xf32>
  %q2 = tensor.expand_shape %q1 [[0], [1], [2, 3]] output_shape [2, 17, 3, 5] : tensor<2x17x15xf32> into tensor<2x17x3x5xf32>
  %e = tensor.empty() : tensor<2x3x17x5xf32>
  %q3 = linalg.transpose ins(%q2 : tensor<2x17x3x5xf32>) outs(%e : tensor<2x3x17x5xf32>) permutation = [0, 2, 1, 3]
  %a2 = einsum.mha %q3, %k2, %v2 : (tensor<2x3x17x5xf32>, tensor<2x3x31x5xf32>, tensor<2x3x31x5xf32>) -> tensor<2x17x15xf32>
  %o2 = einsum.linear %a2, %w : (tensor<2x17x15xf32>, tensor<15x15xf32>) -> tensor<2x17x15xf32>
  %r2 = einsum.add %n, %o2 : tensor<2x17x15xf32>
  %n2 = einsum.layer_norm %r2 eps 1.0e-5 : (tensor<2x17x15xf32>) -> tensor<2x17x15xf32>
  return %n2 : tensor<2x17x15xf32>
}

// One tensor as query, key and value.
// CHECK-LABEL: @shared
// CHECK: "QK" [b,h,m1,m0,p] from %arg0[b,h,p,e], %arg0[b,h,m1*3+m0,e]
// CHECK: "SLNV" [b,h,e,m1,p] {{.*}} %arg0[b,h,m1*3+m0,e]
func.func @shared(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %a = einsum.mha %q, %q, %q : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %a : tensor<1x2x3x4xf32>
}

// Pre-norm: the sum that a norm and a later sum read is that norm's IAV; the
// last sum feeds no norm.
// CHECK-LABEL: @prenorm
// CHECK: "IAV"
// CHECK: "NR"
// CHECK: "RES" [p,d] from %IAV[p,d], %NR[p,d]
func.func @prenorm(%x: tensor<8x6xf32>, %y: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %r = einsum.add %x, %y : tensor<8x6xf32>
  %n = einsum.layer_norm %r eps 1.0e-5 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %s = einsum.add %r, %n : tensor<8x6xf32>
  return %s : tensor<8x6xf32>
}
