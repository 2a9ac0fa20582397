# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of tensor (op_cases.py says how)."""

import numpy as np
from op_cases import A, B, case, kind, start

#===--- tensor ------------------------------------------------------------===#

case("tensor.bitcast", [A], B, f"  %r = tensor.bitcast %a : {A} to {B}",
     error="'tensor.bitcast' op cannot be raised to an Einsum: reads the bits "
     "of numbers")
case("tensor.cast", [A], A, f"  %t = tensor.cast %a : {A} to {A}\n" + start(A) +
     f"  %r = linalg.exp ins(%t : {A}) outs(%e : {A}) -> {A}", np.exp)
case("tensor.cast of a shape", [A], A,
     f"  %u = tensor.cast %a : {A} to tensor<?x5xf32>\n"
     f"  %r = tensor.cast %u : tensor<?x5xf32> to {A}",
     error="'tensor.cast' op cannot be raised to an Einsum: has a dynamic "
     "dimension (tensor<?x5xf32>)")
case("tensor.collapse_shape", [kind((2, 3, 4))], kind((6, 4)),
     f"  %r = tensor.collapse_shape %a [[0, 1], [2]] : {kind((2, 3, 4))} into "
     f"{kind((6, 4))}", lambda x: x.reshape(6, 4))
case("tensor.expand_shape", [kind((6, 4))], kind((2, 3, 4)),
     "  %r = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 4] : "
     f"{kind((6, 4))} into {kind((2, 3, 4))}", lambda x: x.reshape(2, 3, 4))
case("tensor.concat", [A, kind((3, 2)), kind((3, 1)), kind((3, 2))],
     kind((3, 10)), "  %r = tensor.concat dim(1) %a, %b, %c, %d : "
     f"({A}, {kind((3, 2))}, {kind((3, 1))}, {kind((3, 2))}) -> {kind((3, 10))}",
     lambda *x: np.concatenate(x, 1))
case("tensor.concat of equal pieces", [A, A, A], kind((9, 5)),
     f"  %r = tensor.concat dim(0) %a, %b, %c : ({A}, {A}, {A}) -> "
     f"{kind((9, 5))}", lambda *x: np.concatenate(x, 0))
case("tensor.concat of one", [A], A, start(A) +
     f"  %t = tensor.concat dim(1) %a : ({A}) -> {A}\n"
     f"  %r = linalg.exp ins(%t : {A}) outs(%e : {A}) -> {A}", np.exp)
case("tensor.dim", [A], A, "  %one = arith.constant 1 : index\n"
     f"  %n = tensor.dim %a, %one : {A}\n" + start(A) +
     "  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
     "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
     f"\"parallel\"]}} ins(%a : {A}) outs(%e : {A}) {{\n"
     "  ^bb0(%x: f32, %o: f32):\n"
     "    %j = arith.index_cast %n : index to i32\n"
     "    %k = arith.sitofp %j : i32 to f32\n"
     f"    %y = arith.divf %x, %k : f32\n    linalg.yield %y : f32\n"
     f"  }} -> {A}", lambda x: x / 5)
case("tensor.rank", [A], A, start(A) + f"  %n = tensor.rank %a : {A}\n"
     "  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
     "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
     f"\"parallel\"]}} ins(%a : {A}) outs(%e : {A}) {{\n"
     "  ^bb0(%x: f32, %o: f32):\n"
     "    %j = arith.index_cast %n : index to i32\n"
     "    %k = arith.sitofp %j : i32 to f32\n"
     f"    %y = arith.mulf %x, %k : f32\n    linalg.yield %y : f32\n"
     f"  }} -> {A}", lambda x: x * 2)
case("tensor.empty", [A], A, start(A) +
     f"  %r = linalg.exp ins(%a : {A}) outs(%e : {A}) -> {A}", np.exp)


def slices(name, shape, result, offsets, sizes, strides, index):
    case(f"tensor.extract_slice {name}".strip(), [kind(shape)], kind(result),
         f"  %r = tensor.extract_slice %a{offsets} {sizes} {strides} : "
         f"{kind(shape)} to {kind(result)}", lambda x: x[index])


slices("", (6, 5), (2, 3), [1, 2], [2, 3], [1, 1], np.s_[1:3, 2:5])
slices("with strides", (7, 9), (3, 3), [1, 0], [3, 3], [2, 4],
       np.s_[1:6:2, 0:9:4])
