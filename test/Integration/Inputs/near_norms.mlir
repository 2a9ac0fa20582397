// Near misses of norms, activations and rotations. Executed as they are, and
// raised and normalised.

#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>

// The mean divides by one less than there are.
func.func @mean_of_fewer(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %fewer = arith.constant 11.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %fewer : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v4 = linalg.sub ins(%x, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.mul ins(%v4, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v6 = linalg.reduce { arith.addf } ins(%v5 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v7 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v6 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v8 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v7 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v9 = linalg.broadcast ins(%v8 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v10 = linalg.mul ins(%v4, %v9 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v10 : tensor<3x12xf32>
}

// The variance divides by one less than there are.
func.func @variance_of_fewer(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %fewer = arith.constant 11.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v4 = linalg.sub ins(%x, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.mul ins(%v4, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v6 = linalg.reduce { arith.addf } ins(%v5 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v7 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v6 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %fewer : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v8 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v7 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v9 = linalg.broadcast ins(%v8 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v10 = linalg.mul ins(%v4, %v9 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v10 : tensor<3x12xf32>
}

// eps is added to the root.
func.func @eps_outside(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v4 = linalg.sub ins(%x, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.mul ins(%v4, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v6 = linalg.reduce { arith.addf } ins(%v5 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v7 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v6 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v8 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v7 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s = math.sqrt %x0 : f32
    %a = arith.addf %s, %eps : f32
    %r = arith.divf %one, %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v9 = linalg.broadcast ins(%v8 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v10 = linalg.mul ins(%v4, %v9 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v10 : tensor<3x12xf32>
}

// What is normalised is not centred.
func.func @not_centred(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v4 = linalg.sub ins(%x, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.mul ins(%v4, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v6 = linalg.reduce { arith.addf } ins(%v5 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v7 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v6 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v8 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v7 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v9 = linalg.broadcast ins(%v8 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v10 = linalg.mul ins(%x, %v9 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v10 : tensor<3x12xf32>
}

// The variance is of another tensor.
func.func @variance_of_other(%x: tensor<3x12xf32>, %t: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v4 = linalg.sub ins(%x, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.mul ins(%t, %t : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v6 = linalg.reduce { arith.addf } ins(%v5 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v7 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v6 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v8 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v7 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v9 = linalg.broadcast ins(%v8 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v10 = linalg.mul ins(%v4, %v9 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v10 : tensor<3x12xf32>
}

// The mean is over the rows, the variance over the columns.
func.func @mean_over_rows(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e12 = tensor.empty() : tensor<12xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e12 : tensor<12xf32>) -> tensor<12xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<12xf32>) dimensions = [0]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<12xf32>) outs(%e12 : tensor<12xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<12xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<12xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [0]
  %v4 = linalg.sub ins(%x, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.mul ins(%v4, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %v6 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v7 = linalg.reduce { arith.addf } ins(%v5 : tensor<3x12xf32>) outs(%v6 : tensor<3xf32>) dimensions = [1]
  %v8 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v7 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v9 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v8 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v10 = linalg.broadcast ins(%v9 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v11 = linalg.mul ins(%v4, %v10 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v11 : tensor<3x12xf32>
}

// Cubes in place of squares.
func.func @third_moment(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v4 = linalg.sub ins(%x, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.mul ins(%v4, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v6 = linalg.mul ins(%v5, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v7 = linalg.reduce { arith.addf } ins(%v6 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v8 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v7 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v9 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v8 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %b = math.absf %x0 : f32
    %a = arith.addf %b, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v10 = linalg.broadcast ins(%v9 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v11 = linalg.mul ins(%v4, %v10 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v11 : tensor<3x12xf32>
}

// The root of the sum of squares, not of their mean.
func.func @rms_with_sum(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.mul ins(%x, %x : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v2 = linalg.reduce { arith.addf } ins(%v0 : tensor<3x12xf32>) outs(%v1 : tensor<3xf32>) dimensions = [1]
  %v3 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v2 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v4 = linalg.broadcast ins(%v3 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v5 = linalg.mul ins(%x, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v5 : tensor<3x12xf32>
}

// Products of two tensors, not squares.
func.func @rms_of_product(%x: tensor<3x12xf32>, %t: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.mul ins(%x, %t : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v2 = linalg.reduce { arith.addf } ins(%v0 : tensor<3x12xf32>) outs(%v1 : tensor<3xf32>) dimensions = [1]
  %v3 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v2 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v4 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v3 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %b = math.absf %x0 : f32
    %a = arith.addf %b, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v5 = linalg.broadcast ins(%v4 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v6 = linalg.mul ins(%x, %v5 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v6 : tensor<3x12xf32>
}

// E[x^2] - E[x]^2: a LayerNorm all the same.
func.func @variance_by_squares(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.mul ins(%x, %x : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v4 = linalg.reduce { arith.addf } ins(%v3 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v5 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v4 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v6 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]} ins(%v5, %v2 : tensor<3xf32>, tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s = arith.mulf %x1, %x1 : f32
    %r = arith.subf %x0, %s : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v7 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v6 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v8 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v9 = linalg.sub ins(%x, %v8 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v10 = linalg.broadcast ins(%v7 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v11 = linalg.mul ins(%v9, %v10 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v11 : tensor<3x12xf32>
}

// E[x^2] + E[x]^2 is no variance.
func.func @variance_by_sum(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %n = arith.constant 12.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %v1 = linalg.reduce { arith.addf } ins(%x : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v2 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v1 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.mul ins(%x, %x : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v4 = linalg.reduce { arith.addf } ins(%v3 : tensor<3x12xf32>) outs(%v0 : tensor<3xf32>) dimensions = [1]
  %v5 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v4 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.divf %x0, %n : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v6 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]} ins(%v5, %v2 : tensor<3xf32>, tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s = arith.mulf %x1, %x1 : f32
    %r = arith.addf %x0, %s : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v7 = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%v6 : tensor<3xf32>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.addf %x0, %eps : f32
    %r = math.rsqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  %v8 = linalg.broadcast ins(%v2 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v9 = linalg.sub ins(%x, %v8 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v10 = linalg.broadcast ins(%v7 : tensor<3xf32>) outs(%e3x12 : tensor<3x12xf32>) dimensions = [1]
  %v11 = linalg.mul ins(%v9, %v10 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v11 : tensor<3x12xf32>
}

// erf(x / 3): no GELU.
func.func @gelu_other_factor(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %third = arith.constant 0.3333 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.mulf %x0, %third : f32
    %b = math.erf %a : f32
    %c = arith.addf %b, %one : f32
    %d = arith.mulf %c, %half : f32
    %r = arith.mulf %x0, %d : f32
    linalg.yield %r : f32
  } -> tensor<3x12xf32>
  return %v0 : tensor<3x12xf32>
}

// 1 - erf.
func.func @gelu_minus(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.70710677 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.mulf %x0, %root : f32
    %b = math.erf %a : f32
    %c = arith.subf %one, %b : f32
    %d = arith.mulf %c, %half : f32
    %r = arith.mulf %x0, %d : f32
    linalg.yield %r : f32
  } -> tensor<3x12xf32>
  return %v0 : tensor<3x12xf32>
}

// x sigmoid(1.702 x).
func.func @quick_gelu(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %one = arith.constant 1.0 : f32
  %quick = arith.constant 1.702 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.mulf %x0, %quick : f32
    %b = arith.negf %a : f32
    %c = math.exp %b : f32
    %d = arith.addf %c, %one : f32
    %r = arith.divf %x0, %d : f32
    linalg.yield %r : f32
  } -> tensor<3x12xf32>
  return %v0 : tensor<3x12xf32>
}

// x / (1 + exp(x)).
func.func @silu_without_minus(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %one = arith.constant 1.0 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %c = math.exp %x0 : f32
    %d = arith.addf %c, %one : f32
    %r = arith.divf %x0, %d : f32
    linalg.yield %r : f32
  } -> tensor<3x12xf32>
  return %v0 : tensor<3x12xf32>
}

// x sigmoid(t).
func.func @silu_of_other(%x: tensor<3x12xf32>, %t: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %one = arith.constant 1.0 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %t : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %b = arith.negf %x1 : f32
    %c = math.exp %b : f32
    %d = arith.addf %c, %one : f32
    %r = arith.divf %x0, %d : f32
    linalg.yield %r : f32
  } -> tensor<3x12xf32>
  return %v0 : tensor<3x12xf32>
}

// max(x, x / 2).
func.func @leaky_relu(%x: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %half = arith.constant 0.5 : f32
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %a = arith.mulf %x0, %half : f32
    %r = arith.maximumf %x0, %a : f32
    linalg.yield %r : f32
  } -> tensor<3x12xf32>
  return %v0 : tensor<3x12xf32>
}

// Rotated pairs, for comparison.
func.func @rope(%x: tensor<3x12xf32>, %cos: tensor<3x12xf32>, %sin: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %h0 = tensor.extract_slice %x[0, 0] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %h1 = tensor.extract_slice %x[0, 6] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %e3x6 = tensor.empty() : tensor<3x6xf32>
  %v0 = linalg.negf ins(%h1 : tensor<3x6xf32>) outs(%e3x6 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v1 = tensor.concat dim(1) %v0, %h0 : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x12xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v2 = linalg.mul ins(%x, %cos : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v3 = linalg.mul ins(%v1, %sin : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v4 = linalg.add ins(%v2, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v4 : tensor<3x12xf32>
}

// The partner without a sign.
func.func @rope_without_sign(%x: tensor<3x12xf32>, %cos: tensor<3x12xf32>, %sin: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %h0 = tensor.extract_slice %x[0, 0] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %h1 = tensor.extract_slice %x[0, 6] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %v0 = tensor.concat dim(1) %h1, %h0 : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x12xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v1 = linalg.mul ins(%x, %cos : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v2 = linalg.mul ins(%v0, %sin : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v3 = linalg.add ins(%v1, %v2 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v3 : tensor<3x12xf32>
}

// Halves stay where they are.
func.func @rope_not_swapped(%x: tensor<3x12xf32>, %cos: tensor<3x12xf32>, %sin: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %h0 = tensor.extract_slice %x[0, 0] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %h1 = tensor.extract_slice %x[0, 6] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %e3x6 = tensor.empty() : tensor<3x6xf32>
  %v0 = linalg.negf ins(%h0 : tensor<3x6xf32>) outs(%e3x6 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v1 = tensor.concat dim(1) %v0, %h1 : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x12xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v2 = linalg.mul ins(%x, %cos : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v3 = linalg.mul ins(%v1, %sin : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v4 = linalg.add ins(%v2, %v3 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v4 : tensor<3x12xf32>
}

// A partner twice as large.
func.func @rope_doubled(%x: tensor<3x12xf32>, %cos: tensor<3x12xf32>, %sin: tensor<3x12xf32>) -> tensor<3x12xf32> {
  %h0 = tensor.extract_slice %x[0, 0] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %h1 = tensor.extract_slice %x[0, 6] [3, 6] [1, 1] : tensor<3x12xf32> to tensor<3x6xf32>
  %e3x6 = tensor.empty() : tensor<3x6xf32>
  %v0 = linalg.add ins(%h1, %h1 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%e3x6 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v1 = linalg.negf ins(%v0 : tensor<3x6xf32>) outs(%e3x6 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %v2 = tensor.concat dim(1) %v1, %h0 : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x12xf32>
  %e3x12 = tensor.empty() : tensor<3x12xf32>
  %v3 = linalg.mul ins(%x, %cos : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v4 = linalg.mul ins(%v2, %sin : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  %v5 = linalg.add ins(%v3, %v4 : tensor<3x12xf32>, tensor<3x12xf32>) outs(%e3x12 : tensor<3x12xf32>) -> tensor<3x12xf32>
  return %v5 : tensor<3x12xf32>
}
