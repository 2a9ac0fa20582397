// RUN: transfusion-opt %s --einsum-normalize -verify-diagnostics | FileCheck %s

// The position of the maximum, which nobody asks for.
// CHECK-LABEL: @argmax
// CHECK-COUNT-1: einsum.map_reduce
// CHECK-NOT: einsum.map_reduce
func.func @argmax(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = einsum.cascade ranks(p = 4, d = 8) {
    %M = einsum.map_reduce "max1" [p] from %x[p,d] reduce max over [d] : (tensor<4x8xf32>) -> tensor<4xf32>
    // expected-remark@+1 {{'argmax1' is removed: no result depends on it}}
    %I = einsum.map_reduce "argmax1" [p] from %x[p,d], %M[p] map {
    ^bb0(%a: f32, %m: f32):
      %i = einsum.index "d"
      %j = arith.index_cast %i : index to i64
      %c = arith.cmpf oeq, %a, %m : f32
      %last = arith.constant 8 : i64
      %r = arith.select %c, %j, %last : i64
      einsum.yield %r : i64
    } reduce min over [d] : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xi64>
    einsum.yield %M : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
