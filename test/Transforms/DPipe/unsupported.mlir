// RUN: transfusion-opt --dpipe %s --split-input-file --verify-diagnostics

// Two machines.
// expected-note @below {{the first machine}}
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1)
}
// expected-error @below {{'sched.arch' op is a second machine; which one is meant?}}
// expected-note @below {{keep one sched.arch in the module}}
sched.arch @b clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1)
}
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.add %x, %x : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A hierarchy that the model does not have yet.
// expected-error @below {{'sched.arch' op 'a' has 3 memory levels; a hierarchy other than two is not supported yet (A02}}
// expected-note @below {{describe an outer memory and one buffer that feeds every unit}}
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 4096
  sched.memory @l1 in @l2 capacity_bytes 4096
  sched.unit @u lanes 8 on @l1 ops(mac cycles 1, add cycles 1)
}
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.add %x, %x : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// An op class that no unit has.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1)
}
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{no unit of 'a' supports all operations of 'RES'}}
  // expected-note @below {{'u' lacks add}}
  // expected-note @below {{give one unit the missing operation}}
  %r = einsum.add %x, %x : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// No tile fits.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 64
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1)
}
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{no tile of any size fits 'buffer'}}
  // expected-note @below {{'%arg1', a block:}}
  // expected-note @below {{'%arg0', whole for the tile:}}
  // expected-note @below {{'L', on its way out:}}
  // expected-note @below {{it would fit with capacity_bytes >=}}
  %r = einsum.linear %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// An op in no class.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1)
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map {
    ^bb0(%a: f32):
      // expected-error @below {{'math.atan' op is in no class of operations that machines are described by, so it cannot be costed}}
      // expected-note @below {{compute it from ops that are (add, mul, div, exp, log, sqrt, sin, cos, tanh, erf, ...)}}
      %0 = math.atan %a : f32
      einsum.yield %0 : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Two cascades: a foreign op stands between.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1, add cycles 1)
}
func.func private @g(tensor<4x8xf32>) -> tensor<4x8xf32>
// expected-note @below {{move the op between them out of the function}}
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-note @below {{the first one}}
  %r = einsum.add %x, %x : tensor<4x8xf32>
  %s = func.call @g(%r) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @below {{'einsum.cascade' op is the second cascade of its function; scheduling several is not supported yet}}
  %t = einsum.add %s, %s : tensor<4x8xf32>
  return %t : tensor<4x8xf32>
}

// -----

// Values wider than 64 bits.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1, add cycles 1)
}
func.func @f(%x: tensor<4x8xf128>) -> tensor<4x8xf128> {
  // expected-error @below {{must be variadic of statically shaped tensor of f16, bf16, f32, or a mask or index of i1, i8, i32, i64 values, but got 'tensor<4x8xf128>'}}
  %r = einsum.cascade ranks(i = 4, j = 8) {
    %a = einsum.map_reduce "A" [i,j] from %x[i,j] map arith.negf : (tensor<4x8xf128>) -> tensor<4x8xf128>
    einsum.yield %a : tensor<4x8xf128>
  } -> tensor<4x8xf128>
  return %r : tensor<4x8xf128>
}
