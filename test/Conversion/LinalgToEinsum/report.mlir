// RUN: transfusion-opt %s --convert-linalg-to-einsum='raise-report=text' -o /dev/null 2>&1 | FileCheck %s
// RUN: transfusion-opt %s --convert-linalg-to-einsum='raise-report=json' -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON

// CHECK: raised (file): 1 ops
// CHECK: raised @layer: 21 ops
// CHECK-NEXT: 1  einsum
// CHECK-NEXT: 1  view
// CHECK-NEXT: 3  constant
// CHECK-NEXT: 3  init
// CHECK-NEXT: 1  dead
// CHECK-NEXT: 2  kept
// CHECK-NEXT: 10  body
// CHECK: report.mlir:[[#@LINE+15]]:8  tensor.expand_shape  view
// CHECK: report.mlir:{{.*}}  linalg.generic  einsum max1  (result #1 is dead: removed)

// JSON: "ops": 22
// JSON-NEXT: "counts": {
// JSON-NEXT: "einsum": 1

func.func @layer(%x: tensor<15xf32>) -> tensor<3xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3xf32>
  %m = linalg.fill ins(%ninf : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %ei = tensor.empty() : tensor<3xi64>
  %mi = linalg.fill ins(%c0 : i64) outs(%ei : tensor<3xi64>) -> tensor<3xi64>
  %nobody = linalg.exp ins(%m : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %a = tensor.expand_shape %x [[0, 1]] output_shape [3, 5] : tensor<15xf32> into tensor<3x5xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x5xf32>) outs(%m, %mi : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%v: f32, %o: f32, %oi: i64):
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.maximumf %v, %o : f32
    %4 = arith.cmpf ogt, %v, %o : f32
    %5 = arith.select %4, %2, %oi : i64
    linalg.yield %3, %5 : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %0#0 : tensor<3xf32>
}
