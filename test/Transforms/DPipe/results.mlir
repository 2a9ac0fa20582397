// RUN: transfusion-opt %s --load-arch=tiny --dpipe | FileCheck %s

// What a function returns without making it is copied into a buffer of the
// caller: an Einsum, scheduled and costed like any other.

// CHECK-LABEL: func.func @passed_on
// CHECK: "result1" [d0,d1] from %arg0[d0,d1] :
// CHECK: sched.schedule {{.*}} of @passed_on
// CHECK: #sched.slot<"result1"
func.func @passed_on(%a: tensor<3x5xf32>) -> tensor<3x5xf32> {
  return %a : tensor<3x5xf32>
}

// What is made has its place; the second copy of it has not.
// CHECK-LABEL: func.func @twice
// CHECK: "A"
// CHECK: "result1" [d0] from %A[d0] :
// CHECK-NOT: "result2"
// CHECK: sched.schedule {{.*}} of @twice
// CHECK: #sched.slot<"result1"
func.func @twice(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = einsum.cascade ranks(p = 8) {
    %A = einsum.map_reduce "A" [p] from %a[p] map math.exp : (tensor<8xf32>) -> tensor<8xf32>
    einsum.yield %A : tensor<8xf32>
  } -> tensor<8xf32>
  return %0, %0 : tensor<8xf32>, tensor<8xf32>
}

// Nothing is returned, and nothing done.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: sched.schedule
func.func @nothing(%a: tensor<8xf32>) {
  return
}
