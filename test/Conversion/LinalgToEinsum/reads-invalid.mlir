// RUN: transfusion-opt %s --convert-linalg-to-einsum --split-input-file --verify-diagnostics

// What a body reads at its indices, where no access says it; and accumulations
// that only look like a maximum or a masked sum.

#id = affine_map<(i) -> (i)>
func.func @behind_the_end(%t: tensor<9xf32>) -> tensor<9xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<9xf32>
  // expected-error @+2 {{its body reads a tensor ('tensor.extract') outside of its 9 elements; keep the index within them}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<9xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.addi %i, %c1 : index
    %1 = tensor.extract %t[%j] : tensor<9xf32>
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @clamped(%t: tensor<9xf32>) -> tensor<9xf32> {
  %c7 = arith.constant 2 : index
  %e = tensor.empty() : tensor<9xf32>
  // expected-error @+2 {{its body reads a tensor ('tensor.extract') at 0, 1, 2, 2, 2, 2, ... along a loop, which is no affine access; multiply by a constant matrix}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<9xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = arith.minsi %i, %c7 : index
    %1 = tensor.extract %t[%j] : tensor<9xf32>
    linalg.yield %1 : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
func.func @product_of_loops(%t: tensor<9xf32>) -> tensor<3x3xf32> {
  %e = tensor.empty() : tensor<3x3xf32>
  // expected-error @+2 {{at an index that is no affine function of the 2 loops it is computed of; write it as sums and multiples of them}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %j = arith.muli %i, %k : index
    %1 = tensor.extract %t[%j] : tensor<9xf32>
    linalg.yield %1 : f32
  } -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

// i8 wraps at 128: 127, -128, ...
#id = affine_map<(i) -> (i)>
func.func @wrapped(%t: tensor<200xf32>) -> tensor<200xf32> {
  %e = tensor.empty() : tensor<200xf32>
  // expected-error @+2 {{its body reads a tensor ('tensor.extract')}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<200xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %b = arith.index_cast %i : index to i8
    %j = arith.index_cast %b : i8 to index
    %1 = tensor.extract %t[%j] : tensor<200xf32>
    linalg.yield %1 : f32
  } -> tensor<200xf32>
  return %0 : tensor<200xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @double(%t: tensor<9xf64>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  // expected-error @+2 {{has f64 in a tensor that its body reads, and Einsums have no f64; convert it to f32 in the program}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<9xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %1 = tensor.extract %t[%i] : tensor<9xf64>
    %2 = arith.truncf %1 : f64 to f32
    linalg.yield %2 : f32
  } -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// A NaN that wins every comparison makes the last value win.
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @unordered(%a: tensor<3x5xf32>, %s: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{its body does not accumulate by a sum, product, maximum, minimum, and, or}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%s : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.cmpf ugt, %x, %o : f32
    %2 = arith.select %1, %x, %o : f32
    linalg.yield %2 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// What is taken is not what is compared.
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @other_value(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>, %s: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{its body does not accumulate by}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id2, #id2, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<3x5xf32>, tensor<3x5xf32>) outs(%s : tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.cmpf ogt, %x, %o : f32
    %2 = arith.select %1, %y, %o : f32
    linalg.yield %2 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Whether a point takes part depends on the sum so far.
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @saturated(%a: tensor<3x5xf32>, %s: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{its body does not accumulate by}}
  // expected-note @+1 {{allow-unraised}}
  %0 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%s : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %1 = arith.cmpf olt, %o, %c : f32
    %2 = arith.addf %x, %o : f32
    %3 = arith.select %1, %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
