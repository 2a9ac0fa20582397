// RUN: transfusion-opt %s --load-arch=edge --dpipe --convert-sched-to-affine | FileCheck %s

// One sample, one query: of the extents of 1 in [b,p,h*3+f], one is b's and one
// is p's; neither takes the other's.
// CHECK-LABEL: func.func @decode
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<1x1x6xf32>)
// CHECK:         memref.expand_shape %[[OUT]] {{\[\[}}0], [1], [2, 3]] output_shape [1, 1, 2, 3] : memref<1x1x6xf32> into memref<1x1x2x3xf32>
func.func @decode(%q: tensor<1x2x1x3xf32>, %k: tensor<1x2x31x3xf32>, %v: tensor<1x2x31x3xf32>) -> tensor<1x1x6xf32> {
  %o = einsum.mha %q, %k, %v : (tensor<1x2x1x3xf32>, tensor<1x2x31x3xf32>, tensor<1x2x31x3xf32>) -> tensor<1x1x6xf32>
  return %o : tensor<1x1x6xf32>
}
