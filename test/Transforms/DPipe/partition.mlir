// Key tiles get the width of the machine's 2D array; erasing the schedule leaves
// the function, and scheduling it once more changes nothing.

// RUN: transfusion-opt --load-arch=edge --dpipe %src/examples/attention_only_64.mlir -o %t.edge
// RUN: FileCheck %s --check-prefix=EDGE < %t.edge
// RUN: transfusion-opt --load-arch=cloud --dpipe %src/examples/attention_only_64.mlir | FileCheck %s --check-prefix=CLOUD
// RUN: transfusion-opt --dpipe %t.edge | diff %t.edge -

// EDGE:  einsum.cascade ranks({{.*}}m1 = 256 iterative, m0 = 16)
// EDGE:  sched.schedule @attention_only_64_edge
// CLOUD: einsum.cascade ranks({{.*}}m1 = 16 iterative, m0 = 256)
// CLOUD: sched.schedule @attention_only_64_cloud
