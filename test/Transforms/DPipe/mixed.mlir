// RUN: transfusion-opt %s --convert-linalg-to-einsum --einsum-decompose | FileCheck %s --check-prefix=ONE
// RUN: transfusion-opt %s --convert-linalg-to-einsum --load-arch=edge --dpipe --tileseek=evaluations=20 -o %t.mlir 2>%t.err
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: count 0 < %t.err
// RUN: transfusion-translate --schedule-to-report %t.mlir | FileCheck %s --check-prefix=TEXT
// RUN: transfusion-opt %t.mlir --convert-sched-to-affine -o /dev/null

// Named ops and ops that are raised: one cascade, one schedule.

// ONE-LABEL: func @layer
// ONE: einsum.cascade ranks(
// ONE: "exp1"
// ONE: "L"
// ONE: "add1"
// ONE: einsum.yield
// ONE-NOT: einsum.cascade

// CHECK: sched.schedule @layer_edge of @layer on @edge
// CHECK-DAG: #sched.slot<"exp1"
// CHECK-DAG: #sched.slot<"L"
// CHECK-DAG: #sched.slot<"add1"
// CHECK-NOT: sched.schedule
// TEXT-NOT: NOT SCHEDULED
func.func @layer(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %0 = linalg.exp ins(%x : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %1 = einsum.linear %0, %w : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %2 = linalg.add ins(%1, %0 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}
