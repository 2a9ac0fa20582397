// RUN: transfusion-opt %s --transfusion=arch=tiny --convert-sched-to-affine --split-input-file --verify-diagnostics | FileCheck %s

// Returned twice: the new row goes where it is appended, and all of it is
// copied from there, by an Einsum.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[CACHE:.*]]: memref<6x4xf32>, %{{.*}}: memref<1x4xf32>, %[[OTHER:.*]]: memref<6x4xf32>)
// CHECK:         affine.store %{{.*}}, %[[CACHE]][5, %{{.*}}]
// CHECK:         affine.load %[[CACHE]][%{{.*}} * 4 + %{{.*}}, %{{.*}}]
// CHECK:         affine.store %{{.*}}, %[[OTHER]][%{{.*}} * 4 + %{{.*}}, %{{.*}}]
// CHECK-NOT:     affine.store
func.func @twice(
    %c: tensor<5x4xf32> {einsum.append = #einsum.append<result = 1, dim = 0>},
    %r: tensor<1x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %k = tensor.concat dim(0) %c, %r
      : (tensor<5x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  return %k, %k : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

func.func @shorter(%x: tensor<5x4xf32>, %new: tensor<3x4xf32>)
    -> (tensor<5x4xf32>, tensor<8x4xf32>) {
  %r:2 = einsum.cascade ranks(q = 5, p = 3, e = 4, t = 8) {
    // expected-error @+1 {{a result of the function is extended by a tensor that is none}}
    %A = einsum.map_reduce "A" [q,e] from %x[q,e] map math.exp
      : (tensor<5x4xf32>) -> tensor<5x4xf32>
    // expected-note @+1 {{both lie in the storage of this one: return it as well, or extend a copy}}
    %B = einsum.map_reduce "B" [p+5,e] extends %A from %new[p,e]
      : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    %C = einsum.map_reduce "C" [t,e] from %B[t,e] map math.absf
      : (tensor<8x4xf32>) -> tensor<8x4xf32>
    einsum.yield %A, %C : tensor<5x4xf32>, tensor<8x4xf32>
  } -> tensor<5x4xf32>, tensor<8x4xf32>
  return %r#0, %r#1 : tensor<5x4xf32>, tensor<8x4xf32>
}
