// RUN: transfusion-opt %s --convert-linalg-to-einsum=allow-unraised=true --load-arch=edge --dpipe --tileseek=evaluations=20 -o %t.mlir 2>%t.err
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t.err
// RUN: transfusion-translate --schedule-to-report %t.mlir | FileCheck %s --check-prefix=TEXT
// RUN: transfusion-translate --schedule-to-report --report-format=json %t.mlir | FileCheck %s --check-prefix=JSON
// RUN: transfusion-translate --schedule-to-json %t.mlir | FileCheck %s --check-prefix=FILE
// RUN: transfusion-translate --schedule-to-trace %t.mlir | FileCheck %s --check-prefix=FILE
// RUN: transfusion-translate --schedule-to-json %t.mlir -o %t.json
// RUN: transfusion-sim %t.json | FileCheck %s --check-prefix=SIM
// RUN: transfusion-sim --format=json %t.json | FileCheck %s --check-prefix=FILE
// RUN: transfusion-compare %t.mlir --policies=flat --evaluations=8 2>&1 | FileCheck %s --check-prefix=COMPARE
// RUN: transfusion-compare %t.mlir --policies=flat --evaluations=8 --format=json 2>/dev/null | FileCheck %s --check-prefix=FILE
// RUN: not transfusion-opt --convert-sched-to-affine %t.mlir 2>&1 | FileCheck %s --check-prefix=AFFINE

// What cannot be raised stays between two cascades. Both are scheduled, in one
// schedule of the function and in their order, and every output says what is
// not.

// WARN-DAG: foreign.mlir:[[#@LINE+35]]:8: warning: 'func.call' op cannot be raised to an Einsum: {{.*}}; it stays, and is neither scheduled nor costed
// WARN-DAG: foreign.mlir:[[#@LINE+34]]:8: warning: 'func.call' op is neither scheduled nor costed: it is no part of a cascade

// CHECK: sched.schedule @layer_edge of @layer on @edge
// CHECK: sched.group
// CHECK: #sched.slot<"exp1"
// CHECK-NOT: #sched.slot<"add1"
// CHECK: sched.group
// CHECK: #sched.slot<"add1"
// CHECK-NOT: sched.schedule

// TEXT: @layer on @edge
// TEXT: NOT SCHEDULED AND NOT COSTED: 1 op of @layer, in no number here
// TEXT-NEXT: func.call at {{.*}}:{{[0-9]+}}:{{[0-9]+}}

// JSON: "unscheduled_ops": [
// JSON-NEXT: {
// JSON-NEXT: "op": "func.call",
// JSON-NEXT: "at": "{{.*}}:{{[0-9]+}}:{{[0-9]+}}"

// FILE: "unscheduled_ops":{{ ?}}1

// SIM: NOT SCHEDULED AND NOT COSTED: 1 op, in no number here

// COMPARE: warning: 1 ops are neither scheduled nor costed
// COMPARE: NOT SCHEDULED AND NOT COSTED: 1 op, in no number here

// AFFINE: error: 'func.call' op is not scheduled, so the program would lack it
// AFFINE: note: the program of a schedule holds Einsums and constants only

func.func private @outside(tensor<3xf32>) -> tensor<3xf32>

func.func @layer(%x: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.exp ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %1 = func.call @outside(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = linalg.add ins(%1, %0 : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
