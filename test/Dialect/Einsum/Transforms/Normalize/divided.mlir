// Attention in bf16 that divides the rounded sum of values by a sum in f32.
// RUN: transfusion-opt %s --convert-linalg-to-einsum --einsum-normalize --verify-each | FileCheck %s
// CHECK: "RM" [b,m1+1,p]
// CHECK: "SLN" [b,m1,m0,p]
// CHECK: arith.truncf
// CHECK: "AV" [b,p,f] from %RNV[b,f,1,p], %RD[b,1,p]
// CHECK: arith.divf
// CHECK-NEXT: arith.truncf {{.*}} f32 to bf16
// CHECK-NOT: map_reduce
#id = affine_map<(h,p,m) -> (h,p,m)>
#row = affine_map<(h,p,m) -> (h,p)>
func.func @flash(%q: tensor<3x7x4xbf16>, %k: tensor<3x7x4xbf16>, %v: tensor<3x7x4xbf16>) -> tensor<3x7x4xbf16> {
  %z = arith.constant 0.0 : f32
  %zb = arith.constant 0.0 : bf16
  %n = arith.constant 0xFF800000 : f32
  %e3 = tensor.empty() : tensor<3x7x7xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e3 : tensor<3x7x7xf32>) -> tensor<3x7x7xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h,p,m,e) -> (h,p,e)>, affine_map<(h,p,m,e) -> (h,m,e)>, affine_map<(h,p,m,e) -> (h,p,m)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<3x7x4xbf16>, tensor<3x7x4xbf16>) outs(%s0 : tensor<3x7x7xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %t = arith.mulf %x, %y : f32
    %r = arith.addf %t, %c : f32
    linalg.yield %r : f32
  } -> tensor<3x7x7xf32>
  %e2 = tensor.empty() : tensor<3x7xf32>
  %m0 = linalg.fill ins(%n : f32) outs(%e2 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel","parallel","reduction"]} ins(%s : tensor<3x7x7xf32>) outs(%m0 : tensor<3x7xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<3x7xf32>
  %ex = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel","parallel","parallel"]} ins(%s, %m : tensor<3x7x7xf32>, tensor<3x7xf32>) outs(%e3 : tensor<3x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<3x7x7xf32>
  %l0 = linalg.fill ins(%z : f32) outs(%e2 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel","parallel","reduction"]} ins(%ex : tensor<3x7x7xf32>) outs(%l0 : tensor<3x7xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<3x7xf32>
  %eb = tensor.empty() : tensor<3x7x7xbf16>
  %pb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel","parallel","parallel"]} ins(%ex : tensor<3x7x7xf32>) outs(%eb : tensor<3x7x7xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x7x7xbf16>
  %eo = tensor.empty() : tensor<3x7x4xbf16>
  %o0 = linalg.fill ins(%zb : bf16) outs(%eo : tensor<3x7x4xbf16>) -> tensor<3x7x4xbf16>
  %o = linalg.batch_matmul ins(%pb, %v : tensor<3x7x7xbf16>, tensor<3x7x4xbf16>) outs(%o0 : tensor<3x7x4xbf16>) -> tensor<3x7x4xbf16>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel","parallel","parallel"]} ins(%o, %l : tensor<3x7x4xbf16>, tensor<3x7xf32>) outs(%eo : tensor<3x7x4xbf16>) {
  ^bb0(%a: bf16, %b: f32, %c: bf16):
    %w = arith.extf %a : bf16 to f32
    %d = arith.divf %w, %b : f32
    %r = arith.truncf %d : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<3x7x4xbf16>
  return %r : tensor<3x7x4xbf16>
}
