// RUN: transfusion-opt %s --convert-linalg-to-einsum | FileCheck %s

// The example of the pass's description.
// CHECK: %[[Y:.*]] = einsum.cascade ranks(s = 3, c = 5, n = 4) {
// CHECK-NEXT: %dot1 = einsum.map_reduce "dot1" [s,c] from %arg0[s,n], %arg1[c,n] map arith.mulf reduce add over [n]
// CHECK-NEXT: einsum.yield %dot1
func.func @example(%x: tensor<3x4xf32>, %w: tensor<5x4xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<3x5xf32>
  %e = tensor.empty() : tensor<4x5xf32>
  %t = linalg.transpose ins(%w : tensor<5x4xf32>) outs(%e : tensor<4x5xf32>) permutation = [1, 0]
  %y = linalg.matmul ins(%x, %t : tensor<3x4xf32>, tensor<4x5xf32>) outs(%zero : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}
