// Masks that compare blocks: what is hidden does not exist.
// RUN: transfusion-opt %s --einsum-normalize=report-passes 2>%t.why | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t.why

// And comes back as it is.
// RUN: transfusion-opt %s --einsum-normalize -o %t.once
// RUN: transfusion-opt %t.once --einsum-normalize -o %t.twice
// RUN: diff %t.once %t.twice

// Documents of 8 tokens are a batch of sequences of 8.
// CHECK-LABEL: @documents
// CHECK: ranks(b = 3, m1 = 1 iterative, p = 8, m0 = 8, f = 3)
// CHECK: "LM" [b,m1,p] from %arg0[b*8+p,b*8+m1*8+m0] reduce max over [m0] :
// CHECK-NOT: where
// CHECK: "AV" [b*8+p,f] {{.*}} -> tensor<24x3xf32>
func.func @documents(%s: tensor<24x24xf32>, %v: tensor<24x3xf32>) -> tensor<24x3xf32> {
  %r = einsum.cascade ranks(p = 24, m = 24, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.floordivsi %i, %eight : index
      %b = arith.floordivsi %j, %eight : index
      %o = arith.cmpi eq, %a, %b : index
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<24x24xf32>, tensor<24x3xf32>) -> tensor<24x3xf32>
    einsum.yield %o : tensor<24x3xf32>
  } -> tensor<24x3xf32>
  return %r : tensor<24x3xf32>
}

// And within each, a query sees itself and what is before it.
// CHECK-LABEL: @causal_documents
// CHECK: "QK" [b,m1,m0,p] from %arg0[b*8+p,b*8+m1*8+m0] where m1*8 + m0 <= p :
func.func @causal_documents(%s: tensor<24x24xf32>, %v: tensor<24x3xf32>) -> tensor<24x3xf32> {
  %r = einsum.cascade ranks(p = 24, m = 24, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.floordivsi %i, %eight : index
      %b = arith.floordivsi %j, %eight : index
      %e = arith.cmpi eq, %b, %a : index
      %l = arith.cmpi sle, %j, %i : index
      %o = arith.andi %e, %l : i1
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<24x24xf32>, tensor<24x3xf32>) -> tensor<24x3xf32>
    einsum.yield %o : tensor<24x3xf32>
  } -> tensor<24x3xf32>
  return %r : tensor<24x3xf32>
}

// Rounding the result is the last Einsum's, as without blocks.
// CHECK-LABEL: @rounded
// CHECK: "AV" [b*8+p,f] from
// CHECK: arith.truncf
// CHECK: -> tensor<21x3xbf16>
// CHECK-NEXT: einsum.yield %AV : tensor<21x3xbf16>
func.func @rounded(%s: tensor<21x29xf32>, %v: tensor<29x3xf32>) -> tensor<21x3xbf16> {
  %r = einsum.cascade ranks(p = 21, m = 29, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.floordivsi %i, %eight : index
      %b = arith.floordivsi %j, %eight : index
      %o = arith.cmpi eq, %a, %b : index
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<21x29xf32>) -> tensor<21x29xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<21x29xf32>) -> tensor<21xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<21x29xf32>, tensor<21xf32>) -> tensor<21x29xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<21x29xf32>) -> tensor<21xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<21x29xf32>, tensor<21xf32>) -> tensor<21x29xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<21x29xf32>, tensor<29x3xf32>) -> tensor<21x3xf32>
    %t = einsum.map_reduce "t" [p,f] from %o[p,f] map {
    ^bb0(%y: f32):
      %z = arith.truncf %y : f32 to bf16
      einsum.yield %z : bf16
    } : (tensor<21x3xf32>) -> tensor<21x3xbf16>
    einsum.yield %t : tensor<21x3xbf16>
  } -> tensor<21x3xbf16>
  return %r : tensor<21x3xbf16>
}

// The last document of the queries is shorter; keys of documents that have no
// query are not read.
// CHECK-LABEL: @cut_off
// CHECK: "QK" [b,m1,m0,p] from %arg0[b*8+p,b*8+m1*8+m0] where b*8 + p < 21 :
// CHECK: "AV" [b*8+p,f] {{.*}} -> tensor<21x3xf32>
func.func @cut_off(%s: tensor<21x29xf32>, %v: tensor<29x3xf32>) -> tensor<21x3xf32> {
  %r = einsum.cascade ranks(p = 21, m = 29, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.floordivsi %i, %eight : index
      %b = arith.floordivsi %j, %eight : index
      %o = arith.cmpi eq, %a, %b : index
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<21x29xf32>) -> tensor<21x29xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<21x29xf32>) -> tensor<21xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<21x29xf32>, tensor<21xf32>) -> tensor<21x29xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<21x29xf32>) -> tensor<21xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<21x29xf32>, tensor<21xf32>) -> tensor<21x29xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<21x29xf32>, tensor<29x3xf32>) -> tensor<21x3xf32>
    einsum.yield %o : tensor<21x3xf32>
  } -> tensor<21x3xf32>
  return %r : tensor<21x3xf32>
}

// Blocks up to the query's own: all keys are walked, and no block is a batch.
// CHECK-LABEL: @up_to_own
// CHECK: ranks(m1 = 1 iterative, m0 = 24, p1 = 3, p0 = 8, f = 3)
// CHECK: "QK" [m1,m0,p1,p0] {{.*}} where m1*24 + m0 <= p1*8 + 7 :
func.func @up_to_own(%s: tensor<24x24xf32>, %v: tensor<24x3xf32>) -> tensor<24x3xf32> {
  %r = einsum.cascade ranks(p = 24, m = 24, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.floordivsi %i, %eight : index
      %b = arith.floordivsi %j, %eight : index
      %o = arith.cmpi sge, %a, %b : index
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<24x24xf32>, tensor<24x3xf32>) -> tensor<24x3xf32>
    einsum.yield %o : tensor<24x3xf32>
  } -> tensor<24x3xf32>
  return %r : tensor<24x3xf32>
}

