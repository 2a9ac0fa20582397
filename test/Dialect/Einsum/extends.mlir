// RUN: transfusion-opt %s --verify-roundtrip | FileCheck %s
// RUN: transfusion-opt %s --einsum-to-linalg | FileCheck %s --check-prefix=LINALG
// RUN: transfusion-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// A cache and new rows behind it; a concat of three is a chain.
// CHECK-LABEL: func @append
// CHECK-SAME: {einsum.append = #einsum.append<result = 0, dim = 1>}
// CHECK: %B = einsum.map_reduce "B" [h,8,e] extends %A from %arg1[h,0,e] : (tensor<2x3x4xf32>, tensor<2x8x4xf32>) -> tensor<2x9x4xf32>
// CHECK: %A = einsum.map_reduce "A" [h,p+5,e] extends %arg0 from %arg1[h,p,e] map math.exp : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x8x4xf32>

// What it means: the base, and the points of its own behind it.
// LINALG-LABEL: func @append
// LINALG: %[[A:.*]] = linalg.generic
// LINALG: -> tensor<2x3x4xf32>
// LINALG: %[[OLD:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0, 0] [2, 5, 4] [1, 1, 1] : tensor<2x5x4xf32> into tensor<2x8x4xf32>
// LINALG: tensor.insert_slice %[[A]] into %[[OLD]][0, 5, 0] [2, 3, 4] [1, 1, 1] : tensor<2x3x4xf32> into tensor<2x8x4xf32>
// LINALG: tensor.insert_slice %{{.*}} into %{{.*}}[0, 8, 0] [2, 1, 4] [1, 1, 1] : tensor<2x1x4xf32> into tensor<2x9x4xf32>

// A base is what the op computes with, and a copy behind a base is no copy of
// what it reads.
// CANON-LABEL: func @append
// CANON: "B" {{.*}} extends %A
// CANON: "A" {{.*}} extends %arg0
func.func @append(%cache: tensor<2x5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 1>},
                  %new: tensor<2x3x4xf32>) -> tensor<2x9x4xf32> {
  %r = einsum.cascade ranks(h = 2, p = 3, e = 4) {
    %B = einsum.map_reduce "B" [h,8,e] extends %A from %new[h,0,e] : (tensor<2x3x4xf32>, tensor<2x8x4xf32>) -> tensor<2x9x4xf32>
    %A = einsum.map_reduce "A" [h,p+5,e] extends %cache from %new[h,p,e] map math.exp : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x8x4xf32>
    einsum.yield %B : tensor<2x9x4xf32>
  } -> tensor<2x9x4xf32>
  return %r : tensor<2x9x4xf32>
}
