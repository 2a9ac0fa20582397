// RUN: not transfusion-opt %s --convert-sched-to-affine 2>&1 | FileCheck %s --check-prefix=VERIFY
// RUN: transfusion-opt %s --convert-sched-to-affine=verify=false | FileCheck %s
// RUN: transfusion-opt %s --convert-sched-to-affine="verify=false poison=true" | FileCheck %s --check-prefix=POISON

// VERIFY: error: {{.*}}capacity
// VERIFY-NOT: memref

// CHECK: memref.alloc() {alignment = 64 : i64} : memref<896xi8, 1>
// CHECK-NOT: arith.constant -1 : i8

// The whole allocation first, then each buffer when its life begins.
// POISON: %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<896xi8, 1>
// POISON: %[[ONES:.*]] = arith.constant -1 : i8
// POISON: affine.for %[[I:.*]] = 0 to 896 {
// POISON-NEXT: affine.store %[[ONES]], %[[POOL]][%[[I]]]
// POISON: affine.for %{{.*}} = 0 to 384 {
// POISON-NEXT: affine.store %{{.*}}, %[[POOL]]

// A schedule that the checker refuses: without it the program is emitted.
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
    sched.phase order [] {
      sched.run @a [#sched.slot<"F1", stage 0>]
    }
  }
}
