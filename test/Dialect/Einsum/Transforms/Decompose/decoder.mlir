// RUN: transfusion-opt %s --einsum-decompose --split-input-file | FileCheck %s
// RUN: transfusion-opt %s --einsum-decompose=key-tile=8 --split-input-file | FileCheck %s --check-prefix=TILED

// Keys and values have ranks of their own heads; queries are made in the split
// that attention reads, and nothing is repeated per group. Features that are
// rotated are pairs, so the partner is an access. The tables are not copied.

// CHECK-LABEL: @grouped
// CHECK: ranks(b = 2, p = 19, d = 24, kv = 2, g = 3, e1 = 2, e0 = 2, m = 19, f = 4,
// CHECK: "Q" [b,kv,g,p,e1,e0] from %arg0[b,p,d], %arg3[((kv*3+g)*2+e1)*2+e0,d]
// CHECK: reduce add over [d] {{.*}} -> tensor<2x2x3x19x2x2xf32>
// CHECK: "BK" [b,kv,m,e1,e0] from %arg0[b,m,d], %arg4[(kv*2+e1)*2+e0,d]
// CHECK: "BV" [b,kv,m,f]
// CHECK: -> tensor<2x2x19x4xbf16>
// CHECK: "rope1.ROPE" [b,kv,g,p,e1,e0] from %Q[b,kv,g,p,e1,e0], %Q[b,kv,g,p,1-e1,e0], %arg1[0,p,e1*2+e0], %arg2[0,p,e1*2+e0]
// CHECK: einsum.index "e1"
// CHECK: -> tensor<2x2x3x19x2x2xbf16>
// CHECK: "rope2.ROPE" [b,kv,m,e1,e0] from %BK[b,kv,m,e1,e0], %BK[b,kv,m,1-e1,e0]
// CHECK: "QK" [b,kv,g,m1,m0,p] from %rope1.ROPE[b,kv,g,p,e1,e0], %rope2.ROPE[b,kv,m1*19+m0,e1,e0]
// CHECK: "SLNV" [b,kv,g,f,m1,p] from %SLN[b,kv,g,m1,m0,p], %BV[b,kv,m1*19+m0,f]
// CHECK: "AV" [b,p,(kv*3+g)*4+f]
func.func @grouped(%x: tensor<2x19x24xbf16>, %c: tensor<1x19x4xbf16>, %s: tensor<1x19x4xbf16>, %wq: tensor<24x24xbf16>, %wk: tensor<8x24xbf16>, %wv: tensor<8x24xbf16>) -> tensor<2x19x24xbf16> {
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads 6 kv_heads 2 out_in : (tensor<2x19x24xbf16>, tensor<24x24xbf16>, tensor<8x24xbf16>, tensor<8x24xbf16>) -> (tensor<2x6x19x4xbf16>, tensor<2x2x19x4xbf16>, tensor<2x2x19x4xbf16>)
  %qr = einsum.rope %q, %c, %s : (tensor<2x6x19x4xbf16>, tensor<1x19x4xbf16>, tensor<1x19x4xbf16>) -> tensor<2x6x19x4xbf16>
  %kr = einsum.rope %k, %c, %s : (tensor<2x2x19x4xbf16>, tensor<1x19x4xbf16>, tensor<1x19x4xbf16>) -> tensor<2x2x19x4xbf16>
  %a = einsum.mha %qr, %kr, %v causal : (tensor<2x6x19x4xbf16>, tensor<2x2x19x4xbf16>, tensor<2x2x19x4xbf16>) -> tensor<2x19x24xbf16>
  return %a : tensor<2x19x24xbf16>
}

// -----

// A fused weight holds 6 + 2 + 2 heads; the query heads of an argument are
// numbered kv*3+g. The interleaved partner is one step away.

