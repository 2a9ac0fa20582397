// What no model counts is said under every model. A function without a body is
// no layer.
// RUN: transfusion-compare %s --arch=edge --evaluations=4 --policies=unfused 2>&1 | FileCheck %s
// RUN: transfusion-compare %s --arch=edge --evaluations=4 --model=accelforge 2>&1 | FileCheck %s
// RUN: transfusion-compare %s --arch=edge --evaluations=4 --model=accelforge 2>&1 | FileCheck %s --check-prefix=COPY
// CHECK: warning: 1 ops are neither scheduled nor costed
// CHECK: NOT SCHEDULED AND NOT COSTED: 1 op

// A piece of a concat moves: 32 rows of 16 numbers of 4 bytes, read and written.
// COPY: concat1 {{.*}} 0.002048/0.002048
func.func private @elsewhere(tensor<4xf32>)
func.func @layer(%x: tensor<32x16xf32>, %new: tensor<1x16xf32>,
                 %at: tensor<33x1xindex>) -> tensor<33x1x16xf32> {
  %k = einsum.cascade ranks(s = 32, t = 1, c = 16) {
    %concat1 = einsum.map_reduce "concat1" [s,c] from %x[s,c]
      : (tensor<32x16xf32>) -> tensor<32x16xf32>
    %concat2 = einsum.map_reduce "concat2" [t+32,c] extends %concat1 from %new[t,c]
      : (tensor<1x16xf32>, tensor<32x16xf32>) -> tensor<33x16xf32>
    einsum.yield %concat2 : tensor<33x16xf32>
  } -> tensor<33x16xf32>
  %g = tensor.gather %k[%at] gather_dims([0])
      : (tensor<33x16xf32>, tensor<33x1xindex>) -> tensor<33x1x16xf32>
  return %g : tensor<33x1x16xf32>
}
