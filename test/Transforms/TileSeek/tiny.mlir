// arch/tiny.yaml is so small that examples/bert_tiny.mlir (29 tokens, 96 hidden
// units) needs at least 3 steps in queries, keys and hidden units.

// RUN: transfusion-opt --load-arch=tiny --dpipe "--tileseek=evaluations=256" --sched-verify %src/examples/bert_tiny.mlir -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// 8 tiles of 4 keys, the last one ragged: 29 = 7 * 4 + 1.
// CHECK: einsum.cascade ranks({{.*}}m1 = 8 iterative, m0 = 4
// CHECK: where m1*4 + m0 < 29
// CHECK: sched.group tile({{.*}}m = {{[0-9]+}})
// At most 14 queries at a time, so at least 3 tiles; 29 is prime.
// CHECK: sched.group tile({{.*}}p = {{[2-9]|1[0-4]}})
// CHECK: sched.phase order [h, b, p, m1] {{.*}}inner({{.*}}m1 = 1)
// At most 32 hidden units at a time, so at least 3 blocks.
// CHECK: sched.phase order [s, b, p] block(s = {{[1-9]|[12][0-9]|3[0-2]}}) inner(

// The sizes that the search prefers divide 96; blocks of 10, the last one ragged,
// are legal as well.
// RUN: transfusion-opt --load-arch=tiny --dpipe %src/examples/bert_tiny.mlir | sed -E "s/block\(s = 4\) inner\((.*)s = 4\)/block(s = 10) inner(\1s = 10)/" > %t.ragged.mlir
// RUN: FileCheck %s --check-prefix=RAGGED < %t.ragged.mlir
// RUN: transfusion-opt --sched-verify %t.ragged.mlir -o /dev/null
// RAGGED: sched.phase order [s, b, p] block(s = 10) inner({{.*}}s = 10)
