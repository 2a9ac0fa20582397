// RUN: transfusion-opt %s --split-input-file --verify-diagnostics

// One case per constraint of #einsum.mask in EinsumAttrs.td, under its number.

// (1) nothing stated, or twice, or unknown
// expected-error @+1 {{mask states nothing}}
func.func @f(%m: tensor<4x4xf32> {einsum.mask = #einsum.mask<>}) { return }

// -----

// (1)
// expected-error @+1 {{'causal' is stated twice}}
func.func @f(%m: tensor<4x4xf32> {einsum.mask = #einsum.mask<causal, causal>}) { return }

// -----

// (1)
// expected-error @+1 {{unknown kind of mask 'casual', expected causal, sliding_window, prefix or left_padding}}
func.func @f(%m: tensor<4x4xf32> {einsum.mask = #einsum.mask<casual>}) { return }

// -----

// (2)
// expected-error @+1 {{sliding_window has 0 keys, but needs at least 1}}
func.func @f(%m: tensor<4x4xf32> {einsum.mask = #einsum.mask<sliding_window(0)>}) { return }

// -----

// (3)
// expected-error @+1 {{argument #0 states the kind of a mask of type 'tensor<4x4xi32>', but a mask is a static tensor of floats of at most 32 bits, or of i1}}
func.func @f(%m: tensor<4x4xi32> {einsum.mask = #einsum.mask<causal>}) { return }

// -----

// (3)
// expected-error @+1 {{argument #0 states the kind of a mask of type 'tensor<4x?xf32>'}}
func.func @f(%m: tensor<4x?xf32> {einsum.mask = #einsum.mask<causal>}) { return }

// -----

// (4)
// expected-error @+1 {{argument #0 states the kind of a mask of 1 dimensions, but needs 2}}
func.func @f(%m: tensor<4xf32> {einsum.mask = #einsum.mask<causal>}) { return }

// -----

// (5)
// expected-error @+1 {{argument #0 states a prefix of 5 keys of 4}}
func.func @f(%m: tensor<4x4xf32> {einsum.mask = #einsum.mask<prefix(5)>}) { return }

// -----

// (5)
// expected-error @+1 {{argument #0 states a left padding of 4 keys of 4}}
func.func @f(%m: tensor<4x4xf32> {einsum.mask = #einsum.mask<left_padding(4)>}) { return }

// -----

// (5)
// expected-error @+1 {{left padding of 3 keys leaves none of a prefix of 3}}
func.func @f(%m: tensor<4x4xf32> {einsum.mask = #einsum.mask<prefix(3), left_padding(3)>}) { return }

// -----

// Another type, another name.
// expected-error @+1 {{argument #1 has 'einsum.mask', which is an #einsum.mask<...> on an argument of a function}}
func.func @f(%x: tensor<4xf32>, %m: tensor<4x4xf32> {einsum.mask = 1}) { return }

// -----

// expected-error @+1 {{argument #0 has an attribute 'einsum.musk', which the einsum dialect does not know}}
func.func @f(%m: tensor<4x4xf32> {einsum.musk = #einsum.mask<causal>}) { return }

// -----

// It says something of an argument.
// expected-error @+2 {{result #0 has 'einsum.mask', which says something of an argument only}}
// expected-note @+1 {{write it behind the type of the function's argument}}
func.func private @f(tensor<4x4xf32>) -> (tensor<4x4xf32> {einsum.mask = #einsum.mask<causal>})

// -----

// expected-error @+2 {{has 'einsum.mask', which says something of an argument only}}
// expected-note @+1 {{write it behind the type of the function's argument}}
func.func private @f(tensor<4x4xf32>) attributes {einsum.mask = #einsum.mask<causal>}
