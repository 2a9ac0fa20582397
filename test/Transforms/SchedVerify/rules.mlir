// Rules that only the checker sees, each at its op; the last note says what
// would fix it.
// RUN: transfusion-opt --sched-verify --split-input-file --verify-diagnostics %s

// Legal.
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

sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 4) {
    sched.phase order [s, p] block(s = 4) inner(p = 4, s = 4) {
      sched.run @mac2d [#sched.slot<"F1", stage 0, rows [p], cols [s]>, #sched.slot<"F2", stage 0, rows [p], cols [s]>]
    }
    sched.phase order [p] inner(p = 4) {
      sched.run @mac2d [#sched.slot<"F2.finish", stage 0, rows [p], cols [o]>]
    }
  }
}

// -----

// A reduction that spans epochs is finished nowhere.
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

sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 4) {
    // expected-error @below {{the reduction of 'F2' spans the epochs of phase 1 of group 1, but no later phase finishes it (S14 finish)}}
    // expected-note @below {{add a finish slot of it to a later phase of the group}}
    sched.phase order [s, p] block(s = 4) inner(p = 4, s = 4) {
      sched.run @mac2d [#sched.slot<"F1", stage 0, rows [p], cols [s]>, #sched.slot<"F2", stage 0, rows [p], cols [s]>]
    }
  }
}

// -----

// A stage that runs backwards.
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

sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 4) {
    // expected-error @below {{'F2' reads 'F1' of 'F1' in stage 0, but it is made in stage 1 (S24 stage order)}}
    // expected-note @below {{run 'F2' in stage 1 or a later one}}
    sched.phase order [s, p] block(s = 4) inner(p = 4, s = 4) {
      sched.run @mac2d [#sched.slot<"F1", stage 1, rows [p], cols [s]>, #sched.slot<"F2", stage 0, rows [p], cols [s]>]
    }
    sched.phase order [p] inner(p = 4) {
      sched.run @mac2d [#sched.slot<"F2.finish", stage 0, rows [p], cols [o]>]
    }
  }
}

// -----

// An op that the unit lacks.
sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @mac2d grid 4x4 on @buffer ops(add cycles 1) whole_einsum
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

sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 4) {
    // expected-error @below {{'F1' has an operation of class 'mac', which unit 'mac2d' does not execute}}
    // expected-error @below {{'F2' has an operation of class 'mac', which unit 'mac2d' does not execute}}
    // expected-note @below {{run it on 'vec1d'}}
    sched.phase order [s, p] block(s = 4) inner(p = 4, s = 4) {
      sched.run @mac2d [#sched.slot<"F1", stage 0, rows [p], cols [s]>, #sched.slot<"F2", stage 0, rows [p], cols [s]>]
    }
    sched.phase order [p] inner(p = 4) {
      sched.run @mac2d [#sched.slot<"F2.finish", stage 0, rows [p], cols [o]>]
    }
  }
}

// -----

// A buffer that is too small.
sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 256
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

sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 4) {
    // expected-error @below {{phase 1 of group 1 needs 832 bytes of 'buffer', but 'toy' has 256 bytes (S30 capacity)}}
    // expected-note @below {{'%arg1', a block: 256 bytes in 2 slots}}
    // expected-note @below {{'%arg2', a block: 256 bytes in 2 slots}}
    // expected-note @below {{'%arg0', its piece of the tile: 128 bytes}}
    // expected-note @below {{'F2', partial sums of the tile: 128 bytes}}
    // expected-note @below {{'F1', an inner tile: 64 bytes}}
    // expected-note @below {{use smaller blocks of the ranks of '%arg1', or give 'buffer' capacity_bytes >= 832}}
    sched.phase order [s, p] block(s = 4) inner(p = 4, s = 4) {
      sched.run @mac2d [#sched.slot<"F1", stage 0, rows [p], cols [s]>, #sched.slot<"F2", stage 0, rows [p], cols [s]>]
    }
    sched.phase order [p] inner(p = 4) {
      sched.run @mac2d [#sched.slot<"F2.finish", stage 0, rows [p], cols [o]>]
    }
  }
}
