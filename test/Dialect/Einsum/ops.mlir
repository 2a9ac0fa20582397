// The text form: everything that an Einsum can say, custom and generic.
// RUN: transfusion-opt %s --verify-roundtrip | FileCheck %s
// RUN: transfusion-opt %s -mlir-print-op-generic | transfusion-opt | FileCheck %s
// RUN: transfusion-opt %s -emit-bytecode | transfusion-opt | FileCheck %s

// One-pass attention, seven keys in two tiles of four; causal; recurrences read
// values that are defined further down.
// CHECK-LABEL: func @attention
// CHECK: einsum.cascade ranks(b = 2, h = 3, e = 4, f = 6, p = 5, m1 = 2 iterative, m0 = 4) {
// CHECK: %QK = einsum.map_reduce "QK" [b,h,m1,m0,p] from %{{.*}}[b,h,p,e], %{{.*}}[b,h,m1*4+m0,e] map arith.mulf reduce add over [e] finish from %{{.*}}[b,0,p,m1*4+m0] {
// CHECK: } where m1*4 + m0 < 7 and m1*4 + m0 <= p + 2 : (
// CHECK: "LM" [b,h,m1,p] from %QK[b,h,m1,m0,p] reduce max over [m0] : (
// CHECK: %RM = einsum.map_reduce "RM" [b,h,m1+1,p] from %RM[b,h,m1,p], %LM[b,h,m1,p] map arith.maximumf init -inf : (
// CHECK: "RD" [b,h,m1+1,p] from %SLD[b,h,m1,p], %SPD[b,h,m1,p] map arith.addf init 0.000000e+00 : f32 : (
// CHECK: "AV" [b,h,p,f] from %RNV[b,h,f,2,p], %RD[b,h,2,p] map arith.divf : (
// CHECK: einsum.yield %AV : tensor<2x3x5x6xf32>
// CHECK: } -> tensor<2x3x5x6xf32>
func.func @attention(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x6xf32>, %mask: tensor<2x1x5x7xf32>) -> tensor<2x3x5x6xf32> {
  %r = einsum.cascade ranks(b = 2, h = 3, e = 4, f = 6, p = 5, m1 = 2 iterative, m0 = 4) {
    %QK = einsum.map_reduce "QK" [b,h,m1,m0,p] from %q[b,h,p,e], %k[b,h,m1*4+m0,e] map arith.mulf reduce add over [e]
        finish from %mask[b,0,p,m1*4+m0] {
        ^bb0(%s: f32, %x: f32):
          %c = arith.constant 0.5 : f32
          %0 = arith.mulf %s, %c : f32
          %1 = arith.addf %0, %x : f32
          einsum.yield %1 : f32
        } where m1*4 + m0 < 7 and m1*4 + m0 <= p + 2
        : (tensor<2x3x5x4xf32>, tensor<2x3x7x4xf32>, tensor<2x1x5x7xf32>) -> tensor<2x3x2x4x5xf32>
    %SLN = einsum.map_reduce "SLN" [b,h,m1,m0,p] from %QK[b,h,m1,m0,p], %RMG[b,h,m1,p] map {
    ^bb0(%s: f32, %m: f32):
      %0 = arith.subf %s, %m : f32
      %1 = math.exp %0 : f32
      einsum.yield %1 : f32
    } : (tensor<2x3x2x4x5xf32>, tensor<2x3x2x5xf32>) -> tensor<2x3x2x4x5xf32>
    %LM = einsum.map_reduce "LM" [b,h,m1,p] from %QK[b,h,m1,m0,p] reduce max over [m0] : (tensor<2x3x2x4x5xf32>) -> tensor<2x3x2x5xf32>
    %RM = einsum.map_reduce "RM" [b,h,m1+1,p] from %RM[b,h,m1,p], %LM[b,h,m1,p] map arith.maximumf init -inf
        : (tensor<2x3x3x5xf32>, tensor<2x3x2x5xf32>) -> tensor<2x3x3x5xf32>
    %RMG = einsum.map_reduce "RMG" [b,h,m1,p] from %RM[b,h,m1+1,p] map {
    ^bb0(%m: f32):
      %ninf = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0.0 : f32
      %is = arith.cmpf oeq, %m, %ninf : f32
      %0 = arith.select %is, %zero, %m : f32
      einsum.yield %0 : f32
    } : (tensor<2x3x3x5xf32>) -> tensor<2x3x2x5xf32>
    %SLD = einsum.map_reduce "SLD" [b,h,m1,p] from %SLN[b,h,m1,m0,p] reduce add over [m0] : (tensor<2x3x2x4x5xf32>) -> tensor<2x3x2x5xf32>
    %SLNV = einsum.map_reduce "SLNV" [b,h,f,m1,p] from %SLN[b,h,m1,m0,p], %v[b,h,m1*4+m0,f] map arith.mulf reduce add over [m0] : (tensor<2x3x2x4x5xf32>, tensor<2x3x7x6xf32>) -> tensor<2x3x6x2x5xf32>
    %PRM = einsum.map_reduce "PRM" [b,h,m1,p] from %RM[b,h,m1,p], %RMG[b,h,m1,p] map {
    ^bb0(%a: f32, %m: f32):
      %0 = arith.subf %a, %m : f32
      %1 = math.exp %0 : f32
      einsum.yield %1 : f32
    } : (tensor<2x3x3x5xf32>, tensor<2x3x2x5xf32>) -> tensor<2x3x2x5xf32>
    %SPD = einsum.map_reduce "SPD" [b,h,m1,p] from %RD[b,h,m1,p], %PRM[b,h,m1,p] map arith.mulf : (tensor<2x3x3x5xf32>, tensor<2x3x2x5xf32>) -> tensor<2x3x2x5xf32>
    %RD = einsum.map_reduce "RD" [b,h,m1+1,p] from %SLD[b,h,m1,p], %SPD[b,h,m1,p] map arith.addf init 0.0 : f32 : (tensor<2x3x2x5xf32>, tensor<2x3x2x5xf32>) -> tensor<2x3x3x5xf32>
    %SPNV = einsum.map_reduce "SPNV" [b,h,f,m1,p] from %RNV[b,h,f,m1,p], %PRM[b,h,m1,p] map arith.mulf : (tensor<2x3x6x3x5xf32>, tensor<2x3x2x5xf32>) -> tensor<2x3x6x2x5xf32>
    %RNV = einsum.map_reduce "RNV" [b,h,f,m1+1,p] from %SLNV[b,h,f,m1,p], %SPNV[b,h,f,m1,p] map arith.addf init 0.0 : f32 : (tensor<2x3x6x2x5xf32>, tensor<2x3x6x2x5xf32>) -> tensor<2x3x6x3x5xf32>
    %AV = einsum.map_reduce "AV" [b,h,p,f] from %RNV[b,h,f,2,p], %RD[b,h,2,p] map arith.divf : (tensor<2x3x6x3x5xf32>, tensor<2x3x3x5xf32>) -> tensor<2x3x5x6xf32>
    einsum.yield %AV : tensor<2x3x5x6xf32>
  } -> tensor<2x3x5x6xf32>
  return %r : tensor<2x3x5x6xf32>
}
