// RUN: transfusion-opt %s --einsum-normalize | FileCheck %s

// A recurrence and an Einsum with a domain stay, word for word; what they read
// is laid out as they read it, and what reads them is normalised around them.
// CHECK-LABEL: @kept
// CHECK-DAG: %[[A:.*]] = einsum.map_reduce "A" [m0,m1] from %arg0[m1*4+m0] map {
// CHECK-DAG: %[[S:.*]] = einsum.map_reduce "S" [m1] from %[[A]][m0,m1] reduce add over [m0] where m1*4 + m0 < 7
// CHECK-DAG: %[[N:.*]] = einsum.map_reduce "N" [m1+1] from %[[N]][m1], %[[S]][m1] map arith.addf init 0.0
// CHECK-DAG: %[[R:.*]] = einsum.map_reduce "R" [] from %[[N]][2]
// CHECK: %[[E:.*]] = einsum.map_reduce "F" [] from %[[R]][] map {
// CHECK: math.exp
// CHECK: einsum.yield %[[E]]
func.func @kept(%x: tensor<8xf32>) -> tensor<f32> {
  %0 = einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
    %A = einsum.map_reduce "A" [m0,m1] from %x[m1*4+m0] map {
    ^bb0(%a: f32):
      %r = arith.mulf %a, %a : f32
      einsum.yield %r : f32
    } : (tensor<8xf32>) -> tensor<4x2xf32>
    %S = einsum.map_reduce "S" [m1] from %A[m0,m1] reduce add over [m0] where m1*4 + m0 < 7
      : (tensor<4x2xf32>) -> tensor<2xf32>
    %N = einsum.map_reduce "N" [m1+1] from %N[m1], %S[m1] map arith.addf init 0.0 : f32
      : (tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
    %R = einsum.map_reduce "R" [] from %N[2] : (tensor<3xf32>) -> tensor<f32>
    %E = einsum.map_reduce "E" [] from %R[] map math.exp : (tensor<f32>) -> tensor<f32>
    %F = einsum.map_reduce "F" [] from %E[] map math.sqrt : (tensor<f32>) -> tensor<f32>
    einsum.yield %F : tensor<f32>
  } -> tensor<f32>
  return %0 : tensor<f32>
}
