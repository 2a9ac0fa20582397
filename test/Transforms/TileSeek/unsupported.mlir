// RUN: rm -f %t
// RUN: not transfusion-opt --tileseek %s -o %t 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: unsupported.mlir:{{[0-9]+}}:{{[0-9]+}}: error: the module holds no schedule
// SCHEDULE: note: --dpipe makes one
// RUN: not transfusion-opt --dpipe --tileseek=evaluations=0 %s -o %t 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: evaluations is 0, must be at least 1
// RUN: not transfusion-opt --dpipe --tileseek=mode=greedy %s -o %t 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: unknown value 'greedy' (known values: mcts, exhaustive, random
// RUN: not transfusion-opt --dpipe --tileseek=objective=speed %s -o %t 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// OBJECTIVE: unknown value 'speed' (known values: latency, energy, edp, peak-memory
// RUN: not ls %t

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000
  sched.memory @buffer in @dram capacity_bytes 4096
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1, add cycles 1) whole_einsum
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1, add cycles 1, max cycles 1) whole_einsum
}

func.func @layer(%x: tensor<29x8xf32>, %w: tensor<8x12xf32>, %v: tensor<12x8xf32>) -> tensor<29x8xf32> {
  %h = einsum.linear %x, %w : (tensor<29x8xf32>, tensor<8x12xf32>) -> tensor<29x12xf32>
  %r = einsum.linear %h, %v : (tensor<29x12xf32>, tensor<12x8xf32>) -> tensor<29x8xf32>
  return %r : tensor<29x8xf32>
}
