// RUN: transfusion-opt %s | FileCheck %s
// RUN: transfusion-opt --mlir-print-op-generic %s | transfusion-opt | FileCheck %s
// RUN: transfusion-opt --verify-roundtrip %s

// CHECK-LABEL: @qkv
func.func @qkv(%x: tensor<2x8x48xbf16>, %w: tensor<48x48xbf16>, %b: tensor<48xbf16>, %wf: tensor<144x48xbf16>) {
  // CHECK: einsum.qkv %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}}, %{{.*}}, %{{.*}} heads 12 : (tensor<2x8x48xbf16>,
  %q, %k, %v = einsum.qkv %x, %w, %w, %w bias %b, %b, %b heads 12 : (tensor<2x8x48xbf16>, tensor<48x48xbf16>, tensor<48x48xbf16>, tensor<48x48xbf16>, tensor<48xbf16>, tensor<48xbf16>, tensor<48xbf16>) -> (tensor<2x12x8x4xbf16>, tensor<2x12x8x4xbf16>, tensor<2x12x8x4xbf16>)
  // CHECK: einsum.qkv %{{.*}}, %{{[^,]*}} heads 4 out_in : (tensor<2x8x48xbf16>, tensor<144x48xbf16>) ->
  %q2, %k2, %v2 = einsum.qkv %x, %wf heads 4 out_in : (tensor<2x8x48xbf16>, tensor<144x48xbf16>) -> (tensor<2x4x8x12xbf16>, tensor<2x4x8x12xbf16>, tensor<2x4x8x12xbf16>)
  return
}

// CHECK-LABEL: @mha
func.func @mha(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>, %m: tensor<2x1x1x11xf32>) {
  // CHECK: einsum.mha %{{.*}}, %{{.*}}, %{{[^ ]*}} : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x3x8x7xf32>
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x3x8x7xf32>
  // CHECK: einsum.mha %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale 1.250000e-01 causal guarded : ({{.*}}) -> tensor<2x8x21xf32>
  %b = einsum.mha %q, %k, %v mask %m scale 0.125 causal guarded : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>, tensor<2x1x1x11xf32>) -> tensor<2x8x21xf32>
  return
}

// CHECK-LABEL: @rest
func.func @rest(%x: tensor<2x8x48xf16>, %g: tensor<48xf16>, %w1: tensor<48x96xf16>, %w2: tensor<96x48xf16>, %b1: tensor<96xf16>) -> tensor<2x8x48xf16> {
  // CHECK: einsum.softmax %{{.*}} axis 2 : tensor<2x8x48xf16>
  %0 = einsum.softmax %x axis 2 : tensor<2x8x48xf16>
  // CHECK: einsum.layer_norm %{{[^,]*}} eps 1.000000e-05 : (tensor<2x8x48xf16>) -> tensor<2x8x48xf16>
  %1 = einsum.layer_norm %0 eps 1.0e-5 : (tensor<2x8x48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.layer_norm %{{.*}}, %{{[^,]*}} eps 1.000000e-05
  %2 = einsum.layer_norm %1, %g eps 1.0e-5 : (tensor<2x8x48xf16>, tensor<48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.layer_norm %{{.*}}, %{{.*}}, %{{.*}} eps 9.999{{.*}}E-13
  %3 = einsum.layer_norm %2, %g, %g eps 1.0e-12 : (tensor<2x8x48xf16>, tensor<48xf16>, tensor<48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.linear %{{.*}}, %{{[^,]*}} : (tensor<2x8x48xf16>, tensor<48x96xf16>) -> tensor<2x8x96xf16>
  %4 = einsum.linear %3, %w1 : (tensor<2x8x48xf16>, tensor<48x96xf16>) -> tensor<2x8x96xf16>
  // CHECK: einsum.linear %{{.*}}, %{{.*}} bias %{{.*}} out_in :
  %5 = einsum.linear %4, %w1 bias %g out_in : (tensor<2x8x96xf16>, tensor<48x96xf16>, tensor<48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.ffn %{{.*}}, %{{.*}}, %{{[^ ]*}} activation relu :
  %6 = einsum.ffn %5, %w1, %w2 activation relu : (tensor<2x8x48xf16>, tensor<48x96xf16>, tensor<96x48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.ffn %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}}, %{{.*}} activation gelu out_in :
  %7 = einsum.ffn %6, %w2, %w1 bias %b1, %g activation gelu out_in : (tensor<2x8x48xf16>, tensor<96x48xf16>, tensor<48x96xf16>, tensor<96xf16>, tensor<48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.add %{{.*}}, %{{.*}} : tensor<2x8x48xf16>
  %8 = einsum.add %7, %x : tensor<2x8x48xf16>
  return %8 : tensor<2x8x48xf16>
}
