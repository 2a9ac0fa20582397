// RUN: transfusion-opt %s --einsum-to-linalg --split-input-file --verify-diagnostics

func.func @named(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // expected-error @+1 {{'einsum.add' op has no lowering to linalg; run --einsum-decompose first}}
  %r = einsum.add %x, %x : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// -----

// It has a meaning (the cycle advances by 1), but no order within one step.
func.func @later_slice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(m = 4 iterative) {
    %A = einsum.map_reduce "A" [m+1] from %B[m], %x[m] map arith.addf init 0.0 : f32 : (tensor<5xf32>, tensor<4xf32>) -> tensor<5xf32>
    // expected-error @+1 {{'einsum.map_reduce' op reads a later slice of C within a recurrence, which has no lowering; index the rank so that it reads this slice or one before}}
    %B = einsum.map_reduce "B" [m+1] from %C[m+1] where m < 3 init 0.0 : f32 : (tensor<4xf32>) -> tensor<5xf32>
    %C = einsum.map_reduce "C" [m] from %A[m] : (tensor<5xf32>) -> tensor<4xf32>
    einsum.yield %x : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
