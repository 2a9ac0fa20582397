// RUN: transfusion-opt %s --verify-roundtrip | FileCheck %s
// RUN: transfusion-opt %s --mlir-print-op-generic | transfusion-opt | FileCheck %s
// RUN: transfusion-opt %s --emit-bytecode | transfusion-opt | FileCheck %s

// A machine: shared and separate ports, expansions, numbers as short as they are exact.
// CHECK-LABEL: sched.arch @toy clock_hz 940000000 {
// CHECK-NEXT:    sched.memory @dram bandwidth_bytes_per_s 32212254720 energy_pj_per_byte 31.2
// CHECK-NEXT:    sched.memory @buffer in @dram capacity_bytes 16384 read_bandwidth_bytes_per_s 1000 write_bandwidth_bytes_per_s 2000 read_energy_pj_per_byte 0.947265625 write_energy_pj_per_byte 1.0e-08
// CHECK-NEXT:    sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1 pj 17.16, add cycles 2, exp = 6 mac) whole_einsum
// CHECK-NEXT:    sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1 pj 17, add cycles 1, div cycles 1, sigmoid = 6 mac + 1 add + 1 div)
sched.arch @toy clock_hz 940000000 {
  sched.memory @dram bandwidth_bytes_per_s 32212254720 energy_pj_per_byte 31.2
  sched.memory @buffer in @dram capacity_bytes 16384 read_bandwidth_bytes_per_s 1000 write_bandwidth_bytes_per_s 2000 read_energy_pj_per_byte 0.947265625 write_energy_pj_per_byte 1.0e-08
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1 pj 17.16, add cycles 2, exp = 6 mac) whole_einsum
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1 pj 17, add cycles 1 pj 0.0, div cycles 1, sigmoid = 6 mac + 1 add + 1 div)
}

// More than two levels: instances, what passes by, what lanes share, leakage.
// CHECK-LABEL: sched.arch @wide clock_hz 1000000000 {
// CHECK-NEXT:    sched.memory @dram
// CHECK-NEXT:    sched.memory @gbuf in @dram capacity_bytes 1048576 leakage_w 0.25
// CHECK-NEXT:    sched.memory @lbuf in @gbuf instances 4 capacity_bytes 65536 keeps input|output energy_pj_per_byte 2 leakage_w 0.01
// CHECK-NEXT:    sched.memory @reg in @lbuf instances 64 capacity_bytes 2 keeps weight
// CHECK-NEXT:    sched.unit @mac2d instances 4 grid 4x4 rows_share outputs cols_share inputs on @reg ops(mac cycles 1) whole_einsum leakage_w 0.5
// CHECK-NEXT:    sched.unit @vec1d instances 8 lanes 8 on @lbuf ops(add cycles 1)
sched.arch @wide clock_hz 1000000000 {
  sched.memory @dram
  sched.memory @gbuf in @dram capacity_bytes 1048576 leakage_w 0.25
  sched.memory @lbuf in @gbuf instances 4 capacity_bytes 65536 keeps output|input energy_pj_per_byte 2.0 leakage_w 0.01
  sched.memory @reg in @lbuf instances 64 capacity_bytes 2 keeps weight
  sched.unit @mac2d instances 4 grid 4x4 rows_share outputs cols_share inputs on @reg ops(mac cycles 1) whole_einsum leakage_w 0.5
  sched.unit @vec1d instances 8 lanes 8 on @lbuf ops(add cycles 1)
}

func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<4x8xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<4x12xf32>, tensor<12x8xf32>) -> tensor<4x8xf32>
    einsum.yield %F2 : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Everything a schedule can say; a finish is a slot of its own.
// CHECK-LABEL: sched.schedule @layer_toy of @layer on @toy #sched.search<policy transfusion, strategy bipartition, objective peak_memory, mode mcts, seed 18446744073709551615, budget 4096, evaluations 17> {
// CHECK-NEXT:    sched.group tile(p = 3) retain("%arg1" at group, "%arg2" at tile) resident("%arg0" in @buffer) {
// CHECK-NEXT:      sched.phase order [p, s] block(s = 8) inner(p = 2, s = 4) {
// CHECK-NEXT:        sched.run @mac2d [#sched.slot<"F1", stage 0, rows [p], cols [s]>, #sched.slot<"F2", stage 1, rows [p], cols [s, o]>]
// CHECK:           sched.phase order [p] wrap prefetch("%arg0" ahead 1) defer("F2" by 1) {
// CHECK-NEXT:        sched.run @vec1d [#sched.slot<"F2.finish", stage 0>]
sched.schedule @layer_toy of @layer on @toy #sched.search<policy transfusion, strategy bipartition, objective peak_memory, mode mcts, seed 18446744073709551615, budget 4096, evaluations 17> {
  sched.group tile(p = 3) retain("%arg1" at group, "%arg2" at tile) resident("%arg0" in @buffer) {
    sched.phase order [p, s] block(s = 8) inner(p = 2, s = 4) {
      sched.run @mac2d [#sched.slot<"F1", stage 0, rows [p], cols [s]>, #sched.slot<"F2", stage 1, rows [p], cols [s, o]>]
    }
    sched.phase order [p] wrap prefetch("%arg0" ahead 1) defer("F2" by 1) {
      sched.run @vec1d [#sched.slot<"F2.finish", stage 0>]
    }
  }
}

// Provenance without a tile search.
// CHECK-LABEL: sched.schedule @plain of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
// CHECK-NEXT:    sched.group {
sched.schedule @plain of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0, cols [s]>, #sched.slot<"F2", stage 0, rows [p]>]
    }
  }
}

// Over several instances of a unit; the same rank may be spread over its lanes.
// CHECK-LABEL: sched.schedule @split of
// CHECK:           sched.run @vec1d [#sched.slot<"F1", stage 0, rows [p], cols [s], instances(p = 2, s = 3)>, #sched.slot<"F2", stage 0, instances(o = 4)>]
sched.schedule @split of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @vec1d [#sched.slot<"F1", stage 0, rows [p], cols [s], instances(p = 2, s = 3)>, #sched.slot<"F2", stage 0, instances(o = 4)>]
    }
  }
}
