// Softmax and values become one pass over the keys.
// RUN: transfusion-opt %s --einsum-normalize | FileCheck %s
// RUN: transfusion-opt %s --einsum-normalize=report-passes=true 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY

// A mask by indices and one whose kind is stated are constraints; the argument
// is not read. The scale of each side is one. Where a window may hide key 0, the
// maximum is guarded.
// CHECK-LABEL: @stated
// CHECK: "QK" [h,m1,m0,p] from %arg0[h,p,e], %arg1[h,m1*9+m0,e] map arith.mulf reduce add over [e] finish {
// CHECK: arith.mulf %{{.*}}, %cst
// CHECK-NEXT: einsum.yield
// CHECK-NEXT: } where p <= m1*9 + m0 - 1 and m1*9 + m0 <= p + 4
// CHECK: "RMG"
// CHECK-NOT: "RDG"
// CHECK: "AV" [h,p,f] from %RNV[h,f,1,p], %RD[h,1,p]
// CHECK-NOT: %arg3
func.func @stated(%q: tensor<2x5x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x3xf32>, %mask: tensor<1x5x9xf32> {einsum.mask = #einsum.mask<sliding_window(4)>}) -> tensor<2x5x3xf32> {
  %r = einsum.cascade ranks(h = 2, p = 5, m = 9, e = 4, f = 3) {
    %a = einsum.map_reduce "a" [h,p,e] from %q[h,p,e] map {
    ^bb0(%x: f32):
      %c = arith.constant 0.5 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } : (tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
    %b = einsum.map_reduce "b" [h,e,m] from %k[h,m,e] map {
    ^bb0(%x: f32):
      %c = arith.constant 0.5 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } : (tensor<2x9x4xf32>) -> tensor<2x4x9xf32>
    %s = einsum.map_reduce "s" [h,p,m] from %a[h,p,e], %b[h,e,m] map arith.mulf reduce add over [e] finish from %mask[0,p,m] arith.addf : (tensor<2x5x4xf32>, tensor<2x4x9xf32>, tensor<1x5x9xf32>) -> tensor<2x5x9xf32>
    %x = einsum.map_reduce "x" [h,p] from %s[h,p,m] reduce max over [m] : (tensor<2x5x9xf32>) -> tensor<2x5xf32>
    %n = einsum.map_reduce "n" [h,p,m] from %s[h,p,m], %x[h,p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<2x5x9xf32>, tensor<2x5xf32>) -> tensor<2x5x9xf32>
    %d = einsum.map_reduce "d" [h,p] from %n[h,p,m] reduce add over [m] : (tensor<2x5x9xf32>) -> tensor<2x5xf32>
    %w = einsum.map_reduce "w" [h,p,m] from %n[h,p,m], %d[h,p] map arith.divf : (tensor<2x5x9xf32>, tensor<2x5xf32>) -> tensor<2x5x9xf32>
    %o = einsum.map_reduce "o" [h,p,f] from %w[h,p,m], %v[h,m,f] map arith.mulf reduce add over [m] : (tensor<2x5x9xf32>, tensor<2x9x3xf32>) -> tensor<2x5x3xf32>
    einsum.yield %o : tensor<2x5x3xf32>
  } -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

// Weights that are a result: the softmax is computed once, in three passes.
// CHECK-LABEL: @weights
// CHECK-NOT: "RM"
// CHECK: return
// WHY: remark: a softmax keeps its passes over the keys: something else reads it as well
func.func @weights(%s: tensor<5x9xf32>, %v: tensor<9x3xf32>) -> (tensor<5x3xf32>, tensor<5x9xf32>) {
  %r:2 = einsum.cascade ranks(p = 5, m = 9, f = 3) {
    %x = einsum.map_reduce "x" [p] from %s[p,m] reduce max over [m] : (tensor<5x9xf32>) -> tensor<5xf32>
    %n = einsum.map_reduce "n" [p,m] from %s[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<5x9xf32>, tensor<5xf32>) -> tensor<5x9xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<5x9xf32>) -> tensor<5xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<5x9xf32>, tensor<5xf32>) -> tensor<5x9xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<5x9xf32>, tensor<9x3xf32>) -> tensor<5x3xf32>
    einsum.yield %o, %w : tensor<5x3xf32>, tensor<5x9xf32>
  } -> tensor<5x3xf32>, tensor<5x9xf32>
  return %r#0, %r#1 : tensor<5x3xf32>, tensor<5x9xf32>
}

// Scores that are data are read where they are: no contraction, no copy. A
// disjunction is no domain; it is written as what hides a key, all of something.
// CHECK-LABEL: @data
// CHECK: "QK" [m1,m0,p] from %arg0[p,m1*9+m0] map {
// CHECK: arith.andi
// CHECK-NOT: where
// WHY: remark: a mask of indices is computed at every point: its condition is a disjunction
func.func @data(%s: tensor<5x9xf32>, %v: tensor<9x3xf32>) -> tensor<5x3xf32> {
  %r = einsum.cascade ranks(p = 5, m = 9, f = 3) {
    %c = einsum.map_reduce "c" [p,m] from %s[p,m] map {
    ^bb0(%y: f32):
      %i = einsum.index "p"
      %j = einsum.index "m"
      %two = arith.constant 2 : index
      %l = arith.cmpi sle, %j, %i : index
      %m = arith.cmpi slt, %j, %two : index
      %o = arith.ori %l, %m : i1
      %n = arith.constant 0xFF800000 : f32
      %w = arith.select %o, %y, %n : f32
      einsum.yield %w : f32
    } : (tensor<5x9xf32>) -> tensor<5x9xf32>
    %x = einsum.map_reduce "x" [p] from %c[p,m] reduce max over [m] : (tensor<5x9xf32>) -> tensor<5xf32>
    %n = einsum.map_reduce "n" [p,m] from %c[p,m], %x[p] map {
    ^bb0(%y: f32, %z: f32):
      %d = arith.subf %y, %z : f32
      %w = math.exp %d : f32
      einsum.yield %w : f32
    } : (tensor<5x9xf32>, tensor<5xf32>) -> tensor<5x9xf32>
    %d = einsum.map_reduce "d" [p] from %n[p,m] reduce add over [m] : (tensor<5x9xf32>) -> tensor<5xf32>
    %w = einsum.map_reduce "w" [p,m] from %n[p,m], %d[p] map arith.divf : (tensor<5x9xf32>, tensor<5xf32>) -> tensor<5x9xf32>
    %o = einsum.map_reduce "o" [p,f] from %w[p,m], %v[m,f] map arith.mulf reduce add over [m] : (tensor<5x9xf32>, tensor<9x3xf32>) -> tensor<5x3xf32>
    einsum.yield %o : tensor<5x3xf32>
  } -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}
