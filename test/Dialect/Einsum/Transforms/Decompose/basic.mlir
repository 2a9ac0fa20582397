// RUN: transfusion-opt %s --einsum-decompose | FileCheck %s
// RUN: transfusion-opt %S/../../../../../examples/bert_tiny.mlir --einsum-decompose | FileCheck %s --check-prefix=BERT
// RUN: transfusion-opt %S/../../../../../examples/bert_tiny.mlir --einsum-decompose | transfusion-opt --verify-roundtrip | FileCheck %s --check-prefix=BERT

// A whole layer is one cascade, its Einsums under their published names.
// BERT: einsum.cascade ranks(b = 2, p = 29, d = 48, h = 4, e = 12, m = 29, f = 12, m1 = 1 iterative, m0 = 29, s = 96)
// BERT-NOT: einsum.cascade
// BERT: "Q" [b,h,p,e] from %arg0[b,p,d], %arg2[h*12+e,d] map arith.mulf reduce add over [d] finish from %arg3[h*12+e] arith.addf
// BERT: "BK" [b,h,m,e] from %arg0[b,m,d]
// BERT: "BV" [b,h,m,f] from %arg0[b,m,d]
// Scale and mask are in QK's finish.
// BERT: "QK" [b,h,m1,m0,p] from %Q[b,h,p,e], %BK[b,h,m1*29+m0,e] map arith.mulf reduce add over [e] finish from %arg1[b,0,0,m1*29+m0] {
// BERT: arith.mulf
// BERT: arith.addf
// BERT: "LM" [b,h,m1,p] {{.*}} reduce max over [m0]
// BERT: "RM" [b,h,m1+1,p] from %RM[b,h,m1,p], %LM[b,h,m1,p] map arith.maximumf init -inf
// BERT: "RMG" [b,h,m1,p] from %RM[b,h,m1+1,p]
// BERT: "SLN" [b,h,m1,m0,p] from %QK[b,h,m1,m0,p], %RMG[b,h,m1,p]
// BERT: "SLD"
// BERT: "SLNV" [b,h,f,m1,p] from %SLN[b,h,m1,m0,p], %BV[b,h,m1*29+m0,f]
// BERT: "PRM" [b,h,m1,p] from %RM[b,h,m1,p], %RMG[b,h,m1,p]
// BERT: "SPD" [b,h,m1,p] from %RD[b,h,m1,p], %PRM[b,h,m1,p] map arith.mulf
// BERT: "RD" [b,h,m1+1,p]
// BERT: "SPNV"
// BERT: "RNV" [b,h,f,m1+1,p]
// BERT: "AV" [b,h,p,f] from %RNV[b,h,f,1,p], %RD[b,h,1,p] map arith.divf
// Merged heads are an access, not a copy.
// BERT: "O" [b,p,d] from %AV[b,h,p,f], %arg8[d,h*12+f] map arith.mulf reduce add over [h,f] finish from %arg9[d] arith.addf
// BERT: "ln1.IAV" [b,p,d] from %arg0[b,p,d], %O[b,p,d] map arith.addf
// BERT: "ln1.SAV" [b,p] {{.*}} reduce add over [d]
// A mean is a product with the reciprocal.
// BERT: "ln1.MAV"
// BERT: arith.constant 0.020833334 : f32
// BERT-NEXT: arith.mulf
// BERT: "ln1.DAV"
// BERT: "ln1.QAV"
// BERT: "ln1.SQAV"
// BERT: "ln1.MQAV"
// BERT: "ln1.SR"
// BERT: arith.addf
// BERT: math.rsqrt
// BERT: "ln1.NR" [b,p,d] from %ln1.DAV[b,p,d], %ln1.SR[b,p], %arg10[d], %arg11[d]
// BERT: arith.mulf
// BERT: arith.mulf
// BERT: arith.addf
// BERT: "FFN1" [b,p,s] from %ln1.NR[b,p,d], %arg12[s,d] map arith.mulf reduce add over [d] finish from %arg13[s] arith.addf
// GELU: 3 mac, 1 add, 1 erf.
// BERT: "AR"
// BERT: arith.mulf
// BERT: math.erf
// BERT: arith.mulf
// BERT: arith.addf
// BERT: arith.mulf
// BERT-NOT: arith.mulf
// BERT: einsum.yield
// BERT: "FFN2" [b,p,d] from %AR[b,p,s], %arg14[d,s]
// BERT: "ln2.IAV" [b,p,d] from %ln1.NR[b,p,d], %FFN2[b,p,d]
// BERT: einsum.yield %ln2.NR
// BERT-NOT: {{einsum\.(qkv|mha|linear|ffn|add|layer_norm)}}