// CHECK-LABEL: @fused
// CHECK: "Q" {{.*}} %arg1[(kv*3+g)*4+e,d]
// CHECK: "BK" {{.*}} %arg1[kv*4+e+24,d]
// CHECK: "BV" {{.*}} %arg1[kv*4+f+32,d]
// CHECK-LABEL: @interleaved
// CHECK: "ROPE" [b,h,p,e0*2+e1] from %arg0[b,h,p,e0*2+e1], %arg0[b,h,p,e0*2+(1-e1)], %arg1[p,e0], %arg1[p,e0]
func.func @fused(%x: tensor<2x19x24xf32>, %w: tensor<40x24xf32>) -> tensor<2x6x19x4xf32> {
  %q, %k, %v = einsum.qkv %x, %w heads 6 kv_heads 2 out_in : (tensor<2x19x24xf32>, tensor<40x24xf32>) -> (tensor<2x6x19x4xf32>, tensor<2x2x19x4xf32>, tensor<2x2x19x4xf32>)
  %a = einsum.mha %q, %k, %v : (tensor<2x6x19x4xf32>, tensor<2x2x19x4xf32>, tensor<2x2x19x4xf32>) -> tensor<2x6x19x4xf32>
  return %a : tensor<2x6x19x4xf32>
}
func.func @interleaved(%x: tensor<2x6x19x4xf32>, %c: tensor<19x2xf32>) -> tensor<2x6x19x4xf32> {
  %r = einsum.rope %x, %c, %c interleaved : (tensor<2x6x19x4xf32>, tensor<19x2xf32>, tensor<19x2xf32>) -> tensor<2x6x19x4xf32>
  return %r : tensor<2x6x19x4xf32>
}

// -----

// Keys and values of another sequence, of another width and length.

// CHECK-LABEL: @cross
// CHECK: "Q" [b,h,p,e] from %arg0[b,p,d]
// CHECK: "BK" [b,h,m,e] from %arg1[b,m,d_2]
// CHECK: "QK" [b,h,m1,m0,p] from %Q[b,h,p,e], %BK[b,h,m1*31+m0,e]
func.func @cross(%x: tensor<2x17x15xf32>, %m: tensor<2x31x11xf32>, %wq: tensor<15x15xf32>, %wk: tensor<15x11xf32>) -> tensor<2x17x15xf32> {
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wk memory %m heads 3 out_in : (tensor<2x17x15xf32>, tensor<15x15xf32>, tensor<15x11xf32>, tensor<15x11xf32>, tensor<2x31x11xf32>) -> (tensor<2x3x17x5xf32>, tensor<2x3x31x5xf32>, tensor<2x3x31x5xf32>)
  %a = einsum.mha %q, %k, %v : (tensor<2x3x17x5xf32>, tensor<2x3x31x5xf32>, tensor<2x3x31x5xf32>) -> tensor<2x17x15xf32>
  return %a : tensor<2x17x15xf32>
}

// -----

// The cache is walked in tiles; the new keys are one more, whose softmax and the
// cache's are corrected by the maximum of both. Masks are read at the position
// among all keys. Nothing is copied.

