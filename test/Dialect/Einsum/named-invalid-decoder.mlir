// RUN: transfusion-opt %s --split-input-file --verify-diagnostics

// One case per constraint of EinsumNamedOps.td, under its number: grouped heads,
// cross attention, caches, rotations, RMSNorm and gates.

// qkv (4), heads of keys
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<14x48xf32>, %wv: tensor<12x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op 4 heads do not divide the 14 features of the key weight}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads 8 kv_heads 4 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<14x48xf32>, tensor<12x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv (5), grouped
func.func @f(%x: tensor<2x8x48xf32>, %w: tensor<75x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op fused weight makes 75 features, which is no multiple of 12}}
  %q, %k, %v = einsum.qkv %x, %w heads 8 kv_heads 2 out_in : (tensor<2x8x48xf32>, tensor<75x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv (6), grouped
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<16x48xf32>, %wv: tensor<12x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op query weight makes 6 features per head, but key weight 8}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads 8 kv_heads 2 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<16x48xf32>, tensor<12x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv (9)
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<12x48xf32>, %wv: tensor<12x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op 3 heads of keys and values do not divide 8 heads}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads 8 kv_heads 3 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<12x48xf32>, tensor<12x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv (9)
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<12x48xf32>, %wv: tensor<12x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op 0 heads of keys and values do not divide 8 heads}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads 8 kv_heads 0 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<12x48xf32>, tensor<12x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv (10)
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<12x48xf32>, %wv: tensor<12x48xf32>, %m: tensor<31x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op memory has 2 dimensions, but needs 3}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv memory %m heads 8 kv_heads 2 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<12x48xf32>, tensor<12x48xf32>, tensor<31x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv (10)
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<12x48xf32>, %wv: tensor<12x48xf32>, %m: tensor<3x31x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op x has batch 2, but memory has 3}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv memory %m heads 8 kv_heads 2 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<12x48xf32>, tensor<12x48xf32>, tensor<3x31x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv (10)
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<12x48xf32>, %wv: tensor<12x48xf32>, %m: tensor<2x31x40xf32>) {
  // expected-error @+1 {{'einsum.qkv' op key weight reads 48 features (dimension 1), but its input has 40}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv memory %m heads 8 kv_heads 2 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<12x48xf32>, tensor<12x48xf32>, tensor<2x31x40xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// qkv, results
func.func @f(%x: tensor<2x8x48xf32>, %wq: tensor<48x48xf32>, %wk: tensor<12x48xf32>, %wv: tensor<12x48xf32>, %m: tensor<2x31x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op result 1 is 'tensor<2x2x8x6xf32>', but must be 'tensor<2x2x31x6xf32>'}}
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv memory %m heads 8 kv_heads 2 out_in : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<12x48xf32>, tensor<12x48xf32>, tensor<2x31x48xf32>) -> (tensor<2x8x8x6xf32>, tensor<2x2x8x6xf32>, tensor<2x2x8x6xf32>)
  return
}

// -----

// mha (2), grouped
func.func @f(%q: tensor<2x8x5x6xf32>, %k: tensor<2x3x5x6xf32>, %v: tensor<2x3x5x6xf32>) {
  // expected-error @+1 {{'einsum.mha' op q has 8 heads, but k has 3}}
  %a = einsum.mha %q, %k, %v : (tensor<2x8x5x6xf32>, tensor<2x3x5x6xf32>, tensor<2x3x5x6xf32>) -> tensor<2x5x48xf32>
  return
}

// -----

// mha (2), grouped
func.func @f(%q: tensor<2x8x5x6xf32>, %k: tensor<2x2x5x6xf32>, %v: tensor<2x4x5x6xf32>) {
  // expected-error @+1 {{'einsum.mha' op k has 2 heads, but v has 4}}
  %a = einsum.mha %q, %k, %v : (tensor<2x8x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x4x5x6xf32>) -> tensor<2x5x48xf32>
  return
}

// -----

// mha (9)
func.func @f(%q: tensor<2x8x5x6xf32>, %k: tensor<2x2x5x6xf32>, %v: tensor<2x2x5x6xf32>, %p0: tensor<2x2x37x6xf32>) {
  // expected-error @+1 {{'einsum.mha' op has 1 tensors of past keys and values, but needs 2}}
  %a = einsum.mha %q, %k, %v past %p0 : (tensor<2x8x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x37x6xf32>) -> tensor<2x5x48xf32>
  return
}

// -----

