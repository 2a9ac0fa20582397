// RUN: transfusion-opt %s --einsum-normalize | FileCheck %s

// A dot, a scale and a bias in three Einsums, and in another order in one: one
// Einsum with both in its finish.
// CHECK-LABEL: @split
// CHECK: %[[L:.*]] = einsum.map_reduce "L" [p,s] from %arg0[p,d], %arg1[s,d] map arith.mulf reduce add over [d] finish from %arg2[s] {
// CHECK: arith.mulf %{{.*}}, %cst
// CHECK: arith.addf
// CHECK-NOT: einsum.map_reduce
// CHECK: einsum.yield %[[L]]
func.func @split(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = einsum.cascade ranks(p = 4, d = 8, s = 6) {
    %A = einsum.map_reduce "A" [s,p] from %w[s,d], %x[p,d] map arith.mulf reduce add over [d]
      : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
    %B = einsum.map_reduce "B" [p,s] from %A[s,p] map {
    ^bb0(%a: f32):
      %c = arith.constant 4.0 : f32
      %r = arith.divf %a, %c : f32
      einsum.yield %r : f32
    } : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %C = einsum.map_reduce "C" [p,s] from %b[s], %B[p,s] map arith.addf
      : (tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    einsum.yield %C : tensor<4x6xf32>
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @merged
// CHECK: "L" [p,s] from %arg0[p,d], %arg1[s,d] map arith.mulf reduce add over [d] finish from %arg2[s] {
// CHECK: arith.mulf %{{.*}}, %cst
// CHECK: arith.addf
// CHECK-NOT: einsum.map_reduce
func.func @merged(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = einsum.cascade ranks(p = 4, d = 8, s = 6) {
    %A = einsum.map_reduce "A" [p,s] from %x[p,d], %w[s,d] map {
    ^bb0(%a: f32, %b1: f32):
      %c = arith.constant 0.25 : f32
      %h = arith.mulf %c, %b1 : f32
      %r = arith.mulf %a, %h : f32
      einsum.yield %r : f32
    } reduce add over [d] finish from %b[s] {
    ^bb0(%s: f32, %b2: f32):
      %r = arith.addf %b2, %s : f32
      einsum.yield %r : f32
    } : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    einsum.yield %A : tensor<4x6xf32>
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// What two read is made once; a sum of two whole tensors is an Einsum of its own,
// with what is nearer to the arguments first.
// CHECK-LABEL: @shared
// CHECK: %[[E:.*]] = einsum.map_reduce "T{{[12]}}" [p,{{[dk]}}] from %arg0[p,{{[dk]}}] map math.exp
// CHECK: %[[L:.*]] = einsum.map_reduce "L" [p,d] from %[[E]][p,{{.}}], %arg1[d,{{.}}]
// CHECK: [p,d] from %[[E]][p,{{.}}], %[[L]][p,d] map arith.addf
func.func @shared(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = einsum.cascade ranks(p = 4, d = 8, k = 8) {
    %T1 = einsum.map_reduce "T1" [p,d] from %x[p,d] map math.exp : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %T2 = einsum.map_reduce "T2" [p,k] from %x[p,k] map math.exp : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %L = einsum.map_reduce "dot1" [p,d] from %T2[p,k], %w[d,k] map arith.mulf reduce add over [k]
      : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %R = einsum.map_reduce "add1" [p,d] from %L[p,d], %T1[p,d] map arith.addf
      : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    einsum.yield %R : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Narrowing casts stay; what only widens a value is part of its reader.
// CHECK-LABEL: @casts
// CHECK: %[[N:.*]] = einsum.map_reduce "n" [p,d] from %arg0[p,d] map {
// CHECK: arith.extf
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.truncf
// CHECK: } : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK: einsum.map_reduce "L" [p] from %[[N]][p,d], %arg1[d] map {
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: } reduce add over [d] finish {
// CHECK: arith.truncf
func.func @casts(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4xbf16> {
  %0 = einsum.cascade ranks(p = 4, d = 8) {
    %w0 = einsum.map_reduce "w" [p,d] from %x[p,d] map {
    ^bb0(%a: bf16):
      %r = arith.extf %a : bf16 to f32
      einsum.yield %r : f32
    } : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %e = einsum.map_reduce "e" [p,d] from %w0[p,d] map math.exp : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %n = einsum.map_reduce "n" [p,d] from %e[p,d] map {
    ^bb0(%a: f32):
      %r = arith.truncf %a : f32 to bf16
      einsum.yield %r : bf16
    } : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %s = einsum.map_reduce "s" [p] from %n[p,d], %w[d] map {
    ^bb0(%a: bf16, %b: bf16):
      %1 = arith.extf %a : bf16 to f32
      %2 = arith.extf %b : bf16 to f32
      %3 = arith.mulf %1, %2 : f32
      einsum.yield %3 : f32
    } reduce add over [d] finish {
    ^bb0(%a: f32):
      %r = arith.truncf %a : f32 to bf16
      einsum.yield %r : bf16
    } : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4xbf16>
    einsum.yield %s : tensor<4xbf16>
  } -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// A residual that is rounded is so in its own Einsum.
// CHECK-LABEL: @rounded
// CHECK: %[[L:.*]] = einsum.map_reduce "L" {{.*}} -> tensor<4x8xf32>
// CHECK: einsum.map_reduce "RES" [p,d] from %arg0[p,d], %[[L]][p,d] map {
// CHECK: arith.addf
// CHECK: arith.truncf
// CHECK-NOT: einsum.map_reduce
func.func @rounded(%x: tensor<4x8xbf16>, %y: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xbf16> {
  %0 = einsum.cascade ranks(p = 4, d = 8, k = 8) {
    %L = einsum.map_reduce "dot1" [p,d] from %y[p,k], %w[d,k] map arith.mulf reduce add over [k]
      : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %R = einsum.map_reduce "add1" [p,d] from %x[p,d], %L[p,d] map {
    ^bb0(%a: bf16, %b: f32):
      %1 = arith.extf %a : bf16 to f32
      %2 = arith.addf %b, %1 : f32
      %3 = arith.truncf %2 : f32 to bf16
      einsum.yield %3 : bf16
    } : (tensor<4x8xbf16>, tensor<4x8xf32>) -> tensor<4x8xbf16>
    einsum.yield %R : tensor<4x8xbf16>
  } -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// Every reader takes its part of a fused projection: each is a projection.
// CHECK-LABEL: @fused
// CHECK-DAG: [p,h] from %arg0[p,d], %arg1[d,h]
// CHECK-DAG: [p,h] from %arg0[p,d], %arg1[d,h+3]
func.func @fused(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x3xf32> {
  %0 = einsum.cascade ranks(p = 4, d = 8, c = 2, h = 3) {
    %T = einsum.map_reduce "T" [p,c*3+h] from %x[p,d], %w[d,c*3+h] map arith.mulf reduce add over [d]
      : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %E = einsum.map_reduce "E" [p,h] from %T[p,h] map math.exp : (tensor<4x6xf32>) -> tensor<4x3xf32>
    %M = einsum.map_reduce "M" [p,h] from %E[p,h], %T[p,h+3] map arith.mulf
      : (tensor<4x3xf32>, tensor<4x6xf32>) -> tensor<4x3xf32>
    einsum.yield %M : tensor<4x3xf32>
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Integers are left as they are: no maximum of integers is a ReLU.
// CHECK-LABEL: @integers
// CHECK-NOT: "AR"
// CHECK: arith.maxsi
// CHECK: reduce add over [d]
func.func @integers(%x: tensor<4x8xi32>) -> tensor<4xi32> {
  %0 = einsum.cascade ranks(p = 4, d = 8) {
    %A = einsum.map_reduce "A" [p,d] from %x[p,d] map {
    ^bb0(%a: i32):
      %c = arith.constant 0 : i32
      %r = arith.maxsi %a, %c : i32
      einsum.yield %r : i32
    } : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %S = einsum.map_reduce "S" [p] from %A[p,d] reduce add over [d] : (tensor<4x8xi32>) -> tensor<4xi32>
    einsum.yield %S : tensor<4xi32>
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// A result that is an argument, one tensor under two layouts, and a constant.
// CHECK-LABEL: @results
// CHECK: %[[E:.*]] = einsum.map_reduce "A" [p,d] from %arg0[p,d] map math.exp
// CHECK-DAG: %[[B:.*]] = einsum.map_reduce "B" [d,p] from %[[E]][p,d]
// CHECK-DAG: %[[C:.*]] = einsum.map_reduce "C" [p,d] map {
// CHECK: einsum.yield %arg0, %[[E]], %[[B]], %[[C]]
func.func @results(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>) {
  %0:4 = einsum.cascade ranks(p = 4, d = 8) {
    %I = einsum.map_reduce "I" [p,d] from %x[p,d] : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %A = einsum.map_reduce "A" [p,d] from %I[p,d] map math.exp : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %B = einsum.map_reduce "B" [d,p] from %A[p,d] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %C = einsum.map_reduce "C" [p,d] map {
      %c = arith.constant 1.0 : f32
      einsum.yield %c : f32
    } : () -> tensor<4x8xf32>
    einsum.yield %I, %A, %B, %C : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  } -> tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return %0#0, %0#1, %0#2, %0#3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>
}