// One fused weight is read at three offsets, in [in, out] layout. Dead results
// make no Einsum.
// CHECK-LABEL: @fused
// CHECK: "Q" [b,h,p,e] from %arg0[b,p,d], %arg1[d,h*5+e] {{.*}} finish from %arg2[h*5+e]
// CHECK-NOT: "BK"
// CHECK: "BV" [b,h,m,f] from %arg0[b,m,d], %arg1[d,h*5+f+30] {{.*}} finish from %arg2[h*5+f+30]
func.func @fused(%x: tensor<2x7x15xf32>, %w: tensor<15x45xf32>, %b: tensor<45xf32>) -> (tensor<2x3x7x5xf32>, tensor<2x3x7x5xf32>) {
  %q, %k, %v = einsum.qkv %x, %w bias %b heads 3 : (tensor<2x7x15xf32>, tensor<15x45xf32>, tensor<45xf32>) -> (tensor<2x3x7x5xf32>, tensor<2x3x7x5xf32>, tensor<2x3x7x5xf32>)
  return %q, %v : tensor<2x3x7x5xf32>, tensor<2x3x7x5xf32>
}

// Nothing can hide a key: no guard. A result that leaves the cascade is written
// in its own layout.
// CHECK-LABEL: @plain
// CHECK-NOT: "RMG"
// CHECK: "SLN" {{.*}} %RM[b,h,m1+1,p]
// CHECK: "AV" [b,p,h*7+f]
// CHECK: einsum.yield %AV : tensor<2x8x21xf32>
func.func @plain(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>) -> tensor<2x8x21xf32> {
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x8x21xf32>
  return %a : tensor<2x8x21xf32>
}

// The last query is aligned with the last key; key 0 is seen by all: no guard.
// CHECK-LABEL: @causal
// CHECK: "QK" {{.*}} where m1*11 + m0 <= p + 3
// CHECK-NOT: where
// CHECK-NOT: "RMG"
func.func @causal(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>) -> tensor<2x3x8x7xf32> {
  %a = einsum.mha %q, %k, %v causal : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x3x8x7xf32>
  return %a : tensor<2x3x8x7xf32>
}

