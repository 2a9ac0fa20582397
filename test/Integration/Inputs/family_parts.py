# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What layers of other families are made of, and where they are registered."""

import math
from dataclasses import dataclass

import numpy as np
from torch_linalg import Layer

BATCH, ROWS, WIDTH, HEADS, HIDDEN = 2, 11, 24, 4, 40

FAMILIES = {}


@dataclass
class Family:
    function: object
    passes: int = 1  # attentions in one pass
    names: tuple = ()  # Einsums that must be there
    absent: tuple = ()  # and that must not
    constraints: int = None  # of all domains
    flag: str = "--convert-linalg-to-einsum"
    #: Another family, whose cascade is this one's: it is scheduled with that.
    like: str = ""
    #: Whether it is scheduled; else it differs little from what is.
    scheduled: bool = True


def family(**expected):
    def register(function):
        FAMILIES[function.__name__] = Family(function, **expected)
        return function
    return register


def index_head():
    return ("%p = linalg.index 2 : index\n%m = linalg.index 3 : index\n"
            "%n = arith.constant 0xFF800000 : f32\n")


def mask(layer, s, condition, visible):
    """select(condition over %p, %m; the score; -inf)"""
    return layer.generic(
        "bhpm", [(s, "bhpm")],
        index_head() + condition + "\n%r = arith.select %c, %a, %n : f32",
        np.where(visible, s.array, -np.inf))


def positions(queries, keys):
    return np.arange(queries)[:, None], np.arange(keys)[None, :]


def causal(layer, s):
    p, m = positions(*s.array.shape[2:])
    return mask(layer, s, "%c = arith.cmpi sle, %m, %p : index", m <= p)


def scores(layer, q, k):
    """[b,h,p,e] and [b,h,m,e], by way of a batch of b*h."""
    b, h = q.array.shape[:2]
    k = layer.transpose(k, [0, 1, 3, 2])
    s = layer.batch_matmul(layer.merge(q, 0, 1), layer.merge(k, 0, 1))
    return layer.split(s, 0, b, h)


def weighted(layer, w, v):
    b, h = w.array.shape[:2]
    o = layer.batch_matmul(layer.merge(w, 0, 1), layer.merge(v, 0, 1))
    return layer.merge(layer.transpose(layer.split(o, 0, b, h), [0, 2, 1, 3]),
                       2, 3)


def attention(layer, x, change=lambda layer, s: s, on_q=None, on_k=None,
              key_heads=HEADS, bias=True, scaled=True, softmax=Layer.softmax):
    size = WIDTH // HEADS
    q = layer.heads(layer.linear(x, WIDTH, bias), HEADS)
    k, v = (layer.heads(layer.linear(x, key_heads * size, bias), key_heads)
            for _ in "kv")
    if on_q:
        q, k = on_q(layer, q), (on_k or on_q)(layer, k)
    if key_heads != HEADS:
        k, v = repeat(layer, k), repeat(layer, v)
    s = scores(layer, q, k)
    if scaled:
        s = layer.scale(s, size**-0.5)
    o = weighted(layer, softmax(layer, change(layer, s)), v)
    return layer.linear(o, WIDTH, bias)


def repeat(layer, x):
    """Each head for a group of queries, one after another."""
    b, kv, m, e = x.array.shape
    group = HEADS // kv
    wide = layer.generic("bkgme", [(x, "bkme")], "",
                         np.repeat(x.array[:, :, None], group, 2))
    return layer.merge(wide, 1, 2)


def feed_forward(layer, x, activation):
    return layer.linear(activation(layer, layer.linear(x, HIDDEN)), WIDTH)


def quick_gelu(layer, x):
    """x sigmoid(1.702 x)"""
    gate = layer.unary(layer.scale(x, 1.702), sigmoid_body(),
                       1 / (1 + np.exp(-float(np.float32(1.702)) * x.array)))
    return layer.binary("mulf", x, gate)


def sigmoid_body():
    return ("%one = arith.constant 1.0 : f32\n%n = arith.negf %a : f32\n"
            "%e = math.exp %n : f32\n%s = arith.addf %e, %one : f32\n"
            "%r = arith.divf %one, %s : f32")


def silu(layer, x):
    gate = layer.unary(x, sigmoid_body(), 1 / (1 + np.exp(-x.array)))
    return layer.binary("mulf", x, gate)


def relu_squared(layer, x):
    y = layer.unary(x, "%k = arith.constant 0.0 : f32\n"
                    "%r = arith.maximumf %a, %k : f32", np.maximum(x.array, 0))
    return layer.binary("mulf", y, y)


def gelu(layer, x):
    erf = np.vectorize(math.erf)
    return layer.unary(
        x, "%k = arith.constant 0.707106769 : f32\n%h = arith.constant 0.5 : f32"
        "\n%one = arith.constant 1.0 : f32\n%s = arith.mulf %a, %k : f32\n"
        "%e = math.erf %s : f32\n%t = arith.addf %e, %one : f32\n"
        "%u = arith.mulf %t, %h : f32\n%r = arith.mulf %a, %u : f32",
        x.array * (0.5 + 0.5 * erf(x.array / math.sqrt(2))))


def add(layer, x, y):
    return layer.binary("addf", x, y)


def rotated(layer, x, cos, sin, part):
    """The first `part` features of a head are rotated by halves."""
    size = x.array.shape[3]
    head = layer.slice(x, 3, 0, part) if part < size else x
    first = layer.slice(head, 3, 0, part // 2)
    second = layer.slice(head, 3, part // 2, part // 2)
    minus = layer.unary(second, "%r = arith.negf %a : f32", -second.array)
    turned = layer.concat(3, minus, first)
    y = add(layer, layer.binary("mulf", head, cos, "bhpe", "pe"),
            layer.binary("mulf", turned, sin, "bhpe", "pe"))
    if part == size:
        return y
    return layer.concat(3, y, layer.slice(x, 3, part, size - part))
