// RUN: transfusion-opt %s | FileCheck %s
// RUN: transfusion-opt --mlir-print-op-generic %s | transfusion-opt | FileCheck %s
// RUN: transfusion-opt --verify-roundtrip %s

// CHECK-LABEL: @qkv
func.func @qkv(%x: tensor<2x8x48xbf16>, %m: tensor<2x31x40xbf16>, %wq: tensor<48x48xbf16>, %wk: tensor<12x48xbf16>, %wm: tensor<12x40xbf16>, %w: tensor<72x48xbf16>) {
  // CHECK: einsum.qkv %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} heads 8 kv_heads 2 out_in :
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wk heads 8 kv_heads 2 out_in : (tensor<2x8x48xbf16>, tensor<48x48xbf16>, tensor<12x48xbf16>, tensor<12x48xbf16>) -> (tensor<2x8x8x6xbf16>, tensor<2x2x8x6xbf16>, tensor<2x2x8x6xbf16>)
  // CHECK: einsum.qkv %{{.*}}, %{{.*}} heads 8 kv_heads 2 out_in : (tensor<2x8x48xbf16>, tensor<72x48xbf16>) ->
  %q2, %k2, %v2 = einsum.qkv %x, %w heads 8 kv_heads 2 out_in : (tensor<2x8x48xbf16>, tensor<72x48xbf16>) -> (tensor<2x8x8x6xbf16>, tensor<2x2x8x6xbf16>, tensor<2x2x8x6xbf16>)
  // CHECK: einsum.qkv %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} memory %{{.*}} heads 8 kv_heads 2 out_in : {{.*}} -> (tensor<2x8x8x6xbf16>, tensor<2x2x31x6xbf16>, tensor<2x2x31x6xbf16>)
  %q3, %k3, %v3 = einsum.qkv %x, %wq, %wm, %wm memory %m heads 8 kv_heads 2 out_in : (tensor<2x8x48xbf16>, tensor<48x48xbf16>, tensor<12x40xbf16>, tensor<12x40xbf16>, tensor<2x31x40xbf16>) -> (tensor<2x8x8x6xbf16>, tensor<2x2x31x6xbf16>, tensor<2x2x31x6xbf16>)
  return
}

// CHECK-LABEL: @mha
func.func @mha(%q: tensor<2x8x5x6xf32>, %k: tensor<2x2x5x6xf32>, %pk: tensor<2x2x37x6xf32>, %m: tensor<1x42xf32>) {
  // CHECK: einsum.mha %{{.*}}, %{{.*}}, %{{.*}} past %{{.*}}, %{{.*}} mask %{{.*}} scale 2.500000e-01 causal : {{.*}} -> tensor<2x5x48xf32>
  %a = einsum.mha %q, %k, %k past %pk, %pk mask %m scale 0.25 causal : (tensor<2x8x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x37x6xf32>, tensor<2x2x37x6xf32>, tensor<1x42xf32>) -> tensor<2x5x48xf32>
  return
}

// CHECK-LABEL: @rest
func.func @rest(%x: tensor<2x8x5x6xf16>, %c: tensor<1x5x6xf16>, %h: tensor<5x3xf16>, %y: tensor<2x8x48xf16>, %g: tensor<48xf16>, %u: tensor<96x48xf16>, %d: tensor<48x96xf16>, %b: tensor<96xf16>) {
  // CHECK: einsum.rope %{{.*}}, %{{.*}}, %{{[^ ]*}} : (tensor<2x8x5x6xf16>, tensor<1x5x6xf16>, tensor<1x5x6xf16>) -> tensor<2x8x5x6xf16>
  %0 = einsum.rope %x, %c, %c : (tensor<2x8x5x6xf16>, tensor<1x5x6xf16>, tensor<1x5x6xf16>) -> tensor<2x8x5x6xf16>
  // CHECK: einsum.rope %{{.*}}, %{{.*}}, %{{[^ ]*}} interleaved :
  %1 = einsum.rope %x, %h, %h interleaved : (tensor<2x8x5x6xf16>, tensor<5x3xf16>, tensor<5x3xf16>) -> tensor<2x8x5x6xf16>
  // CHECK: einsum.rms_norm %{{[^,]*}} eps 1.000000e-05 :
  %2 = einsum.rms_norm %y eps 1.0e-5 : (tensor<2x8x48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.rms_norm %{{.*}}, %{{.*}} eps 1.000000e-05 :
  %3 = einsum.rms_norm %y, %g eps 1.0e-5 : (tensor<2x8x48xf16>, tensor<48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.ffn %{{.*}}, %{{.*}}, %{{.*}} gate %{{[^ ]*}} activation silu out_in :
  %4 = einsum.ffn %y, %u, %d gate %u activation silu out_in : (tensor<2x8x48xf16>, tensor<96x48xf16>, tensor<48x96xf16>, tensor<96x48xf16>) -> tensor<2x8x48xf16>
  // CHECK: einsum.ffn %{{.*}}, %{{.*}}, %{{.*}} gate %{{.*}} bias %{{.*}}, %{{.*}}, %{{.*}} activation gelu_tanh out_in :
  %5 = einsum.ffn %y, %u, %d gate %u bias %b, %g, %b activation gelu_tanh out_in : (tensor<2x8x48xf16>, tensor<96x48xf16>, tensor<48x96xf16>, tensor<96x48xf16>, tensor<96xf16>, tensor<48xf16>, tensor<96xf16>) -> tensor<2x8x48xf16>
  return
}
