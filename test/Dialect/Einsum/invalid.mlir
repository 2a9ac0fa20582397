// RUN: transfusion-opt %s --split-input-file --verify-diagnostics

// One case per constraint of EinsumAttrs.td and EinsumOps.td, under its number.

// #einsum.rank (1): the name
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{rank name '_p' does not start with a letter}}
  %r = einsum.cascade ranks(_p = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// #einsum.rank (1): the name
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{rank name 'p.1' holds a character other than letters, digits and '_'}}
  %r = einsum.cascade ranks(p.1 = 4) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// #einsum.rank (2): the extent
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{rank 'p' has extent 0, but needs at least 1}}
  %r = einsum.cascade ranks(p = 0) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// cascade (1): a rank twice, with different sizes
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{'einsum.cascade' op declares rank 'p' twice, with extents 4 and 8}}
  %r = einsum.cascade ranks(p = 4, q = 5, p = 8) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// cascade (2): a foreign op
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{'arith.constant' op stands in a cascade, which holds only 'einsum.map_reduce'}}
    %c = arith.constant 1.0 : f32
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// cascade (2): arguments
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+1 {{'einsum.cascade' op has a body with arguments; values from outside are used directly}}
  %r = "einsum.cascade"() <{ranks = []}> ({
  ^bb0(%a: tensor<4xf32>):
    einsum.yield %a : tensor<4xf32>
  }) : () -> tensor<4xf32>
  return
}

// -----

// cascade (3): names
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-note @+1 {{which is here}}
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{'einsum.map_reduce' op has the name "A" of another Einsum of this cascade}}
    %B = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// cascade (4): a cycle without an iterative rank
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-note @+1 {{the cascade has no iterative rank; declare one, as in `ranks(m1 = 4 iterative)`}}
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op depends on itself (A -> B -> A) without advancing an iterative rank}}
    %A = einsum.map_reduce "A" [p] from %B[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    %B = einsum.map_reduce "B" [p] from %A[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// cascade (4): a cycle that stays in its slice
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4 iterative) {
    // expected-error @+3 {{'einsum.map_reduce' op depends on itself (A -> B -> A) without advancing an iterative rank}}
    // expected-note @+2 {{A reads B: advance 0 on rank 'p'}}
    // expected-note @+1 {{a recurrence defines slice p+1 from slice p}}
    %A = einsum.map_reduce "A" [p+1] from %B[p+1], %x[p] map arith.addf init 0.0 : f32 : (tensor<5xf32>, tensor<4xf32>) -> tensor<5xf32>
    // expected-note @+1 {{B reads A: advance 0 on rank 'p'}}
    %B = einsum.map_reduce "B" [p+1] from %A[p+1] init 0.0 : f32 : (tensor<5xf32>) -> tensor<5xf32>
    einsum.yield %A : tensor<5xf32>
  } -> tensor<5xf32>
  return
}

// -----

// cascade (4): a cycle that goes back as far as it advances
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4 iterative) {
    // expected-error @+3 {{'einsum.map_reduce' op depends on itself (A -> B -> A) without advancing an iterative rank}}
    // expected-note @+2 {{A reads B: advance -1 on rank 'p'}}
    // expected-note @+1 {{a recurrence defines slice p+1 from slice p}}
    %A = einsum.map_reduce "A" [p+1] from %B[p+1] where p < 3 init 0.0 : f32 : (tensor<4xf32>) -> tensor<5xf32>
    // expected-note @+1 {{B reads A: advance 1 on rank 'p'}}
    %B = einsum.map_reduce "B" [p] from %A[p] : (tensor<5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<5xf32>
  } -> tensor<5xf32>
  return
}

// -----

// cascade (4): a cycle through a reduction of the iterative rank
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4 iterative) {
    // expected-error @+3 {{'einsum.map_reduce' op depends on itself (A -> B -> A) without advancing an iterative rank}}
    // expected-note @+2 {{A reads B without a slice per step of rank 'p'}}
    // expected-note @+1 {{a recurrence defines slice p+1 from slice p}}
    %A = einsum.map_reduce "A" [p+1] from %B[], %x[p] map arith.addf init 0.0 : f32 : (tensor<f32>, tensor<4xf32>) -> tensor<5xf32>
    // expected-note @+1 {{B reads A without a slice per step of rank 'p'}}
    %B = einsum.map_reduce "B" [] from %A[p] reduce add over [p] : (tensor<5xf32>) -> tensor<f32>
    einsum.yield %A : tensor<5xf32>
  } -> tensor<5xf32>
  return
}

