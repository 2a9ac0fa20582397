// A body that asks where it is gets the same answer at any width.
// RUN: transfusion-opt %s --einsum-partition=width=4 | FileCheck %s

// CHECK: "A" [m1*4+m0] from %{{.*}}[m1*4+m0] map {
// CHECK: %[[TILE:.*]] = einsum.index "m1"
// CHECK: %[[IN:.*]] = einsum.index "m0"
// CHECK: %[[AT:.*]] = arith.muli %[[TILE]], %c4
// CHECK: %[[POINT:.*]] = arith.addi %[[AT]], %[[IN]]
// CHECK: arith.remui %[[POINT]], %c6
// CHECK: } : (
func.func @f(%x: tensor<12xi32>) -> tensor<12xi32> {
  %r = einsum.cascade ranks(m1 = 2 iterative, m0 = 6) {
    %A = einsum.map_reduce "A" [m1*6+m0] from %x[m1*6+m0] map {
    ^bb0(%a: i32):
      %i = einsum.index "m0"
      %j = arith.index_cast %i : index to i32
      %s = arith.addi %a, %j : i32
      einsum.yield %s : i32
    } : (tensor<12xi32>) -> tensor<12xi32>
    einsum.yield %A : tensor<12xi32>
  } -> tensor<12xi32>
  return %r : tensor<12xi32>
}
