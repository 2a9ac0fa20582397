// RUN: transfusion-opt %s --einsum-decompose | FileCheck %s

// The example of the pass's description.
// CHECK: %[[A:.*]] = einsum.cascade ranks(b = 1, h = 12,
// CHECK-NEXT: %QK = einsum.map_reduce "QK"
func.func @f(%q: tensor<1x12x8x4xf32>, %k: tensor<1x12x8x4xf32>, %v: tensor<1x12x8x4xf32>) -> tensor<1x8x48xf32> {
  %a = einsum.mha %q, %k, %v scale 1.25e-01 : (tensor<1x12x8x4xf32>, tensor<1x12x8x4xf32>, tensor<1x12x8x4xf32>) -> tensor<1x8x48xf32>
  return %a : tensor<1x8x48xf32>
}