// mha (9)
func.func @f(%q: tensor<2x8x5x6xf32>, %k: tensor<2x2x5x6xf32>, %v: tensor<2x2x5x6xf32>, %p0: tensor<2x37x6xf32>, %p1: tensor<2x2x37x6xf32>) {
  // expected-error @+1 {{'einsum.mha' op past keys has 3 dimensions, but needs 4}}
  %a = einsum.mha %q, %k, %v past %p0, %p1 : (tensor<2x8x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x37x6xf32>, tensor<2x2x37x6xf32>) -> tensor<2x5x48xf32>
  return
}

// -----

// mha (9)
func.func @f(%q: tensor<2x8x5x6xf32>, %k: tensor<2x2x5x6xf32>, %v: tensor<2x2x5x6xf32>, %p0: tensor<2x2x37x6xf32>, %p1: tensor<2x2x36x6xf32>) {
  // expected-error @+1 {{'einsum.mha' op past values are 'tensor<2x2x36x6xf32>', but must be 'tensor<2x2x37x6xf32>'}}
  %a = einsum.mha %q, %k, %v past %p0, %p1 : (tensor<2x8x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x37x6xf32>, tensor<2x2x36x6xf32>) -> tensor<2x5x48xf32>
  return
}

// -----

// mha (9), (5)
func.func @f(%q: tensor<2x8x5x6xf32>, %k: tensor<2x2x5x6xf32>, %v: tensor<2x2x5x6xf32>, %p0: tensor<2x2x37x6xf32>, %p1: tensor<2x2x37x6xf32>, %m: tensor<5xf32>) {
  // expected-error @+1 {{'einsum.mha' op mask has extent 5 in dimension 0, but must have 1 or 42 to broadcast to the scores 2x8x5x42}}
  %a = einsum.mha %q, %k, %v past %p0, %p1 mask %m : (tensor<2x8x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x5x6xf32>, tensor<2x2x37x6xf32>, tensor<2x2x37x6xf32>, tensor<5xf32>) -> tensor<2x5x48xf32>
  return
}

// -----

// rope (1)
func.func @f(%x: tensor<8x5x6xf32>, %c: tensor<1x5x6xf32>, %s: tensor<1x5x6xf32>) {
  // expected-error @+1 {{'einsum.rope' op x has 3 dimensions, but needs 4}}
  %r = einsum.rope %x, %c, %s : (tensor<8x5x6xf32>, tensor<1x5x6xf32>, tensor<1x5x6xf32>) -> tensor<8x5x6xf32>
  return
}

// -----

