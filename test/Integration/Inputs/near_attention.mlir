// Near misses of attention: what looks like it and is not, or is attention with
// something else done to it. Executed as it is, and raised and normalised.

#id3 = affine_map<(h, p, m) -> (h, p, m)>

// Softmax over the queries.
func.func @softmax_over_queries(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [1]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [1]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [1]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [1]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v13 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v14 = linalg.batch_matmul ins(%v12, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v13 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14 : tensor<2x7x4xf32>
}

// The greatest of each column is subtracted, rows are summed.
func.func @max_over_queries(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [1]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [1]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v13 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v14 = linalg.batch_matmul ins(%v12, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v13 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14 : tensor<2x7x4xf32>
}

// Rows have their greatest subtracted, columns are summed.
func.func @sum_over_queries(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [1]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [1]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v13 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v14 = linalg.batch_matmul ins(%v12, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v13 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14 : tensor<2x7x4xf32>
}

// The maximum is of another tensor.
func.func @max_of_other(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>, %t: tensor<2x7x7xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%t : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v13 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v14 = linalg.batch_matmul ins(%v12, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v13 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14 : tensor<2x7x4xf32>
}

// The maximum is of the scores before the mask was added: it may be far above.
func.func @max_before_mask(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>, %mask: tensor<2x7x7xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.add ins(%v3, %mask : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v5 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v6 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v5 : tensor<2x7xf32>) dimensions = [2]
  %v7 = linalg.broadcast ins(%v6 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v8 = linalg.sub ins(%v4, %v7 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.exp ins(%v8 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v9, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// The sum is of other exponentials.
func.func @sum_of_other(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>, %t: tensor<2x7x7xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.exp ins(%t : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v8, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// The sum is of the halved exponentials: a factor of 2 stays.
func.func @sum_of_half(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %half = arith.constant 0.5 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v8 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %half : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v8, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// Powers of another base: tanh in place of exp.
func.func @other_function(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.tanh ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v13 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v14 = linalg.batch_matmul ins(%v12, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v13 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14 : tensor<2x7x4xf32>
}

// Values are summed over the queries.
func.func @values_of_queries(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v13 = linalg.transpose ins(%v12 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) permutation = [0, 2, 1]
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// The weights are a result themselves.
func.func @weights_returned(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x7x4xf32>, tensor<2x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v13 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v14 = linalg.batch_matmul ins(%v12, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v13 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14, %v12 : tensor<2x7x4xf32>, tensor<2x7x7xf32>
}

// The scores are a result themselves, and the attention is one.
func.func @scores_returned(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> (tensor<2x7x4xf32>, tensor<2x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v13 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v14 = linalg.batch_matmul ins(%v12, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v13 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14, %v3 : tensor<2x7x4xf32>, tensor<2x7x7xf32>
}

// Weights are squared before they meet the values.
func.func @weights_changed(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v13 = linalg.mul ins(%v12, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// Weights are multiplied by a mask after the division: rows do not add up to 1.
func.func @weights_masked_after(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>, %mask: tensor<2x7x7xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %v11 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v12 = linalg.div ins(%v8, %v11 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v13 = linalg.mul ins(%v12, %mask : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// Exponentials without division.
func.func @no_division(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v10 = linalg.batch_matmul ins(%v8, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v9 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v10 : tensor<2x7x4xf32>
}

// Divided by the greatest exponential, not by the sum.
func.func @divided_by_max(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.reduce { arith.maximumf } ins(%v8 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v10 = linalg.broadcast ins(%v9 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v11 = linalg.div ins(%v8, %v10 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v12 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v13 = linalg.batch_matmul ins(%v11, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v12 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v13 : tensor<2x7x4xf32>
}

// Keys that must not be seen have a finite score: where a row has no key that it may
// see (the first one), all keys count.
func.func @finite_mask(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %far = arith.constant -1.0e9 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v3 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %p = linalg.index 1 : index
    %m = linalg.index 2 : index
    %c = arith.cmpi slt, %m, %p : index
    %r = arith.select %c, %x0, %far : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v5 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<2x7x7xf32>) outs(%v5 : tensor<2x7xf32>) dimensions = [2]
  %v7 = linalg.broadcast ins(%v6 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v8 = linalg.sub ins(%v4, %v7 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.exp ins(%v8 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v9, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// Keys before the query only: the first row has none, and is NaN.
func.func @row_without_key(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v3 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %p = linalg.index 1 : index
    %m = linalg.index 2 : index
    %c = arith.cmpi slt, %m, %p : index
    %r = arith.select %c, %x0, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v5 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<2x7x7xf32>) outs(%v5 : tensor<2x7xf32>) dimensions = [2]
  %v7 = linalg.broadcast ins(%v6 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v8 = linalg.sub ins(%v4, %v7 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.exp ins(%v8 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v9, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// Keys that must not be seen have score 0.
func.func @mask_of_zero(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v3 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %p = linalg.index 1 : index
    %m = linalg.index 2 : index
    %c = arith.cmpi sle, %m, %p : index
    %r = arith.select %c, %x0, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v5 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<2x7x7xf32>) outs(%v5 : tensor<2x7xf32>) dimensions = [2]
  %v7 = linalg.broadcast ins(%v6 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v8 = linalg.sub ins(%v4, %v7 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.exp ins(%v8 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v9, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// A mask by parity: no domain of linear constraints.
func.func @mask_not_affine(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v3 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %p = linalg.index 1 : index
    %m = linalg.index 2 : index
    %two = arith.constant 2 : index
    %nil = arith.constant 0 : index
    %sum = arith.addi %p, %m : index
    %rem = arith.remui %sum, %two : index
    %c = arith.cmpi eq, %rem, %nil : index
    %r = arith.select %c, %x0, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v5 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<2x7x7xf32>) outs(%v5 : tensor<2x7xf32>) dimensions = [2]
  %v7 = linalg.broadcast ins(%v6 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v8 = linalg.sub ins(%v4, %v7 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.exp ins(%v8 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v9, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// Causal for the maximum, not for the exponentials.
func.func @masks_of_two_kinds(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v3 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %p = linalg.index 1 : index
    %m = linalg.index 2 : index
    %c = arith.cmpi sle, %m, %p : index
    %r = arith.select %c, %x0, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v5 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<2x7x7xf32>) outs(%v5 : tensor<2x7xf32>) dimensions = [2]
  %v7 = linalg.broadcast ins(%v6 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v8 = linalg.sub ins(%v3, %v7 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.exp ins(%v8 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v9 : tensor<2x7x7xf32>) outs(%v10 : tensor<2x7xf32>) dimensions = [2]
  %v12 = linalg.broadcast ins(%v11 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v13 = linalg.div ins(%v9, %v12 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v14 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v15 = linalg.batch_matmul ins(%v13, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v14 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v15 : tensor<2x7x4xf32>
}

// Scores are scaled after their maximum was taken: the exponent is scale * s - max(s).
func.func @scaled_after_max(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %v5 = linalg.batch_matmul ins(%q, %v4 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v6 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v7 = linalg.reduce { arith.maximumf } ins(%v5 : tensor<2x7x7xf32>) outs(%v6 : tensor<2x7xf32>) dimensions = [2]
  %v8 = linalg.broadcast ins(%v7 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v9 = linalg.sub ins(%v3, %v8 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v10 = linalg.exp ins(%v9 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v11 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v12 = linalg.reduce { arith.addf } ins(%v10 : tensor<2x7x7xf32>) outs(%v11 : tensor<2x7xf32>) dimensions = [2]
  %v13 = linalg.broadcast ins(%v12 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v14 = linalg.div ins(%v10, %v13 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v15 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v16 = linalg.batch_matmul ins(%v14, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v15 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v16 : tensor<2x7x4xf32>
}

// Without a maximum: a softmax all the same.
func.func @plain_softmax_without_max(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %v4 = linalg.exp ins(%v3 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v5 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v6 = linalg.reduce { arith.addf } ins(%v4 : tensor<2x7x7xf32>) outs(%v5 : tensor<2x7xf32>) dimensions = [2]
  %v7 = linalg.broadcast ins(%v6 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v8 = linalg.div ins(%v4, %v7 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v10 = linalg.batch_matmul ins(%v8, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v9 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v10 : tensor<2x7x4xf32>
}

// Divided after the values are summed: attention all the same.
func.func @divided_after_values(%q: tensor<2x7x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e2x4x7 = tensor.empty() : tensor<2x4x7xf32>
  %v0 = linalg.transpose ins(%k : tensor<2x7x4xf32>) outs(%e2x4x7 : tensor<2x4x7xf32>) permutation = [0, 2, 1]
  %e2x7x7 = tensor.empty() : tensor<2x7x7xf32>
  %v1 = linalg.fill ins(%zero : f32) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v2 = linalg.batch_matmul ins(%q, %v0 : tensor<2x7x4xf32>, tensor<2x4x7xf32>) outs(%v1 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v3 = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v2 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %r = arith.mulf %x0, %scale : f32
    linalg.yield %r : f32
  } -> tensor<2x7x7xf32>
  %e2x7 = tensor.empty() : tensor<2x7xf32>
  %v4 = linalg.fill ins(%low : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v5 = linalg.reduce { arith.maximumf } ins(%v3 : tensor<2x7x7xf32>) outs(%v4 : tensor<2x7xf32>) dimensions = [2]
  %v6 = linalg.broadcast ins(%v5 : tensor<2x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) dimensions = [2]
  %v7 = linalg.sub ins(%v3, %v6 : tensor<2x7x7xf32>, tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v8 = linalg.exp ins(%v7 : tensor<2x7x7xf32>) outs(%e2x7x7 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
  %v9 = linalg.fill ins(%zero : f32) outs(%e2x7 : tensor<2x7xf32>) -> tensor<2x7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v8 : tensor<2x7x7xf32>) outs(%v9 : tensor<2x7xf32>) dimensions = [2]
  %e2x7x4 = tensor.empty() : tensor<2x7x4xf32>
  %v11 = linalg.fill ins(%zero : f32) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v12 = linalg.batch_matmul ins(%v8, %v : tensor<2x7x7xf32>, tensor<2x7x4xf32>) outs(%v11 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %v13 = linalg.broadcast ins(%v10 : tensor<2x7xf32>) outs(%e2x7x4 : tensor<2x7x4xf32>) dimensions = [2]
  %v14 = linalg.div ins(%v12, %v13 : tensor<2x7x4xf32>, tensor<2x7x4xf32>) outs(%e2x7x4 : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %v14 : tensor<2x7x4xf32>
}
