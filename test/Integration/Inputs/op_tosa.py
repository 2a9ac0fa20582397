# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of TOSA (op_cases.py says how), in a table of their own."""

import numpy as np
from op_cases import Case, kind
from op_linalg import erf

RAISED, REFUSED = {}, {}

A, B, H = kind((3, 5)), kind((3, 5), "i32"), kind((3, 5), "i8")
P = kind((3, 5), "i1")


def element(t):
    return t[:-1].split("x")[-1].split("<")[-1]


def tosa(name, arguments, result, reference=None, attributes="", consts=(),
         error=None, stage=()):
    """tosa.name with `attributes`, of arguments %a, %b, ... and then of constants
    (values, type). A `result` may be several."""
    assert name not in RAISED and name not in REFUSED, name
    given = ", ".join(f"%{chr(97 + i)}: {t}" for i, t in enumerate(arguments))
    names = [f"%{chr(97 + i)}" for i in range(len(arguments))]
    types, lines = list(arguments), ""
    for i, (values, t) in enumerate(consts):
        op = "const_shape" if t.startswith("!tosa.shape") else "const"
        dense = t if op == "const" else f"tensor<{t[12:-1]}xindex>"
        lines += (f'  %c{i} = "tosa.{op}"() {{values = dense<{values}> : '
                  f"{dense}}} : () -> {t}\n")
        names.append(f"%c{i}")
        types.append(t)
    results = result if isinstance(result, (list, tuple)) else [result]
    produced = ", ".join(results)
    text = (f"func.func @f({given}) -> ({produced}) {{\n{lines}"
            f'  %r:{len(results)} = "tosa.{name.split(" ")[0]}"('
            f"{', '.join(names)}) {{{attributes}}} : ({', '.join(types)}) -> "
            f"({produced})\n  return "
            + ", ".join(f"%r#{i}" for i in range(len(results))) +
            f" : {produced}\n}}\n")
    if error:
        REFUSED["tosa." + name] = (text, error, *stage)
    else:
        RAISED["tosa." + name] = Case(text, arguments, reference)


def zero_points(*types):
    return [(0 if element(t).startswith("i") else "0.0", kind((1,), element(t)))
            for t in types]


# Elementwise.
for op, reference in (("abs", np.abs), ("ceil", np.ceil), ("cos", np.cos),
                      ("erf", erf), ("exp", np.exp), ("floor", np.floor),
                      ("reciprocal", lambda x: 1 / x), ("sin", np.sin),
                      ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
                      ("tanh", np.tanh)):
    tosa(op, [A], A, reference)
tosa("log", [A], A, np.log)
tosa("rsqrt", [A], A, lambda x: x**-0.5)
tosa("abs i32", [B], B, np.abs)
tosa("identity", [A], A, lambda x: x)
tosa("negate", [A], A, lambda x: -x, consts=zero_points(A, A))
tosa("negate i8", [H], H, lambda x: -x, consts=zero_points(H, H))
tosa("bitwise_not", [B], B, lambda x: ~x.astype(int))
tosa("clz", [B], B, stage=("schedule",), error="'math.ctlz' op is in no class "
     "of operations that machines are described by, so it cannot be costed")
tosa("logical_not", [P], P, np.logical_not)
for op, reference in (("add", np.add), ("sub", np.subtract),
                      ("maximum", np.maximum), ("minimum", np.minimum)):
    tosa(op, [A, A], A, reference)
    tosa(op + " i32 by a row", [B, kind((1, 5), "i32")], B, reference)
tosa("pow", [A, A], A, np.power)
tosa("mul", [A, A], A, np.multiply, consts=[("0", kind((1,), "i8"))])
tosa("mul i32", [B, B], B, np.multiply, consts=[("0", kind((1,), "i8"))])
tosa("mul i32 shifted", [B, B], B, lambda x, y: (x * y + 2) // 4,
     consts=[("2", kind((1,), "i8"))])
