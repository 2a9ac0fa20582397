// RUN: transfusion-opt %s --split-input-file --einsum-partition=width=2 --verify-diagnostics
// RUN: not transfusion-opt %s --einsum-partition 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not transfusion-opt %s --einsum-partition="width=2 rank=n" 2>&1 | FileCheck %s --check-prefix=RANK

// WIDTH: error: 'einsum.cascade' op cannot be partitioned into tiles of 0 points
// RANK: error: no cascade here declares ranks 'n1' and 'n0'
// RANK: note: rank is one of: m
func.func @yields_tiles(%x: tensor<8xf32>) -> tensor<2xf32> {
  %r = einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
    // expected-note @+2 {{write the cascade with tiles of 2 (ranks m1 = 4, m0 = 2), or the rank as one}}
    // expected-error @+1 {{'einsum.map_reduce' op cannot follow a new width of 'm0': the cascade yields its result, whose shape would change}}
    %A = einsum.map_reduce "A" [m1] from %x[m1*4+m0] reduce add over [m0] : (tensor<8xf32>) -> tensor<2xf32>
    // expected-note @+1 {{which is here}}
    einsum.yield %A : tensor<2xf32>
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

func.func @outside_tiles(%x: tensor<2x4xf32>) -> tensor<f32> {
  %r = einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
    // expected-note @+2 {{write the cascade with tiles of 2 (ranks m1 = 4, m0 = 2), or the rank as one}}
    // expected-error @+1 {{'einsum.map_reduce' op cannot follow a new width of 'm0': it reads operand #0 in dimension 0 per tile, but its shape does not depend on the width}}
    %A = einsum.map_reduce "A" [] from %x[m1,m0] reduce add over [m1,m0] : (tensor<2x4xf32>) -> tensor<f32>
    einsum.yield %A : tensor<f32>
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @other_slice(%x: tensor<8xf32>) -> tensor<f32> {
  %r = einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
    %S = einsum.map_reduce "S" [m1] from %x[m1*4+m0] reduce add over [m0] : (tensor<8xf32>) -> tensor<2xf32>
    %N = einsum.map_reduce "N" [m1+1] from %N[m1], %S[m1] map arith.addf init 0.0 : f32 : (tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
    // expected-note @+2 {{write the cascade with tiles of 2 (ranks m1 = 4, m0 = 2), or the rank as one}}
    // expected-error @+1 {{'einsum.map_reduce' op cannot follow a new width of 'm0': it reads N in dimension 0 at other than tile 'm1', the first or the last slice}}
    %A = einsum.map_reduce "A" [] from %N[1] map math.exp : (tensor<3xf32>) -> tensor<f32>
    einsum.yield %A : tensor<f32>
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @tile_constraint(%x: tensor<8xf32>) -> tensor<f32> {
  %r = einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
    // expected-note @+2 {{write the cascade with tiles of 2 (ranks m1 = 4, m0 = 2), or the rank as one}}
    // expected-error @+1 {{'einsum.map_reduce' op cannot follow a new width of 'm0': constraint #0 is not about m1*4 + m0}}
    %A = einsum.map_reduce "A" [] from %x[m1*4+m0] reduce add over [m1,m0] where m1 >= 1 : (tensor<8xf32>) -> tensor<f32>
    einsum.yield %A : tensor<f32>
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @one_rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
    // expected-note @+2 {{write the cascade with tiles of 2 (ranks m1 = 4, m0 = 2), or the rank as one}}
    // expected-error @+1 {{'einsum.map_reduce' op iterates 'm0' without 'm1', so it cannot follow a new width}}
    %A = einsum.map_reduce "A" [m0] from %x[m0] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
