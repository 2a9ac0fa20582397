// RUN: transfusion-opt %s --split-input-file --verify-diagnostics --convert-sched-to-affine | FileCheck %s

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @a lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>) -> tensor<4x12xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    einsum.yield %F1 : tensor<4x12xf32>
  } -> tensor<4x12xf32>
  return %r : tensor<4x12xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @a [#sched.slot<"F1", stage 0>]
    }
  }
}
// CHECK-LABEL: func.func @model(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x12xf32>) -> tensor<4x12xf32>
// CHECK-DAG: %[[XB:.*]] = bufferization.to_buffer %[[X]] read_only
// CHECK-DAG: %[[WB:.*]] = bufferization.to_buffer %[[W]] read_only
// CHECK-DAG: %[[OUT:.*]] = memref.alloc() : memref<4x12xf32>
// CHECK: call @layer(%[[XB]], %[[WB]], %[[OUT]]) : (memref<4x8xf32>, memref<8x12xf32>, memref<4x12xf32>) -> ()
// CHECK: %[[R:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK: return %[[R]]
func.func @model(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>) -> tensor<4x12xf32> {
  %r = call @layer(%x, %w) : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
  return %r : tensor<4x12xf32>
}

// -----

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @a lanes 8 on @buffer ops(mac cycles 1, add cycles 1, copy cycles 1)
}
// expected-note @below {{call it, or erase its schedule}}
func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x12xf32>) -> tensor<4x12xf32> {
  %r = einsum.cascade ranks(p = 4, d = 8, s = 12) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    einsum.yield %F1 : tensor<4x12xf32>
  } -> tensor<4x12xf32>
  return %r : tensor<4x12xf32>
}
sched.schedule @s of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group {
    sched.phase order [] {
      sched.run @a [#sched.slot<"F1", stage 0>]
    }
  }
}
func.func @pointer() -> ((tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>) {
  // expected-error @below {{refers to @layer, whose schedule makes it a function on memrefs: only 'func.call' can follow}}
  %f = constant @layer : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
  return %f : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
}
