// RUN: transfusion-opt %s --load-arch=tiny --dpipe --sched-verify | FileCheck %s

// Beside l, rank k of extent 1 adds nothing: the dimension of 2 is l.
// CHECK-LABEL: func @window
// CHECK: sched.schedule
// CHECK: #sched.slot<"A"
func.func @window(%x: tensor<2x3xf32>) -> tensor<1x3xf32> {
  %r = einsum.cascade ranks(k = 1, l = 2, j = 3) {
    %A = einsum.map_reduce "A" [k,j] from %x[k+l,j] reduce add over [l] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    einsum.yield %A : tensor<1x3xf32>
  } -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

// Nor does it where it moves over the one place it has.
// CHECK-LABEL: func @place
// CHECK: sched.schedule
func.func @place(%x: tensor<2x3xf32>) -> tensor<1x3xf32> {
  %r = einsum.cascade ranks(k = 1, l = 2, j = 3) {
    %A = einsum.map_reduce "A" [k,j] from %x[k*2+l,j] reduce add over [l] : (tensor<2x3xf32>) -> tensor<1x3xf32>
    einsum.yield %A : tensor<1x3xf32>
  } -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}
