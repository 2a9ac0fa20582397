// What a caller states of a mask that is data.
// RUN: transfusion-opt %s --verify-roundtrip | FileCheck %s
// RUN: transfusion-opt %s -mlir-print-op-generic | transfusion-opt | FileCheck %s

// CHECK: @all(%arg0: tensor<2x1x5x9xf32> {einsum.mask = #einsum.mask<causal, sliding_window(4), prefix(7), left_padding(2)>},
// CHECK-SAME: %arg1: tensor<5x9xi1> {einsum.mask = #einsum.mask<sliding_window(4)>},
// CHECK-SAME: %arg2: tensor<9xbf16> {einsum.mask = #einsum.mask<prefix(9)>})
func.func @all(%a: tensor<2x1x5x9xf32> {einsum.mask = #einsum.mask<left_padding(2), prefix(7), causal, sliding_window(4)>},
               %b: tensor<5x9xi1> {einsum.mask = #einsum.mask<sliding_window(4)>},
               %c: tensor<9xbf16> {einsum.mask = #einsum.mask<prefix(9)>}) {
  return
}
