// RUN: transfusion-opt %s --einsum-decompose --einsum-normalize=report-passes 2>&1 | FileCheck %s

// Layer norm: mean, variance, result. Attention in tiles: once.
// CHECK: remark: passes over ranks:{{.*}} d 3
// CHECK: note: pass 2 over d: 'DAV' needs 'SAV', which is complete only after pass 1
// CHECK: note: pass 3 over d: 'NR' needs 'SQAV', which is complete only after pass 2
func.func @norm(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = einsum.layer_norm %x eps 1.0e-05 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK: remark: passes over ranks: m1,m0 1, e 1
func.func @attention(%q: tensor<1x2x6x4xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x8x4xf32>) -> tensor<1x2x6x4xf32> {
  %0 = einsum.mha %q, %k, %v scale 0.5 : (tensor<1x2x6x4xf32>, tensor<1x2x8x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x6x4xf32>
  return %0 : tensor<1x2x6x4xf32>
}
