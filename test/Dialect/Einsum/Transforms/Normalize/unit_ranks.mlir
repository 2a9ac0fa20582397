// A batch of one is no rank, whoever wrote it: also in a recurrence, which stays
// otherwise, in a body that asks for its index, and in a domain. Results and
// arguments have the dimension, tensors in between do not.
// RUN: transfusion-opt %s --einsum-normalize | FileCheck %s

// CHECK-LABEL: @recurrence
// CHECK: einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
// CHECK: "S" [m1] from %arg0[0,m1*4+m0] reduce add over [m0] where m1*4 + m0 < 7 : (tensor<1x8xf32>) -> tensor<2xf32>
// CHECK: "N" [m1+1] from %N[m1], %S[m1] map arith.addf init 0.0
// CHECK: "E" [0] from %N[2] map math.exp : (tensor<3xf32>) -> tensor<1xf32>
func.func @recurrence(%x: tensor<1x8xf32>) -> tensor<1xf32> {
  %0 = einsum.cascade ranks(b = 1, m1 = 2 iterative, m0 = 4) {
    %S = einsum.map_reduce "S" [b,m1] from %x[b,m1*4+m0] reduce add over [m0] where m1*4 + m0 - b < 7
      : (tensor<1x8xf32>) -> tensor<1x2xf32>
    %N = einsum.map_reduce "N" [b,m1+1] from %N[b,m1], %S[b,m1] map arith.addf init 0.0 : f32
      : (tensor<1x3xf32>, tensor<1x2xf32>) -> tensor<1x3xf32>
    %E = einsum.map_reduce "E" [b] from %N[b,2] map math.exp : (tensor<1x3xf32>) -> tensor<1xf32>
    einsum.yield %E : tensor<1xf32>
  } -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// CHECK-LABEL: @index
// CHECK: ranks(p = 3)
// CHECK: "A" [0,p] from %arg0[p,0] map {
// CHECK-NOT: index
// CHECK: arith.addf
func.func @index(%x: tensor<3x1xf32>) -> tensor<1x3xf32> {
  %0 = einsum.cascade ranks(b = 1, p = 3) {
    %A = einsum.map_reduce "A" [b,p] from %x[p,b] map {
    ^bb0(%a: f32):
      %i = einsum.index "b"
      %j = arith.index_cast %i : index to i32
      %k = arith.sitofp %j : i32 to f32
      %r = arith.addf %a, %k : f32
      %e = math.exp %r : f32
      einsum.yield %e : f32
    } : (tensor<3x1xf32>) -> tensor<1x3xf32>
    einsum.yield %A : tensor<1x3xf32>
  } -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

// A reduced rank of extent 1 does nothing; a result that is yielded and read
// keeps its type.
// CHECK-LABEL: @reduced
// CHECK: ranks(p = 3)
// CHECK: "A" [p,0] from %arg0[p,0] map math.exp : (tensor<3x1xf32>) -> tensor<3x1xf32>
// CHECK: einsum.yield
func.func @reduced(%x: tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3xf32>) {
  %0:2 = einsum.cascade ranks(b = 1, p = 3) {
    %A = einsum.map_reduce "A" [p,b] from %x[p,b] map math.exp : (tensor<3x1xf32>) -> tensor<3x1xf32>
    %B = einsum.map_reduce "B" [p] from %A[p,b] reduce add over [b] : (tensor<3x1xf32>) -> tensor<3xf32>
    einsum.yield %A, %B : tensor<3x1xf32>, tensor<3xf32>
  } -> tensor<3x1xf32>, tensor<3xf32>
  return %0#0, %0#1 : tensor<3x1xf32>, tensor<3xf32>
}

// What a constant lists is an index, and the constant is gone.
// CHECK-LABEL: @listed
// CHECK-NOT: dense
// CHECK: "A" [p,m] from %arg0[p,m] map {
// CHECK: einsum.index "p"
// CHECK: return
func.func @listed(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %c = arith.constant dense<[[5], [7], [9]]> : tensor<3x1xi64>
  %0 = einsum.cascade ranks(p = 3, m = 2) {
    %A = einsum.map_reduce "A" [p,m] from %x[p,m], %c[p,0] map {
    ^bb0(%a: f32, %i: i64):
      %k = arith.sitofp %i : i64 to f32
      %r = arith.mulf %a, %k : f32
      einsum.yield %r : f32
    } : (tensor<3x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
    einsum.yield %A : tensor<3x2xf32>
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// CHECK-LABEL: @unlisted
// CHECK: dense<{{\[\[}}5], [7], [8]]>
func.func @unlisted(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %c = arith.constant dense<[[5], [7], [8]]> : tensor<3x1xi64>
  %0 = einsum.cascade ranks(p = 3, m = 2) {
    %A = einsum.map_reduce "A" [p,m] from %x[p,m], %c[p,0] map {
    ^bb0(%a: f32, %i: i64):
      %k = arith.sitofp %i : i64 to f32
      %r = arith.mulf %a, %k : f32
      einsum.yield %r : f32
    } : (tensor<3x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
    einsum.yield %A : tensor<3x2xf32>
  } -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
