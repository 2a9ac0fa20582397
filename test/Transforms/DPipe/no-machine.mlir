// Nothing is written where there is no machine, or no layer.
// RUN: rm -f %t
// RUN: not transfusion-opt --dpipe %s -o %t 2>&1 | FileCheck %s
// CHECK: no-machine.mlir:{{[0-9]+}}:{{[0-9]+}}: error: the module describes no machine (sched.arch)
// CHECK: note: --load-arch=NAME or --transfusion=arch=NAME puts one into it; known machines: cloud, cloud-max2d, edge, edge-32, edge-32-max2d, edge-64, edge-64-max2d, edge-max2d, embedded, fusemax, tiny, tiny-l2, tpu-v4i, tpu-v4i-core, tpu-v4i-mxus

// RUN: echo "module {}" > %t.empty.mlir
// RUN: not transfusion-opt --load-arch=edge --dpipe %t.empty.mlir -o %t 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir:1:1: error: the module holds nothing to schedule
// EMPTY: note: --dpipe schedules functions of einsum ops
// RUN: not ls %t

func.func @layer(%x: tensor<29x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<29x8xf32> {
  %h = einsum.linear %x, %w : (tensor<29x8xf32>, tensor<8x12xf32>) -> tensor<29x12xf32>
  %r = einsum.linear %h, %v : (tensor<29x12xf32>, tensor<12x8xf32>) -> tensor<29x8xf32>
  return %r : tensor<29x8xf32>
}
