// RUN: transfusion-opt --dpipe=strategy=bipartition %s -o /dev/null
// RUN: transfusion-opt "--dpipe=policy=transfusion strategy=bipartition" %s -o /dev/null
// RUN: transfusion-opt --dpipe=policy=transfusion-paper %s | FileCheck %s --check-prefix=PAPER
// RUN: transfusion-opt --dpipe=policy=unfused --tileseek=evaluations=8 %s | FileCheck %s --check-prefix=UNFUSED
// RUN: not transfusion-opt --dpipe=strategy=modulo %s 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not transfusion-opt --dpipe=policy=fusermax %s 2>&1 | FileCheck %s --check-prefix=POLICY

// What is not implemented is an error.
// STRATEGY: unknown value 'modulo' (known values: bipartition
// POLICY:   unknown value 'fusermax' (known values: transfusion, transfusion-paper, fusemax-layerfuse, fusemax, fusemax-modelled, flat, unfused

// A name that is no identifier is printed as a string, and read again.
// RUN: transfusion-opt --dpipe=policy=transfusion-paper %s | transfusion-opt --tileseek=evaluations=8 | FileCheck %s --check-prefix=PAPER
// PAPER: #sched.search<policy "transfusion-paper", strategy bipartition

// One group an Einsum; the search of tiles keeps them.
// UNFUSED: #sched.search<policy unfused, strategy bipartition, objective latency
// UNFUSED-COUNT-2: sched.group
// UNFUSED-NOT: sched.group

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
