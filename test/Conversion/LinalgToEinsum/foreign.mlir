// RUN: transfusion-opt %s --convert-linalg-to-einsum=allow-unraised=true 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t

func.func private @outside(tensor<3xf32>) -> tensor<3xf32>

// A cascade before what stays and one behind it; what does not depend on it is
// in the first.
// CHECK-LABEL: func @between
// CHECK: %[[A:.*]]:2 = einsum.cascade
// CHECK: "exp1"
// CHECK: "neg1"
// CHECK: %[[C:.*]] = {{(func\.)?}}call @outside(%[[A]]#{{[01]}})
// CHECK: einsum.cascade
// CHECK: "add1"{{.*}}%[[C]]
// CHECK-NOT: cascade
// WARN: foreign.mlir:[[#@LINE+5]]:8: warning: 'func.call' op cannot be raised to an Einsum: {{.*}}; it stays, and is neither scheduled nor costed
// WARN-NOT: warning
func.func @between(%x: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.exp ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %1 = func.call @outside(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = linalg.negf ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %3 = linalg.add ins(%1, %2 : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}
