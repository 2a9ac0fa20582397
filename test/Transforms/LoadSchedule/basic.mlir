// A schedule found for a batch of 6 is taken to a batch of 1 of another length.
// RUN: transfusion-opt %s --load-arch=edge --dpipe --tileseek=evaluations=64 -o %t.b6.mlir
// RUN: sed -e 's/tensor<6x/tensor<1x/g' -e 's/x64x/x45x/g' %s > %t.b1.mlir
// RUN: transfusion-opt %t.b1.mlir --load-schedule=%t.b6.mlir --sched-verify | FileCheck %s
// The same layer again: nothing changes.
// RUN: transfusion-opt %s --load-schedule=%t.b6.mlir | diff %t.b6.mlir -
// Into a module that has the machine already.
// RUN: transfusion-opt %t.b1.mlir --load-arch=edge --load-schedule=%t.b6.mlir | FileCheck %s

// CHECK: sched.arch @edge
// CHECK: func.func @layer(%{{.*}}: tensor<1x45x32xf32>
// CHECK: sched.schedule @layer_edge of @layer on @edge #sched.search<policy transfusion, strategy bipartition, objective latency, mode mcts, seed 1, budget 64
// CHECK-NEXT: sched.group tile(b = 1
func.func @layer(%x: tensor<6x64x32xf32>, %w1: tensor<32x48xf32>, %w2: tensor<48x32xf32>) -> tensor<6x64x32xf32> {
  %y = einsum.ffn %x, %w1, %w2 activation relu : (tensor<6x64x32xf32>, tensor<32x48xf32>, tensor<48x32xf32>) -> tensor<6x64x32xf32>
  return %y : tensor<6x64x32xf32>
}