// -----

// cascade (5): the number of results
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{'einsum.yield' op yields 2 values, but the cascade has 1 results}}
    einsum.yield %A, %A : tensor<4xf32>, tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// cascade (5): their types
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{'einsum.yield' op yields 'tensor<4xf32>' as result #0, which is of type 'tensor<4x5xf32>'}}
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4x5xf32>
  return
}

// -----

// map_reduce (1): an undeclared rank, close to one that is declared
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-note @+1 {{the cascade is here}}
  %r = einsum.cascade ranks(rows = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op uses rank 'row', which the cascade does not declare; did you mean 'rows'?}}
    %A = einsum.map_reduce "A" [row] from %x[row] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (1): an undeclared rank
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-note @+1 {{the cascade is here}}
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op uses rank 'z', which the cascade does not declare; there are p, q}}
    %A = einsum.map_reduce "A" [z] from %x[z] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (1): an unknown letter in an access
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{rank 'z' is neither a rank of the result nor reduced (`reduce KIND over [z]`); there are p, q}}
    %A = einsum.map_reduce "A" [p] from %y[p,z] reduce add over [q] : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (1): a rank twice
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{rank 'q' is listed twice}}
    %A = einsum.map_reduce "A" [p] from %y[p,q] reduce add over [q,q] : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (1): a rank twice, in generic form
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op iterates rank 'p' twice}}
    %A = "einsum.map_reduce"(%x) <{einsum_name = "A", ranks = ["p", "p"], maps = [affine_map<(p, q) -> (p)>], result_map = affine_map<(p, q) -> (p)>, operandSegmentSizes = array<i32: 1, 0, 0>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (2): a map per operand
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has 1 operands, but 0 access maps}}
    %A = "einsum.map_reduce"(%x) <{einsum_name = "A", ranks = ["p"], maps = [], result_map = affine_map<(p) -> (p)>, operandSegmentSizes = array<i32: 1, 0, 0>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (2): over the ranks
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has an access map of operand #0 over 2 ranks and 0 symbols, but iterates 1 ranks}}
    %A = "einsum.map_reduce"(%x) <{einsum_name = "A", ranks = ["p"], maps = [affine_map<(p, q) -> (p)>], result_map = affine_map<(p) -> (p)>, operandSegmentSizes = array<i32: 1, 0, 0>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (2): a coordinate per dimension
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op indexes operand #0 with 1 coordinates, but it has 2 dimensions}}
    %A = einsum.map_reduce "A" [p] from %y[p] map math.exp : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (2): of the result too
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op indexes the result with 2 coordinates, but it has 1 dimensions}}
    %A = einsum.map_reduce "A" [p,q] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (2): the domain
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has a domain over 2 ranks and 0 symbols, but iterates 1 ranks}}
    %A = "einsum.map_reduce"(%x) <{domain = affine_set<(p, q) : (p >= 0)>, einsum_name = "A", ranks = ["p"], maps = [affine_map<(p) -> (p)>], result_map = affine_map<(p) -> (p)>, operandSegmentSizes = array<i32: 1, 0, 0>}> ({}, {}) : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (3): out of bounds
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+4 {{'einsum.map_reduce' op reads operand #0 out of bounds: dimension 0 has size 4, but p+q runs from 0 to 7}}
    // expected-note @+3 {{rank 'p' has extent 4}}
    // expected-note @+2 {{rank 'q' has extent 5}}
    // expected-note @+1 {{a constraint such as `where p+q < 4` would exclude these points}}
    %A = einsum.map_reduce "A" [p] from %x[p+q] reduce add over [q] : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (3): a constraint that leaves one point too many
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+4 {{'einsum.map_reduce' op reads operand #0 out of bounds: dimension 0 has size 4, but p+q runs from 0 to 7}}
    // expected-note @+3 {{rank 'p' has extent 4}}
    // expected-note @+2 {{rank 'q' has extent 5}}
    // expected-note @+1 {{a constraint such as `where p+q < 4` would exclude these points}}
    %A = einsum.map_reduce "A" [p] from %x[p+q] reduce add over [q] where p + q < 5 : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (3): below zero, in finish
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+3 {{'einsum.map_reduce' op reads operand #1 out of bounds: dimension 0 has size 4, but p-1 runs from -1 to 2}}
    // expected-note @+2 {{rank 'p' has extent 4}}
    // expected-note @+1 {{a constraint such as `where p-1 < 4` would exclude these points}}
    %A = einsum.map_reduce "A" [p] from %x[p] finish from %x[p-1] arith.addf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (4): a rank that is lost
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op iterates rank 'q', which the result lacks, without `reduce`}}
    %A = einsum.map_reduce "A" [p] from %y[p,q] iterate [p,q] : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (4): nothing to reduce
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has `reduce add`, but its result has every rank}}
    %A = einsum.map_reduce "A" [p] from %x[p] reduce add over [] : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (4): a rank of the result
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{rank 'p' is a rank of the result, so it cannot be reduced}}
    %A = einsum.map_reduce "A" [p] from %x[p] reduce add over [p] : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (4): an operator that the type lacks
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op reduces values of type 'f32' by and}}
    %A = einsum.map_reduce "A" [p] from %y[p,q] reduce and over [q] : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (4): an unknown operator
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'sum' is not one of the operators add, mul, max, min, and, or}}
    %A = einsum.map_reduce "A" [p] from %y[p,q] reduce sum over [q] : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (5): arguments of a body
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has a map body that takes ('f32', 'f32'), but it is given ('f32')}}
    %A = einsum.map_reduce "A" [p] from %x[p] map {
    ^bb0(%a: f32, %b: f32):
      einsum.yield %a : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (5): what a body yields
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %x[p] map {
    ^bb0(%a: f32):
      %h = arith.truncf %a : f32 to f16
      // expected-error @+1 {{'einsum.yield' op yields 'f16' from map, but 'f32' is needed}}
      einsum.yield %h : f16
    } : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (5): one value
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has a map body that does not yield one value}}
    %A = einsum.map_reduce "A" [p] from %x[p] map {
    ^bb0(%a: f32):
      einsum.yield %a, %a : f32, f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (5): ops of a body
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %x[p] map {
    ^bb0(%a: f32):
      // expected-error @+1 {{'tensor.empty' op stands in the map body of an Einsum, which computes scalars with ops of arith and math and 'einsum.index'}}
      %t = tensor.empty() : tensor<4xf32>
      einsum.yield %a : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (5): no body for two inputs
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has no map body, which passes its only input on, but reads 2 inputs}}
    %A = einsum.map_reduce "A" [p] from %x[p], %x[p] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (5): no body, other type
