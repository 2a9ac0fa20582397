// RUN: transfusion-opt %s --einsum-decompose | FileCheck %s

func.func private @outside(tensor<4xf32>) -> tensor<4xf32>

// Nothing stands between: one cascade, whose second half reads the first. A rank
// of the same name and another extent is another rank.
// CHECK-LABEL: func @one
// CHECK: %[[R:.*]]:2 = einsum.cascade ranks(p = 4, q = 3, p_2 = 3)
// CHECK: %A = einsum.map_reduce "A" [p] from %arg0[p]
// CHECK: %B = einsum.map_reduce "B" [p_2] from %A[p_2+1] map {
// CHECK: einsum.index "p_2"
// CHECK: %C = einsum.map_reduce "C" [q]
// CHECK: einsum.yield %A, %C
// CHECK-NOT: einsum.cascade
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %a = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  %c = einsum.cascade ranks(q = 3, p = 3) {
    %B = einsum.map_reduce "B" [p] from %a[p+1] map {
    ^bb0(%v: f32):
      %i = einsum.index "p"
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %s = arith.addf %v, %f : f32
      einsum.yield %s : f32
    } : (tensor<4xf32>) -> tensor<3xf32>
    %C = einsum.map_reduce "C" [q] from %B[q] map math.exp : (tensor<3xf32>) -> tensor<3xf32>
    einsum.yield %C : tensor<3xf32>
  } -> tensor<3xf32>
  return %a, %c : tensor<4xf32>, tensor<3xf32>
}

// What reads the first and is not read by the second stands behind both.
// CHECK-LABEL: func @behind
// CHECK: einsum.cascade
// CHECK: "A"
// CHECK: "B"
// CHECK: tensor.extract_slice
// CHECK-NOT: einsum.cascade
func.func @behind(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %a = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  %s = tensor.extract_slice %a[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %b = einsum.cascade ranks(p = 4) {
    %B = einsum.map_reduce "B" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %B : tensor<4xf32>
  } -> tensor<4xf32>
  return %s, %b : tensor<2xf32>, tensor<4xf32>
}

// A call between, read by the second; and one with effects beside. Ranks of one
// name have one meaning in the function.
// CHECK-LABEL: func @apart
// CHECK: einsum.cascade ranks(p = 4)
// CHECK: call @outside
// CHECK: einsum.cascade ranks(p_2 = 2)
// CHECK: "B" [p_2] from
func.func @apart(%x: tensor<4xf32>) -> tensor<2xf32> {
  %a = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  %f = func.call @outside(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %b = einsum.cascade ranks(p = 2) {
    %B = einsum.map_reduce "B" [p] from %f[p] map math.exp : (tensor<4xf32>) -> tensor<2xf32>
    einsum.yield %B : tensor<2xf32>
  } -> tensor<2xf32>
  return %b : tensor<2xf32>
}
