// RUN: transfusion-test-opt %s --test-cascade-fingerprint -o /dev/null | %python %S/near_misses.py | FileCheck %s
// RUN: transfusion-test-opt %s --test-cascade-fingerprint -o /dev/null | FileCheck %s --check-prefix=FORM
// RUN: %python %S/forms.py

// What a form does not see, and that it sees all else.

// FORM-LABEL: form @base
// FORM-NEXT: ranks r0=4 r1=6 r2=8
// FORM-NEXT: arguments a0=tensor<4x8xf32> a1=tensor<6x8xf32>
// FORM-NEXT: e0 f32[r0,r1] = add over r2 of mulf(a0[r0,r2], a1[r1,r2]) finish mulf(@, c(0.25:f32)) where r0-r1+2 >= 0
// FORM-NEXT: e1 f32[r0] = max over r1 of e0[r0,r1]
// FORM-NEXT: e2 f32[r0,r1] = exp(subf(e0[r0,r1], e1[r0]))
// FORM-NEXT: return e2 e1

func.func @base(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// Order of equations, of arguments and of factors, names, a constraint spelled
// otherwise, and a constant within 2 ulp.
// CHECK: same_but_names: equal
func.func @same_but_names(%k: tensor<6x8xf32>, %unused: tensor<3xf32>, %q: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(x = 8, b = 6, a = 4) {
    %N = einsum.map_reduce "third" [a,b] from %QK[a,b], %M[a] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "second" [a] from %QK[a,b] reduce max over [b] : (tensor<4x6xf32>) -> tensor<4xf32>
    %QK = einsum.map_reduce "first" [a,b] from %k[b,x], %q[a,x] map arith.mulf reduce add over [x] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.2500000596 : f32
      %y = arith.mulf %c, %x : f32
      einsum.yield %y : f32
    } where 4 + a*2 - b*2 >= 0 : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<4x6xf32>
    einsum.yield %M, %N : tensor<4xf32>, tensor<4x6xf32>
  } -> tensor<4xf32>, tensor<4x6xf32>
  return %0#1, %0#0 : tensor<4x6xf32>, tensor<4xf32>
}

// Two cascades in place of one: ranks belong to a cascade.
// CHECK-NEXT: other_cascades: {{[0-9]+}} lines differ
func.func @other_cascades(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    einsum.yield %QK : tensor<4x6xf32>
  } -> tensor<4x6xf32>
  %1:2 = einsum.cascade ranks(p = 4, m = 6) {
    %M = einsum.map_reduce "M" [p] from %0[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %0[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %1#0, %1#1 : tensor<4x6xf32>, tensor<4xf32>
}

// Over queries in place of keys.
// CHECK-NEXT: other_reduction: {{[0-9]+}} lines differ
func.func @other_reduction(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<6xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [m] from %QK[p,m] reduce max over [p] : (tensor<4x6xf32>) -> tensor<6xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[m] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<6xf32>
  } -> tensor<4x6xf32>, tensor<6xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<6xf32>
}

// The least in place of the greatest.
// CHECK-NEXT: other_operator: {{[0-9]+}} lines differ
func.func @other_operator(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce min over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// A feature of the key from behind.
// CHECK-NEXT: other_access: {{[0-9]+}} lines differ
func.func @other_access(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,7-e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// 4 ulp.
// CHECK-NEXT: other_constant: {{[0-9]+}} lines differ
func.func @other_constant(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.2500001192 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// Scores rounded to bf16 and widened again.
// CHECK-NEXT: other_cast: {{[0-9]+}} lines differ
func.func @other_cast(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %n = arith.truncf %x : f32 to bf16
      %w = arith.extf %n : bf16 to f32
      %y = arith.mulf %w, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// One key more.
// CHECK-NEXT: other_domain: {{[0-9]+}} lines differ
func.func @other_domain(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 3 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// An empty row is 0.
// CHECK-NEXT: other_guard: {{[0-9]+}} lines differ
func.func @other_guard(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      %low = arith.constant 0xFF800000 : f32
      %none = arith.cmpf oeq, %y, %low : f32
      %zero = arith.constant 0.0 : f32
      %g = arith.select %none, %zero, %z : f32
      einsum.yield %g : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// Operands of a difference exchanged.
// CHECK-NEXT: other_sign: {{[0-9]+}} lines differ
func.func @other_sign(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %y, %x : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// The scale inside the sum.
// CHECK-NEXT: other_place: {{[0-9]+}} lines differ
func.func @other_place(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map {
    ^bb0(%a: f32, %b: f32):
      %x = arith.mulf %a, %b : f32
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } reduce add over [e] where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// Results exchanged.
// CHECK-NEXT: other_results: {{[0-9]+}} lines differ
func.func @other_results(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %N : tensor<4x6xf32>, tensor<4x6xf32>
  } -> tensor<4x6xf32>, tensor<4x6xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// Keys are queries: one argument for two.
// CHECK-NEXT: other_argument: {{[0-9]+}} lines differ
func.func @other_argument(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %q[m mod 4,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// The exponential computed twice.
// CHECK-NEXT: other_times: {{[0-9]+}} lines differ
func.func @other_times(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      %d2 = arith.subf %x, %y : f32
      %z2 = math.exp %d2 : f32
      %s = arith.maximumf %z, %z2 : f32
      einsum.yield %s : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// An Einsum that nobody reads.
// CHECK-NEXT: other_dead: {{[0-9]+}} lines differ
func.func @other_dead(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = einsum.cascade ranks(p = 4, m = 6, e = 8) {
    %QK = einsum.map_reduce "QK" [p,m] from %q[p,e], %k[m,e] map arith.mulf reduce add over [e] finish {
    ^bb0(%x: f32):
      %c = arith.constant 0.25 : f32
      %y = arith.mulf %x, %c : f32
      einsum.yield %y : f32
    } where m <= p + 2 : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
    %M = einsum.map_reduce "M" [p] from %QK[p,m] reduce max over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    %N = einsum.map_reduce "N" [p,m] from %QK[p,m], %M[p] map {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %z = math.exp %d : f32
      einsum.yield %z : f32
    } : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
    %dead = einsum.map_reduce "dead" [p] from %QK[p,m] reduce add over [m] : (tensor<4x6xf32>) -> tensor<4xf32>
    einsum.yield %N, %M : tensor<4x6xf32>, tensor<4xf32>
  } -> tensor<4x6xf32>, tensor<4xf32>
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}
