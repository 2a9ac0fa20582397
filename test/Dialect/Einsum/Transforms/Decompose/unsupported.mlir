// RUN: transfusion-opt %s --split-input-file --einsum-decompose="attention-passes=2" --verify-diagnostics
// RUN: not transfusion-opt %s --split-input-file --einsum-decompose=key-tile=-1 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not transfusion-opt %s --split-input-file --einsum-decompose=attention-passes=4 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not transfusion-opt %s --split-input-file --einsum-decompose=accumulator=f64 2>&1 | FileCheck %s --check-prefix=ACC

// TILE: error: key-tile is -1, but needs at least 1 key
// PASSES: error: attention-passes is 4, but must be 1, 2 or 3
// ACC: f64

func.func @f(%q: tensor<2x3x11x5xf32>, %k: tensor<2x3x8x5xf32>, %v: tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32> {
  // expected-error @+3 {{'einsum.mha' op attention of 2 passes is not supported for causal 11 queries of 8 keys}}
  // expected-note @+2 {{the first 3 queries see no key}}
  // expected-note @+1 {{use attention-passes=1}}
  %a = einsum.mha %q, %k, %v causal : (tensor<2x3x11x5xf32>, tensor<2x3x8x5xf32>, tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32>
  return %a : tensor<2x3x11x7xf32>
}

// -----

func.func @past(%q: tensor<1x2x1x4xf32>, %k: tensor<1x2x1x4xf32>, %c: tensor<1x2x9x4xf32>) -> tensor<1x2x1x4xf32> {
  // expected-error @+2 {{'einsum.mha' op attention of 2 passes is not supported with past keys}}
  // expected-note @+1 {{use attention-passes=1}}
  %a = einsum.mha %q, %k, %k past %c, %c : (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>, tensor<1x2x9x4xf32>, tensor<1x2x9x4xf32>) -> tensor<1x2x1x4xf32>
  return %a : tensor<1x2x1x4xf32>
}
