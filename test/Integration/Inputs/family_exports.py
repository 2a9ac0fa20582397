# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families as other exporters than torch-mlir's linalg write them (linalg's own
named ops, StableHLO's lowering, JAX, TOSA), and those whose exports have other
ops than layers have elsewhere: concats in the scores, integers, convolutions."""

import numpy as np
from family_parts import (BATCH, HEADS, HIDDEN, ROWS, WIDTH, add, attention,
                          causal, family, feed_forward, gelu, positions,
                          rotated, scores, silu, weighted)

SIZE = WIDTH // HEADS


def named(layer, op, inputs, array, attributes="", init=None, more=""):
    """A linalg op of that name."""
    array = np.asarray(array)
    start = layer.empty(array.shape) if init is None else \
        layer.fill(array.shape, init)
    names = ", ".join(t.name for t in inputs)
    types = ", ".join(t.type for t in inputs)
    return layer.add(f"linalg.{op} {attributes} ins({names} : {types}) "
                     f"outs({start.name} : {start.type}) {more}-> TYPE", array)


def primitive(layer, op, inputs, array, attributes, init=None):
    """linalg.map, reduce, broadcast: the result is no attribute."""
    array = np.asarray(array)
    start = layer.empty(array.shape) if init is None else \
        layer.fill(array.shape, init)
    names = ", ".join(t.name for t in inputs)
    types = ", ".join(t.type for t in inputs)
    body, dims = attributes
    return layer.add(f"linalg.{op} {body} ins({names} : {types}) "
                     f"outs({start.name} : {start.type}) {dims}", array)


#===--- torch-mlir, with ops that are rare --------------------------------===#


@family(names=["QK", "NR"])
def latent_attention(layer, x):
    """DeepSeek's MLA: keys and values from one narrow tensor; a part of each
    query and key is rotated, and all heads share that of the keys."""
    rank, part = 10, 4
    cos, sin = layer.argument(ROWS, part), layer.argument(ROWS, part)
    narrow = layer.linear(x, rank + part, bias=False)
    latent = layer.rms_norm(layer.slice(narrow, 2, 0, rank))
    shared = layer.heads(layer.slice(narrow, 2, rank, part), 1)
    shared = rotated(layer, shared, cos, sin, part)
    shared = layer.generic("bhpe", [(layer.merge(shared, 0, 1), "bpe")], "",
                           np.repeat(shared.array, HEADS, 1))
    both = layer.heads(layer.linear(latent, HEADS * 2 * SIZE, bias=False),
                       HEADS)
    k = layer.concat(3, layer.slice(both, 3, 0, SIZE), shared)
    v = layer.slice(both, 3, SIZE, SIZE)
    q = layer.heads(layer.linear(x, HEADS * (SIZE + part), bias=False), HEADS)
    q = layer.concat(3, layer.slice(q, 3, 0, SIZE), rotated(
        layer, layer.slice(q, 3, SIZE, part), cos, sin, part))
    s = layer.scale(scores(layer, q, k), (SIZE + part)**-0.5)
    o = weighted(layer, layer.softmax(causal(layer, s)), v)
    return layer.linear(o, WIDTH, bias=False)


@family(passes=2)
def differential(layer, x):
    """Two softmaxes of halves of the features, the second subtracted."""
    v = layer.heads(layer.linear(x, WIDTH, bias=False), HEADS)
    parts = []
    for _ in range(2):
        q, k = (layer.heads(layer.linear(x, WIDTH // 2, bias=False), HEADS)
                for _ in "qk")
        s = layer.scale(scores(layer, q, k), (SIZE // 2)**-0.5)
        parts.append(weighted(layer, layer.softmax(causal(layer, s)), v))
    amount = layer.argument(WIDTH, scale=0.1, around=0.4)
    second = layer.binary("mulf", parts[1], amount, "bpd", "d")
    return layer.linear(layer.binary("subf", parts[0], second), WIDTH,
                        bias=False)


@family(names=["QK", "ffn3.FFN1", "ffn3.FFN2"])
def convolutional_stem(layer, x):
    """Whisper: two convolutions over the sequence, each padded, then a layer."""
    y = layer.transpose(x, [0, 2, 1])
    for _ in range(2):
        zero = layer.fresh()
        layer.lines.append(f"    {zero} = arith.constant 0.0 : f32")
        array = np.pad(y.array, ((0, 0), (0, 0), (1, 1)))
        y = layer.add(
            f"tensor.pad {y.name} low[0, 0, 1] high[0, 0, 1] {{\n    ^bb0(%i: "
            f"index, %j: index, %k: index):\n      tensor.yield {zero} : f32\n"
            f"    }} : {y.type} to TYPE", array)
        w = layer.argument(WIDTH, WIDTH, 3, scale=(3 * WIDTH)**-0.5)
        taken = np.stack([array[:, :, k:k + ROWS] for k in range(3)])
        y = named(layer, "conv_1d_ncw_fcw", [y, w],
                  np.einsum("kncw,fck->nfw", taken, w.array),
                  "{dilations = dense<1> : vector<1xi64>, strides = dense<1> : "
                  "vector<1xi64>}", 0.0)
        y = gelu(layer, layer.binary("addf", y, layer.argument(WIDTH), "ncw",
                                     "c"))
    x = layer.transpose(y, [0, 2, 1])
    x = add(layer, x, attention(layer, layer.layer_norm(x)))
    return add(layer, x, feed_forward(layer, layer.layer_norm(x), gelu))


@family(names=["QK"])
def integer_weights(layer, x):
    """Weights of i8 with a zero point and a scale per output."""
    def linear(y, outputs):
        features = y.array.shape[2]
        w = layer.argument(outputs, features, element="i8")
        zero = layer.argument(outputs, element="i8")
        scale = layer.argument(outputs, scale=1e-3, around=4e-3)
        real = layer.generic(
            "nd", [(w, "nd"), (zero, "n"), (scale, "n")],
            "%i = arith.extsi %a : i8 to i32\n%j = arith.extsi %b : i8 to i32\n"
            "%k = arith.subi %i, %j : i32\n%f = arith.sitofp %k : i32 to f32\n"
            "%r = arith.mulf %f, %c : f32",
            (w.array - zero.array[:, None]) * scale.array[:, None])
        turned = layer.transpose(real, [1, 0])
        flat = named(layer, "matmul", [layer.merge(y, 0, 1), turned],
                     y.array.reshape(-1, features) @ turned.array, init=0.0)
        return layer.split(flat, 0, BATCH, ROWS)
    q, k, v = (layer.heads(linear(x, WIDTH), HEADS) for _ in "qkv")
    s = layer.scale(scores(layer, q, k), SIZE**-0.5)
    return linear(weighted(layer, layer.softmax(causal(layer, s)), v), WIDTH)


@family(passes=0, names=["NR"])
def dense_experts(layer, x):
    """A mixture whose experts all run: weights are a softmax over experts."""
    experts = 3
    y = layer.rms_norm(x)
    gate = layer.softmax(layer.linear(y, experts, bias=False))
    total = None
    for i in range(experts):
        inner = layer.linear(
            layer.binary("mulf", silu(layer, layer.linear(y, HIDDEN, False)),
                         layer.linear(y, HIDDEN, False)), WIDTH, False)
        weight = layer.slice(gate, 2, i, 1)
        inner = layer.generic(
            "bpd", [(inner, "bpd"), (weight, "bp1")],
            "%r = arith.mulf %a, %b : f32", inner.array * weight.array)
        total = inner if total is None else add(layer, total, inner)
    return add(layer, x, total)


@family(passes=0, absent=["AV"])
def sink_beside_scores(layer, x):
    """GPT-OSS: a logit per head beside the scores, whose weight is dropped: the
    weights of a row are less than one, and no softmax over the keys."""
    sink = layer.argument(HEADS)

    def softmax(l, s):
        column = l.generic("bhpz", [(l.split(sink, 0, HEADS, 1), "hz")], "",
                           np.broadcast_to(sink.array[:, None, None],
                                           (*s.array.shape[:3], 1)))
        w = l.softmax(l.concat(3, s, column))
        return l.slice(w, 3, 0, ROWS)
    return attention(layer, x, causal, softmax=softmax)


#===--- StableHLO, lowered to primitive ops -------------------------------===#


def mapped(layer, op, *inputs, array):
    return primitive(layer, "map", inputs, array, (f"{{ {op} }}", ""))


def broadcast(layer, x, shape, dims):
    array = np.broadcast_to(np.expand_dims(x.array, tuple(dims)), shape)
    return primitive(layer, "broadcast", [x], array,
                     ("", f"dimensions = {list(dims)}"))


def reduced(layer, op, x, init, array):
    last = x.array.ndim - 1
    return primitive(layer, "reduce", [x], array,
                     (f"{{ {op} }}", f"dimensions = [{last}]"), init)


def primitive_softmax(layer, s):
    shape, last = s.array.shape, s.array.ndim - 1
    top = reduced(layer, "arith.maximumf", s, -np.inf, s.array.max(-1))
    top = broadcast(layer, top, shape, [last])
    shifted = mapped(layer, "arith.subf", s, top, array=s.array - top.array)
    power = mapped(layer, "math.exp", shifted, array=np.exp(shifted.array))
    total = reduced(layer, "arith.addf", power, 0.0, power.array.sum(-1))
    total = broadcast(layer, total, shape, [last])
    return mapped(layer, "arith.divf", power, total,
                  array=power.array / total.array)


@family(names=["QK", "rms1.NR", "rms2.NR"], constraints=2)
def gemma_two(layer, x):
    """Soft caps, a window, norms before and after, from StableHLO."""
    def change(l, s):
        cap = l.fill(s.array.shape, 5.0)
        s = mapped(l, "arith.divf", s, cap, array=s.array / 5.0)
        s = mapped(l, "math.tanh", s, array=np.tanh(s.array))
        s = mapped(l, "arith.mulf", s, cap, array=s.array * 5.0)
        p, m = positions(ROWS, ROWS)
        seen = l.generic(
            "pm", [], "%p = linalg.index 0 : index\n%m = linalg.index 1 : index"
            "\n%w = arith.constant 4 : index\n%l = arith.subi %p, %w : index\n"
            "%c = arith.cmpi sle, %m, %p : index\n"
            "%d = arith.cmpi sgt, %m, %l : index\n%r = arith.andi %c, %d : i1",
            (m <= p) & (m > p - 4), element="i1")
        lowest = l.fill(s.array.shape, -np.inf)
        return l.generic("bhpm", [(seen, "pm"), (s, "bhpm"), (lowest, "bhpm")],
                         "%r = arith.select %a, %b, %c : f32",
                         np.where(seen.array, s.array, -np.inf))
    y = attention(layer, layer.rms_norm(x), change, key_heads=2, bias=False,
                  softmax=primitive_softmax)
    return add(layer, x, layer.rms_norm(y))


#===--- JAX ---------------------------------------------------------------===#


@family(names=["QK"])
def dot_product_of_jax(layer, x):
    """[b, p, h, e] throughout; what is hidden has the least number of f32, which
    is no infinity: a row that sees nothing would see all."""
    q, k, v = (layer.split(layer.linear(x, WIDTH), 2, HEADS, SIZE)
               for _ in "qkv")
    s = layer.generic("bhpm", [(q, "bphe"), (k, "bmhe")],
                      "%u = arith.mulf %a, %b : f32\n"
                      "%r = arith.addf %z, %u : f32",
                      np.einsum("bphe,bmhe->bhpm", q.array, k.array), "e", 0.0)
    s = layer.scale(s, SIZE**-0.5)
    p, m = positions(ROWS, ROWS)
    least = float(np.finfo(np.float32).min)
    s = layer.generic(
        "bhpm", [(s, "bhpm")],
        "%p = linalg.index 2 : index\n%m = linalg.index 3 : index\n"
        "%i = arith.index_cast %p : index to i32\n"
        "%j = arith.index_cast %m : index to i32\n"
        "%c = arith.cmpi sge, %i, %j : i32\n"
        f"%n = arith.constant {least:.9e} : f32\n"
        "%r = arith.select %c, %a, %n : f32", np.where(m <= p, s.array, least))
    w = layer.softmax(s)
    o = layer.generic("bphe", [(w, "bhpm"), (v, "bmhe")],
                      "%u = arith.mulf %a, %b : f32\n"
                      "%r = arith.addf %z, %u : f32",
                      np.einsum("bhpm,bmhe->bphe", w.array, v.array), "m", 0.0)
    return layer.linear(layer.merge(o, 2, 3), WIDTH)


#===--- linalg's own ops --------------------------------------------------===#


@family(names=["QK"])
def named_softmax(layer, x):
    """linalg.softmax, linalg.contract and linalg.elementwise."""
    q, k, v = (layer.heads(layer.linear(x, WIDTH), HEADS) for _ in "qkv")
    maps = lambda *to: "indexing_maps = [" + ", ".join(
        f"affine_map<(b, h, p, m, e) -> ({', '.join(t)})>" for t in to) + "]"
    s = named(layer, "contract", [q, k], q.array @ k.array.swapaxes(2, 3),
              maps("bhpe", "bhme", "bhpm"), 0.0)
    factor = layer.fill(s.array.shape, SIZE**-0.5)
    s = named(layer, "elementwise", [s, factor], s.array * SIZE**-0.5,
              "kind=#linalg.elementwise_kind<mul>")
    e = np.exp(s.array - s.array.max(-1, keepdims=True))
    w = named(layer, "softmax", [s], e / e.sum(-1, keepdims=True),
              "dimension(3)")
    o = named(layer, "contract", [w, v], w.array @ v.array,
              maps("bhpm", "bhme", "bhpe"), 0.0)
    o = layer.merge(layer.transpose(o, [0, 2, 1, 3]), 2, 3)
    return layer.linear(o, WIDTH)


@family(names=["QK"])
def windows_of_keys(layer, x):
    """Swin: the sequence in windows of four, the last of them padded; each
    attends to itself, with a bias that depends on the distance."""
    size, count = 4, 3
    q, k, v = (layer.linear(x, WIDTH) for _ in "qkv")

    def parted(t):
        zero = layer.fill((BATCH, size * count - ROWS, WIDTH), 0.0)
        t = layer.split(layer.concat(1, t, zero), 1, count, size)
        t = layer.split(layer.merge(t, 0, 1), 2, HEADS, SIZE)
        return layer.transpose(t, [0, 2, 1, 3])
    bias = layer.argument(HEADS, size, size)
    s = layer.scale(scores(layer, parted(q), parted(k)), SIZE**-0.5)
    s = layer.binary("addf", s, bias, "bhpm", "hpm")
    o = weighted(layer, layer.softmax(s), parted(v))
    o = layer.merge(layer.split(o, 0, BATCH, count), 1, 2)
    return layer.linear(layer.slice(o, 1, 0, ROWS), WIDTH)


#===--- TOSA --------------------------------------------------------------===#


class Tosa:
    """What torch-mlir's TOSA backend writes."""

    def __init__(self, layer):
        self.layer = layer

    def op(self, name, inputs, array, attributes="", scalars=""):
        names = ", ".join([t.name for t in inputs])
        types = ", ".join([t.type for t in inputs])
        if scalars:
            names += ", " + scalars[0]
            types += ", " + scalars[1]
        return self.layer.add(
            f"tosa.{name} {names} {attributes} : ({types}) -> TYPE", array)

    def constant(self, value, shape, element="f32"):
        text = f"{value:.9e}" if element == "f32" else str(value)
        return self.layer.add(f'"tosa.const"() <{{values = dense<{text}> : '
                              "TYPE}> : () -> TYPE", np.full(shape, value),
                              element)

    def reshape(self, x, *shape):
        rank, sizes = len(shape), ", ".join(map(str, shape))
        name = self.layer.fresh()
        self.layer.lines.append(
            f"    {name} = tosa.const_shape {{values = dense<[{sizes}]> : "
            f"tensor<{rank}xindex>}} : () -> !tosa.shape<{rank}>")
        return self.op("reshape", [x], x.array.reshape(shape),
                       scalars=(name, f"!tosa.shape<{rank}>"))

    def transpose(self, x, *order):
        return self.op("transpose", [x], x.array.transpose(order),
                       f"{{perms = array<i32: {', '.join(map(str, order))}>}}")

    def matmul(self, x, y):
        zero = [self.constant(0.0, (1,)) for _ in "xy"]
        return self.op("matmul", [x, y, *zero], x.array @ y.array)

    def mul(self, x, y):
        return self.op("mul", [x, y, self.constant(0, (1,), "i8")],
                       x.array * y.array)

    def reduce(self, op, x, array):
        return self.op(f"reduce_{op}", [x], array,
                       f"{{axis = {x.array.ndim - 1} : i32}}")

    def linear(self, x, outputs):
        b, p, d = x.array.shape
        w = self.layer.argument(outputs, d, scale=d**-0.5)
        w = self.reshape(self.transpose(w, 1, 0), 1, d, outputs)
        y = self.matmul(self.reshape(x, 1, b * p, d), w)
        bias = self.reshape(self.layer.argument(outputs, scale=0.3), 1, 1,
                            outputs)
        y = self.reshape(y, b, p, outputs)
        return self.op("add", [y, bias], y.array + bias.array)

    def heads(self, x):
        b, p, _ = x.array.shape
        return self.transpose(self.reshape(x, b, p, HEADS, SIZE), 0, 2, 1, 3)


