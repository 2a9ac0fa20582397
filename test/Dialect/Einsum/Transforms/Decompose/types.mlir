// RUN: transfusion-opt %S/../../../../../examples/bert_base_1024_b64_bf16.mlir --einsum-decompose | FileCheck %s
// RUN: transfusion-opt %S/../../../../../examples/bert_base_1024_b64_bf16.mlir --einsum-decompose=accumulator=storage | FileCheck %s --check-prefix=STORAGE

// Tensors that feed a contraction are stored as the layer stores; reductions,
// recurrences and what lies between are f32.
// CHECK: "Q" [b,h,p,e]
// CHECK: arith.mulf %{{.*}} : f32
// CHECK-NEXT: einsum.yield %{{.*}} : f32
// CHECK: finish
// CHECK: arith.addf %{{.*}} : f32
// CHECK-NEXT: arith.truncf
// CHECK: -> tensor<64x12x1024x64xbf16>
// CHECK: "BK"
// CHECK: -> tensor<64x12x1024x64xbf16>
// CHECK: "QK"
// CHECK: -> tensor<64x12x1x1024x1024xf32>
// CHECK: "RM" {{.*}} -> tensor<64x12x2x1024xf32>
// CHECK: "SLN"
// CHECK: -> tensor<64x12x1x1024x1024xbf16>
// CHECK: "SLNV"
// CHECK: -> tensor<64x12x64x1x1024xf32>
// CHECK: "PRM"
// CHECK: -> tensor<64x12x1x1024xf32>
// CHECK: "AV"
// CHECK: -> tensor<64x12x1024x64xbf16>
// CHECK: "O"
// CHECK: -> tensor<64x1024x768xf32>
// CHECK: "ln1.NR"
// CHECK: -> tensor<64x1024x768xbf16>
// CHECK: "FFN1"
// CHECK: -> tensor<64x1024x3072xf32>
// CHECK: "AR"
// CHECK: -> tensor<64x1024x3072xbf16>
// CHECK: "ln2.NR"
// CHECK: -> tensor<64x1024x768xbf16>

// STORAGE: einsum.cascade
// STORAGE-NOT: f32
// STORAGE: return