// CHECK-LABEL: @cache
// CHECK-NOT: COPY
// CHECK: "QK" [b,kv,g,m1,m0,p] from %arg0[b,kv*3+g,p,e], %arg3[b,kv,m1*37+m0,e]
// CHECK-SAME: finish from %arg5[0,m1*37+m0]
// CHECK: "QKN" [b,kv,g,n,p] from %arg0[b,kv*3+g,p,e], %arg1[b,kv,n,e]
// CHECK-SAME: finish from %arg5[0,n+37]
// CHECK-SAME: where n <= p
// CHECK: "GM" [b,kv,g,p] from %RM[b,kv,g,1,p], %LMN[b,kv,g,p] map arith.maximumf
// CHECK: "SLNVN" [b,kv,g,f,p] from %SLNN[b,kv,g,n,p], %arg2[b,kv,n,f]
// CHECK: "SPDN" [b,kv,g,p] from %RD[b,kv,g,1,p], %PRMN[b,kv,g,p]
// CHECK: "SPNVN" [b,kv,g,f,p] from %RNV[b,kv,g,f,1,p], %PRMN[b,kv,g,p]
// CHECK: "AV" {{.*}} from %SNV[b,kv,g,f,p], %SD[b,kv,g,p]
// TILED-LABEL: @cache
// TILED: "QK" {{.*}} where m1*8 + m0 < 37 :
// TILED: "GM" [b,kv,g,p] from %RM[b,kv,g,5,p]
func.func @cache(%q: tensor<2x6x5x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>, %pk: tensor<2x2x37x4xf32>, %pv: tensor<2x2x37x4xf32>, %m: tensor<1x42xf32>) -> tensor<2x5x24xf32> {
  %a = einsum.mha %q, %k, %v past %pk, %pv mask %m causal : (tensor<2x6x5x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x37x4xf32>, tensor<2x2x37x4xf32>, tensor<1x42xf32>) -> tensor<2x5x24xf32>
  return %a : tensor<2x5x24xf32>
}

// -----

// CHECK-LABEL: @norm_and_gate
// CHECK: "QAV" [b,p,d] from %arg0[b,p,d]
// CHECK: "SQAV" [b,p] from %QAV[b,p,d] reduce add over [d]
// CHECK: "MQAV"
// CHECK: "SR"
// CHECK: math.rsqrt
// CHECK: "NR" [b,p,d] from %arg0[b,p,d], %SR[b,p], %arg1[d]
// CHECK: -> tensor<2x8x48xbf16>
// CHECK: "FFN1" [b,p,s] from %NR[b,p,d], %arg2[s,d] map
// CHECK: "FFG" [b,p,s] from %NR[b,p,d], %arg4[s,d] map
// CHECK: "AR" [b,p,s] from %FFG[b,p,s], %FFN1[b,p,s]
// CHECK: arith.negf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: -> tensor<2x8x96xbf16>
// CHECK: "FFN2"
func.func @norm_and_gate(%x: tensor<2x8x48xbf16>, %g: tensor<48xbf16>, %u: tensor<96x48xbf16>, %d: tensor<48x96xbf16>, %w: tensor<96x48xbf16>) -> tensor<2x8x48xbf16> {
  %n = einsum.rms_norm %x, %g eps 1.0e-5 : (tensor<2x8x48xbf16>, tensor<48xbf16>) -> tensor<2x8x48xbf16>
  %f = einsum.ffn %n, %u, %d gate %w activation silu out_in : (tensor<2x8x48xbf16>, tensor<96x48xbf16>, tensor<48x96xbf16>, tensor<96x48xbf16>) -> tensor<2x8x48xbf16>
  return %f : tensor<2x8x48xbf16>
}

// Guarded behind a cache: the maximum of both, and their denominator.
// CHECK-LABEL: @guarded_past
// CHECK: "GM" [b,kv,g,p]
// CHECK: "GMG" [b,kv,g,p] from %GM[b,kv,g,p]
// CHECK: "SLNN" {{.*}} %GMG[b,kv,g,p]
// CHECK: "PRMN" {{.*}} %GMG[b,kv,g,p]
// CHECK: "RDG" [b,kv,g,p] from %GM[b,kv,g,p], %SD[b,kv,g,p]
// CHECK: "AV" {{.*}} %RDG[b,kv,g,p]
func.func @guarded_past(%q: tensor<2x6x5x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>, %pk: tensor<2x2x37x4xf32>, %pv: tensor<2x2x37x4xf32>, %m: tensor<1x42xf32>) -> tensor<2x5x24xf32> {
  %a = einsum.mha %q, %k, %v past %pk, %pv mask %m guarded : (tensor<2x6x5x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x37x4xf32>, tensor<2x2x37x4xf32>, tensor<1x42xf32>) -> tensor<2x5x24xf32>
  return %a : tensor<2x5x24xf32>
}
