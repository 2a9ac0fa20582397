// RUN: transfusion-opt %s --split-input-file --verify-diagnostics --convert-sched-to-affine

// expected-error @below {{the module holds no 'sched.schedule'}}
// expected-note @below {{--dpipe makes one}}
module {
  func.func @nothing() {
    return
  }
}

// -----

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @a lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
// expected-note @below {{the program of a schedule holds Einsums and constants only}}
func.func @foreign(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>) -> tensor<4x12xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    einsum.yield %F1 : tensor<4x12xf32>
  } -> tensor<4x12xf32>
  // expected-error @below {{is not scheduled, so the program would lack it}}
  %t = math.exp %r : tensor<4x12xf32>
  return %t : tensor<4x12xf32>
}
sched.schedule @s of @foreign on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @a [#sched.slot<"F1", stage 0>]
    }
  }
}

// -----

// Too large for the buffer: the checker refuses before anything is emitted.
sched.arch @small clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 256
  sched.unit @a lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
func.func @large(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>) -> tensor<4x12xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    einsum.yield %F1 : tensor<4x12xf32>
  } -> tensor<4x12xf32>
  return %r : tensor<4x12xf32>
}
sched.schedule @s of @large on @small #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    // expected-error @below {{phase 1 of group 1 needs 896 bytes of 'buffer', but 'small' has 256 bytes (S30 capacity)}}
    // expected-note @below {{'%arg1', its piece of the tile: 384 bytes}}
    // expected-note @below {{'F1', on its way out: 384 bytes in 2 slots}}
    // expected-note @below {{'%arg0', its piece of the tile: 128 bytes}}
    // expected-note @below {{use smaller blocks of the ranks of '%arg1', or give 'buffer' capacity_bytes >= 896}}
    sched.phase order [] {
      sched.run @a [#sched.slot<"F1", stage 0>]
    }
  }
}

// -----

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @a lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
// expected-error @below {{returns 'f32' as result 1: a scheduled function returns tensors of static shape only}}
func.func @scalar(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, f32) {
  %r = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p], %x[p] map arith.addf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, f32
}
sched.schedule @s of @scalar on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @a [#sched.slot<"A", stage 0>]
    }
  }
}

// -----

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @a lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
// expected-error @below {{takes 'tensor<?xf32>' as argument 1: a scheduled function takes tensors of static shape}}
func.func @dynamic(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p], %x[p] map arith.addf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
sched.schedule @s of @dynamic on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @a [#sched.slot<"A", stage 0>]
    }
  }
}
