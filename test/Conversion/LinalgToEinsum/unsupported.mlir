// RUN: transfusion-opt %s --convert-linalg-to-einsum --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The index of a maximum is read.
func.func @argmax(%a: tensor<3x5xf32>, %m: tensor<3xf32>, %mi: tensor<3xi64>) -> tensor<3xi64> {
  // expected-error @+2 {{'linalg.generic' op cannot be raised to an Einsum: its result #1 depends on the running value of result #0, such as the index of a maximum}}
  // expected-note @+1 {{with allow-unraised=true it would stay where it is, between cascades}}
  %0:2 = linalg.generic {indexing_maps = [#id2, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x5xf32>) outs(%m, %mi : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%x: f32, %o: f32, %oi: i64):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.maximumf %x, %o : f32
    %4 = arith.cmpf ogt, %x, %o : f32
    %5 = arith.select %4, %2, %oi : i64
    linalg.yield %3, %5 : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %0#1 : tensor<3xi64>
}

// -----

func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+2 {{has a dynamic dimension (tensor<?xf32>); its shape must be static}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @empty(%a: tensor<3x0xf32>, %b: tensor<3x0xf32>) -> tensor<3x0xf32> {
  // expected-error @+2 {{has a dimension of size 0 (tensor<3x0xf32>)}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.exp ins(%a : tensor<3x0xf32>) outs(%b : tensor<3x0xf32>) -> tensor<3x0xf32>
  return %0 : tensor<3x0xf32>
}

// -----

func.func @double(%a: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @+2 {{has f64 on the border of the cascade, and Einsums have no f64}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.exp ins(%a : tensor<3xf64>) outs(%a : tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

// -----

func.func @complex(%a: tensor<3x2xcomplex<f32>>, %e: tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
  // expected-error @+2 {{has elements of type complex<f32>; f16, bf16, f32, i1, i8, i32 and i64 can be raised}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.transpose ins(%a : tensor<3x2xcomplex<f32>>) outs(%e : tensor<2x3xcomplex<f32>>) permutation = [1, 0]
  return %0 : tensor<2x3xcomplex<f32>>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @gather(%t: tensor<9xf32>, %i: tensor<3xindex>, %e: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{has elements of type index}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<3xindex>) outs(%e : tensor<3xf32>) {
  ^bb0(%x: index, %o: f32):
    %1 = tensor.extract %t[%x] : tensor<9xf32>
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @lookup(%t: tensor<9xf32>, %i: tensor<3xi64>, %e: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{its body reads a tensor ('tensor.extract') at an index that is data, and an access of an Einsum is an affine function of its loops; look the elements up outside of the function}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%x: i64, %o: f32):
    %2 = arith.index_cast %x : i64 to index
    %1 = tensor.extract %t[%2] : tensor<9xf32>
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func private @outside(tensor<3xf32>) -> tensor<3xf32>
func.func @call(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{'func.call' op cannot be raised to an Einsum: is a call; run upstream's --inline first}}
  // expected-note @+1 {{allow-unraised}}
  %0 = func.call @outside(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @no_reduction(%a: tensor<3x5xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{its body does not accumulate by a sum, product, maximum, minimum, and, or}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%b : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.divf %o, %x : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @uninitialised(%a: tensor<3x5xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  // expected-error @+2 {{it accumulates into 'tensor.empty', whose values are undefined}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<3x5xf32>) outs(%e : tensor<3xf32>) dimensions = [1]
  return %0 : tensor<3xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @scalar(%a: tensor<3xf32>, %s: f32, %e: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{its body reads a scalar from outside that is not a constant}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %s : f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @moving_slice(%a: tensor<9xf32>, %i: index) -> tensor<3xf32> {
  // expected-error @+2 {{has an offset, size or stride that is not constant}}
  // expected-note @+1 {{allow-unraised}}
  %0 = tensor.extract_slice %a[%i] [3] [1] : tensor<9xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}
