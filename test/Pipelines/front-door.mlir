// A file as exporters write it: attributes of dialects that nobody here knows,
// places in a Python file, weights as resources, several functions; as text and
// as bytecode.
// RUN: transfusion-opt %s --transfusion='arch=tiny evaluations=4' 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=NONE --allow-empty --input-file=%t.err
// RUN: mlir-opt %s --emit-bytecode -o %t.mlirbc
// RUN: transfusion-opt %t.mlirbc --transfusion='arch=tiny evaluations=4' | FileCheck %s
// RUN: transfusion-opt %s --transfusion='arch=tiny evaluations=4' | transfusion-opt --emit-bytecode | transfusion-opt --sched-verify | FileCheck %s
// RUN: sed 's/tensor<3xf32>/tensor<3xf64>/g' %s > %t.f64.mlir
// RUN: not transfusion-opt %t.f64.mlir --transfusion='arch=tiny evaluations=4' 2>&1 | FileCheck %s --check-prefix=PLACE

// NONE-NOT: {{error|warning}}
// PLACE: layer.py:12:7: error: 'linalg.mul' op cannot be raised to an Einsum: has f64

// CHECK: func.func @first
// CHECK: sched.schedule {{.*}} of @first
// CHECK: func.func private @outside
// CHECK: func.func @second
// CHECK: sched.schedule {{.*}} of @second
module attributes {torch.debug_module_name = "Layer"} {
  func.func @first(%a: tensor<3xf32> {torch.kind = "x", mhlo.sharding = "{}"}) -> (tensor<3xf32> {jax.result_info = ""}) attributes {iree.abi} {
    %w = arith.constant dense_resource<weight> : tensor<3xf32> loc("layer.py":10:3)
    %e = tensor.empty() : tensor<3xf32>
    %0 = linalg.mul {torch.op} ins(%a, %w : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32> loc(fused["aten.mul", "layer.py":12:7])
    return %0 : tensor<3xf32>
  }
  func.func private @outside(tensor<3xf32>) -> tensor<3xf32>
  func.func @second(%a: tensor<3xf32>) -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    %0 = linalg.exp ins(%a : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F0000004000004040"
    }
  }
#-}
