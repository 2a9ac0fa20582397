// RUN: transfusion-opt %s --convert-sched-to-affine | FileCheck %s
// RUN: transfusion-opt %s --convert-sched-to-affine=poison=true | FileCheck %s --check-prefix=POISON
// RUN: transfusion-opt %s --convert-sched-to-affine --transfusion-scheduled-to-llvm | FileCheck %s --check-prefix=LLVM

// relu(x w) v with the hidden width blocked: an outer loop over two tiles of p
// and a ragged one, a pipeline of two stages, sums that span epochs.

// The machine and the schedule are gone; the result is an argument.
// CHECK-NOT: sched.arch
// CHECK-LABEL: func.func @layer
// CHECK-SAME: (%[[X:.*]]: memref<5x8xf32>, %[[W:.*]]: memref<8x12xf32>, %[[V:.*]]: memref<12x8xf32>, %[[R:.*]]: memref<5x8xf32>) attributes {llvm.emit_c_interface}
// One allocation for the on-chip memory, views at constant offsets. F1 passes
// from stage 0 to stage 1 in two slots; weights are double buffered.
// CHECK: %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<[[N:[0-9]+]]xi8, 1>
// CHECK: %[[F1:.*]] = memref.view %[[POOL]][%{{.*}}][] {sched.buffer = "g1.p1.F1"} : memref<[[N]]xi8, 1> to memref<2x2x4xf32, 1>
// CHECK: %[[SUMS:.*]] = memref.view %[[POOL]][%{{.*}}][] {sched.buffer = "g1.p1.F2.acc"} : memref<[[N]]xi8, 1> to memref<1x2x8xf32, 1>
// CHECK: %[[WB:.*]] = memref.view %[[POOL]][%{{.*}}][] {sched.buffer = "g1.p1.%arg1"} : memref<[[N]]xi8, 1> to memref<2x8x4xf32, 1>

// Two full tiles of p. Prologue: the first stage alone, on epoch 0.
// CHECK: affine.for %[[T:.*]] = 0 to 2 {
// CHECK:   affine.load %[[X]][%[[T]] * 2 + %{{.*}}, %{{.*}}]
// CHECK:   affine.store %{{.*}}, %[[WB]][0, %{{.*}}, %{{.*}}]
// CHECK:   affine.store %{{.*}}, %[[F1]][0, %{{.*}}, %{{.*}}]

// Steady state, steps 1 and 2: F1 of epoch k beside F2 of epoch k - 1. A block
// of weights is fetched into the slot that is free.
// CHECK:   affine.for %[[K:.*]] = 0 to 2 {
// CHECK:     %[[E:.*]] = affine.apply #{{.*}}(%[[K]])
// CHECK:     affine.load %[[W]][%{{.*}}, %[[E]] * 4 + %{{.*}}]
// CHECK:     affine.store %{{.*}}, %[[WB]][%[[E]] mod 2, %{{.*}}, %{{.*}}]
// CHECK:     affine.store %{{.*}}, %[[F1]][%[[E]] mod 2, %{{.*}}, %{{.*}}]
// Sums start from zero in the first epoch.
// CHECK:     affine.if #{{.*}}(%[[K]]) -> f32
// CHECK:     affine.load %[[SUMS]]
// CHECK:     affine.load %[[F1]][%[[K]] mod 2, %{{.*}}, %{{.*}}]
// CHECK:     affine.store %{{.*}}, %[[SUMS]]

// Epilogue: the last epoch of F2; then the sums are finished and stored.
// CHECK:   affine.load %[[F1]][0, %{{.*}}, %{{.*}}]
// CHECK:   affine.store %{{.*}}, %[[SUMS]]
// CHECK:   affine.store %{{.*}}, %[[R]][%[[T]] * 2 + %{{.*}}, %{{.*}}]

// The ragged tile by itself: what was a loop of two rows is row 4.
// CHECK: affine.load %[[X]][4, %{{.*}}]
// CHECK: affine.store %{{.*}}, %[[R]][4, %{{.*}}]
// CHECK: memref.dealloc %[[POOL]]
// CHECK-NEXT: return

// POISON: %[[ONES:.*]] = arith.constant -1 : i8
// POISON: affine.store %[[ONES]], %{{.*}}[%{{.*}}] : memref<{{[0-9]+}}xi8, 1>

// LLVM: llvm.func @layer
// LLVM-NOT: memref
// LLVM-NOT: !llvm.ptr<1>
// LLVM: llvm.func @_mlir_ciface_layer(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 16384
  sched.unit @a lanes 8 on @buffer ops(mac cycles 1, add cycles 1, max cycles 1, copy cycles 1)
  sched.unit @b lanes 8 on @buffer ops(mac cycles 1, add cycles 1, max cycles 1, copy cycles 1)
}

func.func @layer(%x: tensor<5x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<5x8xf32> {
  %r = einsum.cascade ranks(p = 5, d = 8, s = 12, o = 8) {
    %F1 = einsum.map_reduce "F1" [p,s] from %x[p,d], %w[d,s] map arith.mulf reduce add over [d] : (tensor<5x8xf32>, tensor<8x12xf32>) -> tensor<5x12xf32>
    %F2 = einsum.map_reduce "F2" [p,o] from %F1[p,s], %v[s,o] map arith.mulf reduce add over [s] : (tensor<5x12xf32>, tensor<12x8xf32>) -> tensor<5x8xf32>
    einsum.yield %F2 : tensor<5x8xf32>
  } -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

sched.schedule @layer_toy of @layer on @toy #sched.search<policy transfusion, strategy bipartition> {
  sched.group tile(p = 2) {
    sched.phase order [p, s] block(s = 4) inner(p = 2, s = 4) {
      sched.run @a [#sched.slot<"F1", stage 0, rows [p], cols [s]>]
      sched.run @b [#sched.slot<"F2", stage 1, rows [p], cols [o]>]
    }
    sched.phase order [p] {
      sched.run @b [#sched.slot<"F2.finish", stage 0, rows [p], cols [o]>]
    }
  }
}
