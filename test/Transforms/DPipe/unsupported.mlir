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

// A hierarchy that schedules do not have yet.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @l2 in @dram capacity_bytes 4096
  sched.memory @l1 in @l2 capacity_bytes 4096
  sched.unit @u lanes 8 on @l1 ops(mac cycles 1, add cycles 1)
  // expected-error @below {{'sched.unit' op unit 'v' is on memory 'l2', unit 'u' on 'l1'; schedules are for one buffer that feeds every unit (A02}}
  // expected-note @below {{put every unit on one memory}}
  sched.unit @v lanes 8 on @l2 ops(mac cycles 1, add cycles 1)
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

// Two Einsums of one name.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = einsum.cascade ranks(p = 4) {
    // expected-note @below {{which is here}}
    %A = einsum.map_reduce "A" [p] from %x[p], %x[p] map arith.addf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  %s = einsum.cascade ranks(p = 4) {
    // expected-error @below {{has the name "A" of another Einsum of its function}}
    %A = einsum.map_reduce "A" [p] from %r[p], %r[p] map arith.addf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// How often a loop runs its cascade is not known.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{move the region into a function of its own}}
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    // expected-error @below {{stands in a region of 'scf.for': how often it runs is not known}}
    %r = einsum.cascade ranks(p = 4) {
      %A = einsum.map_reduce "A" [p] from %v[p], %v[p] map arith.addf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      einsum.yield %A : tensor<4xf32>
    } -> tensor<4xf32>
    scf.yield %r : tensor<4xf32>
  }
  return %l : tensor<4xf32>
}

// -----

// An argument that is extended without room, and room that nothing uses.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
func.func @f(%c: tensor<5x4xf32>, %x: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %r = einsum.cascade ranks(n = 1, e = 4) {
    // expected-error @below {{'A' extends '%arg0', which comes from outside, and nothing says that there is room behind it}}
    // expected-note @below {{give the argument `einsum.append`}}
    %A = einsum.map_reduce "A" [n+5,e] extends %c from %x[n,e] : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
    einsum.yield %A : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
// expected-error @below {{says that argument #0 is the beginning of result #0, but that result does not extend it}}
// expected-note @below {{or drop `einsum.append`}}
func.func @f(%c: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %r = einsum.cascade ranks(n = 6, e = 4) {
    %A = einsum.map_reduce "A" [n,e] from %x[n,e], %x[n,e] map arith.addf : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    einsum.yield %A : tensor<6x4xf32>
  } -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
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

// -----

// The result that is named is in the storage, but is not the longest there.
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @u lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
// expected-note @below {{einsum.append names result #0, which is in the same storage but not all of it: 'B' extends it}}
func.func @f(%c: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %x: tensor<1x4xf32>) -> (tensor<6x4xf32>, tensor<7x4xf32>) {
  %r:2 = einsum.cascade ranks(n = 1, e = 4) {
    // expected-error @below {{'A' extends '%arg0', which comes from outside, and nothing says that there is room behind it}}
    // expected-note @below {{return the longer tensor}}
    %A = einsum.map_reduce "A" [n+5,e] extends %c from %x[n,e] : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
    %B = einsum.map_reduce "B" [n+6,e] extends %A from %x[n,e] : (tensor<1x4xf32>, tensor<6x4xf32>) -> tensor<7x4xf32>
    einsum.yield %A, %B : tensor<6x4xf32>, tensor<7x4xf32>
  } -> tensor<6x4xf32>, tensor<7x4xf32>
  return %r#0, %r#1 : tensor<6x4xf32>, tensor<7x4xf32>
}
