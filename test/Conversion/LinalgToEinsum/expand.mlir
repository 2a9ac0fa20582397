// RUN: transfusion-opt %s --convert-linalg-to-einsum | FileCheck %s
// RUN: transfusion-opt %s --convert-linalg-to-einsum='raise-report=text' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// Ops that stand for several ones: the report says what became of the op.

// CHECK-LABEL: func @softmax
// CHECK: "max1" [[[P:[a-z]+]]] from %arg0[[[P]],{{[a-z]+}}] reduce max
// CHECK: "map1"
// CHECK: "sum1"
// CHECK: "div1"
// CHECK-NOT: map_reduce
// REPORT: raised @softmax: 4 ops
// REPORT-NEXT: 1 einsum
// REPORT-NEXT: 1 init
// REPORT-NEXT: 2 kept
// REPORT: linalg.softmax einsum max1, map1, sum1, div1
func.func @softmax(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Tiles that are whole are a view.
// CHECK-LABEL: func @packed
// CHECK: "exp1" {{.*}} from %arg0
// CHECK-NOT: map_reduce
// REPORT: raised @packed: 8 ops
// REPORT: linalg.pack view
func.func @packed(%x: tensor<8x6xf32>) -> tensor<2x3x4x2xf32> {
  %e = tensor.empty() : tensor<2x3x4x2xf32>
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<8x6xf32> -> tensor<2x3x4x2xf32>
  %f = tensor.empty() : tensor<2x3x4x2xf32>
  %1 = linalg.exp ins(%0 : tensor<2x3x4x2xf32>) outs(%f : tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32>
  return %1 : tensor<2x3x4x2xf32>
}

// Every point is read by an access that is linear.
// CHECK-LABEL: func @strided
// CHECK-NOT: mod
// CHECK-NOT: floordiv
// REPORT: raised @strided: 3 ops
// REPORT-NEXT: 1 copy
// REPORT-NEXT: 2 kept
func.func @strided(%x: tensor<3xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.insert_slice %x into %y[1] [3] [3] : tensor<3xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A size is a constant, a padding of nothing is what is padded; the scalar ops
// in its region are counted.
// REPORT: raised @gone: 9 ops
// REPORT: 3 body
// REPORT: tensor.pad view
func.func @gone(%x: tensor<3xf32>) -> tensor<3xf32> {
  %v = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<3xf32> to tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.exp ins(%p : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
