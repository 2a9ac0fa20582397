// The example in the description of the pass.
// RUN: transfusion-opt --dpipe %s | FileCheck %s

// CHECK:      sched.schedule @layer_toy of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
// CHECK-NEXT:   sched.group tile(p = 4) {
// CHECK-NEXT:     sched.phase order [n, p] block(n = 4) inner(p = 4, n = 4) {
// CHECK-NEXT:       sched.run @mac2d [#sched.slot<"linear1.L", stage 0, rows [p], cols [n]>, #sched.slot<"linear2.L", stage 0, rows [p], cols [n]>]

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