@family(names=["QK"], flag="--convert-tosa-to-einsum")
def tosa_bias_of_distance(layer, x):
    """A mask and a bias per head as data, in TOSA."""
    t = Tosa(layer)
    q, k, v = (t.reshape(t.heads(t.linear(x, WIDTH)), BATCH * HEADS, ROWS, SIZE)
               for _ in "qkv")
    s = t.reshape(t.matmul(q, t.transpose(k, 0, 2, 1)), BATCH, HEADS, ROWS,
                  ROWS)
    s = t.mul(s, t.constant(float(np.float32(SIZE**-0.5)), (1, 1, 1, 1)))
    bias = layer.argument(1, HEADS, ROWS, ROWS)
    s = t.op("add", [s, bias], s.array + bias.array)
    top = t.reduce("max", s, s.array.max(-1, keepdims=True))
    s = t.op("sub", [s, top], s.array - top.array)
    e = t.op("exp", [s], np.exp(s.array))
    total = t.reduce("sum", e, e.array.sum(-1, keepdims=True))
    w = t.mul(e, t.op("reciprocal", [total], 1 / total.array))
    o = t.matmul(t.reshape(w, BATCH * HEADS, ROWS, ROWS), v)
    o = t.transpose(t.reshape(o, BATCH, HEADS, ROWS, SIZE), 0, 2, 1, 3)
    return t.linear(t.reshape(o, BATCH, ROWS, WIDTH), WIDTH)
