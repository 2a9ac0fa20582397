// RUN: transfusion-opt %s --convert-linalg-to-einsum='allow-unraised=true raise-report=json' -o /dev/null 2>&1 | FileCheck %s

// Ops that stand for several ones, beside such that stay and in a region of one:
// every op of the file is counted once.
// CHECK: "ops": 46,
// CHECK-NEXT: "counts": {
// CHECK-NEXT: "einsum": 3,
// CHECK-NEXT: "copy": 2,
// CHECK-NEXT: "folded": 0,
// CHECK-NEXT: "view": 0,
// CHECK-NEXT: "constant": 6,
// CHECK-NEXT: "init": 4,
// CHECK-NEXT: "dead": 1,
// CHECK-NEXT: "kept": 18,
// CHECK-NEXT: "left": 7,
// CHECK-NEXT: "body": 5

func.func @double(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %e = tensor.empty() : tensor<3x5xf64>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<3x5xf64>) outs(%e : tensor<3x5xf64>) -> tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}

func.func @padded_with_data(%x: tensor<7x5xf32>, %v: f32) -> tensor<3x2x4x2xf32> {
  %e = tensor.empty() : tensor<3x2x4x2xf32>
  %r = linalg.pack %x padding_value(%v : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<7x5xf32> -> tensor<3x2x4x2xf32>
  return %r : tensor<3x2x4x2xf32>
}

func.func @in_a_loop(%x: tensor<7x5xf32>, %n: index) -> tensor<7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<7x5xf32> {
    %e = tensor.empty() : tensor<7x5xf32>
    %d = tensor.dim %v, %c1 : tensor<7x5xf32>
    %s = linalg.softmax dimension(1) ins(%v : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
    %g = tensor.generate { 
    ^bb0(%a: index, %b: index):
      %q = arith.index_cast %d : index to i32
      %w = arith.sitofp %q : i32 to f32
      tensor.yield %w : f32
    } : tensor<7x5xf32>
    %t = linalg.add ins(%s, %g : tensor<7x5xf32>, tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
    scf.yield %t : tensor<7x5xf32>
  }
  return %l : tensor<7x5xf32>
}

func.func @elementwise(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf64>
  %y = arith.extf %x : tensor<3x5xf32> to tensor<3x5xf64>
  %z = arith.truncf %y : tensor<3x5xf64> to tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}

func.func @shape_of_data(%x: tensor<3x5xf32>, %i: tensor<2xindex>) -> tensor<5x3xf32> {
  %z = tensor.reshape %x(%i) : (tensor<3x5xf32>, tensor<2xindex>) -> tensor<5x3xf32>
  return %z : tensor<5x3xf32>
}

func.func @on_memrefs(%x: memref<3x5xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<3x5xf32>) outs(%x : memref<3x5xf32>)
  return
}

func.func @nothing(%x: tensor<0xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tensor.insert_slice %x into %y[1] [0] [1] : tensor<0xf32> into tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @elements(%y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %v = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : index
  %s = tensor.from_elements %v, %v, %v : tensor<3xf32>
  %0 = tensor.insert %v into %s[%c1] : tensor<3xf32>
  %unused = tensor.insert %v into %y[%c1] : tensor<3xf32>
  return %0, %s : tensor<3xf32>, tensor<3xf32>
}
