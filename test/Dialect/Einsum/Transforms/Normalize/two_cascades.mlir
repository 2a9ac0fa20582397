// A cascade that reads another one, with a foreign op between them.
// RUN: transfusion-opt %s --einsum-normalize --verify-each | FileCheck %s
// CHECK: %[[A:.*]] = einsum.cascade
// CHECK: %[[B:.*]] = call @outside(%[[A]])
// CHECK: einsum.cascade
// CHECK: from {{.*}}%[[A]][
func.func private @outside(tensor<3xf32>) -> tensor<3xf32>
func.func @layer(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = einsum.cascade ranks(s = 3) {
    %e = einsum.map_reduce "exp1" [s] from %x[s] map math.exp : (tensor<3xf32>) -> tensor<3xf32>
    einsum.yield %e : tensor<3xf32>
  } -> tensor<3xf32>
  %b = call @outside(%a) : (tensor<3xf32>) -> tensor<3xf32>
  %c = einsum.cascade ranks(s = 3) {
    %s = einsum.map_reduce "add1" [s] from %b[s], %a[s] map arith.addf : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    einsum.yield %s : tensor<3xf32>
  } -> tensor<3xf32>
  return %c : tensor<3xf32>
}