case("tensor.extract_slice across factors", [A, kind((15,))], kind((7,)),
     f"  %t = tensor.empty() : {kind((15,))}\n"
     f"  %s = linalg.exp ins(%b : {kind((15,))}) outs(%t : {kind((15,))}) -> "
     f"{kind((15,))}\n"
     "  %u = tensor.expand_shape %s [[0, 1]] output_shape [3, 5] : "
     f"{kind((15,))} into {A}\n" + start(A) +
     f"  %v = linalg.mul ins(%u, %a : {A}, {A}) outs(%e : {A}) -> {A}\n"
     f"  %w = tensor.collapse_shape %v [[0, 1]] : {A} into {kind((15,))}\n"
     f"  %r = tensor.extract_slice %w[2] [7] [1] : {kind((15,))} to "
     f"{kind((7,))}",
     lambda x, y: (np.exp(y) * x.reshape(15))[2:9])


def uneven(name, offsets, sizes):
    """Of [3*4, 2*3*4], which lies as [4, 3, 4, 2, 3]."""
    made, moved = kind((4, 3, 4, 2, 3)), kind((3, 4, 2, 3, 4))
    flat = kind((12, 24))
    index = tuple(slice(o, o + n) for o, n in zip(offsets, sizes))
    case(f"tensor.extract_slice {name}", [made], kind(sizes),
         f"  %t = tensor.empty() : {made}\n  %u = tensor.empty() : {moved}\n"
         f"  %v = linalg.exp ins(%a : {made}) outs(%t : {made}) -> {made}\n"
         f"  %w = linalg.transpose ins(%v : {made}) outs(%u : {moved}) "
         "permutation = [1, 0, 3, 4, 2]\n"
         f"  %x = tensor.collapse_shape %w [[0, 1], [2, 3, 4]] : {moved} into "
         f"{flat}\n  %r = tensor.extract_slice %x{offsets} {sizes} [1, 1] : "
         f"{flat} to {kind(sizes)}",
         lambda x: np.exp(x).transpose(1, 0, 3, 4, 2).reshape(12, 24)[index])


uneven("from within a window to within another", [2, 0], [9, 24])
uneven("within a window", [5, 0], [2, 24])
uneven("across three factors", [0, 3], [12, 20])
uneven("that is uneven twice", [3, 7], [8, 15])
slices("of fewer dimensions", (6, 5, 4), (3, 4), [1, 2, 0], [3, 1, 4],
       [1, 1, 1], np.s_[1:4, 2, :])
slices("with strides, of fewer dimensions", (6, 5, 4), (3, 2), [1, 2, 0],
       [3, 1, 2], [2, 1, 3], np.s_[1:6:2, 2, 0:4:3])


def inserted(index):
    def insert(x, y):
        result = y.copy()
        result[index] = x
        return result
    return insert


def insertion(name, shape, into, offsets, sizes, strides, index):
    case(f"tensor.insert_slice {name}".strip(), [kind(shape), kind(into)],
         kind(into), f"  %r = tensor.insert_slice %a into %b{offsets} {sizes} "
         f"{strides} : {kind(shape)} into {kind(into)}", inserted(index))


insertion("", (2, 3), (6, 5), [1, 2], [2, 3], [1, 1], np.s_[1:3, 2:5])
insertion("of fewer dimensions", (3,), (6, 5), [4, 1], [1, 3], [1, 1],
          np.s_[4, 1:4])
insertion("with strides", (3, 5), (6, 5), [1, 0], [3, 5], [2, 1],
          np.s_[1:6:2])
insertion("with strides that divide nothing", (3, 2), (7, 8), [0, 2], [3, 2],
          [3, 4], np.s_[0:7:3, 2:7:4])
insertion("with strides, of fewer dimensions", (3,), (2, 7, 4), [1, 1, 2],
          [1, 3, 1], [1, 2, 1], np.s_[1, 1:6:2, 2])
case("tensor.insert_slice into a constant", [kind((2, 5))], kind((5, 5)),
     start(kind((5, 5)), 3.5) + "  %r = tensor.insert_slice %a into %e[1, 0] "
     f"[2, 5] [2, 1] : {kind((2, 5))} into {kind((5, 5))}",
     lambda x: inserted(np.s_[1:4:2])(x, np.full((5, 5), 3.5)))
case("tensor.insert", [A], A, "  %i = arith.constant 2 : index\n"
     "  %j = arith.constant 3 : index\n  %v = arith.constant 9.5 : f32\n"
     f"  %r = tensor.insert %v into %a[%i, %j] : {A}",
     lambda x: inserted((2, 3))(9.5, x))


