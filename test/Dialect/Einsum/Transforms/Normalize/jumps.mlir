// What is in front of a jump keeps its quotients, and its arithmetic where that
// can be exact; what is not becomes products.
// RUN: transfusion-opt %s --einsum-normalize --verify-each | FileCheck %s

// In the next cascade.
// CHECK-LABEL: @in_another_cascade
// CHECK: arith.divf
// CHECK: call @outside
// CHECK: math.floor
func.func private @outside(tensor<3xf32>) -> tensor<3xf32>
func.func @in_another_cascade(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %q = einsum.cascade ranks(s = 3) {
    %a = einsum.map_reduce "q" [s] from %x[s] map {
    ^bb0(%0: f32):
      %c = arith.constant 41.0 : f32
      %r = arith.divf %0, %c : f32
      einsum.yield %r : f32
    } : (tensor<3xf32>) -> tensor<3xf32>
    einsum.yield %a : tensor<3xf32>
  } -> tensor<3xf32>
  %z = call @outside(%y) : (tensor<3xf32>) -> tensor<3xf32>
  %f = einsum.cascade ranks(s = 3) {
    %b = einsum.map_reduce "add" [s] from %q[s], %z[s] map arith.addf : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %c = einsum.map_reduce "floor" [s] from %b[s] map math.floor : (tensor<3xf32>) -> tensor<3xf32>
    einsum.yield %c : tensor<3xf32>
  } -> tensor<3xf32>
  return %q, %f : tensor<3xf32>, tensor<3xf32>
}

// Nobody knows what an op does that is not ours.
// CHECK-LABEL: @in_a_foreign_op
// CHECK: arith.divf
// CHECK: call @outside
func.func @in_a_foreign_op(%x: tensor<3xf32>) -> tensor<3xf32> {
  %q = einsum.cascade ranks(s = 3) {
    %a = einsum.map_reduce "q" [s] from %x[s] map {
    ^bb0(%0: f32):
      %c = arith.constant 41.0 : f32
      %r = arith.divf %0, %c : f32
      einsum.yield %r : f32
    } : (tensor<3xf32>) -> tensor<3xf32>
    einsum.yield %a : tensor<3xf32>
  } -> tensor<3xf32>
  %z = call @outside(%q) : (tensor<3xf32>) -> tensor<3xf32>
  return %z : tensor<3xf32>
}

// Infinity is no number to be missed, and the greater of two does not jump.
// CHECK-LABEL: @no_jumps
// CHECK-NOT: arith.divf
// CHECK: return
func.func @no_jumps(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %o:2 = einsum.cascade ranks(s = 3) {
    %q = einsum.map_reduce "q" [s] from %x[s] map {
    ^bb0(%0: f32):
      %c = arith.constant 41.0 : f32
      %r = arith.divf %0, %c : f32
      einsum.yield %r : f32
    } : (tensor<3xf32>) -> tensor<3xf32>
    %a = einsum.map_reduce "hidden" [s] from %q[s] map {
    ^bb0(%0: f32):
      %c = arith.constant 0xFF800000 : f32
      %z = arith.constant 0.0 : f32
      %i = arith.cmpf oeq, %0, %c : f32
      %r = arith.select %i, %z, %0 : f32
      einsum.yield %r : f32
    } : (tensor<3xf32>) -> tensor<3xf32>
    %b = einsum.map_reduce "clamped" [s] from %q[s] map {
    ^bb0(%0: f32):
      %c = arith.constant 6.0 : f32
      %i = arith.cmpf olt, %0, %c : f32
      %r = arith.select %i, %0, %c : f32
      einsum.yield %r : f32
    } : (tensor<3xf32>) -> tensor<3xf32>
    einsum.yield %a, %b : tensor<3xf32>, tensor<3xf32>
  } -> tensor<3xf32>, tensor<3xf32>
  return %o#0, %o#1 : tensor<3xf32>, tensor<3xf32>
}

// A norm that is rounded to steps is a norm: no exact number comes out of it.
// CHECK-LABEL: @norm_in_front
// CHECK: "NR"
// CHECK: arith.divf
// CHECK: math.roundeven
func.func @norm_in_front(%x: tensor<3x8xf32>) -> (tensor<3x8xf32>, tensor<3x8xf32>) {
  %o:2 = einsum.cascade ranks(p = 3, d = 8) {
    %s = einsum.map_reduce "s" [p] from %x[p,d] map {
    ^bb0(%0: f32):
      %r = arith.mulf %0, %0 : f32
      einsum.yield %r : f32
    } reduce add over [d] : (tensor<3x8xf32>) -> tensor<3xf32>
    %r = einsum.map_reduce "r" [p] from %s[p] map {
    ^bb0(%0: f32):
      %n = arith.constant 8.0 : f32
      %e = arith.constant 1.0e-5 : f32
      %m = arith.divf %0, %n : f32
      %a = arith.addf %m, %e : f32
      %i = math.rsqrt %a : f32
      einsum.yield %i : f32
    } : (tensor<3xf32>) -> tensor<3xf32>
    %n = einsum.map_reduce "n" [p,d] from %x[p,d], %r[p] map arith.mulf : (tensor<3x8xf32>, tensor<3xf32>) -> tensor<3x8xf32>
    %q = einsum.map_reduce "q" [p,d] from %n[p,d] map {
    ^bb0(%0: f32):
      %t = arith.constant 3.0 : f32
      %a = arith.divf %0, %t : f32
      einsum.yield %a : f32
    } : (tensor<3x8xf32>) -> tensor<3x8xf32>
    %i = einsum.map_reduce "i" [p,d] from %q[p,d] map math.roundeven : (tensor<3x8xf32>) -> tensor<3x8xf32>
    einsum.yield %q, %i : tensor<3x8xf32>, tensor<3x8xf32>
  } -> tensor<3x8xf32>, tensor<3x8xf32>
  return %o#0, %o#1 : tensor<3x8xf32>, tensor<3x8xf32>
}
