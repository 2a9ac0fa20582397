# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small program for each op of linalg and tensor, with what NumPy says of it
in RAISED, or with the error that refuses it in REFUSED. Every function is
called @f; a name is that of the op, and a variant after a space."""

import math

import numpy as np

RAISED, REFUSED = {}, {}


class Case:
    def __init__(self, text, types, reference):
        self.text, self.types, self.reference = text, types, reference


def kind(shape, element="f32"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def case(name, arguments, result, lines, reference=None, error=None):
    """`arguments`: types of %a, %b, ...; `lines` define %r. `reference` takes
    arrays in double precision."""
    assert name not in RAISED and name not in REFUSED, name
    given = ", ".join(f"%{chr(97 + i)}: {t}" for i, t in enumerate(arguments))
    text = (f"func.func @f({given}) -> {result} {{\n{lines}\n"
            f"  return %r : {result}\n}}\n")
    if error:
        REFUSED[name] = (text, error)
    else:
        RAISED[name] = Case(text, arguments, reference)


def start(result, value=None):
    """%e, of one value or of none."""
    element = result[:-1].split("x")[-1].split("<")[-1]
    empty = f"tensor.empty() : {result}\n"
    if value is None:
        return "  %e = " + empty
    return (f"  %e0 = {empty}  %ez = arith.constant {value} : {element}\n"
            f"  %e = linalg.fill ins(%ez : {element}) outs(%e0 : {result}) -> "
            f"{result}\n")


def named(op, arguments, result, reference, value=None, attributes="",
          variant="", before="", operands=None, more="", returns=True, **refused):
    """linalg.op attributes ins(...) outs(%e); `more`: types of operands that
    are no arguments; `before` defines them."""
    names = operands or ", ".join(f"%{chr(97 + i)}"
                                  for i in range(len(arguments)))
    types = ", ".join(arguments) + more
    case(f"linalg.{op}{variant and ' ' + variant}", arguments, result,
         start(result, value) + before +
         f"  %r = linalg.{op} {attributes if returns else ''} ins({names} : "
         f"{types}) outs(%e : {result})"
         f"{' -> ' + result if returns else ' ' + attributes}",
         reference, **refused)


#===--- Elementwise -------------------------------------------------------===#

A = kind((3, 5))
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
B = kind((3, 5), "i32")
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
ZERO_POINTS = ("  %za = arith.constant 3 : i32\n"
               "  %zb = arith.constant -2 : i32\n")
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

#===--- Windows -----------------------------------------------------------===#

SIZES = {"n": 2, "c": 3, "f": 4, "g": 2, "m": 2}
SPACE = {"d": (4, 2, 1, 2), "h": (7, 2, 2, 3), "w": (8, 3, 1, 1)}


def windows(letters, x, filters, out, combine):
    """Folds, over the kernel, what lies at each of its places."""
    spatial = [c for c in letters if c in SPACE]
    counts = {c: (SPACE[c][0] - 1 - (SPACE[c][1] - 1) * SPACE[c][3]) //
              SPACE[c][2] + 1 for c in spatial}
    parts = []
    for at in np.ndindex(*[SPACE[c][1] for c in spatial]):
        k = dict(zip(spatial, at))
        index = tuple(
            slice(k[c] * SPACE[c][3],
                  k[c] * SPACE[c][3] + (counts[c] - 1) * SPACE[c][2] + 1,
                  SPACE[c][2]) if c in SPACE else slice(None)
            for c in letters)
        part = x[index]
        if filters is not None:
            taken = filters[1][tuple(k[c] if c in SPACE else slice(None)
                                     for c in filters[0])]
            rest = "".join(c for c in filters[0] if c not in SPACE)
            part = np.einsum(f"{letters},{rest}->{out}", part, taken)
        parts.append(part)
    return combine(parts)


def extents(letters, kernel=False, out=False):
    def of(c):
        if c not in SPACE:
            return SIZES[c]
        size, count, stride, dilation = SPACE[c]
        if kernel:
            return count
        return (size - 1 - (count - 1) * dilation) // stride + 1 if out else size
    return [of(c) for c in letters]


def steps(letters):
    spatial = [c for c in letters if c in SPACE]
    both = lambda i: ", ".join(str(SPACE[c][i]) for c in spatial)
    return (f"{{dilations = dense<[{both(3)}]> : tensor<{len(spatial)}xi64>, "
            f"strides = dense<[{both(2)}]> : tensor<{len(spatial)}xi64>}}")


def convolution(op, letters, filters, out, quantized=False, plain=False):
    global SPACE
    known = SPACE
    if plain:
        SPACE = {c: (size, count, 1, 1)
                 for c, (size, count, _, _) in SPACE.items()}
    space = SPACE
    elements = ("i8", "i32") if quantized else ("f32", "f32")

    def reference(x, y):
        global SPACE
        old, SPACE = SPACE, space
        if quantized:
            x, y = x - 3, y + 2
        result = windows(letters, x, (filters, y), out, sum)
        SPACE = old
        return result
    extra = dict(before=ZERO_POINTS, operands="%a, %b, %za, %zb",
                 more=", i32, i32") if quantized else {}
    named(op, [kind(extents(letters), elements[0]),
               kind(extents(filters, kernel=True), elements[0])],
          kind(extents(out, out=True), elements[1]), reference,
          value=0 if quantized else 0.0,
          attributes="" if plain else steps(letters), **extra)
    SPACE = known


for op, *letters in (("conv_1d", "w", "w", "w"), ("conv_2d", "hw", "hw", "hw"),
                     ("conv_3d", "dhw", "dhw", "dhw")):
    convolution(op, *letters, plain=True)
for op, *letters in (
        ("conv_1d_ncw_fcw", "ncw", "fcw", "nfw"),
        ("conv_1d_nwc_wcf", "nwc", "wcf", "nwf"),
        ("conv_2d_nchw_fchw", "nchw", "fchw", "nfhw"),
        ("conv_2d_ngchw_fgchw", "ngchw", "fgchw", "ngfhw"),
        ("conv_2d_ngchw_gfchw", "ngchw", "gfchw", "ngfhw"),
        ("conv_2d_nhwc_fhwc", "nhwc", "fhwc", "nhwf"),
        ("conv_2d_nhwc_hwcf", "nhwc", "hwcf", "nhwf"),
        ("conv_2d_nhwgc_gfhwc", "nhwgc", "gfhwc", "nhwgf"),
        ("conv_3d_ncdhw_fcdhw", "ncdhw", "fcdhw", "nfdhw"),
        ("conv_3d_ndhwc_dhwcf", "ndhwc", "dhwcf", "ndhwf"),
        ("depthwise_conv_1d_ncw_cw", "ncw", "cw", "ncw"),
        ("depthwise_conv_1d_nwc_wc", "nwc", "wc", "nwc"),
        ("depthwise_conv_1d_nwc_wcm", "nwc", "wcm", "nwcm"),
        ("depthwise_conv_2d_nchw_chw", "nchw", "chw", "nchw"),
        ("depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwc"),
        ("depthwise_conv_2d_nhwc_hwcm", "nhwc", "hwcm", "nhwcm"),
        ("depthwise_conv_3d_ncdhw_cdhw", "ncdhw", "cdhw", "ncdhw"),
        ("depthwise_conv_3d_ndhwc_dhwc", "ndhwc", "dhwc", "ndhwc"),
        ("depthwise_conv_3d_ndhwc_dhwcm", "ndhwc", "dhwcm", "ndhwcm")):
    convolution(op, *letters)
for op, *letters in (
        ("conv_2d_nchw_fchw_q", "nchw", "fchw", "nfhw"),
        ("conv_2d_nhwc_fhwc_q", "nhwc", "fhwc", "nhwf"),
        ("conv_2d_nhwc_hwcf_q", "nhwc", "hwcf", "nhwf"),
        ("conv_2d_nhwgc_gfhwc_q", "nhwgc", "gfhwc", "nhwgf"),
        ("conv_2d_ngchw_gfchw_q", "ngchw", "gfchw", "ngfhw"),
        ("conv_3d_ndhwc_dhwcf_q", "ndhwc", "dhwcf", "ndhwf"),
        ("depthwise_conv_2d_nhwc_hwc_q", "nhwc", "hwc", "nhwc"),
        ("depthwise_conv_2d_nhwc_hwcm_q", "nhwc", "hwcm", "nhwcm")):
    convolution(op, *letters, quantized=True)

def unsigned(function):
    """Of i32 in double precision, read as u32."""
    def fold(parts):
        parts = np.array(parts).astype(np.int64).astype(np.uint32)
        return function(parts, 0).view(np.int32)
    return fold


for layouts, word, function, value in (
        (("nchw", "ncw", "ndhwc", "nhwc", "nwc"), "sum", sum, 0.0),
        (("nchw", "ncw", "ndhwc", "nhwc", "nwc"), "max",
         lambda parts: np.max(parts, 0), "0xFF800000"),
        (("ndhwc", "nhwc", "nwc"), "min",
         lambda parts: np.min(parts, 0), "0x7F800000"),
        (("nhwc", "nwc"), "max_unsigned", unsigned(np.max), 0),
        (("nhwc", "nwc"), "min_unsigned", unsigned(np.min), -1)):
    for letters in layouts:
        element = "i32" if "unsigned" in word else "f32"
        kernel = kind([SPACE[c][1] for c in letters if c in SPACE], element)
        source = kind(extents(letters), element)
        # Numbers on both sides of zero.
        shifted = (f"  %five = arith.constant dense<5> : {source}\n"
                   f"  %s = linalg.sub ins(%a, %five : {source}, {source}) "
                   f"outs(%a : {source}) -> {source}\n"
                   if element == "i32" else "")
        result = kind(extents(letters, out=True), element)
        case(f"linalg.pooling_{letters}_{word}", [source], result,
             start(result, value) + shifted +
             f"  %k = tensor.empty() : {kernel}\n  %r = "
             f"linalg.pooling_{letters}_{word} {steps(letters)} ins("
             f"{'%s' if shifted else '%a'}, %k : {source}, {kernel}) outs(%e : "
             f"{result}) -> {result}",
             lambda x, l=letters, f=function, d=5 * bool(shifted): windows(
                 l, x - d, None, l, f))


def random_2d(rows, columns, low, high, seed):
    """The linear congruential generator of linalg.fill_rng_2d."""
    def step(x):
        return ((x.astype(np.uint64) * 1103515245 + 12345) & 0xffffffff)
    i, j = np.mgrid[0:rows, 0:columns]
    value = step(step(i + seed) + j.astype(np.uint64))
    value = value.astype(np.uint32).view(np.int32).astype(np.float64)
    return (value + 2.0**31) * ((high - low) * 2.0**-32) + low


#===--- Aggregates --------------------------------------------------------===#


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
case("tensor.generate of data", [A], A, "  %r = tensor.generate {\n"
     "  ^bb0(%i: index, %j: index):\n"
     f"    %v = tensor.extract %a[%i, %j] : {A}\n    tensor.yield %v : f32\n"
     f"  }} : {A}", error="'tensor.generate' op cannot be raised to an Einsum: its "
     "body computes with 'tensor.extract'")
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
     error="'scf.forall' op cannot be raised to an Einsum: is no op of linalg")
