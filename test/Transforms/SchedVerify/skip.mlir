// Steps of a recurrence are left out where they change nothing, and only there.

// RUN: transfusion-opt %s --load-arch=tiny --dpipe -o %t.mlir
// RUN: FileCheck %s --check-prefix=SKIP --input-file=%t.mlir
// SKIP: sched.phase order [h, b, p, m1]
// SKIP-SAME: skip {
// RUN: transfusion-opt --sched-verify %t.mlir -o /dev/null

// A recurrence that is another one after a step without points.
// RUN: sed '/"RD"/s/map arith.addf/map arith.mulf/' %t.mlir > %t.counts.mlir
// RUN: not transfusion-opt --sched-verify %t.counts.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS: error: {{.*}}skips steps, but a step without points may change 'RD': its body changes it
// COUNTS: note: {{.*}}run every step: leave out 'skip'

// Without a domain there is nothing to leave out.
// RUN: sed 's/ where m1[^:]*: (/ : (/' %t.mlir > %t.whole.mlir
// RUN: not transfusion-opt --sched-verify %t.whole.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: skips steps, but a step without points may change 'RM': LM has no domain

// Said of a phase that has no recurrence.
// RUN: sed 's/\(phase order \[f.*\) {$/\1 skip {/' %t.mlir > %t.none.mlir
// RUN: not transfusion-opt --sched-verify %t.none.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: skips steps, but its Einsums do not recur along one rank

func.func @causal(%q: tensor<1x2x24x3xf32>, %k: tensor<1x2x24x3xf32>,
                  %v: tensor<1x2x24x5xf32>) -> tensor<1x2x24x5xf32> {
  %a = einsum.mha %q, %k, %v scale 0.5 causal
      : (tensor<1x2x24x3xf32>, tensor<1x2x24x3xf32>, tensor<1x2x24x5xf32>) -> tensor<1x2x24x5xf32>
  return %a : tensor<1x2x24x5xf32>
}
