// The example in the description of the pass.
// RUN: transfusion-opt --sched-verify %s --verify-diagnostics

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1, add cycles 1) whole_einsum
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1, add cycles 1, max cycles 1) whole_einsum
}

func.func @layer(%x: tensor<29x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<29x8xf32> {
  %r = einsum.cascade ranks(p = 29, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<29x8xf32>, tensor<8x12xf32>) -> tensor<29x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<29x12xf32>, tensor<12x8xf32>) -> tensor<29x8xf32>
    einsum.yield %F2 : tensor<29x8xf32>
  } -> tensor<29x8xf32>
  return %r : tensor<29x8xf32>
}

sched.schedule @bad of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 4) {
    // expected-error @below {{'sched.phase' op 'F2' reads 'F1' of 'F1' in the same step, but is issued before it (S25 issue order)}}
    // expected-note @below {{issue 'F1' first}}
    sched.phase order [p] inner(p = 4) {
      sched.run @vec1d [#sched.slot<"F2", stage 0, rows [p]>, #sched.slot<"F1", stage 0, rows [p]>]
    }
  }
}
