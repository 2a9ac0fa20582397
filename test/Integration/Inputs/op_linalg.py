# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of linalg, but for those that move a window (op_cases.py says how)."""

import math

import numpy as np
from op_cases import ZERO_POINTS, A, B, case, kind, named, start

#===--- Elementwise -------------------------------------------------------===#

erf = np.vectorize(math.erf)

for op, function in {
        "abs": np.abs, "ceil": np.ceil, "floor": np.floor, "exp": np.exp,
        "erf": erf, "negf": np.negative, "square": np.square,
        "tanh": np.tanh}.items():
    named(op, [A], A, function)
# Of positive numbers.
for op, function in {"log": np.log, "sqrt": np.sqrt,
                     "rsqrt": lambda x: x**-0.5,
                     "reciprocal": lambda x: 1 / x}.items():
    case(f"linalg.{op}", [A], A, start(A) +
         f"  %p = linalg.square ins(%a : {A}) outs(%e : {A}) -> {A}\n"
         f"  %r = linalg.{op} ins(%p : {A}) outs(%e : {A}) -> {A}",
         lambda x, f=function: f(x * x))
named("round", [A], A, lambda x: np.trunc(x + np.copysign(0.5, x)))
for op, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply,
                     "div": np.divide, "max": np.maximum,
                     "min": np.minimum}.items():
    named(op, [A, A], A, function)
case("linalg.powf", [A, A], A, start(A) +
     f"  %p = linalg.square ins(%a : {A}) outs(%e : {A}) -> {A}\n"
     f"  %r = linalg.powf ins(%p, %b : {A}, {A}) outs(%e : {A}) -> {A}",
     lambda x, y: (x * x)**y)
