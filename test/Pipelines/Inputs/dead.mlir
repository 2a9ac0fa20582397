func.func @dead(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>) -> tensor<4x12xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %i = tensor.empty() : tensor<4x12xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%i : tensor<4x12xf32>) -> tensor<4x12xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x12xf32>) outs(%f : tensor<4x12xf32>) -> tensor<4x12xf32>
  return %y : tensor<4x12xf32>
}
