// RUN: transfusion-opt %s --convert-linalg-to-einsum --split-input-file --verify-diagnostics

// einsum.append where nothing is put behind the argument: the cause, where it is.

// expected-note @+1 {{return the argument with new rows behind it (a concat of it and them), or drop `einsum.append`}}
func.func @another_first(%cache: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %row: tensor<1x4xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{'func.func' op says that argument #0 is the beginning of result #0, but the first piece of the concat that makes that result is another value}}
  %0 = tensor.concat dim(0) %row, %cache : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// expected-note @+1 {{return the argument with new rows behind it}}
func.func @no_concat(%cache: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  // expected-error @+1 {{but that result is made by 'linalg.exp', which puts nothing behind it}}
  %0 = linalg.exp ins(%x : tensor<6x4xf32>) outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// expected-error @+2 {{but that result is an argument}}
// expected-note @+1 {{return the argument with new rows behind it}}
func.func @argument(%cache: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  return %x : tensor<6x4xf32>
}

// -----

// The concat is of another dimension, which a reshape makes look like this one.
// expected-note @+1 {{return the argument with new rows behind it}}
func.func @another_dimension(%cache: tensor<2x2xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %row: tensor<2x1xf32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{but the concat that makes that result is along dimension 1 of another shape (tensor<2x3xf32>), which is not dimension 0 of the result}}
  %0 = tensor.concat dim(1) %cache, %row : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// -----

// expected-error @+2 {{but it has several blocks, and what one of them returns need not extend anything}}
// expected-note @+1 {{return the argument with new rows behind it}}
func.func @blocks(%cache: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %row: tensor<1x4xf32>) -> tensor<6x4xf32> {
  cf.br ^next
^next:
  %0 = tensor.concat dim(0) %cache, %row : (tensor<5x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