tosa("intdiv", [B, B], B, lambda x, y: x // y)
for op, reference in (("and", np.bitwise_and), ("or", np.bitwise_or),
                      ("xor", np.bitwise_xor)):
    as_int = lambda x, y, f=reference: f(x.astype(int), y.astype(int))
    tosa("bitwise_" + op, [B, B], B, as_int)
    tosa("logical_" + op, [P, P], P, reference)
tosa("arithmetic_right_shift", [B, B], B, lambda x, y: x // 2**y,
     "round = false")
tosa("arithmetic_right_shift rounded", [B, B], B,
     lambda x, y: (x + 2**(y - 1)) // 2**y, "round = true")
tosa("logical_left_shift", [B, B], B, lambda x, y: x * 2**y)
tosa("logical_right_shift", [B, B], B, lambda x, y: x // 2**y)
tosa("equal", [B, B], P, np.equal)
tosa("greater", [A, A], P, np.greater)
tosa("greater_equal", [A, A], P, np.greater_equal)
tosa("select", [P, A, A], A, np.where)
tosa("clamp", [A], A, lambda x: np.clip(x, -0.5, 1),
     "min_val = -0.5 : f32, max_val = 1.0 : f32")
tosa("cast", [B], A, lambda x: x)
tosa("cast to i32", [A], B, np.rint)
tosa("cast of bool", [P], A, lambda x: x)
IGNORE = "nan_mode = #tosa.nan_mode<IGNORE>"
tosa("maximum IGNORE", [A, A], A, np.fmax, IGNORE)
tosa("minimum IGNORE", [A, A], A, np.fmin, IGNORE)
tosa("clamp IGNORE", [A], A, lambda x: np.where(x == x, np.clip(x, -0.5, 1), -0.5),
     "min_val = -0.5 : f32, max_val = 1.0 : f32, " + IGNORE)

# Reductions.
ROW = kind((3, 1))
for op, reference in (("sum", np.sum), ("product", np.prod), ("max", np.max),
                      ("min", np.min)):
    along = lambda x, f=reference: f(x, 1, keepdims=True)
    tosa("reduce_" + op, [A], ROW, along, "axis = 1 : i32")
    tosa(f"reduce_{op} i32", [B], kind((3, 1), "i32"), along, "axis = 1 : i32")
tosa("reduce_max IGNORE", [A], ROW, lambda x: np.nanmax(x, 1, keepdims=True),
     "axis = 1 : i32, " + IGNORE)
tosa("reduce_min IGNORE", [A], ROW, lambda x: np.nanmin(x, 1, keepdims=True),
     "axis = 1 : i32, " + IGNORE)
tosa("reduce_all", [P], kind((1, 5), "i1"), lambda x: np.all(x, 0, keepdims=True),
     "axis = 0 : i32")
tosa("reduce_any", [P], kind((1, 5), "i1"), lambda x: np.any(x, 0, keepdims=True),
     "axis = 0 : i32")
tosa("argmax", [A], kind((3,), "i32"), attributes="axis = 1 : i32",
     error="depends on the running value of result #1, such as the index of a "
     "maximum, and each Einsum accumulates by itself; compute it outside")

# Products.
L, R = kind((2, 3, 4)), kind((2, 4, 5))
tosa("matmul", [L, R], kind((2, 3, 5)), np.matmul, consts=zero_points(L, R))
LI, RI = kind((2, 3, 4), "i8"), kind((2, 4, 5), "i8")
tosa("matmul i8", [LI, RI], kind((2, 3, 5), "i32"),
     lambda x, y: (x - 2) @ (y + 1), consts=[(2, kind((1,), "i8")),
                                            (-1, kind((1,), "i8"))])
X = kind((1, 6, 7, 2))


def conv(x, w, bias, stride=(1, 1), dilation=(1, 1), pads=((0, 0), (0, 0))):
    """NHWC by OHWI."""
    x = np.pad(x, ((0, 0), *pads, (0, 0)))
    rows = (x.shape[1] - (w.shape[1] - 1) * dilation[0] - 1) // stride[0] + 1
    columns = (x.shape[2] - (w.shape[2] - 1) * dilation[1] - 1) // stride[1] + 1
    out = np.zeros((x.shape[0], rows, columns, w.shape[0])) + bias
    for i in range(w.shape[1]):
        for j in range(w.shape[2]):
            part = x[:, i * dilation[0]:, j * dilation[1]:][
                :, ::stride[0], ::stride[1]][:, :rows, :columns]
            out += part @ w[:, i, j].T
    return out


ACC = "acc_type = f32"
W = kind((3, 3, 2, 2))
tosa("conv2d", [X, W, kind((3,))], kind((1, 3, 3, 3)),
     lambda x, w, b: conv(x, w, b, (2, 3), (1, 2), ((1, 0), (0, 2))),
     "pad = array<i64: 1, 0, 0, 2>, stride = array<i64: 2, 3>, dilation = "
     "array<i64: 1, 2>, " + ACC, consts=zero_points(X, W))
D = kind((3, 2, 2, 2))
tosa("depthwise_conv2d", [X, D, kind((4,))], kind((1, 4, 6, 4)),
     lambda x, w, b: np.concatenate([
         conv(x[..., c:c + 1], w[:, :, c:c + 1].transpose(3, 0, 1, 2), 0)
         for c in range(2)], -1) + b,
     "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = "
     "array<i64: 1, 1>, " + ACC, consts=zero_points(X, D))
V, U = kind((1, 3, 4, 5, 2)), kind((3, 2, 2, 2, 2))
tosa("conv3d", [V, U, kind((3,))], kind((1, 2, 3, 4, 3)),
     lambda x, w, b: sum(x[:, i:i + 2, j:j + 3, k:k + 4] @ w[:, i, j, k].T
                         for i, j, k in np.ndindex(2, 2, 2)) + b,
     "pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>, "
     "dilation = array<i64: 1, 1, 1>, " + ACC, consts=zero_points(V, U))


def transposed(x, w, b, stride=(1, 1), pads=(0, 0, 0, 0)):
    """Each point of the input adds a kernel to the output."""
    n, h, v, _ = x.shape
    o, kh, kw, _ = w.shape
    rows, columns = (h - 1) * stride[0] + kh, (v - 1) * stride[1] + kw
    top, bottom, left, right = pads
    big = np.zeros((n, rows + 20, columns + 20, o))
    for i, j in np.ndindex(h, v):
        for k, m in np.ndindex(kh, kw):
            big[:, 10 + i * stride[0] + k, 10 + j * stride[1] + m] += (
                x[:, i, j] @ w[:, k, m].T)
    return big[:, 10 - top:10 + rows + bottom, 10 - left:10 + columns + right] + b


tosa("transpose_conv2d", [X, W, kind((3,))], kind((1, 8, 8, 3)), transposed,
     "out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, " + ACC,
     consts=zero_points(X, W))
tosa("transpose_conv2d with strides", [X, W, kind((3,))], kind((1, 14, 20, 3)),
     lambda x, w, b: transposed(x, w, b, (2, 3), (1, 0, 0, 0)),
     "out_pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 3>, " + ACC,
     consts=zero_points(X, W))
POOL = "kernel = array<i64: 2, 3>, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>"
pooled = lambda f: lambda x: f([x[:, i:i + 5:2, j:j + 5:2]
                                for i in range(2) for j in range(3)], 0)
tosa("max_pool2d", [X], kind((1, 3, 3, 2)), pooled(np.max), POOL)
tosa("max_pool2d IGNORE", [X], kind((1, 3, 3, 2)), pooled(np.nanmax),
     POOL + ", " + IGNORE)
tosa("avg_pool2d", [X], kind((1, 3, 3, 2)), pooled(np.mean), POOL + ", " + ACC,
     consts=zero_points(X, X))
tosa("avg_pool2d padded", [X], kind((1, 3, 4, 2)), lambda x: np.stack(
    [np.mean(x[:, 2 * i:2 * i + 2, max(0, 2 * j - 1):2 * j + 2], (1, 2))
     for i in range(3) for j in range(4)], 1).reshape(1, 3, 4, 2),
     "kernel = array<i64: 2, 3>, stride = array<i64: 2, 2>, pad = "
     "array<i64: 0, 0, 1, 1>, " + ACC, consts=zero_points(X, X))

# What moves.
tosa("concat", [A, kind((3, 2))], kind((3, 7)),
     lambda x, y: np.concatenate([x, y], 1), "axis = 1 : i32")
tosa("pad", [A], kind((4, 8)),
     lambda x: np.pad(x, ((0, 1), (2, 1)), constant_values=1.5),
     consts=[([0, 1, 2, 1], "!tosa.shape<4>"), ("1.5", kind((1,)))])
tosa("reshape", [kind((6, 4))], kind((2, 3, 4)), lambda x: x.reshape(2, 3, 4),
     consts=[([2, 3, 4], "!tosa.shape<3>")])
tosa("slice", [kind((6, 5))], kind((3, 2)), lambda x: x[2:5, 1:3],
     consts=[([2, 1], "!tosa.shape<2>"), ([3, 2], "!tosa.shape<2>")])
tosa("tile", [A], kind((6, 15)), lambda x: np.tile(x, (2, 3)),
     consts=[([2, 3], "!tosa.shape<2>")])
tosa("transpose", [L], kind((4, 2, 3)), lambda x: x.transpose(2, 0, 1),
     "perms = array<i32: 2, 0, 1>")
tosa("reverse", [A], A, lambda x: x[:, ::-1], "axis = 1 : i32")
tosa("reverse i8", [H], H, lambda x: x[::-1], "axis = 0 : i32")


def resize(variant, shape, result, scale, offset, border, mode, **expected):
    tosa("resize " + variant, [kind(shape)], kind(result),
         attributes=f"mode = #tosa.resize_mode<{mode}>",
         consts=[(scale, "!tosa.shape<4>"), (offset, "!tosa.shape<2>"),
                 (border, "!tosa.shape<2>")], **expected)


# A result has ((size - 1) * numerator - offset + border) / denominator + 1 rows.
resize("to twice the size", (1, 3, 4, 2), (1, 6, 8, 2), [4, 2, 4, 2], [-1, -1],
       [1, 1], "NEAREST_NEIGHBOR",
       reference=lambda x: x.repeat(2, 1).repeat(2, 2))
resize("to half the size", (1, 5, 7, 2), (1, 3, 4, 2), [1, 2, 1, 2], [0, 0],
       [0, 0], "NEAREST_NEIGHBOR", reference=lambda x: x[:, ::2, ::2])
resize("of one point", (1, 1, 1, 2), (1, 3, 4, 2), [3, 1, 4, 1], [0, 0], [2, 3],
       "BILINEAR", reference=lambda x: np.broadcast_to(x, (1, 3, 4, 2)))
resize("between points", (1, 3, 4, 2), (1, 5, 7, 2), [2, 1, 2, 1], [0, 0],
       [0, 0], "BILINEAR", error="its body reads a tensor ('tensor.extract') at "
       "1, 1, 2, 2, 3, 3, ... along a loop, which is no affine access; multiply "
       "by a constant matrix that picks (or interpolates) instead")

# Transforms are sums whose factors come from indices.
F = kind((2, 4, 8))


def parts(transformed):
    return transformed.real, transformed.imag


tosa("rfft2d", [F], [kind((2, 4, 5))] * 2, lambda x: parts(np.fft.rfft2(x)))
tosa("fft2d", [F, F], [F, F], lambda x, y: parts(np.fft.fft2(x + 1j * y)),
     "inverse = false")
tosa("fft2d inverse", [F, F], [F, F],
     lambda x, y: parts(np.fft.ifft2(x + 1j * y) * 32), "inverse = true")


def rescale(variant, multiplier, shift, rounding, per_channel, reference):
    count = len(multiplier)
    tosa("rescale" + variant, [kind((3, 5), "i32")], H, reference,
         f"rounding_mode = #tosa.rounding_mode<{rounding}>, per_channel = "
         f"{per_channel}, input_unsigned = false, output_unsigned = false, "
         "scale32 = true", consts=[
             (multiplier, kind((count,), "i32")), (shift, kind((count,), "i8")),
             ("0", kind((1,), "i32")), ("3", kind((1,), "i8"))])


# The product is rounded to the nearest, halves upwards.
scaled = lambda factor: lambda x: np.floor(x * factor + 0.5) + 3
rescale("", [3 << 28], [30], "SINGLE_ROUND", "false", scaled(0.75))
rescale(" rounded twice", [3 << 28], [31], "DOUBLE_ROUND", "false",
        scaled(0.375))
rescale(" per channel", [1 << 30, 3 << 28, 1 << 29, 1 << 30, 5 << 27], [30] * 5,
        "SINGLE_ROUND", "true", scaled(np.array([1, 0.75, 0.5, 1, 0.625])))

# What takes its places from data, and what upstream has no lowering for.
DATA = ("its body reads a tensor ('tensor.extract') at an index that is data, "
        "and an access of an Einsum is an affine function of its loops; look "
        "the elements up outside of the function")
tosa("table", [H, kind((256,), "i8")], H, error=DATA)
tosa("gather", [L, kind((2, 5), "i32")], kind((2, 5, 4)), error=DATA)
tosa("scatter", [L, kind((2, 2), "i32"), kind((2, 2, 4))], L,
     error="'tosa.scatter' op cannot be raised to an Einsum: writes at indices "
     "that are data, and an access of an Einsum is affine; scatter outside")
tosa("custom", [A], A, attributes='operator_name = "mine", domain_name = "here"'
     ', implementation_attrs = ""', error="'tosa.custom' op cannot be raised to "
     "an Einsum: is an op that only its own domain knows; write it in other ops")


def refuse(name, text, error):
    REFUSED["tosa." + name] = (text, error)


refuse("cond_if", f"""
func.func @f(%a: {A}, %c: tensor<i1>) -> {A} {{
  %r = tosa.cond_if %c (%x = %a) : tensor<i1> ({A}) -> {A} {{
  ^bb0(%x: {A}):
    %t = tosa.exp %x : ({A}) -> {A}
    tosa.yield %t : {A}
  }} else {{
  ^bb0(%x: {A}):
    tosa.yield %x : {A}
  }}
  return %r : {A}
}}
""", "'tosa.cond_if' op cannot be raised to an Einsum: chooses at run time what "
       "is computed; make a function of each branch")
refuse("while_loop", """
func.func @f(%i: tensor<i32>) -> tensor<i32> {
  %r = tosa.while_loop (%x = %i) : (tensor<i32>) -> tensor<i32> {
    %t = tosa.greater %i, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %t : tensor<i1>
  } do {
  ^bb0(%x: tensor<i32>):
    %t = tosa.add %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %t : tensor<i32>
  }
  return %r : tensor<i32>
}
""", "'tosa.while_loop' op cannot be raised to an Einsum: chooses at run time "
       "what is computed; make a function of each branch or body")
STATE = "keeps a state between calls; make it an argument and a result"
refuse("variable_write", f"""
tosa.variable @v = dense<0.0> : {A}
func.func @f(%a: {A}) {{
  tosa.variable_write @v, %a : {A}
  return
}}
""", "'tosa.variable_write' op cannot be raised to an Einsum: " + STATE)
refuse("variable_read", f"""
tosa.variable @v = dense<0.0> : {A}
func.func @f() -> {A} {{
  %r = tosa.variable_read @v : {A}
  return %r : {A}
}}
""", "'tosa.variable_read' op cannot be raised to an Einsum: " + STATE)
Q, S = kind((2, 32), "f8E4M3FN"), kind((2, 1), "f8E8M0FNU")
SIZE = "block_size = #tosa.block_size<BLOCK_SIZE_32>"
SCALES = ("has numbers in blocks of one scale; cast them outside of the "
          "function, and pass f32, bf16 or f16")
tosa("cast_to_block_scaled", [kind((2, 32))], [Q, S], attributes=SIZE,
     error=SCALES)
tosa("cast_from_block_scaled", [Q, S], kind((2, 32)), attributes=SIZE,
     error=SCALES)
Q3, S3 = kind((1, 2, 32), "f8E4M3FN"), kind((1, 2, 1), "f8E8M0FNU")
tosa("matmul_t_block_scaled", [Q3, S3, Q3, S3], kind((1, 2, 2)),
     attributes=SIZE, error=SCALES)
tosa("maximum ui8", [kind((3, 5), "ui8")] * 2, kind((3, 5), "ui8"),
     error="'tosa.maximum' op cannot be raised to an Einsum: has elements of type "
     "ui8; f16, bf16, f32, i1, i8, i32 and i64 can be raised: convert it")
refuse("add_shape", f"""
func.func @f(%a: {A}) -> {kind((5, 3))} {{
  %s = "tosa.const_shape"() {{values = dense<[2, 1]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %u = "tosa.const_shape"() {{values = dense<[3, 2]> : tensor<2xindex>}} : () -> !tosa.shape<2>
  %t = "tosa.add_shape"(%s, %u) : (!tosa.shape<2>, !tosa.shape<2>) -> !tosa.shape<2>
  %r = "tosa.reshape"(%a, %t) : ({A}, !tosa.shape<2>) -> {kind((5, 3))}
  return %r : {kind((5, 3))}
}}
""", "'tosa.reshape' op cannot be raised to an Einsum: takes a shape that is "
       "computed; write it as tosa.const_shape")
