// RUN: transfusion-opt %s --split-input-file --verify-diagnostics

// Numbers are those of the constraints in the descriptions of the ops.

// sched.schedule (2)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// expected-error @below {{'sched.schedule' op is of @lair, which is no function of this module}}
sched.schedule @s of @lair on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (2)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// expected-error @below {{is on @edge, which is no sched.arch of this module}}
sched.schedule @s of @layer on @edge #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (3): a dangling name
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      // expected-error @below {{schedules Einsum 'F3', which @layer does not have (did you mean 'F1'?)}}
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F3", stage 0>]
    }
  }
}

// -----

// sched.schedule (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      // expected-error @below {{is on @vec2d, which is no unit of @toy (did you mean 'vec1d'?)}}
      sched.run @vec2d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{names rank 'pp', which the cascade of @layer does not have (did you mean 'p'?)}}
    sched.phase order [pp] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  // expected-error @below {{retains "%arg7", which the cascade of @layer neither reads nor makes}}
  sched.group retain("%arg7" at tile) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (4): left out
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    // expected-note @below {{Einsum 'F1'}}
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// expected-error @below {{leaves out Einsum 'F1'}}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (4): twice
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      // expected-note @below {{it is scheduled here first}}
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
      // expected-error @below {{schedules Einsum 'F1' a second time}}
      sched.run @mac2d [#sched.slot<"F1", stage 0>]
    }
  }
}

// -----

// sched.schedule (5)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  // expected-error @below {{tile 5 of rank 'p' exceeds its extent 4}}
  sched.group tile(p = 5) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (5)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{block 8 of rank 's' is no multiple of inner 3}}
    sched.phase order [s] block(s = 8) inner(s = 3) {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (5)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{inner 2 of rank 'p' is smaller than its tile 4, but the order does not list it}}
    sched.phase order [s] inner(p = 2) {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (6)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      // expected-error @below {{maps rank 'o', which Einsum 'F1' lacks}}
      sched.run @vec1d [#sched.slot<"F1", stage 0, rows [o]>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (7)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  // expected-error @below {{retains "F1", which it makes itself}}
  sched.group retain("F1" at tile) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.group (2)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  // expected-error @below {{retains "%arg1" twice}}
  sched.group retain("%arg1" at tile, "%arg1" at group) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.phase (1)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
      // expected-error @below {{is the second run of @vec1d in its phase}}
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.phase (1)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{holds no 'sched.run'}}
    sched.phase order [] {
      
    }
  }
}

// -----

// sched.phase (2)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{lists rank 'p' twice in its order}}
    sched.phase order [p, s, p] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.phase (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 3) {
    // expected-error @below {{inner 4 of rank 'p' exceeds its tile 3}}
    sched.phase order [p] inner(p = 4) {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.phase (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{inner 4 of rank 's' exceeds its block 3}}
    sched.phase order [s] block(s = 3) inner(s = 4) {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.phase (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(s = 6) {
    // expected-error @below {{block 8 of rank 's' exceeds its tile 6}}
    sched.phase order [s] block(s = 8) {
      sched.run @vec1d [#sched.slot<"F1", stage 0>, #sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.run
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      // expected-error @below {{of @vec1d has no slot}}
      sched.run @vec1d []
    }
  }
}

// -----

// sched.schedule (1)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1)
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  // expected-error @below {{'sched.memory' op expects parent op 'sched.arch'}}
  sched.memory @m
}

// -----

// sched.schedule (2): nothing to schedule
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.unit @vec1d lanes 8 on @dram ops(mac cycles 1)
}
// expected-note @below {{--einsum-decompose makes one}}
func.func @layer() { return }
// expected-error @below {{needs an einsum.cascade in @layer, which has none}}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
}

// -----

// sched.schedule (8): the width of m0 is a repartition, not a size
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.unit @vec1d lanes 8 on @dram ops(mac cycles 1)
}
func.func @layer(%k: tensor<8xf32>) -> tensor<3xf32> {
  %r = einsum.cascade ranks(m1 = 2 iterative, m0 = 4) {
    %LM = einsum.map_reduce "LM" [m1] from %k[m1*4+m0] reduce max over [m0] : (tensor<8xf32>) -> tensor<2xf32>
    %RM = einsum.map_reduce "RM" [m1+1] from %RM[m1], %LM[m1] map arith.maximumf init -inf : (tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
    einsum.yield %RM : tensor<3xf32>
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{inner 2 cuts rank 'm0' of extent 4; repartition it with --einsum-partition instead}}
    sched.phase order [m1, m0] inner(m1 = 1, m0 = 2) {
      sched.run @vec1d [#sched.slot<"LM", stage 0>, #sched.slot<"RM", stage 0>]
    }
  }
}

// -----

// sched.schedule (9)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// expected-error @below {{'sched.schedule' op has "F1" reside twice}}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> resident("F1" in @l2, "F1" in @l2) {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (9)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// expected-error @below {{'sched.schedule' op has "F1" reside in @l3, which is no memory of @toy}}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> resident("F1" in @l3) {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (9)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// expected-error @below {{'sched.schedule' op has "F1" reside in @vec1d, which is no memory of @toy}}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> resident("F1" in @vec1d) {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// expected-error @below {{'sched.schedule' op has "F3" reside, which the cascade of @layer neither reads nor makes}}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> resident("F3" in @l2) {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.group (3)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  // expected-error @below {{'sched.group' op has "F1" reside twice}}
  sched.group resident("F1" in @l2, "F1" in @l2) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (10)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  // expected-error @below {{'sched.group' op has "F1" reside in @l3, which is no memory of @toy}}
  sched.group resident("F1" in @l3) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (10)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  // expected-error @below {{'sched.group' op has "F9" reside, which the cascade of @layer neither reads nor makes}}
  sched.group resident("F9" in @l2) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (10)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  // expected-error @below {{'sched.group' op has "F2" reside, which it makes itself}}
  sched.group resident("F2" in @l2) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}

// -----

// sched.schedule (10)
sched.arch @toy clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 65536
  sched.memory @buffer in @l2 capacity_bytes 16384
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1)
}
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0>]
    }
  }
  // expected-error @below {{'sched.group' op has "%arg1" reside, which it does not read}}
  sched.group resident("%arg1" in @l2) {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F2", stage 0>]
    }
  }
}
