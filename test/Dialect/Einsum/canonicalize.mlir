// RUN: transfusion-opt %s --canonicalize --split-input-file | FileCheck %s

// What nobody reads goes, with the rank that only it used; what is read stays.
// CHECK-LABEL: func @dead_einsum
// CHECK: einsum.cascade ranks(p = 4) {
// CHECK-NOT: "B"
// CHECK: "A"
func.func @dead_einsum(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    %B = einsum.map_reduce "B" [q] from %y[q] map math.exp : (tensor<5xf32>) -> tensor<5xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A recurrence reads itself, and so do two that read each other.
// CHECK-LABEL: func @dead_cycle
// CHECK: einsum.cascade ranks(m = 3 iterative) {
// CHECK-NEXT: "SUM" [m+1] from %SUM[m], %{{.*}}[m] map arith.addf
// CHECK-NEXT: einsum.yield
func.func @dead_cycle(%x: tensor<3xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(m = 3 iterative) {
    %MAX = einsum.map_reduce "MAX" [m+1] from %MAX[m], %x[m] map arith.maximumf init -inf : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
    %A = einsum.map_reduce "A" [m] from %B[m], %x[m] map arith.mulf : (tensor<4xf32>, tensor<3xf32>) -> tensor<3xf32>
    %B = einsum.map_reduce "B" [m+1] from %A[m] init 0.0 : f32 : (tensor<3xf32>) -> tensor<4xf32>
    %SUM = einsum.map_reduce "SUM" [m+1] from %SUM[m], %x[m] map arith.addf init 0.0 : f32 : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
    einsum.yield %SUM : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A body that yields its argument is no body; an Einsum that copies is its
// input.
// CHECK-LABEL: func @identity
// CHECK-SAME: (%[[X:.*]]: tensor<4x2xf32>)
// CHECK: "S" [p] from %[[X]][p,q] reduce add over [q] : (
// CHECK-NEXT: "T" [q,p] from %[[X]][p,q] : (
// CHECK-NEXT: einsum.yield %S, %T
func.func @identity(%x: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %r:2 = einsum.cascade ranks(p = 4, q = 2) {
    %C = einsum.map_reduce "C" [p,q] from %x[p,q] : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %S = einsum.map_reduce "S" [p] from %C[p,q] map {
    ^bb0(%a: f32):
      einsum.yield %a : f32
    } reduce add over [q] finish {
    ^bb0(%a: f32):
      einsum.yield %a : f32
    } : (tensor<4x2xf32>) -> tensor<4xf32>
    // A transpose moves data: it stays.
    %T = einsum.map_reduce "T" [q,p] from %C[p,q] : (tensor<4x2xf32>) -> tensor<2x4xf32>
    einsum.yield %S, %T : tensor<4xf32>, tensor<2x4xf32>
  } -> tensor<4xf32>, tensor<2x4xf32>
  return %r#0, %r#1 : tensor<4xf32>, tensor<2x4xf32>
}

// -----

// A copy cut by a domain is no copy.
// CHECK-LABEL: func @cut_copy
// CHECK: "C" [p] from %{{.*}}[p] where p < 3
func.func @cut_copy(%x: tensor<4xf32>) -> tensor<f32> {
  %r = einsum.cascade ranks(p = 4) {
    %C = einsum.map_reduce "C" [p] from %x[p] where p < 3 : (tensor<4xf32>) -> tensor<4xf32>
    %S = einsum.map_reduce "S" [] from %C[p] reduce add over [p] : (tensor<4xf32>) -> tensor<f32>
    einsum.yield %S : tensor<f32>
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Results: unused, from outside, repeated.
// CHECK-LABEL: func @results
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = einsum.cascade ranks(p = 4) {
// CHECK-NOT: "B"
// CHECK: einsum.yield %A : tensor<4xf32>
// CHECK: return %[[R]], %[[R]], %[[X]]
func.func @results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r:4 = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    %B = einsum.map_reduce "B" [p] from %x[p] map math.tanh : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A, %B, %A, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %r#0, %r#2, %r#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @unused
// CHECK-NEXT: return
func.func @unused(%x: tensor<4xf32>) {
  %r = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// Constants of a body stay in it: nothing but Einsums stands in a cascade.
// CHECK-LABEL: func @constants
// CHECK: einsum.cascade
// CHECK-NEXT: einsum.map_reduce "A"
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.constant 3.000000e+00
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map {
    ^bb0(%a: f32):
      %c1 = arith.constant 1.0 : f32
      %c2 = arith.constant 2.0 : f32
      %c = arith.addf %c1, %c2 : f32
      %y = arith.mulf %a, %c : f32
      einsum.yield %y : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