// rope (2)
func.func @f(%x: tensor<2x8x5x7xf32>, %c: tensor<5x7xf32>, %s: tensor<5x7xf32>) {
  // expected-error @+1 {{'einsum.rope' op x has 7 features per head, which make no pairs}}
  %r = einsum.rope %x, %c, %s : (tensor<2x8x5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<2x8x5x7xf32>
  return
}

// -----

// rope (3)
func.func @f(%x: tensor<2x8x5x6xf32>, %c: tensor<1x5x6xf32>, %s: tensor<5x6xf32>) {
  // expected-error @+1 {{'einsum.rope' op cos is 'tensor<1x5x6xf32>', but sin is 'tensor<5x6xf32>'}}
  %r = einsum.rope %x, %c, %s : (tensor<2x8x5x6xf32>, tensor<1x5x6xf32>, tensor<5x6xf32>) -> tensor<2x8x5x6xf32>
  return
}

// -----

// rope (3)
func.func @f(%x: tensor<2x8x5x6xf32>, %c: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @+1 {{'einsum.rope' op cos has 1 dimensions, but needs 2 or 3}}
  %r = einsum.rope %x, %c, %s : (tensor<2x8x5x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x8x5x6xf32>
  return
}

// -----

// rope (3)
func.func @f(%x: tensor<2x8x5x6xf32>, %c: tensor<1x5x4xf32>, %s: tensor<1x5x4xf32>) {
  // expected-error @+1 {{'einsum.rope' op cos has extent 4 in dimension 2, but must have 6 or 3}}
  %r = einsum.rope %x, %c, %s : (tensor<2x8x5x6xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<2x8x5x6xf32>
  return
}

// -----

// rope (3)
func.func @f(%x: tensor<2x8x5x6xf32>, %c: tensor<7x6xf32>, %s: tensor<7x6xf32>) {
  // expected-error @+1 {{'einsum.rope' op cos has extent 7 in dimension 0, but must have 5 or 1}}
  %r = einsum.rope %x, %c, %s : (tensor<2x8x5x6xf32>, tensor<7x6xf32>, tensor<7x6xf32>) -> tensor<2x8x5x6xf32>
  return
}

// -----

// rope (4)
func.func @f(%x: tensor<2x8x5x6xf32>, %c: tensor<1x5x6xbf16>, %s: tensor<1x5x6xbf16>) {
  // expected-error @+1 {{'einsum.rope' op operand 1 has element type 'bf16', but operand 0 has 'f32'}}
  %r = einsum.rope %x, %c, %s : (tensor<2x8x5x6xf32>, tensor<1x5x6xbf16>, tensor<1x5x6xbf16>) -> tensor<2x8x5x6xf32>
  return
}

// -----

// rope, results
func.func @f(%x: tensor<2x8x5x6xf32>, %c: tensor<1x5x6xf32>, %s: tensor<1x5x6xf32>) {
  // expected-error @+1 {{'einsum.rope' op result 0 is 'tensor<2x8x5x8xf32>', but must be 'tensor<2x8x5x6xf32>'}}
  %r = einsum.rope %x, %c, %s : (tensor<2x8x5x6xf32>, tensor<1x5x6xf32>, tensor<1x5x6xf32>) -> tensor<2x8x5x8xf32>
  return
}

// -----

// rms_norm (1)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<1x48xf32>) {
  // expected-error @+1 {{'einsum.rms_norm' op gamma has 2 dimensions, but needs 1}}
  %r = einsum.rms_norm %x, %g eps 1.0e-6 : (tensor<2x8x48xf32>, tensor<1x48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// rms_norm (1)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<47xf32>) {
  // expected-error @+1 {{'einsum.rms_norm' op gamma has 47 values, but the last dimension of x has 48}}
  %r = einsum.rms_norm %x, %g eps 1.0e-6 : (tensor<2x8x48xf32>, tensor<47xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// rms_norm (2)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<48xf16>) {
  // expected-error @+1 {{'einsum.rms_norm' op operand 1 has element type 'f16', but operand 0 has 'f32'}}
  %r = einsum.rms_norm %x, %g eps 1.0e-6 : (tensor<2x8x48xf32>, tensor<48xf16>) -> tensor<2x8x48xf32>
  return
}

// -----

// rms_norm (3)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.rms_norm' op eps is -1, but must be finite and not negative}}
  %r = einsum.rms_norm %x, %g eps -1.0 : (tensor<2x8x48xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (1), gate
func.func @f(%x: tensor<2x8x48xf32>, %u: tensor<96x48xf32>, %d: tensor<48x96xf32>, %g: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op gate weight has 1 dimensions, but needs 2}}
  %r = einsum.ffn %x, %u, %d gate %g activation silu out_in : (tensor<2x8x48xf32>, tensor<96x48xf32>, tensor<48x96xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (2), gate
func.func @f(%x: tensor<2x8x48xf32>, %u: tensor<96x48xf32>, %d: tensor<48x96xf32>, %g: tensor<96x47xf32>) {
  // expected-error @+1 {{'einsum.ffn' op gate weight reads 47 features (dimension 1), but its input has 48}}
  %r = einsum.ffn %x, %u, %d gate %g activation silu out_in : (tensor<2x8x48xf32>, tensor<96x48xf32>, tensor<48x96xf32>, tensor<96x47xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (4), gate
func.func @f(%x: tensor<2x8x48xf32>, %u: tensor<96x48xf32>, %d: tensor<48x96xf32>, %g: tensor<96x48xf32>, %b0: tensor<96xf32>, %b1: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op has 2 biases, but needs 3 or none}}
  %r = einsum.ffn %x, %u, %d gate %g bias %b0, %b1 activation silu out_in : (tensor<2x8x48xf32>, tensor<96x48xf32>, tensor<48x96xf32>, tensor<96x48xf32>, tensor<96xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (4), gate
func.func @f(%x: tensor<2x8x48xf32>, %u: tensor<96x48xf32>, %d: tensor<48x96xf32>, %g: tensor<96x48xf32>, %b0: tensor<96xf32>, %b1: tensor<48xf32>, %b2: tensor<95xf32>) {
  // expected-error @+1 {{'einsum.ffn' op bias of gate weight has 95 values, but the weight makes 96 features}}
  %r = einsum.ffn %x, %u, %d gate %g bias %b0, %b1, %b2 activation silu out_in : (tensor<2x8x48xf32>, tensor<96x48xf32>, tensor<48x96xf32>, tensor<96x48xf32>, tensor<96xf32>, tensor<48xf32>, tensor<95xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (6)
func.func @f(%x: tensor<2x8x48xf32>, %u: tensor<96x48xf32>, %d: tensor<48x96xf32>, %g: tensor<95x48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op gate weight makes 95 features, but the first weight 96}}
  %r = einsum.ffn %x, %u, %d gate %g activation silu out_in : (tensor<2x8x48xf32>, tensor<96x48xf32>, tensor<48x96xf32>, tensor<95x48xf32>) -> tensor<2x8x48xf32>
  return
}
