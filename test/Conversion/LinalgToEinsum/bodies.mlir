// RUN: transfusion-opt %s --convert-linalg-to-einsum | FileCheck %s

#id = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Constants rounded once, from f64; a division by a constant stays one.
// CHECK-LABEL: func @constants
// CHECK-NOT: f64
// CHECK: arith.constant 0.594603539 : f32
// CHECK: arith.mulf
// CHECK: arith.constant 6.4{{0*}}e+01
// CHECK: arith.divf
// CHECK: arith.mulf %[[X:.*]], %[[X]]
// CHECK-NOT: fpowi
func.func @constants(%a: tensor<7xf32>) -> tensor<7xf32> {
  %s = arith.constant 0.59460355750136051 : f64
  %n = arith.constant 6.4e+01 : f32
  %two = arith.constant 2 : i64
  %e = tensor.empty() : tensor<7xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<7xf32>) outs(%e : tensor<7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.truncf %s : f64 to f32
    %2 = arith.mulf %x, %1 : f32
    %3 = arith.divf %2, %n : f32
    %4 = math.fpowi %3, %two : f32, i64
    linalg.yield %4 : f32
  } -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// f64 between f32 becomes f32, and the casts vanish.
// CHECK-LABEL: func @double
// CHECK: "sum1" [{{[a-z]}}] from %arg0{{.*}} reduce add
// CHECK: "map1"{{.*}}from %sum1
// CHECK-NOT: f64
func.func @double(%a: tensor<3x5xf32>) -> tensor<3xf32> {
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
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%2 : tensor<3xf64>) outs(%g : tensor<3xf32>) {
  ^bb0(%x: f64, %o: f32):
    %4 = arith.divf %x, %n : f64
    %5 = arith.truncf %4 : f64 to f32
    %6 = math.exp %5 : f32
    linalg.yield %6 : f32
  } -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

// Sums of 16 bits accumulate in 32 and are rounded once.
// CHECK-LABEL: func @bf16
// CHECK: "dot1"{{.*}} map {
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.mulf %{{.*}} : f32
// CHECK: } reduce add over [{{[a-z]}}] finish {
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: -> tensor<3x5xbf16>
func.func @bf16(%a: tensor<3x4xbf16>, %b: tensor<4x5xbf16>) -> tensor<3x5xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<3x5xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<3x4xbf16>, tensor<4x5xbf16>) outs(%f : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

// Casts between ops move into them.
// CHECK-LABEL: func @casts
// CHECK: "dot1"{{.*}}from %arg0{{.*}}, %arg1
// CHECK: finish
// CHECK: truncf
// CHECK: -> tensor<3x5xbf16>
// CHECK: "exp1"{{.*}}from %dot1
// CHECK: extf
// CHECK: truncf
// CHECK: -> tensor<3x5xbf16>
// CHECK-NOT: map_reduce
func.func @casts(%a: tensor<3x4xbf16>, %b: tensor<4x5xbf16>) -> tensor<3x5xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %h = tensor.empty() : tensor<3x5xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x4xbf16>, tensor<4x5xbf16>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<3x5xf32>) outs(%h : tensor<3x5xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %5 = arith.truncf %x : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<3x5xbf16>
  %2 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<3x5xbf16>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x: bf16, %o: f32):
    %5 = arith.extf %x : bf16 to f32
    linalg.yield %5 : f32
  } -> tensor<3x5xf32>
  %3 = linalg.exp ins(%2 : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %4 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<3x5xf32>) outs(%h : tensor<3x5xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %5 = arith.truncf %x : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<3x5xbf16>
  return %4 : tensor<3x5xbf16>
}

// A bias is added when the sum is there; a residual is an Einsum of its own.
// CHECK-LABEL: func @bias
// CHECK: "dot1" [[[P:[a-z]+]],[[S:[a-z]+]]]{{.*}} reduce add over [{{[a-z]+}}] finish from %arg2[[[S]]] arith.addf
// CHECK: "add1" [{{.*}}] from %dot1{{.*}}, %arg3
func.func @bias(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<5xf32>, %r: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (j)>, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<3x5xf32>, tensor<5xf32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %2 = arith.addf %x, %y : f32
    linalg.yield %2 : f32
  } -> tensor<3x5xf32>
  %3 = linalg.add ins(%1, %r : tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %3 : tensor<3x5xf32>
}

// A producer fused into a reader that walks more loops: its own result is the
// same along these, and is computed once.
// CHECK-LABEL: func @fused_producer
// CHECK: einsum.map_reduce "exp1" {{\[}}[[J:[a-z0-9]+]]{{\]}} from %arg1{{\[}}[[J]]{{\]}} map math.exp
// CHECK: einsum.map_reduce "sum1" [{{[a-z0-9]+}}] from
// CHECK: reduce add over [{{[a-z0-9]+}}]
// CHECK-NOT: map_reduce
#pair = affine_map<(i, j) -> (i, j)>
#last = affine_map<(i, j) -> (j)>
#first = affine_map<(i, j) -> (i)>
func.func @fused_producer(%a: tensor<3x5xf32>, %b: tensor<5xf32>) -> (tensor<5xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e5 = tensor.empty() : tensor<5xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %0:2 = linalg.generic {indexing_maps = [#pair, #last, #last, #first], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<3x5xf32>, tensor<5xf32>) outs(%e5, %f : tensor<5xf32>, tensor<3xf32>) {
  ^bb0(%x: f32, %y: f32, %o5: f32, %o3: f32):
    %1 = math.exp %y : f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.addf %2, %o3 : f32
    linalg.yield %1, %3 : f32, f32
  } -> (tensor<5xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<3xf32>
}
