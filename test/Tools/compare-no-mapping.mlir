// What has no mapping is said where it is.
// RUN: not transfusion-compare %s --model=accelforge --evaluations=1 2>&1 | FileCheck %s
// CHECK: compare-no-mapping.mlir:[[@LINE+12]]:10: error: no mapping of 'T' to 'toy' is found
// CHECK: note: see that a unit supports its operations

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000 energy_pj_per_byte 31.2
  sched.memory @buffer in @dram capacity_bytes 32768 energy_pj_per_byte 1.0
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1 pj 17.16)
}

func.func @layer(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = einsum.cascade ranks(i = 8, j = 8) {
    // The machine has no div.
    %t = einsum.map_reduce "T" [i,j] from %x[i,j] map {
    ^bb0(%a: f32):
      %one = arith.constant 1.0 : f32
      %d = arith.divf %one, %a : f32
      einsum.yield %d : f32
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    einsum.yield %t : tensor<8x8xf32>
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
