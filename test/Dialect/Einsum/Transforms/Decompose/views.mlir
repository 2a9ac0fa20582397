// RUN: transfusion-opt %s --einsum-decompose | FileCheck %s

// Heads split and merged by reshapes and transposes are accesses.
// CHECK-LABEL: @heads
// CHECK-NOT: tensor.
// CHECK-NOT: linalg.
// CHECK: "linear1.L" [b,p,n] from %arg0[b,p,d], %arg1[n,d]
// CHECK: "QK" [b,h,m1,m0,p] from %linear1.L[b,p,h*5+e], %linear2.L[b,m1*7+m0,h*5+e]
// CHECK: "SLNV" {{.*}} %linear3.L[b,m1*7+m0,h*5+e]
// CHECK: "AV" [b,h,p,e]
// CHECK: "O" [b,p,d] from %AV[b,h,p,e], %arg2[h*5+e,d] map arith.mulf reduce add over [h,e]
// CHECK-NOT: tensor.
// CHECK-NOT: linalg.
// CHECK: return
func.func @heads(%x: tensor<2x7x15xf32>, %w: tensor<15x15xf32>, %wo: tensor<15x15xf32>) -> tensor<2x7x15xf32> {
  %e = tensor.empty() : tensor<15x15xf32>
  %wt = linalg.transpose ins(%w : tensor<15x15xf32>) outs(%e : tensor<15x15xf32>) permutation = [1, 0]
  %q0 = einsum.linear %x, %wt : (tensor<2x7x15xf32>, tensor<15x15xf32>) -> tensor<2x7x15xf32>
  %k0 = einsum.linear %x, %w : (tensor<2x7x15xf32>, tensor<15x15xf32>) -> tensor<2x7x15xf32>
  %v0 = einsum.linear %x, %w : (tensor<2x7x15xf32>, tensor<15x15xf32>) -> tensor<2x7x15xf32>
  %q1 = tensor.expand_shape %q0 [[0], [1], [2, 3]] output_shape [2, 7, 3, 5] : tensor<2x7x15xf32> into tensor<2x7x3x5xf32>
  %k1 = tensor.expand_shape %k0 [[0], [1], [2, 3]] output_shape [2, 7, 3, 5] : tensor<2x7x15xf32> into tensor<2x7x3x5xf32>
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [2, 7, 3, 5] : tensor<2x7x15xf32> into tensor<2x7x3x5xf32>
  %h = tensor.empty() : tensor<2x3x7x5xf32>
  %q = linalg.transpose ins(%q1 : tensor<2x7x3x5xf32>) outs(%h : tensor<2x3x7x5xf32>) permutation = [0, 2, 1, 3]
  %k = linalg.transpose ins(%k1 : tensor<2x7x3x5xf32>) outs(%h : tensor<2x3x7x5xf32>) permutation = [0, 2, 1, 3]
  %v = linalg.transpose ins(%v1 : tensor<2x7x3x5xf32>) outs(%h : tensor<2x3x7x5xf32>) permutation = [0, 2, 1, 3]
  %a0 = einsum.mha %q, %k, %v : (tensor<2x3x7x5xf32>, tensor<2x3x7x5xf32>, tensor<2x3x7x5xf32>) -> tensor<2x3x7x5xf32>
  %g = tensor.empty() : tensor<2x7x3x5xf32>
  %a1 = linalg.transpose ins(%a0 : tensor<2x3x7x5xf32>) outs(%g : tensor<2x7x3x5xf32>) permutation = [0, 2, 1, 3]
  %a = tensor.collapse_shape %a1 [[0], [1], [2, 3]] : tensor<2x7x3x5xf32> into tensor<2x7x15xf32>
  %o = einsum.linear %a, %wo : (tensor<2x7x15xf32>, tensor<15x15xf32>) -> tensor<2x7x15xf32>
  return %o : tensor<2x7x15xf32>
}

// A view that others read stays what it is.
// CHECK-LABEL: @kept
// CHECK: %[[C:.*]] = einsum.cascade
// CHECK: tensor.collapse_shape %[[C]]
func.func @kept(%x: tensor<2x7x15xf32>) -> tensor<14x15xf32> {
  %r = einsum.add %x, %x : tensor<2x7x15xf32>
  %f = tensor.collapse_shape %r [[0, 1], [2]] : tensor<2x7x15xf32> into tensor<14x15xf32>
  return %f : tensor<14x15xf32>
}

// Tokens of all batch entries in one dimension: what exporters write.
// CHECK-LABEL: @tokens
// CHECK: "L" [b,p,n] from %arg0[b,p,d], %arg1[d,n]
// CHECK: "RES" [b*7+p,n] from %arg2[b*7+p,n], %L[b,p,n]
func.func @tokens(%x: tensor<2x7x15xf32>, %w: tensor<15x4xf32>, %r: tensor<14x4xf32>) -> tensor<14x4xf32> {
  %f = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x7x15xf32> into tensor<14x15xf32>
  %l = einsum.linear %f, %w : (tensor<14x15xf32>, tensor<15x4xf32>) -> tensor<14x4xf32>
  %s = einsum.add %l, %r : tensor<14x4xf32>
  return %s : tensor<14x4xf32>
}
