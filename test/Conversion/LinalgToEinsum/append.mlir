// RUN: transfusion-opt %s --convert-linalg-to-einsum | FileCheck %s

// A cache whose heads are merged before the new row is put behind it, and split
// again after: it is extended in the shape that the caller sees.
// CHECK-LABEL: func @reshaped
// CHECK: "concat1" [{{.*}}+5,{{.*}}] extends %arg0 from %arg1[{{.*}}] : (tensor<6x1x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x6x4xf32>
// CHECK-NOT: map_reduce
func.func @reshaped(%cache: tensor<2x3x5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 2>}, %row: tensor<6x1x4xf32>) -> tensor<2x3x6x4xf32> {
  %c = tensor.collapse_shape %cache [[0, 1], [2], [3]] : tensor<2x3x5x4xf32> into tensor<6x5x4xf32>
  %0 = tensor.concat dim(1) %c, %row : (tensor<6x5x4xf32>, tensor<6x1x4xf32>) -> tensor<6x6x4xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 3, 6, 4] : tensor<6x6x4xf32> into tensor<2x3x6x4xf32>
  return %1 : tensor<2x3x6x4xf32>
}

// Two new rows, one after the other.
// CHECK-LABEL: func @twice
// CHECK: %[[A:.*]] = einsum.map_reduce "concat1" [{{[a-z]+}}+5,{{[a-z]+}}] extends %arg0 from %arg1
// CHECK: "concat2" [{{[a-z]+}}+6,{{[a-z]+}}] extends %[[A]] from %arg2
// CHECK-NOT: map_reduce
func.func @twice(%cache: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<7x4xf32> {
  %0 = tensor.concat dim(0) %cache, %a : (tensor<5x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  %1 = tensor.concat dim(0) %0, %b : (tensor<6x4xf32>, tensor<1x4xf32>) -> tensor<7x4xf32>
  return %1 : tensor<7x4xf32>
}

// The second token: pieces of one size.
// CHECK-LABEL: func @second
// CHECK: "concat1" [{{[a-z]+}}+1,{{[a-z]+}}] extends %arg0 from %arg1
// CHECK-NOT: map_reduce
func.func @second(%cache: tensor<1x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %row: tensor<1x4xf32>) -> tensor<2x4xf32> {
  %0 = tensor.concat dim(0) %cache, %row : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// As upstream's lowering of TOSA writes a concat.
// CHECK-LABEL: func @inserted
// CHECK: "concat1" [{{[a-z]+}}+5,{{[a-z]+}}] extends %arg0 from %arg1
// CHECK-NOT: map_reduce
func.func @inserted(%cache: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %row: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %0 = tensor.insert_slice %cache into %e[0, 0] [5, 4] [1, 1] : tensor<5x4xf32> into tensor<6x4xf32>
  %1 = tensor.insert_slice %row into %0[5, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}
