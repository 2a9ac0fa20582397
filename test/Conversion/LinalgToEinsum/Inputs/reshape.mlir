func.func @mismatched(%x: tensor<3x4xf32>) -> tensor<13xf32> {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<3x4xf32> into tensor<13xf32>
  return %0 : tensor<13xf32>
}
