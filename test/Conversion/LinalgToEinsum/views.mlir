// RUN: transfusion-opt %s --convert-linalg-to-einsum | FileCheck %s

// Reshapes, transposes and a broadcast are accesses: nothing is copied.

// CHECK-LABEL: func @projection
// CHECK: einsum.map_reduce "dot1" [b,p,[[H:[a-z]+]],[[E:[a-z]+]]] from %arg0[b,p,d], %arg1[[[H]]*4+[[E]],d] map arith.mulf reduce add over [d]
// CHECK: einsum.map_reduce "exp1" [b,[[H]],p,[[E]]] from %dot1[b,p,[[H]],[[E]]] map math.exp
// CHECK-NOT: map_reduce
func.func @projection(%x: tensor<2x5x12xf32>, %w: tensor<12x12xf32>) -> tensor<2x3x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<12x12xf32>
  %wt = linalg.transpose ins(%w : tensor<12x12xf32>) outs(%e0 : tensor<12x12xf32>) permutation = [1, 0]
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x5x12xf32> into tensor<10x12xf32>
  %e1 = tensor.empty() : tensor<10x12xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<10x12xf32>) -> tensor<10x12xf32>
  %1 = linalg.matmul ins(%0, %wt : tensor<10x12xf32>, tensor<12x12xf32>) outs(%f : tensor<10x12xf32>) -> tensor<10x12xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2, 3]] output_shape [2, 5, 3, 4] : tensor<10x12xf32> into tensor<2x5x3x4xf32>
  %e2 = tensor.empty() : tensor<2x3x5x4xf32>
  %3 = linalg.transpose ins(%2 : tensor<2x5x3x4xf32>) outs(%e2 : tensor<2x3x5x4xf32>) permutation = [0, 2, 1, 3]
  %4 = linalg.exp ins(%3 : tensor<2x3x5x4xf32>) outs(%e2 : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  return %4 : tensor<2x3x5x4xf32>
}

// A slice is an offset, and a dimension that is dropped an index.
// CHECK-LABEL: func @slice
// CHECK: "exp1" [{{.*}}] from %arg0[2,[[P:[a-z]+]]+1]
func.func @slice(%x: tensor<4x5xf32>) -> tensor<3xf32> {
  %0 = tensor.extract_slice %x[2, 1] [1, 3] [1, 1] : tensor<4x5xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %1 = linalg.exp ins(%0 : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// Pieces of a fused projection: a slice that lines up is a digit of the rank.
// CHECK-LABEL: func @fused
// CHECK: "exp1" [[[S:[a-z]+]],[[C:[a-z]+]],[[N:[a-z]+]]]
// CHECK: "add1" [{{.*}}] from %exp1[[[S]],0,[[N]]], %exp1[[[S]],2,[[N]]]
func.func @fused(%x: tensor<4x15xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x15xf32>
  %0 = linalg.exp ins(%x : tensor<4x15xf32>) outs(%e : tensor<4x15xf32>) -> tensor<4x15xf32>
  %q = tensor.extract_slice %0[0, 0] [4, 5] [1, 1] : tensor<4x15xf32> to tensor<4x5xf32>
  %v = tensor.extract_slice %0[0, 10] [4, 5] [1, 1] : tensor<4x15xf32> to tensor<4x5xf32>
  %f = tensor.empty() : tensor<4x5xf32>
  %1 = linalg.add ins(%q, %v : tensor<4x5xf32>, tensor<4x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// What repeats along a rank is made without it, also through a multiplication.
// CHECK-LABEL: func @repeated
// CHECK: "mul1" [{{[a-z]+}}] from %arg0
// CHECK: } : (tensor<5xf32>) -> tensor<5xf32>
// CHECK: "add1"
func.func @repeated(%x: tensor<5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.broadcast ins(%x : tensor<5xf32>) outs(%e : tensor<3x5xf32>) dimensions = [0]
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %2 = arith.mulf %a, %half : f32
    linalg.yield %2 : f32
  } -> tensor<3x5xf32>
  %3 = linalg.add ins(%1, %y : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %3 : tensor<3x5xf32>
}

// Reshapes that undo each other split nothing: 12 stays 3 x 4 for its reader,
// although it was 2 x 6 on the way.
// CHECK-LABEL: func @reshaped_back
// CHECK: einsum.map_reduce "exp1" {{\[}}[[D1:[a-z0-9]+]],[[D0:[a-z0-9]+]]{{\]}} from %arg0{{\[}}[[D1]]*4+[[D0]]{{\]}} map math.exp
// CHECK-NOT: map_reduce
func.func @reshaped_back(%x: tensor<12xf32>) -> tensor<3x4xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [1, 2, 6] : tensor<2x6xf32> into tensor<1x2x6xf32>
  %2 = tensor.collapse_shape %1 [[0, 1, 2]] : tensor<1x2x6xf32> into tensor<12xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %4 = linalg.exp ins(%3 : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %4 : tensor<3x4xf32>
}