func.func @f(%h: tensor<4xf16>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op passes 'f16' on to a result of 'f32'; a cast in a body would convert it}}
    %A = einsum.map_reduce "A" [p] from %h[p] : (tensor<4xf16>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (5): finish operands without finish
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op reads finish operands, but has no finish body}}
    %A = "einsum.map_reduce"(%x, %x) <{einsum_name = "A", ranks = ["p"], maps = [affine_map<(p) -> (p)>, affine_map<(p) -> (p)>], result_map = affine_map<(p) -> (p)>, operandSegmentSizes = array<i32: 1, 1, 0>}> ({}, {}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (6): a reduced rank in finish
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op reads finish operand #0 at reduced rank 'q'; finish runs after the reduction}}
    %A = einsum.map_reduce "A" [p] from %y[p,q] reduce add over [q] finish from %y[p,q] arith.addf : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (7): a recurrence without a start
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4 iterative) {
    // expected-error @+1 {{'einsum.map_reduce' op defines slices from 1 of an iterative result, but slice 0 has no value; add `init`}}
    %A = einsum.map_reduce "A" [p+1] from %A[p], %x[p] map arith.addf : (tensor<5xf32>, tensor<4xf32>) -> tensor<5xf32>
    einsum.yield %A : tensor<5xf32>
  } -> tensor<5xf32>
  return
}

// -----

