// BERT on the machines that no other test schedules for, and a small layer on
// the one that is small: what --dpipe finds is legal.
// RUN: transfusion-opt %src/examples/bert_base_1024_b64.mlir --load-arch=fusemax --dpipe --sched-verify | FileCheck %s
// RUN: transfusion-opt %src/examples/bert_base_1024_b64.mlir --load-arch=edge-max2d --dpipe --sched-verify | FileCheck %s
// RUN: transfusion-opt %src/examples/bert_base_1024_b64.mlir --load-arch=edge-32-max2d --dpipe --sched-verify | FileCheck %s
// RUN: transfusion-opt %src/examples/bert_base_1024_b64.mlir --load-arch=edge-64-max2d --dpipe --sched-verify | FileCheck %s
// RUN: transfusion-opt %src/examples/bert_tiny.mlir --load-arch=embedded --dpipe --sched-verify | FileCheck %s
// CHECK: sched.schedule
// CHECK: sched.run @mac2d
