// RUN: transfusion-opt %s --split-input-file --verify-diagnostics

// One case per constraint of EinsumNamedOps.td, under its number.

// qkv (1)
func.func @f(%x: tensor<8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op x has 2 dimensions, but needs 3}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (2)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op has 2 weights, but needs 3, or 1 that holds all three}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (2)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op key weight has 1 dimensions, but needs 2}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (3)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<40x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op value weight reads 40 features (dimension 0), but its input has 48}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<40x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (3), other layout
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x40xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op query weight reads 40 features (dimension 1), but its input has 48}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 out_in : (tensor<2x8x48xf32>, tensor<48x40xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (4)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op 5 heads do not divide the 48 features of the query weight}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 5 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (4)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op has 0 heads, but needs at least 1}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 0 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (5)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x145xf32>) {
  // expected-error @+1 {{'einsum.qkv' op fused weight makes 145 features, which is no multiple of 3}}
  %q, %k, %v = einsum.qkv %x, %w0 heads 4 : (tensor<2x8x48xf32>, tensor<48x145xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (6)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x96xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op query weight makes 12 features per head, but key weight 24}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x96xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (7)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>, %b0: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op has 1 biases for 3 weights}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 bias %b0 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (7)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>, %b0: tensor<48xf32>, %b1: tensor<47xf32>, %b2: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op bias of key weight has 47 values, but the weight makes 48 features}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 bias %b0, %b1, %b2 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48xf32>, tensor<47xf32>, tensor<48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv (8)
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf16>, %w1: tensor<48x48xf16>, %w2: tensor<48x48xf16>) {
  // expected-error @+1 {{'einsum.qkv' op operand 1 has element type 'f16', but operand 0 has 'f32'}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf16>, tensor<48x48xf16>, tensor<48x48xf16>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// qkv: result types
func.func @f(%x: tensor<2x8x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op result 0 is 'tensor<2x4x8x11xf32>', but must be 'tensor<2x4x8x12xf32>'}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x11xf32>, tensor<2x4x8x11xf32>, tensor<2x4x8x11xf32>)
  return
}

// -----

// extents
func.func @f(%x: tensor<2x0x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op operand 0 has extent 0 in dimension 1, but needs at least 1}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x0x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// static
func.func @f(%x: tensor<2x?x48xf32>, %w0: tensor<48x48xf32>, %w1: tensor<48x48xf32>, %w2: tensor<48x48xf32>) {
  // expected-error @+1 {{'einsum.qkv' op operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<2x?x48xf32>'}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x?x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> (tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>, tensor<2x4x8x12xf32>)
  return
}

// -----

// element type
func.func @f(%x: tensor<2x8x48xi8>, %w0: tensor<48x48xi8>, %w1: tensor<48x48xi8>, %w2: tensor<48x48xi8>) {
  // expected-error @+1 {{'einsum.qkv' op operand #0 must be statically shaped tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<2x8x48xi8>'}}
  %q, %k, %v = einsum.qkv %x, %w0, %w1, %w2 heads 4 : (tensor<2x8x48xi8>, tensor<48x48xi8>, tensor<48x48xi8>, tensor<48x48xi8>) -> (tensor<2x4x8x12xi8>, tensor<2x4x8x12xi8>, tensor<2x4x8x12xi8>)
  return
}

// -----

// mha (1)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<3x11x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op v has 3 dimensions, but needs 4}}
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<3x11x7xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (2)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<1x3x11x5xf32>, %v: tensor<2x3x11x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op q has batch 2, but k has 1}}
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<1x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (2)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x1x11x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op k has 3 heads, but v has 1}}
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x1x11x7xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (3)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x6xf32>, %v: tensor<2x3x11x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op q has 5 features per head, but k has 6}}
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x6xf32>, tensor<2x3x11x7xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (4)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x12x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op k has 11 keys, but v has 12}}
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x12x7xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (5)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>, %m: tensor<1x1x1x1x11xf32>) {
  // expected-error @+1 {{'einsum.mha' op mask has 5 dimensions, but may have 4 at most}}
  %a = einsum.mha %q, %k, %v mask %m : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>, tensor<1x1x1x1x11xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (5)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>, %m: tensor<8x10xf32>) {
  // expected-error @+1 {{'einsum.mha' op mask has extent 10 in dimension 1, but must have 1 or 11 to broadcast to the scores 2x3x8x11}}
  %a = einsum.mha %q, %k, %v mask %m : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>, tensor<8x10xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (6)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op result is 'tensor<2x8x20xf32>', but must be 'tensor<2x3x8x7xf32>', or 'tensor<2x8x21xf32>' with merged heads}}
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x8x20xf32>
  return
}

