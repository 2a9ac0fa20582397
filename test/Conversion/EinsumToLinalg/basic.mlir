// RUN: transfusion-opt %s --einsum-to-linalg --canonicalize --split-input-file | FileCheck %s

// Map and reduce are one generic that starts from the identity, finish another;
// plain accesses are its inputs.
// CHECK-LABEL: func @contraction
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<4x3xf32>, %[[B:.*]]: tensor<3xf32>)
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%cst : f32)
// CHECK: %[[ACC:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[ZERO]]
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}}["parallel", "parallel"]{{.*}} ins(%[[ACC]], %[[B]]
// CHECK-NOT: einsum.
func.func @contraction(%x: tensor<2x4xf32>, %y: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = einsum.cascade ranks(i = 2, k = 4, j = 3) {
    %A = einsum.map_reduce "A" [i,j] from %x[i,k], %y[k,j] map arith.mulf reduce add over [k] finish from %b[j] arith.addf
        : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    einsum.yield %A : tensor<2x3xf32>
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// A point that does not exist is neither read nor reduced.
// CHECK-LABEL: func @domain
// CHECK: linalg.generic
// CHECK: ^bb0({{.*}}%[[OUT:.*]]: f32):
// CHECK: %[[IN:.*]] = arith.cmpi sge
// CHECK: %[[V:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK: tensor.extract
// CHECK: } else {
// CHECK: scf.yield %[[OUT]]
// CHECK: linalg.yield %[[V]]
func.func @domain(%x: tensor<7xf32>) -> tensor<2xf32> {
  %r = einsum.cascade ranks(a = 2, b = 4) {
    %A = einsum.map_reduce "A" [a] from %x[a*4+b] reduce max over [b] where a*4 + b < 7 : (tensor<7xf32>) -> tensor<2xf32>
    einsum.yield %A : tensor<2xf32>
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// Read in its last slice only: the loop carries a slice, not the tensor.
// CHECK-LABEL: func @window
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<3xf32>) {
// CHECK-NOT: insert_slice
// CHECK: return
func.func @window(%x: tensor<5x3xf32>) -> tensor<3xf32> {
  %r = einsum.cascade ranks(m = 5 iterative, p = 3) {
    %N = einsum.map_reduce "N" [m+1,p] from %N[m,p], %x[m,p] map arith.addf init 0.0 : f32 : (tensor<6x3xf32>, tensor<5x3xf32>) -> tensor<6x3xf32>
    %L = einsum.map_reduce "L" [p] from %N[5,p] map math.exp : (tensor<6x3xf32>) -> tensor<3xf32>
    einsum.yield %L : tensor<3xf32>
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Somebody reads every slice: the history is carried as well.
// CHECK-LABEL: func @history
// CHECK: scf.for {{.*}} -> (tensor<3xf32>, tensor<6x3xf32>) {
// CHECK: tensor.insert_slice
func.func @history(%x: tensor<5x3xf32>) -> tensor<3xf32> {
  %r = einsum.cascade ranks(m = 5 iterative, p = 3) {
    %N = einsum.map_reduce "N" [m+1,p] from %N[m,p], %x[m,p] map arith.addf init 0.0 : f32 : (tensor<6x3xf32>, tensor<5x3xf32>) -> tensor<6x3xf32>
    %L = einsum.map_reduce "L" [p] from %N[m+1,p] reduce max over [m] : (tensor<6x3xf32>) -> tensor<3xf32>
    einsum.yield %L : tensor<3xf32>
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