def padded(name, shape, low, high, value=1.5):
    result = kind([l + n + h for l, n, h in zip(low, shape, high)])
    letters = ", ".join(f"%i{i}: index" for i in range(len(shape)))

    def reference(x):
        cut = x[tuple(slice(max(0, -l), n - max(0, -h))
                      for l, n, h in zip(low, x.shape, high))]
        return np.pad(cut, [(max(0, l), max(0, h)) for l, h in zip(low, high)],
                      constant_values=value)
    case(f"tensor.pad {name}".strip(), [kind(shape)], result,
         f"  %v = arith.constant {value} : f32\n"
         f"  %r = tensor.pad %a low{low} high{high} {{\n  ^bb0({letters}):\n"
         f"    tensor.yield %v : f32\n  }} : {kind(shape)} to {result}",
         reference)


padded("", (3, 4), [1, 2], [2, 0])
padded("of zero", (3, 4), [0, 0], [2, 1], 0.0)
padded("by negative amounts", (5, 6), [-1, -2], [-1, 3])
# As upstream lowers tosa.pad.
case("tensor.pad by constants beside it", [kind((3, 4))], kind((4, 6)),
     "  %0 = arith.constant 0 : index\n  %1 = arith.constant 1 : index\n"
     "  %2 = arith.constant 2 : index\n  %v = arith.constant 1.5 : f32\n"
     "  %r = tensor.pad %a low[%1, %0] high[%0, %2] {\n"
     "  ^bb0(%i: index, %j: index):\n    tensor.yield %v : f32\n"
     f"  }} : {kind((3, 4))} to {kind((4, 6))}",
     lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=1.5))
case("tensor.reshape", [kind((2, 6))], kind((3, 4)),
     "  %s = arith.constant dense<[3, 4]> : tensor<2xi64>\n"
     f"  %r = tensor.reshape %a(%s) : ({kind((2, 6))}, tensor<2xi64>) -> "
     f"{kind((3, 4))}", lambda x: x.reshape(3, 4))
case("tensor.reshape by an index tensor", [kind((2, 6))], kind((12,)),
     "  %s = arith.constant dense<[12]> : tensor<1xindex>\n"
     f"  %r = tensor.reshape %a(%s) : ({kind((2, 6))}, tensor<1xindex>) -> "
     f"{kind((12,))}", lambda x: x.reshape(12))
case("tensor.splat", [A], A, "  %v = arith.constant 2.5 : f32\n"
     f"  %s = tensor.splat %v : {A}\n" + start(A) +
     f"  %r = linalg.mul ins(%a, %s : {A}, {A}) outs(%e : {A}) -> {A}",
     lambda x: x * 2.5)
case("tensor.from_elements", [kind((3,))], kind((3,)),
     "".join(f"  %v{i} = arith.constant {v} : f32\n"
             for i, v in enumerate((1.5, -2.5, 4.0))) +
     f"  %s = tensor.from_elements %v0, %v1, %v2 : {kind((3,))}\n" +
     start(kind((3,))) +
     f"  %r = linalg.mul ins(%a, %s : {kind((3,))}, {kind((3,))}) outs(%e : "
     f"{kind((3,))}) -> {kind((3,))}", lambda x: x * [1.5, -2.5, 4.0])
case("tensor.generate", [], A, "  %r = tensor.generate {\n"
     "  ^bb0(%i: index, %j: index):\n    %five = arith.constant 5 : index\n"
     "    %k = arith.muli %i, %five : index\n    %l = arith.addi %k, %j : index\n"
     "    %m = arith.index_cast %l : index to i32\n"
     "    %v = arith.sitofp %m : i32 to f32\n    tensor.yield %v : f32\n"
     f"  }} : {A}", lambda: np.arange(15).reshape(3, 5))
case("tensor.generate of one value", [A], A,
     "  %v = arith.constant 2.5 : f32\n  %s = tensor.generate {\n"
     "  ^bb0(%i: index, %j: index):\n    tensor.yield %v : f32\n"
     f"  }} : {A}\n" + start(A) +
     f"  %r = linalg.mul ins(%a, %s : {A}, {A}) outs(%e : {A}) -> {A}",
     lambda x: x * 2.5)

#===--- Refused -----------------------------------------------------------===#

I = kind((3, 1), "i64")
case("tensor.gather", [A, I], kind((3, 5)),
     f"  %r = tensor.gather %a[%b] gather_dims([0]) : ({A}, {I}) -> {A}",
     error="'tensor.gather' op cannot be raised to an Einsum: takes its indices "
     "from data")