// -----

// mha (7)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xbf16>, %v: tensor<2x3x11x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op operand 1 has element type 'bf16', but operand 0 has 'f32'}}
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xbf16>, tensor<2x3x11x7xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// mha (8)
func.func @f(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>) {
  // expected-error @+1 {{'einsum.mha' op scale is +Inf, but must be finite}}
  %a = einsum.mha %q, %k, %v scale 0x7FF0000000000000 : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x8x21xf32>
  return
}

// -----

// softmax (1)
func.func @f(%x: tensor<2x8x48xf32>) {
  // expected-error @+1 {{'einsum.softmax' op axis 3 is not a dimension of x, which has 3}}
  %0 = einsum.softmax %x axis 3 : tensor<2x8x48xf32>
  return
}

// -----

// softmax (1)
func.func @f(%x: tensor<2x8x48xf32>) {
  // expected-error @+1 {{'einsum.softmax' op axis -1 is not a dimension of x, which has 3}}
  %0 = einsum.softmax %x axis -1 : tensor<2x8x48xf32>
  return
}

// -----

// layer_norm (1)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<1x48xf32>, %b: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.layer_norm' op gamma has 2 dimensions, but needs 1}}
  %0 = einsum.layer_norm %x, %g, %b eps 1.0e-5 : (tensor<2x8x48xf32>, tensor<1x48xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// layer_norm (1)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<48xf32>, %b: tensor<47xf32>) {
  // expected-error @+1 {{'einsum.layer_norm' op beta has 47 values, but the last dimension of x has 48}}
  %0 = einsum.layer_norm %x, %g, %b eps 1.0e-5 : (tensor<2x8x48xf32>, tensor<48xf32>, tensor<47xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// layer_norm (2)
func.func @f(%x: tensor<8x48xf32>, %b: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.layer_norm' op has beta but no gamma}}
  %0 = "einsum.layer_norm"(%x, %b) <{eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<8x48xf32>, tensor<48xf32>) -> tensor<8x48xf32>
  return
}

// -----

// layer_norm (3)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<48xf16>, %b: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.layer_norm' op operand 1 has element type 'f16', but operand 0 has 'f32'}}
  %0 = einsum.layer_norm %x, %g, %b eps 1.0e-5 : (tensor<2x8x48xf32>, tensor<48xf16>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// layer_norm (4)
func.func @f(%x: tensor<2x8x48xf32>, %g: tensor<48xf32>, %b: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.layer_norm' op eps is -1.0E-5, but must be finite and not negative}}
  %0 = einsum.layer_norm %x, %g, %b eps -1.0e-5 : (tensor<2x8x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// linear (1)
func.func @f(%x: tensor<2x8x48xf32>, %w: tensor<1x48x96xf32>, %b: tensor<96xf32>) {
  // expected-error @+1 {{'einsum.linear' op weight has 3 dimensions, but needs 2}}
  %0 = einsum.linear %x, %w bias %b : (tensor<2x8x48xf32>, tensor<1x48x96xf32>, tensor<96xf32>) -> tensor<2x8x96xf32>
  return
}

// -----

// linear (2)
func.func @f(%x: tensor<2x8x48xf32>, %w: tensor<48x96xf32>, %b: tensor<96xf32>) {
  // expected-error @+1 {{'einsum.linear' op weight reads 96 features (dimension 1), but its input has 48}}
  %0 = einsum.linear %x, %w bias %b out_in : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<96xf32>) -> tensor<2x8x96xf32>
  return
}

// -----

// linear (3)
func.func @f(%x: tensor<2x8x48xf32>, %w: tensor<48x96xf32>, %b: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.linear' op bias of weight has 48 values, but the weight makes 96 features}}
  %0 = einsum.linear %x, %w bias %b : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<48xf32>) -> tensor<2x8x96xf32>
  return
}

// -----

// linear (4)
func.func @f(%x: tensor<2x8x48xf32>, %w: tensor<48x96xf32>, %b: tensor<96xbf16>) {
  // expected-error @+1 {{'einsum.linear' op operand 2 has element type 'bf16', but operand 0 has 'f32'}}
  %0 = einsum.linear %x, %w bias %b : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<96xbf16>) -> tensor<2x8x96xf32>
  return
}

// -----

// linear: result type
func.func @f(%x: tensor<2x8x48xf32>, %w: tensor<48x96xf32>, %b: tensor<96xf32>) {
  // expected-error @+1 {{'einsum.linear' op result 0 is 'tensor<2x8x48xf32>', but must be 'tensor<2x8x96xf32>'}}
  %0 = einsum.linear %x, %w bias %b : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<96xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (1)
func.func @f(%x: tensor<2x8x48xf32>, %w1: tensor<48x96xf32>, %w2: tensor<96xf32>, %b0: tensor<96xf32>, %b1: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op second weight has 1 dimensions, but needs 2}}
  %0 = einsum.ffn %x, %w1, %w2 bias %b0, %b1 activation gelu : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<96xf32>, tensor<96xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (2)
func.func @f(%x: tensor<2x8x48xf32>, %w1: tensor<96x48xf32>, %w2: tensor<96x48xf32>, %b0: tensor<96xf32>, %b1: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op first weight reads 96 features (dimension 0), but its input has 48}}
  %0 = einsum.ffn %x, %w1, %w2 bias %b0, %b1 activation gelu : (tensor<2x8x48xf32>, tensor<96x48xf32>, tensor<96x48xf32>, tensor<96xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (3)
func.func @f(%x: tensor<2x8x48xf32>, %w1: tensor<48x96xf32>, %w2: tensor<95x48xf32>, %b0: tensor<96xf32>, %b1: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op second weight reads 95 features (dimension 0), but its input has 96}}
  %0 = einsum.ffn %x, %w1, %w2 bias %b0, %b1 activation gelu : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<95x48xf32>, tensor<96xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (4)
func.func @f(%x: tensor<2x8x48xf32>, %w1: tensor<48x96xf32>, %w2: tensor<96x48xf32>, %b0: tensor<96xf32>) {
  // expected-error @+1 {{'einsum.ffn' op has 1 biases, but needs 2 or none}}
  %0 = einsum.ffn %x, %w1, %w2 bias %b0 activation gelu : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<96x48xf32>, tensor<96xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (4)
func.func @f(%x: tensor<2x8x48xf32>, %w1: tensor<48x96xf32>, %w2: tensor<96x48xf32>, %b0: tensor<48xf32>, %b1: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op bias of first weight has 48 values, but the weight makes 96 features}}
  %0 = einsum.ffn %x, %w1, %w2 bias %b0, %b1 activation gelu : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<96x48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn (5)
func.func @f(%x: tensor<2x8x48xf32>, %w1: tensor<48x96xf32>, %w2: tensor<96x48xf16>, %b0: tensor<96xf32>, %b1: tensor<48xf32>) {
  // expected-error @+1 {{'einsum.ffn' op operand 2 has element type 'f16', but operand 0 has 'f32'}}
  %0 = einsum.ffn %x, %w1, %w2 bias %b0, %b1 activation gelu : (tensor<2x8x48xf32>, tensor<48x96xf32>, tensor<96x48xf16>, tensor<96xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// ffn: unknown activation
func.func @f(%x: tensor<2x8x48xf32>, %w1: tensor<48x48xf32>) {
  // expected-error @+2 {{custom op 'einsum.ffn' failed to parse}}
  // expected-error @+1 {{expected ::transfusion::einsum::Activation to be one of: relu, gelu}}
  %0 = einsum.ffn %x, %w1, %w1 activation tanh : (tensor<2x8x48xf32>, tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<2x8x48xf32>
  return
}

// -----

// add (1)
func.func @f(%x: tensor<2x8x48xf32>, %y: tensor<2x8x47xf32>) {
  // expected-error @+1 {{'einsum.add' op requires the same type for all operands and results}}
  %0 = "einsum.add"(%x, %y) : (tensor<2x8x48xf32>, tensor<2x8x47xf32>) -> tensor<2x8x48xf32>
  return
}
