// Each kind rewrites what it is named after; the same seed, the same text.
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=reorder seed=3" 2>&1 | FileCheck %s --check-prefix=REORDER
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=swap seed=1" 2>&1 | FileCheck %s --check-prefix=SWAP
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=split seed=2" 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=merge seed=1" 2>&1 | FileCheck %s --check-prefix=MERGE
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=transpose seed=2" 2>&1 | FileCheck %s --check-prefix=TRANSPOSE
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=reshape seed=2" 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=scale seed=2" 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=mask seed=1" 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=merge seed=7 copies=2" -o %t1
// RUN: transfusion-test-opt %s --test-perturb-linalg="kind=merge seed=7 copies=2" -o %t2
// RUN: diff %t1 %t2
// RUN: FileCheck %s --check-prefix=COPIES --input-file=%t1

// COPIES: func.func @scores_s7
// COPIES: func.func @scores_s8
// COPIES-NOT: func.func

#id = affine_map<(b, p, m) -> (b, p, m)>
#row = affine_map<(b, p, m) -> (b, p)>
#mask = affine_map<(b, p, m) -> (p, m)>
#one = affine_map<(b, p, m) -> (b, p, 0)>

// REORDER: @scores: {{[1-9][0-9]*}} sites
// SWAP: @scores: {{[1-9]}} sites
// SPLIT: @scores: {{[1-9]}} sites
// MERGE: @scores: {{[1-9]}} sites
// TRANSPOSE: @scores: {{[1-9]}} sites
// RESHAPE: @scores: {{[1-9]}} sites
// SCALE: @scores: 1 sites
// MASK: @scores: 1 sites
func.func @scores(%q: tensor<2x4x8xf32>, %k: tensor<2x8x6xf32>, %mask: tensor<4x6xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<2x4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%f : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x4x6xf32>) outs(%e : tensor<2x4x6xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %scale : f32
    linalg.yield %y : f32
  } -> tensor<2x4x6xf32>
  %m = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t, %mask : tensor<2x4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<2x4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<2x4x6xf32>
  %er = tensor.empty() : tensor<2x4xf32>
  %fr = linalg.fill ins(%low : f32) outs(%er : tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m : tensor<2x4x6xf32>) outs(%fr : tensor<2x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.maximumf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
