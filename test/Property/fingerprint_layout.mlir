// RUN: transfusion-test-opt %s --test-cascade-fingerprint=arguments=layout -o /dev/null | %python %S/near_misses.py | FileCheck %s

// Layouts of arguments do not count, what is read does.

func.func @base(%x: tensor<2x5x12xf32>, %w: tensor<12x12xf32>) -> tensor<2x5x3x4xf32> {
  %0 = einsum.cascade ranks(b = 2, p = 5, h = 3, e = 4, d = 12) {
    %Q = einsum.map_reduce "Q" [b,p,h,e] from %x[b,p,d], %w[h*4+e,d] map arith.mulf reduce add over [d] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x3x4xf32>
    einsum.yield %Q : tensor<2x5x3x4xf32>
  } -> tensor<2x5x3x4xf32>
  return %0 : tensor<2x5x3x4xf32>
}

// CHECK: same_transposed: equal
func.func @same_transposed(%x: tensor<10x12xf32>, %w: tensor<12x3x4x1xf32>) -> tensor<2x5x3x4xf32> {
  %0 = einsum.cascade ranks(b = 2, p = 5, h = 3, e = 4, d = 12) {
    %Q = einsum.map_reduce "Q" [b,p,h,e] from %x[b*5+p,d], %w[d,h,e,0] map arith.mulf reduce add over [d] : (tensor<10x12xf32>, tensor<12x3x4x1xf32>) -> tensor<2x5x3x4xf32>
    einsum.yield %Q : tensor<2x5x3x4xf32>
  } -> tensor<2x5x3x4xf32>
  return %0 : tensor<2x5x3x4xf32>
}

// One set of weights for all heads.
// CHECK-NEXT: other_ranks: {{[0-9]+}} lines differ
func.func @other_ranks(%x: tensor<2x5x12xf32>, %w: tensor<4x12xf32>) -> tensor<2x5x3x4xf32> {
  %0 = einsum.cascade ranks(b = 2, p = 5, h = 3, e = 4, d = 12) {
    %Q = einsum.map_reduce "Q" [b,p,h,e] from %x[b,p,d], %w[e,d] map arith.mulf reduce add over [d] : (tensor<2x5x12xf32>, tensor<4x12xf32>) -> tensor<2x5x3x4xf32>
    einsum.yield %Q : tensor<2x5x3x4xf32>
  } -> tensor<2x5x3x4xf32>
  return %0 : tensor<2x5x3x4xf32>
}

// Features of the input from behind.
// CHECK-NEXT: other_access: {{[0-9]+}} lines differ
func.func @other_access(%x: tensor<2x5x12xf32>, %w: tensor<12x12xf32>) -> tensor<2x5x3x4xf32> {
  %0 = einsum.cascade ranks(b = 2, p = 5, h = 3, e = 4, d = 12) {
    %Q = einsum.map_reduce "Q" [b,p,h,e] from %x[b,p,11-d], %w[h*4+e,d] map arith.mulf reduce add over [d] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x3x4xf32>
    einsum.yield %Q : tensor<2x5x3x4xf32>
  } -> tensor<2x5x3x4xf32>
  return %0 : tensor<2x5x3x4xf32>
}

// Results have a layout always.
// CHECK-NEXT: other_result: {{[0-9]+}} lines differ
func.func @other_result(%x: tensor<2x5x12xf32>, %w: tensor<12x12xf32>) -> tensor<2x5x12xf32> {
  %0 = einsum.cascade ranks(b = 2, p = 5, h = 3, e = 4, d = 12) {
    %Q = einsum.map_reduce "Q" [b,p,h*4+e] from %x[b,p,d], %w[h*4+e,d] map arith.mulf reduce add over [d] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    einsum.yield %Q : tensor<2x5x12xf32>
  } -> tensor<2x5x12xf32>
  return %0 : tensor<2x5x12xf32>
}
