// RUN: transfusion-opt %s --convert-linalg-to-einsum | FileCheck %s

// 6 as 2 x 3 and as 3 x 2 have no common factorisation.
// CHECK-LABEL: func @reshape
// CHECK: "exp1" [[[A:[a-z]+]],[[B:[a-z]+]]]
// CHECK: "copy1" [[[C:[a-z]+]],[[D:[a-z]+]]] from %exp1[([[C]]*2+[[D]]) floordiv 3,([[C]]*2+[[D]]) mod 3]
// CHECK: "neg1"{{.*}}from %copy1
func.func @reshape(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.exp ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %f = tensor.empty() : tensor<3x2xf32>
  %3 = linalg.negf ins(%2 : tensor<3x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}

// A view of an argument that is returned has to be made.
// CHECK-LABEL: func @returned
// CHECK: "copy1" [[[A:[a-z]+]],[[B:[a-z]+]]] from %arg0[[[B]],[[A]]]
func.func @returned(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  return %0 : tensor<3x2xf32>
}

// An unrelated reader of one tensor.empty ties no dimensions: no copy.
// CHECK-LABEL: func @shared_storage
// CHECK-NOT: copy
func.func @shared_storage(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %e = tensor.empty() : tensor<6xf32>
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %1 = linalg.exp ins(%0 : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %2 = tensor.collapse_shape %y [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
  %3 = linalg.exp ins(%2 : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %1, %3 : tensor<6xf32>, tensor<6xf32>
}

// Rows 1 to 10 of three windows of four, which lie the other way round: what is
// left of the first window, the second, the beginning of the third.
// CHECK-LABEL: func @uneven
// CHECK: %[[E:.*]] = einsum.map_reduce "exp1"
// CHECK: "copy1" [{{[a-z0-9_]+}}] from %[[E]][{{[a-z0-9_]+}}+1,0]
// CHECK: "copy2" [{{.*}}+3] extends %copy1 from %[[E]][{{[a-z0-9_]+}},1]
// CHECK: "copy3" [{{.*}}+7] extends %copy2 from %[[E]][{{[a-z0-9_]+}},2]
// CHECK-NOT: map_reduce
func.func @uneven(%x: tensor<4x3xf32>) -> tensor<10xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.exp ins(%x : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %f = tensor.empty() : tensor<3x4xf32>
  %1 = linalg.transpose ins(%0 : tensor<4x3xf32>) outs(%f : tensor<3x4xf32>) permutation = [1, 0]
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  %3 = tensor.extract_slice %2[1] [10] [1] : tensor<12xf32> to tensor<10xf32>
  return %3 : tensor<10xf32>
}
