// RUN: transfusion-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @scale
// CHECK: einsum.mha %{{.*}}, %{{.*}}, %{{[^ ]*}} :
// CHECK: einsum.mha {{.*}} scale 5.0
func.func @scale(%q: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %a = einsum.mha %q, %q, %q scale 1.0 : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %b = einsum.mha %q, %q, %q scale 0.5 : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %a, %b : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}
