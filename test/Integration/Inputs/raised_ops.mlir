// One function per kind of op, or way to combine them: executed as it is and
// raised, and the results compared.

#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

func.func @matmul_with_init(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @matmul_transposed(%a: tensor<4x3xf32>, %b: tensor<5x4xf32>) -> tensor<5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %at = tensor.empty() : tensor<3x4xf32>
  %bt = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.transpose ins(%a : tensor<4x3xf32>) outs(%at : tensor<3x4xf32>) permutation = [1, 0]
  %1 = linalg.transpose ins(%b : tensor<5x4xf32>) outs(%bt : tensor<4x5xf32>) permutation = [1, 0]
  %2 = linalg.matmul ins(%0, %1 : tensor<3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %ct = tensor.empty() : tensor<5x3xf32>
  %3 = linalg.transpose ins(%2 : tensor<3x5xf32>) outs(%ct : tensor<5x3xf32>) permutation = [1, 0]
  return %3 : tensor<5x3xf32>
}

func.func @reshape_no_common(%a: tensor<6x4xf32>) -> tensor<3x2x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %0 = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %1 = linalg.exp ins(%0 : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [3, 2, 4] : tensor<6x4xf32> into tensor<3x2x4xf32>
  %f = tensor.empty() : tensor<3x2x4xf32>
  %4 = linalg.negf ins(%3 : tensor<3x2x4xf32>) outs(%f : tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %4 : tensor<3x2x4xf32>
}

func.func @transpose_then_flatten(%a: tensor<2x3xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
  %2 = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %f = tensor.empty() : tensor<6xf32>
  %3 = linalg.add ins(%1, %2 : tensor<6xf32>, tensor<6xf32>) outs(%f : tensor<6xf32>) -> tensor<6xf32>
  %4 = linalg.mul ins(%3, %b : tensor<6xf32>, tensor<6xf32>) outs(%f : tensor<6xf32>) -> tensor<6xf32>
  return %4 : tensor<6xf32>
}

func.func @views_returned(%a: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<6x4xf32>, tensor<2x3xf32>) {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %e = tensor.empty() : tensor<6x4xf32>
  %1 = linalg.transpose ins(%a : tensor<4x6xf32>) outs(%e : tensor<6x4xf32>) permutation = [1, 0]
  %2 = tensor.extract_slice %a[1, 1] [2, 3] [2, 2] : tensor<4x6xf32> to tensor<2x3xf32>
  return %0, %1, %2 : tensor<24xf32>, tensor<6x4xf32>, tensor<2x3xf32>
}

func.func @slices(%a: tensor<12x5xf32>) -> (tensor<4x5xf32>, tensor<5xf32>, tensor<3x5xf32>, tensor<6x5xf32>) {
  %s0 = tensor.extract_slice %a[4, 0] [4, 5] [1, 1] : tensor<12x5xf32> to tensor<4x5xf32>
  %e0 = tensor.empty() : tensor<4x5xf32>
  %0 = linalg.exp ins(%s0 : tensor<4x5xf32>) outs(%e0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %s1 = tensor.extract_slice %a[7, 0] [1, 5] [1, 1] : tensor<12x5xf32> to tensor<5xf32>
  %e1 = tensor.empty() : tensor<5xf32>
  %1 = linalg.exp ins(%s1 : tensor<5xf32>) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
  %s2 = tensor.extract_slice %a[1, 0] [3, 5] [3, 1] : tensor<12x5xf32> to tensor<3x5xf32>
  %e2 = tensor.empty() : tensor<3x5xf32>
  %2 = linalg.exp ins(%s2 : tensor<3x5xf32>) outs(%e2 : tensor<3x5xf32>) -> tensor<3x5xf32>
  %s3 = tensor.extract_slice %a[1, 0] [6, 5] [2, 1] : tensor<12x5xf32> to tensor<6x5xf32>
  %e3 = tensor.empty() : tensor<6x5xf32>
  %3 = linalg.exp ins(%s3 : tensor<6x5xf32>) outs(%e3 : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %0, %1, %2, %3 : tensor<4x5xf32>, tensor<5xf32>, tensor<3x5xf32>, tensor<6x5xf32>
}

// 12 is 3 x 4 for one reader; [2, 9) does not line up with that.
func.func @slice_across_factors(%a: tensor<12xf32>) -> (tensor<3x4xf32>, tensor<7xf32>) {
  %e = tensor.empty() : tensor<12xf32>
  %0 = linalg.exp ins(%a : tensor<12xf32>) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
  %f = tensor.empty() : tensor<3x4xf32>
  %2 = linalg.negf ins(%1 : tensor<3x4xf32>) outs(%f : tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = tensor.extract_slice %0[2] [7] [1] : tensor<12xf32> to tensor<7xf32>
  %g = tensor.empty() : tensor<7xf32>
  %4 = linalg.negf ins(%3 : tensor<7xf32>) outs(%g : tensor<7xf32>) -> tensor<7xf32>
  return %2, %4 : tensor<3x4xf32>, tensor<7xf32>
}

func.func @rope_halves(%x: tensor<3x8xf32>, %cos: tensor<3x8xf32>, %sin: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %lo = tensor.extract_slice %x[0, 0] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %hi = tensor.extract_slice %x[0, 4] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %n = linalg.negf ins(%hi : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = tensor.concat dim(1) %n, %lo : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  %f = tensor.empty() : tensor<3x8xf32>
  %0 = linalg.mul ins(%x, %cos : tensor<3x8xf32>, tensor<3x8xf32>) outs(%f : tensor<3x8xf32>) -> tensor<3x8xf32>
  %1 = linalg.mul ins(%r, %sin : tensor<3x8xf32>, tensor<3x8xf32>) outs(%f : tensor<3x8xf32>) -> tensor<3x8xf32>
  %2 = linalg.add ins(%0, %1 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%f : tensor<3x8xf32>) -> tensor<3x8xf32>
  return %2 : tensor<3x8xf32>
}

// Every other element, as in the first RoPE models.
func.func @rope_interleaved(%x: tensor<3x8xf32>, %sin: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %even = tensor.extract_slice %x[0, 0] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
  %odd = tensor.extract_slice %x[0, 1] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %n = linalg.negf ins(%odd : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %n1 = tensor.expand_shape %n [[0], [1, 2]] output_shape [3, 4, 1] : tensor<3x4xf32> into tensor<3x4x1xf32>
  %e1 = tensor.expand_shape %even [[0], [1, 2]] output_shape [3, 4, 1] : tensor<3x4xf32> into tensor<3x4x1xf32>
  %r = tensor.concat dim(2) %n1, %e1 : (tensor<3x4x1xf32>, tensor<3x4x1xf32>) -> tensor<3x4x2xf32>
  %c = tensor.collapse_shape %r [[0], [1, 2]] : tensor<3x4x2xf32> into tensor<3x8xf32>
  %f = tensor.empty() : tensor<3x8xf32>
  %1 = linalg.mul ins(%c, %sin : tensor<3x8xf32>, tensor<3x8xf32>) outs(%f : tensor<3x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

func.func @concat_unequal(%a: tensor<2x5x3xf32>, %b: tensor<2x1x3xf32>, %c: tensor<2x2x3xf32>) -> (tensor<2x8x3xf32>, tensor<2x3xf32>) {
  %0 = tensor.concat dim(1) %a, %b, %c : (tensor<2x5x3xf32>, tensor<2x1x3xf32>, tensor<2x2x3xf32>) -> tensor<2x8x3xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<2x8x3xf32>) outs(%f : tensor<2x3xf32>) dimensions = [1]
  return %0, %1 : tensor<2x8x3xf32>, tensor<2x3xf32>
}

func.func @concat_equal_other_tensors(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) -> tensor<2x9xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.exp ins(%b : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tensor.concat dim(1) %a, %0, %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  return %1 : tensor<2x9xf32>
}

func.func @concat_with_constant(%a: tensor<3x2xf32>) -> tensor<3x5xf32> {
  %c = arith.constant dense<2.5> : tensor<3x3xf32>
  %0 = tensor.concat dim(1) %c, %a : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @split_and_joined(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.extract_slice %a[0, 0] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %1 = tensor.extract_slice %a[0, 3] [4, 3] [1, 1] : tensor<4x6xf32> to tensor<4x3xf32>
  %2 = tensor.concat dim(1) %0, %1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %3 = linalg.exp ins(%2 : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

func.func @pad(%a: tensor<3x4xf32>) -> tensor<6x5xf32> {
  %v = arith.constant 7.0 : f32
  %0 = tensor.pad %a low[2, 0] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<3x4xf32> to tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

func.func @insert(%a: tensor<2x3xf32>, %b: tensor<5x7xf32>, %c: tensor<7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = tensor.insert_slice %a into %b[1, 2] [2, 3] [2, 2] : tensor<2x3xf32> into tensor<5x7xf32>
  %1 = tensor.insert_slice %c into %b[4, 0] [1, 7] [1, 1] : tensor<7xf32> into tensor<5x7xf32>
  %z = arith.constant dense<0.5> : tensor<5x7xf32>
  %2 = tensor.insert_slice %a into %z[1, 1] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<5x7xf32>
  return %0, %1, %2 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}

func.func @insert_piece_by_piece(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %e = tensor.empty() : tensor<2x7xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x7xf32>
  %1 = tensor.insert_slice %b into %0[0, 3] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x7xf32>
  return %1 : tensor<2x7xf32>
}

func.func @window(%a: tensor<9xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, #col, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<9xf32>, tensor<3xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @reversed_and_divided(%a: tensor<6xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (5 - i)>, affine_map<(i) -> (i floordiv 2)>, #id1], iterator_types = ["parallel"]}
      ins(%a, %a : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.addf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

func.func @max_beside_argmax(%a: tensor<3x5xf32>) -> tensor<3xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3xf32>
  %m = linalg.fill ins(%ninf : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %ei = tensor.empty() : tensor<3xi64>
  %mi = linalg.fill ins(%c0 : i64) outs(%ei : tensor<3xi64>) -> tensor<3xi64>
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
  return %0#0 : tensor<3xf32>
}

func.func @reductions(%a: tensor<3x5xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // Product, minimum from a start that is no identity, a difference, and two
  // sums in one.
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %low = arith.constant dense<-0.25> : tensor<3xf32>
  %0 = linalg.reduce { arith.mulf } ins(%a : tensor<3x5xf32>) outs(%one : tensor<3xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.minimumf } ins(%a : tensor<3x5xf32>) outs(%low : tensor<3xf32>) dimensions = [1]
  %2 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x5xf32>) outs(%b : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %3 = arith.subf %o, %x : f32
    linalg.yield %3 : f32
  } -> tensor<3xf32>
  %4 = linalg.generic {indexing_maps = [#id2, #id2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %a : tensor<3x5xf32>, tensor<3x5xf32>) outs(%b : tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %5 = arith.mulf %x, %y : f32
    %6 = arith.addf %o, %5 : f32
    %7 = arith.addf %6, %x : f32
    linalg.yield %7 : f32
  } -> tensor<3xf32>
  return %0, %1, %2, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

func.func @max_that_ignores_nan(%a: tensor<3x5xf32>) -> tensor<3xf32> {
  %ninf = arith.constant dense<0xFF800000> : tensor<3xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  // sqrt of a negative number is NaN.
  %0 = linalg.sqrt ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.reduce { arith.maxnumf } ins(%0 : tensor<3x5xf32>) outs(%ninf : tensor<3xf32>) dimensions = [1]
  return %1 : tensor<3xf32>
}

func.func @reduction_over_one(%a: tensor<3x1xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<3x1xf32>) outs(%zero : tensor<3xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.addf } ins(%a : tensor<3x1xf32>) outs(%b : tensor<3xf32>) dimensions = [1]
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

func.func @to_a_scalar(%a: tensor<3x5xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<3x5xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %e = tensor.empty() : tensor<f32>
  %1 = linalg.exp ins(%0 : tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

func.func @accumulates_elementwise(%a: tensor<3x5xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x5xf32>) outs(%b : tensor<3x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.mulf %x, %o : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @two_results(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0:2 = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x5xf32>) outs(%e, %e : tensor<3x5xf32>, tensor<3x5xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    %1 = math.exp %x : f32
    %2 = arith.negf %x : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<3x5xf32>, tensor<3x5xf32>)
  return %0#0, %0#1 : tensor<3x5xf32>, tensor<3x5xf32>
}

func.func @causal_mask(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %big = arith.constant -1.0e9 : f32
  %e = tensor.empty() : tensor<4x6xf32>
  %m = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %s = arith.select %c, %zero, %big : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %0 = linalg.add ins(%a, %m : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The index of a dimension that is two ranks.
func.func @index_of_factors(%a: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %e = tensor.empty() : tensor<6xf32>
  %1 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%0 : tensor<6xf32>) outs(%e : tensor<6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.addf %x, %f : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

func.func @grouped_queries(%k: tensor<2x2x5x4xf32>, %q: tensor<2x6x3x4xf32>) -> tensor<2x6x3x5xf32> {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x3x5x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, h, g, m, e) -> (b, h, m, e)>, affine_map<(b, h, g, m, e) -> (b, h, g, m, e)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<2x2x5x4xf32>) outs(%e : tensor<2x2x3x5x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2x2x3x5x4xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2], [3], [4]] : tensor<2x2x3x5x4xf32> into tensor<2x6x5x4xf32>
  %f = tensor.empty() : tensor<2x6x5x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<2x6x5x4xf32>) outs(%f : tensor<2x6x5x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %half : f32
    linalg.yield %y : f32
  } -> tensor<2x6x5x4xf32>
  %g = tensor.empty() : tensor<2x6x3x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%g : tensor<2x6x3x5xf32>) -> tensor<2x6x3x5xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(b, h, p, m, e) -> (b, h, p, e)>, affine_map<(b, h, p, m, e) -> (b, h, m, e)>, affine_map<(b, h, p, m, e) -> (b, h, p, m)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %2 : tensor<2x6x3x4xf32>, tensor<2x6x5x4xf32>) outs(%z : tensor<2x6x3x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %4 = arith.mulf %x, %y : f32
    %5 = arith.addf %o, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<2x6x3x5xf32>
  return %3 : tensor<2x6x3x5xf32>
}

func.func @same_value_twice(%a: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<15xf32>, tensor<5x3xf32>) {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.exp ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<3x5xf32> into tensor<15xf32>
  %f = tensor.empty() : tensor<5x3xf32>
  %2 = linalg.transpose ins(%0 : tensor<3x5xf32>) outs(%f : tensor<5x3xf32>) permutation = [1, 0]
  return %0, %1, %2 : tensor<3x5xf32>, tensor<15xf32>, tensor<5x3xf32>
}

func.func @square_of_itself(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

func.func @diagonal(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, #id1], iterator_types = ["parallel"]} ins(%a : tensor<4x4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @bias_transposed(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<5xf32>) -> tensor<5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %g = tensor.empty() : tensor<5x3xf32>
  %1 = linalg.generic {indexing_maps = [#row, affine_map<(i, j) -> (j, i)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%c, %0 : tensor<5xf32>, tensor<3x5xf32>) outs(%g : tensor<5x3xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}

func.func @constant_data(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.mul ins(%a, %c : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @constants_returned() -> (tensor<2x3xf32>, tensor<3xf32>) {
  %c = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tensor.splat %c : tensor<3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<3xf32>
}

func.func @powers(%a: tensor<7xf32>) -> tensor<7xf32> {
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i32
  %half = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %0 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%a : tensor<7xf32>) outs(%e : tensor<7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = math.fpowi %x, %two : f32, i64
    %2 = math.fpowi %x, %three : f32, i32
    %3 = math.powf %x, %half : f32
    %4 = arith.addf %1, %2 : f32
    %5 = arith.subf %4, %3 : f32
    linalg.yield %5 : f32
  } -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

func.func @mean_in_f64(%a: tensor<3x5xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 5.0 : f64
  %e = tensor.empty() : tensor<3x5xf64>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf64>) {
  ^bb0(%x: f32, %o: f64):
    %1 = arith.extf %x : f32 to f64
    linalg.yield %1 : f64
  } -> tensor<3x5xf64>
  %f = tensor.empty() : tensor<3xf64>
  %z = linalg.fill ins(%zero : f64) outs(%f : tensor<3xf64>) -> tensor<3xf64>
  %2 = linalg.reduce { arith.addf } ins(%0 : tensor<3x5xf64>) outs(%z : tensor<3xf64>) dimensions = [1]
  %g = tensor.empty() : tensor<3xf32>
  %3 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%2 : tensor<3xf64>) outs(%g : tensor<3xf32>) {
  ^bb0(%x: f64, %o: f32):
    %4 = arith.divf %x, %n : f64
    %5 = arith.truncf %4 : f64 to f32
    linalg.yield %5 : f32
  } -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

func.func @batch_first_and_last(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) -> (tensor<2x2x3xf32>, tensor<2x6xf32>) {
  // One tensor.empty for unrelated results must not tie their dimensions.
  %e = tensor.empty() : tensor<4x3xf32>
  %0 = linalg.exp ins(%a : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = linalg.exp ins(%b : tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 2, 3] : tensor<4x3xf32> into tensor<2x2x3xf32>
  %3 = tensor.collapse_shape %1 [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  %4 = tensor.expand_shape %3 [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
  return %2, %4 : tensor<2x2x3xf32>, tensor<2x6xf32>
}

func.func @reshaped_back(%x: tensor<2x12xf32>) -> (tensor<2x3x4xf32>, tensor<2x2x6xf32>) {
  // 12 is 3 x 4 for one reader and 2 x 6 for another, and neither ties the other.
  %0 = tensor.expand_shape %x [[0], [1, 2]] output_shape [2, 2, 6] : tensor<2x12xf32> into tensor<2x2x6xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<2x2x6xf32> into tensor<2x12xf32>
  %2 = tensor.expand_shape %1 [[0], [1, 2]] output_shape [2, 3, 4] : tensor<2x12xf32> into tensor<2x3x4xf32>
  %e = tensor.empty() : tensor<2x3x4xf32>
  %3 = linalg.exp ins(%2 : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %f = tensor.empty() : tensor<2x2x6xf32>
  %4 = linalg.exp ins(%0 : tensor<2x2x6xf32>) outs(%f : tensor<2x2x6xf32>) -> tensor<2x2x6xf32>
  return %3, %4 : tensor<2x3x4xf32>, tensor<2x2x6xf32>
}

func.func @fused_producer(%a: tensor<3x5xf32>, %b: tensor<5xf32>) -> (tensor<5xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e5 = tensor.empty() : tensor<5xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %0:2 = linalg.generic {indexing_maps = [#id2, #col, #col, #row], iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<3x5xf32>, tensor<5xf32>) outs(%e5, %f : tensor<5xf32>, tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %o5: f32, %o3: f32):
    %1 = math.exp %y : f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.addf %2, %o3 : f32
    linalg.yield %1, %3 : f32, f32
  } -> (tensor<5xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<3xf32>
}

// The maximum by comparison, beside the index of it that nobody reads.
func.func @max_by_comparison(%a: tensor<3x5xf32>) -> tensor<3xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3xf32>
  %ei = tensor.empty() : tensor<3xi64>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %fi = linalg.fill ins(%none : i64) outs(%ei : tensor<3xi64>) -> tensor<3xi64>
  %0:2 = linalg.generic {indexing_maps = [#id2, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%f, %fi : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%x: f32, %o: f32, %oi: i64):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.cmpf ogt, %x, %o : f32
    %4 = arith.select %3, %x, %o : f32
    %5 = arith.select %3, %2, %oi : i64
    linalg.yield %4, %5 : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0 : tensor<3xf32>
}

// Sides swapped; the least; of integers.
func.func @min_by_comparison(%a: tensor<3x5xf32>) -> tensor<3xf32> {
  %top = arith.constant 2147483647 : i32
  %e = tensor.empty() : tensor<3xi32>
  %g = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%top : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %ei = tensor.empty() : tensor<3x5xi32>
  %ai = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x5xf32>) outs(%ei : tensor<3x5xi32>) {
  ^bb0(%x: f32, %o: i32):
    %c = arith.constant 100.0 : f32
    %1 = arith.mulf %x, %c : f32
    %2 = arith.fptosi %1 : f32 to i32
    linalg.yield %2 : i32
  } -> tensor<3x5xi32>
  %0 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ai : tensor<3x5xi32>) outs(%f : tensor<3xi32>) {
  ^bb0(%x: i32, %o: i32):
    %1 = arith.cmpi sgt, %o, %x : i32
    %2 = arith.select %1, %x, %o : i32
    linalg.yield %2 : i32
  } -> tensor<3xi32>
  %r = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%0 : tensor<3xi32>) outs(%g : tensor<3xf32>) {
  ^bb0(%x: i32, %o: f32):
    %1 = arith.sitofp %x : i32 to f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// Sums that some points take no part in, either way round.
func.func @masked_sums(%a: tensor<3x5xf32>, %s: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#id2, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%s, %s : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    %z = arith.constant 0.0 : f32
    %1 = arith.cmpf ogt, %x, %z : f32
    %2 = arith.addf %o, %x : f32
    %3 = arith.select %1, %2, %o : f32
    %4 = arith.mulf %x, %p : f32
    %5 = arith.select %1, %p, %4 : f32
    linalg.yield %3, %5 : f32, f32
  } -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}

// Read in the body: backwards, each row twice, in turn; and one element.
func.func @read_in_the_body(%a: tensor<3x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<6x5xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %half = arith.divui %i, %c2 : index
    %turn = arith.remui %i, %c3 : index
    %back = arith.subi %c4, %j : index
    %1 = tensor.extract %a[%half, %back] : tensor<3x5xf32>
    %2 = tensor.extract %a[%turn, %j] : tensor<3x5xf32>
    %3 = tensor.extract %a[%c1, %c2] : tensor<3x5xf32>
    %4 = arith.mulf %1, %2 : f32
    %5 = arith.mulf %x, %3 : f32
    %6 = arith.addf %4, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// Indices that are computed by affine.
func.func @affine_index(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = affine.apply affine_map<(d0)[s0] -> (d0 * 2 - s0)>(%i)[%j]
    %l = arith.index_cast %k : index to i32
    %m = arith.sitofp %l : i32 to f32
    %1 = arith.addf %x, %m : f32
    linalg.yield %1 : f32
  } -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// What a reduction multiplies is read in its body.
func.func @read_and_reduce(%a: tensor<3x5xf32>) -> tensor<3xf32> {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<3x5xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %back = arith.subi %c4, %j : index
    %1 = tensor.extract %a[%i, %back] : tensor<3x5xf32>
    %2 = arith.mulf %x, %1 : f32
    %3 = arith.addf %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Scalars that are elements: read by bodies, and operands; of data and of what
// is computed.
func.func @scalars_of_tensors(%a: tensor<3x5xf32>, %s: tensor<f32>) -> (tensor<3x5xf32>, tensor<3xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<3x5xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %es = tensor.empty() : tensor<f32>
  %square = linalg.mul ins(%s, %s : tensor<f32>, tensor<f32>) outs(%es : tensor<f32>) -> tensor<f32>
  %u = tensor.extract %square[] : tensor<f32>
  %v = tensor.extract %a[%c1, %c2] : tensor<3x5xf32>
  %f = linalg.fill ins(%u : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> ()>, #id2], iterator_types = ["parallel", "parallel"]} ins(%a, %u : tensor<3x5xf32>, f32) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.mulf %x, %y : f32
    %2 = arith.addf %1, %v : f32
    linalg.yield %2 : f32
  } -> tensor<3x5xf32>
  %3 = linalg.reduce { arith.addf } ins(%a : tensor<3x5xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
  return %0, %3 : tensor<3x5xf32>, tensor<3xf32>
}