// map_reduce (7): a start without a recurrence
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has `init`, but its result is not iterative (indexed by an iterative rank + 1)}}
    %A = einsum.map_reduce "A" [p] from %x[p] init 0.0 : f32 : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (7): its type
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4 iterative) {
    // expected-error @+1 {{'einsum.map_reduce' op has an `init` of type 'i32' for a result of 'f32'}}
    %A = einsum.map_reduce "A" [p+1] from %A[p], %x[p] map arith.addf init 0 : i32 : (tensor<5xf32>, tensor<4xf32>) -> tensor<5xf32>
    einsum.yield %A : tensor<5xf32>
  } -> tensor<5xf32>
  return
}

// -----

// map_reduce (8): too few points
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+2 {{'einsum.map_reduce' op defines dimension 0 of its result, of size 5, at p, which runs from 0 to 3}}
    // expected-note @+1 {{rank 'p' has extent 4}}
    %A = einsum.map_reduce "A" [p] from %x[p] : (tensor<4xf32>) -> tensor<5xf32>
    einsum.yield %A : tensor<5xf32>
  } -> tensor<5xf32>
  return
}

// -----

// map_reduce (8): too many
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+3 {{'einsum.map_reduce' op defines dimension 0 of its result, of size 4, at q, which runs from 0 to 4}}
    // expected-note @+2 {{rank 'q' has extent 5}}
    // expected-note @+1 {{a constraint such as `where q < 4` would exclude these points}}
    %A = einsum.map_reduce "A" [q] from %y[0,q] : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (8): points missed
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op defines dimension 0 of its result at p*2, which misses or repeats points: the factor of 'p' is 2 where the ranks below it count to 1}}
    %A = einsum.map_reduce "A" [p*2] from %x[p] : (tensor<4xf32>) -> tensor<8xf32>
    einsum.yield %A : tensor<8xf32>
  } -> tensor<8xf32>
  return
}

// -----

// map_reduce (8): points repeated
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op defines dimension 0 of its result at p*4+q, which misses or repeats points: the factor of 'p' is 4 where the ranks below it count to 5}}
    %A = einsum.map_reduce "A" [p*4+q] from %y[p,q] : (tensor<4x5xf32>) -> tensor<17xf32>
    einsum.yield %A : tensor<17xf32>
  } -> tensor<17xf32>
  return
}

// -----

// map_reduce (8): a diagonal
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op indexes its result by rank 'p' in two dimensions, so that points between them stay undefined}}
    %A = einsum.map_reduce "A" [p,p] from %x[p] : (tensor<4xf32>) -> tensor<4x4xf32>
    einsum.yield %A : tensor<4x4xf32>
  } -> tensor<4x4xf32>
  return
}

// -----

// map_reduce (8): before the tensor, and a constraint that leaves one such point
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 6) {
    // expected-error @+3 {{'einsum.map_reduce' op defines dimension 0 of its result, of size 4, at p-2, which runs from -2 to 3}}
    // expected-note @+2 {{rank 'p' has extent 6}}
    // expected-note @+1 {{a constraint such as `where p-2 >= 0` would exclude these points}}
    %A = einsum.map_reduce "A" [p-2] from %x[0] where 1 <= p : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// map_reduce (8): a shift
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op defines dimension 0 of its result from 1, but it starts at 0}}
    %A = einsum.map_reduce "A" [p+1] from %x[p] : (tensor<4xf32>) -> tensor<5xf32>
    einsum.yield %A : tensor<5xf32>
  } -> tensor<5xf32>
  return
}

// -----

// map_reduce (8): not linear
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op defines dimension 0 of its result at p mod 2, which is not linear}}
    %A = einsum.map_reduce "A" [p mod 2] from %x[p] : (tensor<4xf32>) -> tensor<2xf32>
    einsum.yield %A : tensor<2xf32>
  } -> tensor<2xf32>
  return
}

// -----

// map_reduce: no name
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op has no name}}
    %A = einsum.map_reduce "" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// index (1): not iterated
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %x[p] map {
    ^bb0(%a: f32):
      // expected-error @+1 {{'einsum.index' op reads rank 'q', which the Einsum does not iterate; there are p}}
      %i = einsum.index "q"
      einsum.yield %a : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// index (2): reduced before finish
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %y[p,q] reduce add over [q] finish {
    ^bb0(%a: f32):
      // expected-error @+1 {{'einsum.index' op reads rank 'q' after it was reduced}}
      %i = einsum.index "q"
      einsum.yield %a : f32
    } : (tensor<4x5xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// index (3): outside of an Einsum
// expected-error @+1 {{'einsum.index' op stands outside the bodies of an Einsum}}
%i = einsum.index "p"

// -----

// map_reduce: outside of a cascade
func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'einsum.map_reduce' op expects parent op 'einsum.cascade'}}
  %A = einsum.map_reduce "A" [p] from %x[p] map math.exp : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// types: an element that nobody computes with