named("div_unsigned", [B, B], B, lambda x, y: x // y)
named("select", [kind((3, 5), "i1"), A, A], A, np.where)
case("linalg.copy", [A], A, start(A) +
     f"  %t = linalg.copy ins(%a : {A}) outs(%e : {A}) -> {A}\n"
     f"  %r = linalg.exp ins(%t : {A}) outs(%e : {A}) -> {A}", np.exp)
named("copy", [A], kind((3, 5), "f16"), lambda x: x.astype(np.float16),
      variant="to a narrower type")
named("elementwise", [A, A], A, np.multiply,
      attributes="kind=#linalg.elementwise_kind<mul>")
named("elementwise", [A, kind((5,))], A, np.add, variant="that broadcasts",
      attributes="kind=#linalg.elementwise_kind<add> indexing_maps = "
      "[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, "
      "affine_map<(i, j) -> (i, j)>]")
case("linalg.map", [A, A], A, start(A) +
     f"  %r = linalg.map {{ arith.mulf }} ins(%a, %b : {A}, {A}) "
     f"outs(%e : {A})", np.multiply)
case("linalg.fill", [A], A, start(A, 2.5) +
     f"  %r = linalg.add ins(%a, %e : {A}, {A}) outs(%e0 : {A}) -> {A}",
     lambda x: x + 2.5)
case("linalg.fill returned", [], A, start(A, 2.5).replace("%e ", "%r "),
     lambda: np.full((3, 5), 2.5))
case("linalg.index", [A], A, start(A) +
     "  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
     "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
     f"\"parallel\"]}} ins(%a : {A}) outs(%e : {A}) {{\n"
     "  ^bb0(%x: f32, %o: f32):\n    %i = linalg.index 0 : index\n"
     "    %j = arith.index_cast %i : index to i32\n"
     "    %k = arith.sitofp %j : i32 to f32\n"
     f"    %y = arith.addf %x, %k : f32\n    linalg.yield %y : f32\n"
     f"  }} -> {A}", lambda x: x + np.arange(3)[:, None])
case("linalg.generic", [A, kind((5, 4))], kind((4,)), start(kind((4,)), 0.0) +
     "  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, "
     "affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (k)>], "
     "iterator_types = [\"reduction\", \"reduction\", \"parallel\"]} ins(%a, %b "
     f": {A}, {kind((5, 4))}) outs(%e : {kind((4,))}) {{\n"
     "  ^bb0(%x: f32, %y: f32, %o: f32):\n    %m = arith.mulf %x, %y : f32\n"
     "    %s = arith.addf %o, %m : f32\n    linalg.yield %s : f32\n"
     f"  }} -> {kind((4,))}", lambda x, y: (x @ y).sum(0))

#===--- Moved -------------------------------------------------------------===#

for last, variant in ((False, "returned"), (True, "")):
    more = (f"\n  %r = linalg.exp ins(%t : TYPE) outs(%e : TYPE) -> TYPE"
            if last else "")
    name, f = ("%t", np.exp) if last else ("%r", lambda x: x)
    T, W = kind((5, 3)), kind((3, 4, 5))
    case(f"linalg.transpose {variant}".strip(), [A], T, start(T) +
         f"  {name} = linalg.transpose ins(%a : {A}) outs(%e : {T}) "
         "permutation = [1, 0]" + more.replace("TYPE", T),
         lambda x, f=f: f(x.T))
    case(f"linalg.broadcast {variant}".strip(), [A], W, start(W) +
         f"  {name} = linalg.broadcast ins(%a : {A}) outs(%e : {W}) "
         "dimensions = [1]" + more.replace("TYPE", W),
         lambda x, f=f: f(np.repeat(x[:, None], 4, 1)))

#===--- Contractions ------------------------------------------------------===#


def contraction(op, formula, *shapes, variant="", elements=("f32",) * 3, **more):
    """NumPy's formula, from zero."""
    letters = dict(pair for s, shape in zip(formula.split("->")[0].split(","),
                                            shapes) for pair in zip(s, shape))
    result = kind([letters[c] for c in formula.split("->")[1]], elements[2])
    named(op, [kind(s, e) for s, e in zip(shapes, elements)], result,
          lambda *x: np.einsum(formula, *x), variant=variant,
          value=0 if elements[2].startswith("i") else 0.0, **more)


contraction("dot", "i,i->", (7,), (7,))
contraction("matvec", "ij,j->i", (3, 5), (5,))
contraction("vecmat", "i,ij->j", (3,), (3, 5))
contraction("matmul", "ik,kj->ij", (3, 5), (5, 4))
contraction("matmul", "ki,kj->ij", (5, 3), (5, 4), variant="transposed",
            attributes="indexing_maps = [affine_map<(i, j, k) -> (k, i)>, "
            "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]")
contraction("matmul", "ik,kj->ij", (3, 5), (5, 4), variant="of f16",
            elements=("f16", "f16", "f32"))
contraction("matmul", "ik,kj->ij", (3, 5), (5, 4), variant="of i8",
            elements=("i8", "i8", "i32"))
contraction("batch_matmul", "bik,bkj->bij", (2, 3, 5), (2, 5, 4))
contraction("batch_matmul", "bik,bjk->bij", (2, 3, 5), (2, 4, 5),
            variant="transposed",
            attributes="indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>,"
            " affine_map<(b, i, j, k) -> (b, j, k)>, "
            "affine_map<(b, i, j, k) -> (b, i, j)>]")
contraction("batch_matvec", "bij,bj->bi", (2, 3, 5), (2, 5))
contraction("batch_vecmat", "bi,bij->bj", (2, 3), (2, 3, 5))
contraction("batch_reduce_matmul", "bik,bkj->ij", (2, 3, 5), (2, 5, 4))
contraction("mmt4d", "ikac,jkbc->ijab", (2, 3, 4, 2), (3, 3, 2, 2))
contraction("batch_mmt4d", "nikac,njkbc->nijab", (2, 2, 3, 4, 2),
            (2, 3, 3, 2, 2))
contraction("contract", "ikj,kli->jl", (3, 5, 2), (5, 4, 3),
            attributes="indexing_maps = [affine_map<(j, l, k, i) -> (i, k, j)>,"
            " affine_map<(j, l, k, i) -> (k, l, i)>, "
            "affine_map<(j, l, k, i) -> (j, l)>]")
for op, formula, shapes in (
        ("quantized_matmul", "ik,kj->ij", ((3, 5), (5, 4))),
        ("quantized_batch_matmul", "bik,bkj->bij", ((2, 3, 5), (2, 5, 4)))):
    result = kind(shapes[0][:-1] + shapes[1][-1:], "i32")
    named(op, [kind(s, "i8") for s in shapes], result,
          lambda x, y, f=formula: np.einsum(f, x - 3, y + 2), value=0,
          before=ZERO_POINTS, operands="%a, %b, %za, %zb", more=", i32, i32")
for op, word, function, value in (
        ("addf", "sum", np.sum, "0.0"), ("mulf", "product", np.prod, "1.0"),
        ("maximumf", "maximum", np.max, "0xFF800000"),
        ("minnumf", "minimum", np.min, "0x7F800000"),
        ("maxnumf", "maximum from NaN", np.max, "0x7FC00000")):
    V = kind((3, 2))
    case(f"linalg.reduce {word}", [kind((3, 5, 2))], V, start(V, value) +
         f"  %r = linalg.reduce {{ arith.{op} }} ins(%a : {kind((3, 5, 2))}) "
         f"outs(%e : {V}) dimensions = [1]",
         lambda x, f=function: f(x, 1))

for n in (5, 1):
    N, V = kind((3, n), "i32"), kind((3,), "i32")
    case(f"linalg.reduce unsigned minimum of {n} from 3", [N], V, start(V, 3) +
         f"  %r = linalg.reduce {{ arith.minui }} ins(%a : {N}) outs(%e : {V}) "
         "dimensions = [1]", lambda x: np.minimum(x.min(1), 3))

#===--- Aggregates --------------------------------------------------------===#


def random_2d(rows, columns, low, high, seed):
    """The linear congruential generator of linalg.fill_rng_2d."""
    def step(x):
        return ((x.astype(np.uint64) * 1103515245 + 12345) & 0xffffffff)
    i, j = np.mgrid[0:rows, 0:columns]
    value = step(step(i + seed) + j.astype(np.uint64))
    value = value.astype(np.uint32).view(np.int32).astype(np.float64)
    return (value + 2.0**31) * ((high - low) * 2.0**-32) + low


def softmax(x, dim):
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


for dim in (1, 2):
    S = kind((3, 5, 4))
    case(f"linalg.softmax of dimension {dim}", [S], S, start(S) +
         f"  %r = linalg.softmax dimension({dim}) ins(%a : {S}) outs(%e : {S}) "
         f"-> {S}", lambda x, dim=dim: softmax(x, dim))


def packed(x, tiles, order=(0, 1), value=0.0):
    """[i, j] in tiles; the outer dimensions in this order."""
    rows, columns = (-(-n // t) for n, t in zip(x.shape, tiles))
    full = np.full((rows * tiles[0], columns * tiles[1]), value)
    full[:x.shape[0], :x.shape[1]] = x
    parts = full.reshape(rows, tiles[0], columns, tiles[1])
    return parts.transpose([0, 2][order[0]], [0, 2][order[1]], 1, 3)


P = kind((2, 3, 4, 2))
case("linalg.pack", [kind((8, 6))], P, start(P) +
     f"  %r = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [4, 2] into "
     f"%e : {kind((8, 6))} -> {P}", lambda x: packed(x, (4, 2)))
P = kind((3, 2, 4, 2))
case("linalg.pack with padding", [kind((7, 5))], P, start(P) +
     "  %v = arith.constant 1.5 : f32\n"
     f"  %r = linalg.pack %a padding_value(%v : f32) outer_dims_perm = [1, 0] "
     f"inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : {kind((7, 5))} -> "
     f"{P}", lambda x: packed(x, (4, 2), (1, 0), 1.5))
for name, shape in (("", (8, 6)), (" of padded tiles", (7, 5))):
    U = kind(shape)
    case(f"linalg.unpack{name}", [kind((2, 3, 4, 2))], U, start(U) +
         "  %r = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [4, 2] "
         f"into %e : {kind((2, 3, 4, 2))} -> {U}",
         lambda x, s=shape: x.transpose(0, 2, 1, 3).reshape(8, 6)
         [:s[0], :s[1]])

for part, source, result in (("filter", (2, 3, 3, 5), (4, 4, 5, 2)),
                             ("input", (2, 6, 8, 5), (4, 4, 2, 3, 2, 5)),
                             ("output", (4, 4, 2, 3, 2, 5), (2, 4, 6, 5))):
    op = f"winograd_{part}_transform"
    named(op, [kind(source)], kind(result), None, value=0.0,
          attributes="fmr(F_2_3)",
          error=f"'linalg.{op}' op cannot be raised to an Einsum: is a loop over "
          "tiles; keep the convolution (linalg.conv_2d_nhwc_fhwc)")
R = kind((3, 5))
case("linalg.fill_rng_2d", [], R, start(R) +
     "  %l = arith.constant -1.0 : f64\n  %h = arith.constant 1.0 : f64\n"
     "  %s = arith.constant 7 : i32\n"
     f"  %r = linalg.fill_rng_2d ins(%l, %h, %s : f64, f64, i32) outs(%e : {R})"
     f" -> {R}", lambda: random_2d(3, 5, -1.0, 1.0, 7))
