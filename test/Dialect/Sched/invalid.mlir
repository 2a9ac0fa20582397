// RUN: transfusion-opt %s --split-input-file --verify-diagnostics

// Numbers in the messages and comments are those of the constraints in the
// descriptions of ops and attributes.

// sched.arch (1): a clock
// expected-error @below {{attribute 'clock_hz' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
sched.arch @a clock_hz 0 {
  sched.memory @dram
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.arch (2)
sched.arch @a clock_hz 1 {
  // expected-error @below {{'sched.unit' op is on @dram, which is no memory of @a}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.arch (2)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
  // expected-error @below {{must stand before the units}}
  sched.memory @buffer in @dram capacity_bytes 1
}

// -----

// sched.arch (2)
// expected-error @below {{has no memory}}
sched.arch @a clock_hz 1 {
}

// -----

// sched.arch (2)
// expected-error @below {{has no unit}}
sched.arch @a clock_hz 1 {
  sched.memory @dram
}

// -----

// sched.arch (3)
sched.arch @a clock_hz 1 {
  // expected-error @below {{is the first memory of @a, the outermost one, and is in no other}}
  sched.memory @dram in @drum capacity_bytes 1
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.arch (3)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{is in @drum, which is no memory before it}}
  sched.memory @buffer in @drum capacity_bytes 1
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.arch (3)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{only the first memory of @a is in no other}}
  sched.memory @buffer capacity_bytes 1
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.arch (3)
sched.arch @a clock_hz 1 {
  // expected-error @below {{is in itself (@dram in @l1 in @l2 in @dram): the hierarchy has a cycle}}
  // expected-note @below {{list memories from outer to inner, each in one before it}}
  sched.memory @dram in @l1 capacity_bytes 1
  sched.memory @l2 in @dram capacity_bytes 1
  sched.memory @l1 in @l2 capacity_bytes 1
  sched.unit @u lanes 8 on @l1 ops(mac cycles 1)
}

// -----

// sched.memory (1)
sched.arch @a clock_hz 1 {
  // expected-error @below {{attribute 'capacity_bytes' failed to satisfy constraint}}
  sched.memory @dram capacity_bytes -1
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.memory (2)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{needs capacity_bytes: only the outermost memory is unlimited}}
  sched.memory @buffer in @dram
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.memory (3)
sched.arch @a clock_hz 1 {
  // expected-error @below {{has a shared bandwidth and a separate one}}
  sched.memory @dram bandwidth_bytes_per_s 1 read_bandwidth_bytes_per_s 1
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.memory (3)
sched.arch @a clock_hz 1 {
  // expected-error @below {{has one energy and a separate one}}
  sched.memory @dram energy_pj_per_byte 1 write_energy_pj_per_byte 1.5
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.memory (1)
sched.arch @a clock_hz 1 {
  // expected-error @below {{attribute 'instances' failed to satisfy constraint}}
  sched.memory @dram instances 0
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.memory (4)
sched.arch @a clock_hz 1 {
  // expected-error @below {{needs a leakage that is finite, not negative}}
  sched.memory @dram leakage_w -1.5
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.unit (4)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{has lanes: only a grid shares along rows and columns}}
  sched.unit @u lanes 8 rows_share outputs on @dram ops(mac cycles 1)
}

// -----

// sched.unit (5)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{needs a leakage that is finite, not negative}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1) leakage_w -1.5
}

// -----

// sched.memory (4)
sched.arch @a clock_hz 1 {
  // expected-error @below {{needs an energy that is finite, not negative}}
  sched.memory @dram energy_pj_per_byte -1.5
  sched.unit @u lanes 8 on @dram ops(mac cycles 1)
}

// -----

// sched.unit (1)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{has a grid dimension of 0, must be between 1 and 16777216}}
  sched.unit @u grid 4x0 on @dram ops(mac cycles 1)
}

// -----

// sched.unit (1)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{needs a grid of rows x columns, has 3 dimensions}}
  sched.unit @u grid 4x4x4 on @dram ops(mac cycles 1)
}

// -----

// sched.unit (1)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{has 268435456 lanes, at most 16777216 are supported}}
  sched.unit @u grid 16384x16384 on @dram ops(mac cycles 1)
}

// -----

