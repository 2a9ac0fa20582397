// Keys in one tile of 29, cut to 8, to 1, and back.
// RUN: transfusion-opt %s --einsum-partition=width=8 | FileCheck %s
// RUN: transfusion-opt %s --einsum-partition=width=1 | FileCheck %s --check-prefix=ONE
// RUN: transfusion-opt %s --einsum-partition=width=64 | FileCheck %s --check-prefix=SAME
// RUN: transfusion-opt %s --einsum-partition=width=8 --einsum-partition=width=3 --einsum-partition=width=29 | FileCheck %s --check-prefix=SAME

// A ragged last tile is a constraint where a tensor is read, and implied where
// a reader follows; shapes per tile and within a tile follow, the last slice
// does, and sizes that are no tiles stay.
// CHECK: ranks(p = 5, e = 6, m1 = 4 iterative, m0 = 8)
// CHECK: "QK" [m1,m0,p] from %{{.*}}[p,e], %{{.*}}[m1*8+m0,e] map arith.mulf reduce add over [e] where m1*8 + m0 < 29 and m1*8 + m0 <= p + 24 : ({{.*}}) -> tensor<4x8x5xf32>
// CHECK: "LM" [m1,p] from %QK[m1,m0,p] reduce max over [m0] : (tensor<4x8x5xf32>) -> tensor<4x5xf32>
// CHECK: "RM" [m1+1,p] from %RM[m1,p], %LM[m1,p] map arith.maximumf init -inf : (tensor<5x5xf32>, tensor<4x5xf32>) -> tensor<5x5xf32>
// CHECK: "FLAT" [m1*8+m0,p] from %QK[m1,m0,p] : (tensor<4x8x5xf32>) -> tensor<29x5xf32>
// CHECK: "R" [p] from %RM[4,p] finish from %RM[0,p] arith.addf : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5xf32>

// Even tiles need no constraint, but what is causal stays.
// ONE: ranks(p = 5, e = 6, m1 = 29 iterative, m0 = 1)
// ONE: %{{.*}}[m1+m0,e] map arith.mulf reduce add over [e] where m1 + m0 <= p + 24 :

// SAME: ranks(p = 5, e = 6, m1 = 1 iterative, m0 = 29)
// SAME: %{{.*}}[m1*29+m0,e] map arith.mulf reduce add over [e] where m1*29 + m0 <= p + 24 : ({{.*}}) -> tensor<1x29x5xf32>
// SAME: "R" [p] from %RM[1,p] finish from %RM[0,p]
func.func @f(%q: tensor<5x6xf32>, %k: tensor<29x6xf32>) -> (tensor<5xf32>, tensor<29x5xf32>) {
  %r:2 = einsum.cascade ranks(p = 5, e = 6, m1 = 1 iterative, m0 = 29) {
    %QK = einsum.map_reduce "QK" [m1,m0,p] from %q[p,e], %k[m1*29+m0,e] map arith.mulf reduce add over [e] where m1*29 + m0 <= p + 24
        : (tensor<5x6xf32>, tensor<29x6xf32>) -> tensor<1x29x5xf32>
    %LM = einsum.map_reduce "LM" [m1,p] from %QK[m1,m0,p] reduce max over [m0] : (tensor<1x29x5xf32>) -> tensor<1x5xf32>
    %RM = einsum.map_reduce "RM" [m1+1,p] from %RM[m1,p], %LM[m1,p] map arith.maximumf init -inf : (tensor<2x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    %F = einsum.map_reduce "FLAT" [m1*29+m0,p] from %QK[m1,m0,p] : (tensor<1x29x5xf32>) -> tensor<29x5xf32>
    %R = einsum.map_reduce "R" [p] from %RM[1,p] finish from %RM[0,p] arith.addf : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<5xf32>
    einsum.yield %R, %F : tensor<5xf32>, tensor<29x5xf32>
  } -> tensor<5xf32>, tensor<29x5xf32>
  return %r#0, %r#1 : tensor<5xf32>, tensor<29x5xf32>
}
