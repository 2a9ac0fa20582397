// Groups and phases stay; sizes change; the same input gives the same output;
// what was searched can be searched again.

// RUN: transfusion-opt --dpipe "--tileseek=evaluations=64" --sched-verify %s -o %t.1
// RUN: transfusion-opt --dpipe "--tileseek=evaluations=64" --sched-verify %s -o %t.2
// RUN: cmp %t.1 %t.2
// RUN: FileCheck %s < %t.1
// RUN: transfusion-opt "--tileseek=evaluations=8 seed=7 mode=random objective=peak-memory" --sched-verify %t.1 | FileCheck %s --check-prefix=AGAIN

// CHECK:      budget 64, evaluations {{[0-9]+}}> {
// One outer tile: everything fits.
// CHECK-NEXT:   sched.group tile(p = 29)
// CHECK:          "linear1.L"
// CHECK-SAME:     "linear2.L"
// CHECK:        sched.phase
// CHECK:          "linear2.L.finish"
// CHECK-NOT:    sched.group

// AGAIN: objective peak_memory, mode random, seed 7, budget 8, evaluations {{[0-9]+}}> {

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1, add cycles 1) whole_einsum
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1, add cycles 1, max cycles 1) whole_einsum
}

func.func @layer(%x: tensor<29x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<29x8xf32> {
  %h = einsum.linear %x, %w : (tensor<29x8xf32>, tensor<8x12xf32>) -> tensor<29x12xf32>
  %r = einsum.linear %h, %v : (tensor<29x12xf32>, tensor<12x8xf32>) -> tensor<29x8xf32>
  return %r : tensor<29x8xf32>
}
