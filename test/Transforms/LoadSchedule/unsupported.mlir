// RUN: not transfusion-opt %s --load-schedule 2>&1 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: error: --load-schedule names no file: --load-schedule=FILE
// RUN: not transfusion-opt %s --load-schedule=%t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: unsupported.mlir:{{.*}}: error: --load-schedule: cannot open input file
// RUN: not transfusion-opt %s --load-schedule=%s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: holds 0 schedules, but --load-schedule needs a file with one
// RUN: printf '\001ML\357R\000' > %t.garbage && not transfusion-opt %s --load-schedule=%t.garbage 2>&1 | FileCheck %s --check-prefix=GARBAGE
// GARBAGE: error:

// A schedule of other Einsums.
// RUN: sed 's/activation relu/activation gelu/' %s | transfusion-opt --load-arch=edge --dpipe -o %t.ffn.mlir
// RUN: transfusion-opt %S/Inputs/linear.mlir --load-arch=edge --dpipe -o %t.linear.mlir
// RUN: not transfusion-opt %s --load-schedule=%t.linear.mlir 2>&1 | FileCheck %s --check-prefix=NAMES
// NAMES: unsupported.mlir:{{.*}}: error: the schedule names {{rank|Einsum}} '{{.*}}', which this layer does not have
// NAMES: note: a schedule can be taken to a layer of the same ops and other sizes

// Another machine.
// RUN: not transfusion-opt %s --load-arch=cloud --load-schedule=%t.ffn.mlir 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: the schedule is for machine @edge, but the module has another one
func.func @layer(%x: tensor<2x16x32xf32>, %w1: tensor<32x48xf32>, %w2: tensor<48x32xf32>) -> tensor<2x16x32xf32> {
  %y = einsum.ffn %x, %w1, %w2 activation relu : (tensor<2x16x32xf32>, tensor<32x48xf32>, tensor<48x32xf32>) -> tensor<2x16x32xf32>
  return %y : tensor<2x16x32xf32>
}