// The first 3 queries see no key at all: 0/0, with or without a guard.
// CHECK-LABEL: @causal_empty_rows
// CHECK: "QK" {{.*}} where m1*8 + m0 <= p - 3
// CHECK-NOT: "RMG"
func.func @causal_empty_rows(%q: tensor<2x3x11x5xf32>, %k: tensor<2x3x8x5xf32>, %v: tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32> {
  %a = einsum.mha %q, %k, %v causal : (tensor<2x3x11x5xf32>, tensor<2x3x8x5xf32>, tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32>
  return %a : tensor<2x3x11x7xf32>
}

// Guarded: a row without a key has a denominator of 1, and its numerator is 0
// since the maximum is guarded too.
// CHECK-LABEL: @guarded
// CHECK: "RMG" [b,h,m1,p] from %RM[b,h,m1+1,p]
// CHECK: "RDG" [b,h,p] from %RM[b,h,1,p], %RD[b,h,1,p] map {
// CHECK: arith.cmpf oeq, %{{.*}}, %{{.*}} : f32
// CHECK: arith.select %{{.*}}, %cst{{.*}}, %{{.*}} : f32
// CHECK: "AV" [b,h,p,f] from %RNV[b,h,f,1,p], %RDG[b,h,p] map arith.divf
func.func @guarded(%q: tensor<2x3x11x5xf32>, %k: tensor<2x3x8x5xf32>, %v: tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32> {
  %a = einsum.mha %q, %k, %v causal guarded : (tensor<2x3x11x5xf32>, tensor<2x3x8x5xf32>, tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32>
  return %a : tensor<2x3x11x7xf32>
}

// A mask of fewer dimensions broadcasts from the right.
// CHECK-LABEL: @mask2d
// CHECK: "QK" {{.*}} finish from %arg3[p,m1*11+m0]
func.func @mask2d(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>, %m: tensor<8x11xf32>) -> tensor<2x3x8x7xf32> {
  %a = einsum.mha %q, %k, %v mask %m : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>, tensor<8x11xf32>) -> tensor<2x3x8x7xf32>
  return %a : tensor<2x3x8x7xf32>
}

// Without an output projection the norm walks (h, f), and x is read at h*7+f.
// CHECK-LABEL: @no_projection
// CHECK: "IAV" [b,p,h,f] from %arg3[b,p,h*7+f], %AV[b,h,p,f] map arith.addf
// CHECK: "SAV" [b,p] from %IAV[b,p,h,f] reduce add over [h,f]
// CHECK: "NR" [b,p,h*7+f]
func.func @no_projection(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>, %x: tensor<2x8x21xf32>) -> tensor<2x8x21xf32> {
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x8x21xf32>
  %r = einsum.add %x, %a : tensor<2x8x21xf32>
  %n = einsum.layer_norm %r eps 1.0e-5 : (tensor<2x8x21xf32>) -> tensor<2x8x21xf32>
  return %n : tensor<2x8x21xf32>
}

// A rank that is summed over and a rank of the result are two, if one extent.
// CHECK-LABEL: @square
// CHECK: "linear1.L" [p,n] from %arg0[p,d], %arg1[d,n] map arith.mulf reduce add over [d]
// CHECK: "linear2.L" [p,n_2] from %linear1.L[p,n], %arg1[n,n_2] map arith.mulf reduce add over [n]
func.func @square(%x: tensor<8x6xf32>, %w: tensor<6x6xf32>) -> tensor<8x6xf32> {
  %0 = einsum.linear %x, %w : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  %1 = einsum.linear %0, %w : (tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}

// CHECK-LABEL: @softmax
// CHECK: "GM" [b,d] from %arg0[b,p,d] reduce max over [p]
// CHECK: "SN" [b,p,d] from %arg0[b,p,d], %GM[b,d]
// CHECK: "SD" [b,d] from %SN[b,p,d] reduce add over [p]
// CHECK: "A" [b,p,d] from %SN[b,p,d], %SD[b,d] map arith.divf
func.func @softmax(%x: tensor<2x7x5xf32>) -> tensor<2x7x5xf32> {
  %0 = einsum.softmax %x axis 1 : tensor<2x7x5xf32>
  return %0 : tensor<2x7x5xf32>
}

// ReLU without biases: no finish.
// CHECK-LABEL: @relu
// CHECK: "FFN1" [p,s] from %arg0[p,d], %arg1[d,s] map arith.mulf reduce add over [d] :
// CHECK: "AR"
// CHECK: arith.maximumf
func.func @relu(%x: tensor<8x6xf32>, %w1: tensor<6x9xf32>, %w2: tensor<9x6xf32>) -> tensor<8x6xf32> {
  %0 = einsum.ffn %x, %w1, %w2 activation relu : (tensor<8x6xf32>, tensor<6x9xf32>, tensor<9x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// A foreign op that a later layer reads stands between: two cascades. One that
// none reads does not, wherever it is written.
// CHECK-LABEL: @foreign
// CHECK: %[[C0:.*]]:2 = einsum.cascade
// CHECK: "add1.RES"
// CHECK: "add2.RES"
// CHECK: %[[A:.*]] = arith.negf %[[C0]]#0
// CHECK: %[[B:.*]] = arith.negf %[[C0]]#1
// CHECK: %[[C1:.*]] = einsum.cascade
// CHECK: "add3.RES" [p,d] from %[[B]][p,d]
// CHECK: return %[[A]], %[[C1]]
func.func @foreign(%x: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = einsum.add %x, %x : tensor<8x6xf32>
  %1 = arith.negf %0 : tensor<8x6xf32>
  %2 = einsum.add %0, %x : tensor<8x6xf32>
  %3 = arith.negf %2 : tensor<8x6xf32>
  %4 = einsum.add %3, %x : tensor<8x6xf32>
  return %1, %4 : tensor<8x6xf32>, tensor<8x6xf32>
}
