// RUN: transfusion-opt %s --inline | FileCheck %s

// Layers are functions like others.
func.func private @norm(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.softmax %x axis 1 : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @model
// CHECK-NOT: call
// CHECK-COUNT-2: einsum.softmax
// CHECK: return
func.func @model(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = call @norm(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = call @norm(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}

func.func private @cascade(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8) {
    %E = einsum.map_reduce "E" [p,d] from %x[p,d] map math.exp : (tensor<4x8xf32>) -> tensor<4x8xf32>
    einsum.yield %E : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// The name "E" is unique in a function: the second call stays.
// CHECK-LABEL: func.func @twice
// CHECK: einsum.map_reduce "E"
// CHECK-NOT: einsum.map_reduce "E"
// CHECK: call @cascade
func.func @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = call @cascade(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = call @cascade(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %b : tensor<4x8xf32>
}