// The documents are listed, the first of them cut off.
// CHECK-LABEL: @listed
// CHECK: "QK" [b,m1,m0,p] from %arg0[b*3+p-2,b*3+m1*3+m0-2] where b*3 + p < 10 and b*3 + m1*3 + m0 < 10 and b*3 + p >= 2 and b*3 + m1*3 + m0 >= 2 :
func.func @listed(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %ids = arith.constant dense<[7, 8, 8, 8, 9, 9, 9, 10]> : tensor<8xi64>
  %r = einsum.cascade ranks(p = 8, m = 8, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m], %ids[p], %ids[m] map {
    ^bb0(%y: f32, %g: i64, %h: i64):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %o = arith.cmpi eq, %g, %h : i64
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<8x8xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x8xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<8x8xf32>) -> tensor<8xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<8x8xf32>) -> tensor<8xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<8x8xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    einsum.yield %o : tensor<8x3xf32>
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// Near misses: other documents than one's own; tokens at the same place in their
// documents; lists of unequal documents; a block that no key is in.
// CHECK-LABEL: @other_documents
// CHECK: "QK" [m1,m0,p] from %arg0[p,m1*24+m0] map {
// CHECK: arith.cmpi
// CHECK-NOT: where
func.func @other_documents(%s: tensor<24x24xf32>, %v: tensor<24x3xf32>) -> tensor<24x3xf32> {
  %r = einsum.cascade ranks(p = 24, m = 24, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.floordivsi %i, %eight : index
      %b = arith.floordivsi %j, %eight : index
      %o = arith.cmpi ne, %a, %b : index
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<24x24xf32>, tensor<24x3xf32>) -> tensor<24x3xf32>
    einsum.yield %o : tensor<24x3xf32>
  } -> tensor<24x3xf32>
  return %r : tensor<24x3xf32>
}

// CHECK-LABEL: @same_place
// CHECK: "QK" [m1,m0,p] from %arg0[p,m1*24+m0] map {
// CHECK: arith.remsi
func.func @same_place(%s: tensor<24x24xf32>, %v: tensor<24x3xf32>) -> tensor<24x3xf32> {
  %r = einsum.cascade ranks(p = 24, m = 24, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.remsi %i, %eight : index
      %b = arith.remsi %j, %eight : index
      %o = arith.cmpi eq, %a, %b : index
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<24x24xf32>) -> tensor<24xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<24x24xf32>, tensor<24xf32>) -> tensor<24x24xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<24x24xf32>, tensor<24x3xf32>) -> tensor<24x3xf32>
    einsum.yield %o : tensor<24x3xf32>
  } -> tensor<24x3xf32>
  return %r : tensor<24x3xf32>
}

// CHECK-LABEL: @listed_unequal
// CHECK: "QK" [m1,m0,p] from %cst[p], %cst[m1*8+m0], %arg0[p,m1*8+m0] map {
// CHECK-NOT: where
func.func @listed_unequal(%s: tensor<8x8xf32>, %v: tensor<8x3xf32>) -> tensor<8x3xf32> {
  %ids = arith.constant dense<[0, 0, 0, 1, 1, 2, 2, 2]> : tensor<8xi64>
  %r = einsum.cascade ranks(p = 8, m = 8, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m], %ids[p], %ids[m] map {
    ^bb0(%y: f32, %g: i64, %h: i64):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %o = arith.cmpi eq, %g, %h : i64
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<8x8xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x8xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<8x8xf32>) -> tensor<8xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<8x8xf32>) -> tensor<8xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<8x8xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    einsum.yield %o : tensor<8x3xf32>
  } -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// CHECK-LABEL: @queries_without_keys
// CHECK: "QK" [m1,m0,p1,p0] from %arg0[p1*8+p0,m1*16+m0] where m1*16 + m0 <= p1*8 + 7 and p1*8 <= m1*16 + m0 :
func.func @queries_without_keys(%s: tensor<24x16xf32>, %v: tensor<16x3xf32>) -> tensor<24x3xf32> {
  %r = einsum.cascade ranks(p = 24, m = 16, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %eight = arith.constant 8 : index
      %a = arith.floordivsi %i, %eight : index
      %b = arith.floordivsi %j, %eight : index
      %o = arith.cmpi eq, %a, %b : index
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<24x16xf32>) -> tensor<24x16xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<24x16xf32>) -> tensor<24xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<24x16xf32>, tensor<24xf32>) -> tensor<24x16xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<24x16xf32>) -> tensor<24xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<24x16xf32>, tensor<24xf32>) -> tensor<24x16xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<24x16xf32>, tensor<16x3xf32>) -> tensor<24x3xf32>
    einsum.yield %o : tensor<24x3xf32>
  } -> tensor<24x3xf32>
  return %r : tensor<24x3xf32>
}

// WHY: remark: a mask compares blocks: 3 blocks of 8 queries see 8 keys each
// WHY: remark: a mask compares blocks: 3 blocks of 8 queries see 8 keys each
// WHY: remark: a mask compares blocks: 3 blocks of 8 queries see 8 keys each, or what the sequence has of them
// WHY: remark: a mask compares blocks: 3 blocks of 8 queries see 8 keys each, or what the sequence has of them
// WHY: remark: a mask compares blocks: 3 blocks of 8 queries are walked apart
// WHY: remark: a mask compares blocks: 4 blocks of 3 queries see 3 keys each, or what the sequence has of them
// WHY-COUNT-2: remark: a mask of indices is computed at every point: its condition
