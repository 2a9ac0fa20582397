// The groups and phases of a BERT layer, by the fixed rule; the same on every
// machine, at every size.

// RUN: transfusion-opt --load-arch=edge --dpipe --sched-verify %src/examples/bert_tiny.mlir | FileCheck %s
// RUN: transfusion-opt --load-arch=tiny --dpipe --sched-verify %src/examples/bert_tiny.mlir | FileCheck %s
// RUN: transfusion-opt --load-arch=edge --dpipe --sched-verify %src/examples/bert_base_1024_b64.mlir | FileCheck %s
// RUN: transfusion-opt --load-arch=cloud --dpipe --sched-verify %src/examples/bert_base_1024_b64_bf16.mlir | FileCheck %s

// CHECK-LABEL: sched.schedule
// Keys and values of all rows come first.
// CHECK-NEXT:  sched.group tile(b = 1, m = {{[0-9]+}})
// CHECK-NEXT:    sched.phase order [h, b, m]
// CHECK-DAG:       "BK"
// CHECK-DAG:       "BV"
// CHECK:       sched.group tile(b = 1, p = {{[0-9]+}})
// CHECK-NEXT:    sched.phase order [h, e, b, p]
// CHECK-NEXT:      sched.run @{{.*}} [#sched.slot<"Q", stage 0, rows [p], cols [h, e]>]
// CHECK-NEXT:    }
// The recurrence is innermost, one slice at a time.
// CHECK-NEXT:    sched.phase order [h, b, p, m1]
// CHECK-SAME:      m1 = 1
// CHECK-DAG:       "QK"
// CHECK-DAG:       "LM"
// CHECK-DAG:       "RM"
// CHECK-DAG:       "SLN"
// CHECK-DAG:       "SLD"
// CHECK-DAG:       "SLNV"
// CHECK-DAG:       "PRM"
// CHECK-DAG:       "SPD"
// CHECK-DAG:       "RD"
// CHECK-DAG:       "SPNV"
// CHECK-DAG:       "RNV"
// CHECK:         sched.phase order [b, p]
// CHECK-DAG:       "AV"
// CHECK-DAG:       "O"
// CHECK-DAG:       "ln1.IAV"
// CHECK-DAG:       "ln1.NR"
// CHECK:         sched.phase order [s, b, p]
// CHECK-DAG:       "FFN1"
// CHECK-DAG:       "AR"
// CHECK-DAG:       "FFN2"
// The sum over s ends in the next phase.
// CHECK:         sched.phase order [b, p]
// CHECK-DAG:       "FFN2.finish"
// CHECK-DAG:       "ln2.IAV"
// CHECK-DAG:       "ln2.NR"
// CHECK-NOT:     sched.phase
