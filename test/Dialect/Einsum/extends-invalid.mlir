// RUN: transfusion-opt %s --split-input-file --verify-diagnostics

// Constraints of `extends` (map_reduce 8 to 10) and of #einsum.append.

// (8): it starts where the base ends
func.func @f(%c: tensor<5x4xf32>, %x: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %r = einsum.cascade ranks(p = 3, e = 4) {
    // expected-error @+1 {{defines dimension 0 of its result from 4, but it starts at 5}}
    %A = einsum.map_reduce "A" [p+4,e] extends %c from %x[p,e] : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    einsum.yield %A : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// (8): it covers the rest
func.func @f(%c: tensor<5x4xf32>, %x: tensor<3x4xf32>) -> tensor<9x4xf32> {
  %r = einsum.cascade ranks(p = 3, e = 4) {
    // expected-error @+3 {{defines dimension 0 of its result, of size 9, at p+5, which runs from 5 to 7}}
    // expected-note @+2 {{rank 'p' has extent 3}}
    // The last row is missing.
    %A = einsum.map_reduce "A" [p+5,e] extends %c from %x[p,e] : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<9x4xf32>
    einsum.yield %A : tensor<9x4xf32>
  } -> tensor<9x4xf32>
  return %r : tensor<9x4xf32>
}

// -----

// (9): two dimensions differ
func.func @f(%c: tensor<5x3xf32>, %x: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %r = einsum.cascade ranks(p = 3, e = 4) {
    // expected-error @+2 {{extends 'tensor<5x3xf32>' to 'tensor<8x4xf32>', which is not the same but longer in one dimension}}
    // expected-note @+1 {{element types are equal, and so are all sizes but one}}
    %A = einsum.map_reduce "A" [p+5,e] extends %c from %x[p,e] : (tensor<3x4xf32>, tensor<5x3xf32>) -> tensor<8x4xf32>
    einsum.yield %A : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// (9): the element types differ
func.func @f(%c: tensor<5x4xf16>, %x: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %r = einsum.cascade ranks(p = 3, e = 4) {
    // expected-error @+2 {{extends 'tensor<5x4xf16>' to 'tensor<8x4xf32>'}}
    // expected-note @+1 {{element types are equal}}
    %A = einsum.map_reduce "A" [p+5,e] extends %c from %x[p,e] : (tensor<3x4xf32>, tensor<5x4xf16>) -> tensor<8x4xf32>
    einsum.yield %A : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// (9): equal types, nothing is longer
func.func @f(%c: tensor<3x4xf32>, %x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %r = einsum.cascade ranks(p = 3, e = 4) {
    // expected-error @+1 {{a result of 'tensor<3x4xf32>' does not extend 'tensor<3x4xf32>'}}
    %A = einsum.map_reduce "A" [p,e] extends %c from %x[p,e] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    einsum.yield %A : tensor<3x4xf32>
  } -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// (10): some points do not exist
func.func @f(%c: tensor<5x4xf32>, %x: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %r = einsum.cascade ranks(p = 3, e = 4) {
    // expected-error @+1 {{extends a base, but not all of its points exist}}
    %A = einsum.map_reduce "A" [p+5,e] extends %c from %x[p,e] where p < 2 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    einsum.yield %A : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// (4) of a cascade: what extends a tensor comes after it
func.func @f(%x: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %r = einsum.cascade ranks(p = 3, q = 5, e = 4) {
    // expected-error @+2 {{without advancing an iterative rank}}
    // expected-note @-2 {{the cascade has no iterative rank}}
    %A = einsum.map_reduce "A" [p+5,e] extends %B from %x[p,e] : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    %B = einsum.map_reduce "B" [q,e] from %A[q,e] map math.exp : (tensor<8x4xf32>) -> tensor<5x4xf32>
    einsum.yield %A : tensor<8x4xf32>
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// #einsum.append (1)
// expected-error @+1 {{argument #0 has 'einsum.append', which is an #einsum.append<...> on an argument of a function}}
func.func private @f(tensor<5x4xf32> {einsum.append = 1}) -> tensor<6x4xf32>

// -----

// expected-error @+1 {{argument #0 has an attribute 'einsum.apend', which the einsum dialect does not know}}
func.func private @f(tensor<5x4xf32> {einsum.apend = 1}) -> tensor<6x4xf32>

// -----

// #einsum.append (2): no such result
// expected-error @+1 {{says that argument #0 is the beginning of result #1, but has 1 results}}
func.func private @f(tensor<5x4xf32> {einsum.append = #einsum.append<result = 1, dim = 0>}) -> tensor<6x4xf32>

// -----

// #einsum.append (2): another dimension
// expected-error @+2 {{says that argument #0, of type 'tensor<5x4xf32>', is the beginning of result #0, of type 'tensor<6x4xf32>', along dimension 1}}
// expected-note @+1 {{longer in that dimension}}
func.func private @f(tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 1>}) -> tensor<6x4xf32>

// -----

// #einsum.append (3)
// expected-error @+1 {{says of arguments #0 and #1 that they are the beginning of result #0}}
func.func private @f(tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, tensor<4x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}) -> tensor<6x4xf32>

// -----

// #einsum.append (1): a result has none
// expected-error @+2 {{result #0 has 'einsum.append', which says something of an argument only}}
// expected-note @+1 {{write it behind the type of the function's argument}}
func.func private @f(tensor<5x4xf32>) -> (tensor<6x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>})

// -----

// #einsum.append (1): nor has a function
// expected-error @+2 {{has 'einsum.append', which says something of an argument only}}
// expected-note @+1 {{write it behind the type of the function's argument}}
func.func private @f(tensor<5x4xf32>) -> tensor<6x4xf32> attributes {einsum.append = #einsum.append<result = 0, dim = 0>}

// -----

// expected-error @+1 {{result #0 has an attribute 'einsum.apend', which the einsum dialect does not know}}
func.func private @f(tensor<5x4xf32>) -> (tensor<6x4xf32> {einsum.apend = 1})

// -----

func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{'func.call' op has an attribute 'einsum.scheduled', which the einsum dialect does not know}}
  %0 = func.call @f(%x) {einsum.scheduled} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
