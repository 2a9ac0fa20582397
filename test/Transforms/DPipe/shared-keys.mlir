// RUN: transfusion-opt --load-arch=edge --dpipe --sched-verify %s | FileCheck %s
// RUN: transfusion-opt --load-arch=tiny --dpipe --sched-verify %s | FileCheck %s

// Keys that are the values too have more readers than the queries have. The
// queries are the rows all the same: the recurrence over the keys stays in one
// group.

// CHECK-LABEL: sched.schedule
// CHECK-NEXT:  sched.group tile(b = 1, h = 3, p = {{[0-9]+}})
// CHECK-DAG:   #sched.slot<"QK", stage {{[0-9]}}, rows [p], cols [m0]>
// CHECK-DAG:   #sched.slot<"SLN", stage {{[0-9]}}, rows [p], cols [m0]>
// CHECK:       #sched.slot<"AV"
// CHECK-NOT:   sched.group
func.func @shared(%q: tensor<2x3x17x4xf32>, %k: tensor<2x3x19x4xf32>) -> tensor<2x17x12xf32> {
  %o = einsum.mha %q, %k, %k : (tensor<2x3x17x4xf32>, tensor<2x3x19x4xf32>, tensor<2x3x19x4xf32>) -> tensor<2x17x12xf32>
  return %o : tensor<2x17x12xf32>
}
