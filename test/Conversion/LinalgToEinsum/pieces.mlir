// RUN: transfusion-opt %s --convert-linalg-to-einsum | FileCheck %s

// RoPE's halves: one Einsum, one access, a sign.
// CHECK-LABEL: func @rope
// CHECK: "rotate1" [p,[[E1:[a-z0-9]+]],[[E0:[a-z0-9]+]]] from %exp1[p,1-[[E1]],[[E0]]] map {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[I:.*]] = einsum.index "[[E1]]"
// CHECK: %[[C:.*]] = arith.cmpi eq, %[[I]]
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[X]]
// CHECK-NEXT: arith.select %[[C]], %[[N]], %[[X]]
// CHECK: "mul1"{{.*}} from %rotate1
// CHECK-NOT: map_reduce
func.func @rope(%x: tensor<1x3x8xf32>, %sin: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
  %f = tensor.empty() : tensor<3x8xf32>
  %y = linalg.exp ins(%c : tensor<3x8xf32>) outs(%f : tensor<3x8xf32>) -> tensor<3x8xf32>
  %lo = tensor.extract_slice %y[0, 0] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %hi = tensor.extract_slice %y[0, 4] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %n = linalg.negf ins(%hi : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %r = tensor.concat dim(1) %n, %lo : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  %1 = linalg.mul ins(%r, %sin : tensor<3x8xf32>, tensor<3x8xf32>) outs(%f : tensor<3x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// A cache of 5 rows and a new one: each piece is copied by an Einsum of its own
// points, the second behind the first.
// CHECK-LABEL: func @append
// CHECK: %[[OLD:.*]] = einsum.map_reduce "concat1" [[[M:[a-z]+]],[[E:[a-z]+]]] from %arg0[[[M]],[[E]]] : (tensor<5x4xf32>) -> tensor<5x4xf32>
// CHECK: "concat2" [[[N:[a-z]+]]+5,[[E]]] extends %[[OLD]] from %arg1[0,[[E]]] : (tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<6x4xf32>
// CHECK-NOT: map_reduce
func.func @append(%cache: tensor<5x4xf32>, %row: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %0 = tensor.concat dim(0) %cache, %row : (tensor<5x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// The caller passes a buffer with room behind the cache: only the row is moved.
// CHECK-LABEL: func @append_in_place
// CHECK: "exp1" [[[E:[a-z]+]]] from %arg1[0,[[E]]] map math.exp
// CHECK: "concat1" [{{[a-z]+}}+5,[[E]]] extends %arg0 from %exp1[[[E]]]
// CHECK-NOT: map_reduce
func.func @append_in_place(%cache: tensor<5x4xf32> {einsum.append = #einsum.append<result = 0, dim = 0>}, %row: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %r = linalg.exp ins(%row : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %0 = tensor.concat dim(0) %cache, %r : (tensor<5x4xf32>, tensor<1x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// The same as upstream's lowering of TOSA writes it: not four copies.
// CHECK-LABEL: func @inserted
// CHECK: "concat1"
// CHECK: "concat2" {{.*}} extends %concat1
// CHECK-NOT: map_reduce
func.func @inserted(%cache: tensor<5x4xf32>, %row: tensor<1x4xf32>) -> tensor<6x4xf32> {
  %e = tensor.empty() : tensor<6x4xf32>
  %0 = tensor.insert_slice %cache into %e[0, 0] [5, 4] [1, 1] : tensor<5x4xf32> into tensor<6x4xf32>
  %1 = tensor.insert_slice %row into %0[5, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// Two tensors of one size, returned and read by halves.
// CHECK-LABEL: func @halves
// CHECK: "concat1" [{{.*}}] from %arg0
// CHECK: "concat2" [[[N:[a-z0-9_]+]]+3] extends %concat1 from %arg1[[[N]]]
// CHECK: "exp1" {{.*}} from %concat2[
// CHECK: einsum.yield %concat2
func.func @halves(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<6xf32>, tensor<2x3xf32>) {
  %0 = tensor.concat dim(0) %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %2 = linalg.exp ins(%1 : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %2 : tensor<6xf32>, tensor<2x3xf32>
}

// Pieces of one tensor put together again are that tensor.
// CHECK-LABEL: func @joined
// CHECK: "exp1" [{{.*}}] from %arg0
// CHECK-NOT: map_reduce
func.func @joined(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = tensor.extract_slice %x[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
  %1 = tensor.extract_slice %x[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %e = tensor.empty() : tensor<6xf32>
  %3 = linalg.exp ins(%2 : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %3 : tensor<6xf32>
}

// CHECK-LABEL: func @pad
// CHECK: "concat1"
// CHECK: arith.constant 7.0
// CHECK: "concat2" [{{[a-z]}}+2] extends %concat1 from %arg0
// CHECK: "concat3" [{{[a-z]}}+5] extends %concat2
// CHECK: arith.constant 7.0
func.func @pad(%x: tensor<3xf32>) -> tensor<6xf32> {
  %v = arith.constant 7.0 : f32
  %0 = tensor.pad %x low[2] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<3xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// A rotation whose negated half takes a way through a transpose and a reshape,
// and is read by an op that nobody needs: still one Einsum with one access.
// CHECK-LABEL: func @rotate_moved
// CHECK: einsum.map_reduce "rotate1" [{{[a-z0-9,*+]+}}] from %arg0[{{[a-z0-9]+}},-([[E:[a-z0-9]+]]*4)+{{[a-z0-9]+}}+4] map {
// CHECK-NOT: concat
#pe = affine_map<(p, e) -> (p, e)>
func.func @rotate_moved(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %a = tensor.extract_slice %x[0, 0] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %b = tensor.extract_slice %x[0, 4] [3, 4] [1, 1] : tensor<3x8xf32> to tensor<3x4xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %n = linalg.generic {indexing_maps = [#pe, #pe], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %1 = arith.negf %v : f32
    linalg.yield %1 : f32
  } -> tensor<3x4xf32>
  %t0 = tensor.empty() : tensor<4x3xf32>
  %t1 = linalg.transpose ins(%n : tensor<3x4xf32>) outs(%t0 : tensor<4x3xf32>) permutation = [1, 0]
  %t2 = linalg.transpose ins(%t1 : tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) permutation = [1, 0]
  %r0 = tensor.expand_shape %t2 [[0], [1, 2]] output_shape [3, 2, 2] : tensor<3x4xf32> into tensor<3x2x2xf32>
  %r1 = tensor.collapse_shape %r0 [[0], [1, 2]] : tensor<3x2x2xf32> into tensor<3x4xf32>
  %dead = linalg.exp ins(%n : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %c = tensor.concat dim(1) %r1, %a : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  return %c : tensor<3x8xf32>
}