func.func @f(%d: tensor<4xf64>) {
  // expected-error @+1 {{'einsum.cascade' op result #0 must be variadic of statically shaped tensor of f16, bf16, f32, or a mask or index of i1, i8, i32, i64 values, but got 'tensor<4xf64>'}}
  %r = einsum.cascade ranks(p = 4, q = 5) {
    %A = einsum.map_reduce "A" [p] from %d[p] map math.exp : (tensor<4xf64>) -> tensor<4xf64>
    einsum.yield %A : tensor<4xf64>
  } -> tensor<4xf64>
  return
}

// -----

// types: an operand that nobody computes with
func.func @f(%d: tensor<4xf64>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op operand #0 must be variadic of statically shaped tensor of f16, bf16, f32, or a mask or index of i1, i8, i32, i64 values, but got 'tensor<4xf64>'}}
    %A = einsum.map_reduce "A" [p] from %d[p] map {
    ^bb0(%a: f64):
      %b = arith.truncf %a : f64 to f32
      einsum.yield %b : f32
    } : (tensor<4xf64>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// types: a dynamic dimension
func.func @f(%d: tensor<?xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'einsum.map_reduce' op operand #0 must be variadic of statically shaped tensor of f16, bf16, f32, or a mask or index of i1, i8, i32, i64 values, but got 'tensor<?xf32>'}}
    %A = einsum.map_reduce "A" [p] from %d[p] map math.exp : (tensor<?xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: no such op
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'arith.mullf' is not an operation; a body is an op of the arith or math dialect, or a region in braces}}
    %A = einsum.map_reduce "A" [p] from %x[p], %x[p] map arith.mullf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: an op that does not stand alone
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{'arith.cmpf' cannot stand alone as a body, since its operands and result may differ in type; write a region}}
    %A = einsum.map_reduce "A" [p] from %x[p], %x[p] map arith.cmpf : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: a product of ranks
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{a product of ranks is not affine}}
    %A = einsum.map_reduce "A" [p] from %x[p*q] reduce add over [q] : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: a divisor
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{expected a positive integer divisor}}
    %A = einsum.map_reduce "A" [p] from %x[p floordiv 0] : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: a relation
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{expected '<=', '<', '>=', '>' or '=='}}
    %A = einsum.map_reduce "A" [p] from %x[p] where p : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: as many types as operands
func.func @f(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  %r = einsum.cascade ranks(p = 4, q = 5) {
    // expected-error @+1 {{2 operands are read, but 1 types are given}}
    %A = einsum.map_reduce "A" [p] from %x[p], %x[p] map arith.addf : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: integers whose sums could wrap
func.func @f(%x: tensor<4xf32>) {
  %r = einsum.cascade ranks(p = 4) {
    // expected-error @+1 {{integers of a rank expression exceed 2^60}}
    %A = einsum.map_reduce "A" [p] from %x[p] map arith.negf where p*4611686018427387904 + p*4611686018427387904 < 9 : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: integers whose products could wrap
func.func @f(%x: tensor<4xf32>) {
  %r = einsum.cascade ranks(p = 4) {
    // expected-error @+1 {{integers of a rank expression exceed 2^60}}
    %A = einsum.map_reduce "A" [p] from %x[p*4294967296*4294967296] map arith.negf : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}

// -----

// syntax: integers whose differences could wrap
func.func @f(%x: tensor<4xf32>) {
  %r = einsum.cascade ranks(p = 4) {
    // expected-error @+1 {{integers of a rank expression exceed 2^60}}
    %A = einsum.map_reduce "A" [p] from %x[p] map arith.negf where 1152921504606846976 - p >= -1152921504606846976 : (tensor<4xf32>) -> tensor<4xf32>
    einsum.yield %A : tensor<4xf32>
  } -> tensor<4xf32>
  return
}
