func.func @layer(%x: tensor<2x16x32xf32>, %w: tensor<32x48xf32>) -> tensor<2x16x48xf32> {
  %y = einsum.linear %x, %w : (tensor<2x16x32xf32>, tensor<32x48xf32>) -> tensor<2x16x48xf32>
  return %y : tensor<2x16x48xf32>
}
