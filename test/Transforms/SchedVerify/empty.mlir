// RUN: not transfusion-opt --sched-verify %s 2>&1 | FileCheck %s
// CHECK: empty.mlir:{{[0-9]+}}:{{[0-9]+}}: error: the module holds no schedule
// CHECK: note: --dpipe makes one
module {
}
