// A schedule that names an Einsum that does not exist, or leaves one out, is
// refused before any pass runs; nothing is written.

// RUN: rm -f %t.out
// RUN: transfusion-opt --load-arch=edge --dpipe %src/examples/bert_tiny.mlir -o %t.mlir
// RUN: sed "s/#sched.slot<\"PRM\"/#sched.slot<\"PRX\"/" %t.mlir > %t.dangling.mlir
// RUN: not transfusion-opt --sched-verify %t.dangling.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=DANGLING
// DANGLING: dangling.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'sched.run' op schedules Einsum 'PRX', which @bert_tiny does not have (did you mean 'PRM'?)
// RUN: sed -E "s/#sched.slot<\"PRM\"[^>]*>, //" %t.mlir > %t.missing.mlir
// RUN: not transfusion-opt --sched-verify %t.missing.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: missing.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'sched.schedule' op leaves out Einsum 'PRM'
// RUN: not ls %t.out