// sched.unit (1)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{needs either a grid or lanes}}
  "sched.unit"() {sym_name = "u", memory = @dram, ops = []} : () -> ()
}

// -----

// sched.unit (2)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{lists op class 'mac' twice}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1, mac cycles 2)
}

// -----

// sched.unit (3)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{expands 'sigmoid' into 'div', which it does not support}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1, sigmoid = 6 mac + 1 div)
}

// -----

// sched.unit (3)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{expands 'sigmoid' into 'exp', which is an expansion itself}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1, exp = 6 mac, sigmoid = 1 exp)
}

// -----

// #sched.op: class
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{unknown op class 'mack' (op class is one of mac, add, max, div, exp, rsqrt, sqrt, log, sin, cos, sigmoid, tanh, erf, copy)}}
  sched.unit @u lanes 8 on @dram ops(mack cycles 1)
}

// -----

// #sched.op (1)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{op class 'mac' needs at least 1 cycle}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 0)
}

// -----

// #sched.op (1)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{op class 'mac' takes 72057594037927936 cycles; at most 1048576 are allowed}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 72057594037927936)
}

// -----

// #sched.op (1)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{pj of op class 'mac' must be finite and not negative}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1 pj -0.5)
}

// -----

// #sched.op (2)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{expansion of 'exp' counts 0 mac; a count is between 1 and 65536}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1, exp = 0 mac)
}

// -----

// #sched.op (2)
sched.arch @a clock_hz 1 {
  sched.memory @dram
  // expected-error @below {{expansion of 'exp' names 'mac' twice}}
  sched.unit @u lanes 8 on @dram ops(mac cycles 1, exp = 1 mac + 2 mac)
}

// -----

// #sched.tiling (1)
// expected-error @below {{rank 'p' has two sizes in one tiling}}
func.func private @f() attributes {t = #sched.tiling<p = 1, p = 2>}

// -----

// #sched.tiling (2)
// expected-error @below {{size of rank 'p' is 0, must be at least 1}}
func.func private @f() attributes {t = #sched.tiling<p = 0>}

// -----

// #sched.slot (1)
// expected-error @below {{slot 'QK' has stage -1, must be between 0 and 1023}}
func.func private @f() attributes {t = #sched.slot<"QK", stage -1>}

// -----

// #sched.slot (2)
// expected-error @below {{slot 'QK' maps rank 'p' twice}}
func.func private @f() attributes {t = #sched.slot<"QK", stage 0, rows [p], cols [p]>}

// -----

// #sched.slot, its instances
// expected-error @below {{rank 'p' has two sizes in one tiling}}
func.func private @f() attributes {t = #sched.slot<"QK", stage 0, rows [p], instances(p = 2, p = 1)>}

// -----

// #sched.slot: instances come last
// expected-error @below {{expected nothing after 'instances'}}
func.func private @f() attributes {t = #sched.slot<"QK", stage 0, instances(p = 2), rows [p]>}

// -----

// #sched.slot (3)
// expected-error @below {{slot names no Einsum}}
func.func private @f() attributes {t = #sched.slot<".finish", stage 0>}

// -----

// #sched.search: what is not implemented has no name
// expected-error @below {{unknown policy 'fusermax' (policy is one of transfusion, transfusion-paper, fusemax-layerfuse, fusemax, fusemax-modelled, flat, unfused)}}
func.func private @f() attributes {t = #sched.search<policy fusermax, strategy bipartition>}

// -----

// expected-error @below {{unknown strategy 'modulo' (strategy is one of bipartition)}}
func.func private @f() attributes {t = #sched.search<policy transfusion, strategy modulo>}

// -----

// expected-error @below {{budget and evaluations must not be negative}}
func.func private @f() attributes {t = #sched.search<policy transfusion, strategy bipartition, objective edp, mode random, seed 1, budget -4, evaluations 4>}

// -----

// #sched.prefetch
// expected-error @below {{"%arg0" is prefetched by 0 phases, expected 1 to 65535}}
func.func private @f() attributes {t = #sched.prefetch<"%arg0" ahead 0>}

// -----

// #sched.defer
// expected-error @below {{"NR" is deferred by 70000 phases, expected 1 to 65535}}
func.func private @f() attributes {t = #sched.defer<"NR" by 70000>}