case("tensor.scatter", [A, kind((7, 5)), I], kind((7, 5)),
     f"  %r = tensor.scatter %a into %b[%c] scatter_dims([0]) unique : "
     f"({A}, {kind((7, 5))}, {I}) -> {kind((7, 5))}".replace(
         f"({A},", f"({kind((3, 1, 5))},").replace("%a into", "%u into").replace(
         "  %r", f"  %u = tensor.expand_shape %a [[0, 1], [2]] output_shape "
         f"[3, 1, 5] : {A} into {kind((3, 1, 5))}\n  %r"),
     error="'tensor.scatter' op cannot be raised to an Einsum: takes its indices "
     "from data")
case("tensor.extract for a body", [A], A, "  %i = arith.constant 1 : index\n"
     f"  %s = tensor.extract %a[%i, %i] : {A}\n" + start(A) +
     f"  %r = linalg.map ins(%a : {A}) outs(%e : {A})\n"
     "    (%x: f32, %o: f32) {\n      %y = arith.mulf %x, %s : f32\n"
     "      linalg.yield %y : f32\n    }", lambda x: x * x[1, 1])
case("tensor.extract", [A], "f32", "  %i = arith.constant 1 : index\n"
     f"  %r = tensor.extract %a[%i, %i] : {A}",
     error="'tensor.extract' op cannot be raised to an Einsum: makes a scalar of "
     "an element")
case("tensor.insert of data", [A, "f32"], A,
     "  %i = arith.constant 1 : index\n"
     f"  %r = tensor.insert %b into %a[%i, %i] : {A}",
     error="'tensor.insert' op cannot be raised to an Einsum: puts a scalar that "
     "is not a constant into a tensor")
case("tensor.from_elements of data", ["f32", "f32"], kind((2,)),
     f"  %r = tensor.from_elements %a, %b : {kind((2,))}",
     error="'tensor.from_elements' op cannot be raised to an Einsum: is made of "
     "scalars that are not constants")
case("tensor.generate of elements", [A], A, "  %c4 = arith.constant 4 : index\n"
     "  %r = tensor.generate {\n  ^bb0(%i: index, %j: index):\n"
     "    %k = arith.subi %c4, %j : index\n"
     f"    %v = tensor.extract %a[%i, %k] : {A}\n"
     "    %w = arith.mulf %v, %v : f32\n    tensor.yield %w : f32\n"
     f"  }} : {A}", lambda x: x[:, ::-1]**2)
case("tensor.generate of what data points to", [A, kind((3, 5), "i32")], A,
     "  %r = tensor.generate {\n  ^bb0(%i: index, %j: index):\n"
     f"    %p = tensor.extract %b[%i, %j] : {kind((3, 5), 'i32')}\n"
     "    %k = arith.index_cast %p : i32 to index\n"
     f"    %v = tensor.extract %a[%i, %k] : {A}\n    tensor.yield %v : f32\n"
     f"  }} : {A}", error="'tensor.generate' op cannot be raised to an Einsum: its "
     "body reads a tensor ('tensor.extract') at an index that is data")
case("tensor.pad with a computed value", [A], kind((4, 5)),
     f"  %r = tensor.pad %a low[1, 0] high[0, 0] {{\n"
     "  ^bb0(%i: index, %j: index):\n    %k = arith.index_cast %j : index to i32\n"
     "    %v = arith.sitofp %k : i32 to f32\n    tensor.yield %v : f32\n"
     f"  }} : {A} to {kind((4, 5))}", error="'tensor.pad' op cannot be raised to "
     "an Einsum: pads with a value that is not constant")
case("tensor.dim of a dynamic shape", ["tensor<?xf32>"], "index",
     "  %i = arith.constant 0 : index\n  %r = tensor.dim %a, %i : tensor<?xf32>",
     error="'tensor.dim' op cannot be raised to an Einsum: has a dynamic "
     "dimension (tensor<?xf32>)")
case("tensor.parallel_insert_slice", [A], A, "  %r = scf.forall (%i) in (3) "
     f"shared_outs(%o = %a) -> ({A}) {{\n"
     f"    %s = tensor.extract_slice %a[%i, 0] [1, 5] [1, 1] : {A} to "
     f"{kind((1, 5))}\n    scf.forall.in_parallel {{\n"
     "      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : "
     f"{kind((1, 5))} into {A}\n    }}\n  }}",
     error="'scf.forall' op cannot be raised to an Einsum: is a loop "
     "around tensors; unroll it")
