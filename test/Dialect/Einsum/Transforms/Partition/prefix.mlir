// A constraint that bounds the keys of one attention is no ragged last tile: the
// other still has all 29. Where all have it, the rest of the keys is not walked.
// RUN: transfusion-opt %s --einsum-partition=width=8 | FileCheck %s

// CHECK-LABEL: @both
// CHECK: m1 = 4 iterative, m0 = 8
// CHECK: "QK" {{.*}} where m1*8 + m0 < 20 :
// CHECK: "QK2" {{.*}} where m1*8 + m0 < 29 :
// CHECK: "LM" {{.*}} reduce max over [m0] :
// CHECK: "LM2" {{.*}} reduce max over [m0] :
func.func @both(%q: tensor<5x6xf32>, %k: tensor<29x6xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %r:2 = einsum.cascade ranks(p = 5, e = 6, m1 = 1 iterative, m0 = 29) {
    %QK = einsum.map_reduce "QK" [m1,m0,p] from %q[p,e], %k[m1*29+m0,e] map arith.mulf reduce add over [e] where m1*29 + m0 < 20
        : (tensor<5x6xf32>, tensor<29x6xf32>) -> tensor<1x29x5xf32>
    %QK2 = einsum.map_reduce "QK2" [m1,m0,p] from %q[p,e], %k[m1*29+m0,e] map arith.mulf reduce add over [e]
        : (tensor<5x6xf32>, tensor<29x6xf32>) -> tensor<1x29x5xf32>
    %LM = einsum.map_reduce "LM" [m1,p] from %QK[m1,m0,p] reduce max over [m0] : (tensor<1x29x5xf32>) -> tensor<1x5xf32>
    %LM2 = einsum.map_reduce "LM2" [m1,p] from %QK2[m1,m0,p] reduce max over [m0] : (tensor<1x29x5xf32>) -> tensor<1x5xf32>
    %RM = einsum.map_reduce "RM" [m1+1,p] from %RM[m1,p], %LM[m1,p] map arith.maximumf init -inf : (tensor<2x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    %RM2 = einsum.map_reduce "RM2" [m1+1,p] from %RM2[m1,p], %LM2[m1,p] map arith.maximumf init -inf : (tensor<2x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    %R = einsum.map_reduce "R" [p] from %RM[1,p] : (tensor<2x5xf32>) -> tensor<5xf32>
    %R2 = einsum.map_reduce "R2" [p] from %RM2[1,p] : (tensor<2x5xf32>) -> tensor<5xf32>
    einsum.yield %R, %R2 : tensor<5xf32>, tensor<5xf32>
  } -> tensor<5xf32>, tensor<5xf32>
  return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
}

// CHECK-LABEL: @alone
// CHECK: m1 = 3 iterative, m0 = 8
// CHECK: "QK" {{.*}} where m1*8 + m0 < 20 :
func.func @alone(%q: tensor<5x6xf32>, %k: tensor<29x6xf32>) -> tensor<5xf32> {
  %r = einsum.cascade ranks(p = 5, e = 6, m1 = 1 iterative, m0 = 29) {
    %QK = einsum.map_reduce "QK" [m1,m0,p] from %q[p,e], %k[m1*29+m0,e] map arith.mulf reduce add over [e] where m1*29 + m0 < 20
        : (tensor<5x6xf32>, tensor<29x6xf32>) -> tensor<1x29x5xf32>
    %LM = einsum.map_reduce "LM" [m1,p] from %QK[m1,m0,p] reduce max over [m0] : (tensor<1x29x5xf32>) -> tensor<1x5xf32>
    %RM = einsum.map_reduce "RM" [m1+1,p] from %RM[m1,p], %LM[m1,p] map arith.maximumf init -inf : (tensor<2x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    %R = einsum.map_reduce "R" [p] from %RM[1,p] : (tensor<2x5xf32>) -> tensor<5xf32>
    einsum.yield %R : tensor<5xf32>
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
