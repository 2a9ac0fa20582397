# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of decoder layers on both paths, judged by NumPy in double precision.

    decoder.py CASE...      see CASES; sizes are odd, seeds fixed

References are written from the definitions: keys and values are repeated per
query head, rotated halves concatenated, a cache and new keys put side by side.
"""

import math
import sys

import numpy as np
from compare import judge
from layers import tensor

from transfusion import reference


def rms_norm(x, gamma=1.0, eps=1e-6):
    x = np.asarray(x, np.float64)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gamma


def rope(x, cos, sin, interleaved=False):
    x = np.asarray(x, np.float64)
    if interleaved:
        rotated = np.empty_like(x)
        rotated[..., 0::2], rotated[..., 1::2] = -x[..., 1::2], x[..., 0::2]
        if cos.shape[-1] != x.shape[-1]:
            cos, sin = cos.repeat(2, -1), sin.repeat(2, -1)
    else:
        half = x.shape[-1] // 2
        rotated = np.concatenate([-x[..., half:], x[..., :half]], -1)
        if cos.shape[-1] != x.shape[-1]:
            cos, sin = np.concatenate([cos, cos], -1), np.concatenate([sin, sin], -1)
    # [b, p, e] or [p, e] beside [b, h, p, e]
    place = lambda t: t[:, None] if t.ndim == 3 else t
    return x * place(cos) + rotated * place(sin)


ACTIVATIONS = {
    "relu": reference.relu,
    "gelu": reference.gelu,
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(
        math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


def repeat(t, heads):
    return np.asarray(t, np.float64).repeat(heads // t.shape[1], axis=1)


def attention(q, k, v, **options):
    return reference.attention(q, repeat(k, q.shape[1]), repeat(v, q.shape[1]),
                               **options)


class Layer:
    """Collects arguments; `text` is the function around a body."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.names, self.arrays = [], []

    def arg(self, name, *shape, scale=1.0, offset=0.0):
        array = (offset + scale * self.rng.standard_normal(shape)).astype(np.float32)
        self.names.append(name)
        self.arrays.append(array)
        return array

    def types(self, *names):
        return ", ".join(tensor(*self.arrays[self.names.index(n)].shape)
                         for n in names)

    def text(self, body, *results):
        args = ", ".join(f"%{n}: {tensor(*a.shape)}"
                         for n, a in zip(self.names, self.arrays))
        values = ", ".join(f"%{n}" for n, _ in results)
        types = ", ".join(tensor(*shape) for _, shape in results)
        return (f"func.func @layer({args}) -> ({types}) {{\n{body}\n"
                f"  return {values} : {types}\n}}\n")

    def judge(self, name, body, result, shape, expected):
        return judge(name, self.text(body, (result, shape)), self.arrays, expected)


def rms(_):
    layer = Layer(1)
    x, g = layer.arg("x", 2, 19, 47), layer.arg("g", 47, scale=0.2, offset=1)
    t = layer.types("x")
    return layer.judge(
        "rms_norm", f"%r = einsum.rms_norm %x, %g eps 1.0e-6 : ({layer.types('x', 'g')}) -> {t}",
        "r", x.shape, rms_norm(x, g))


def rotary(_):
    good = True
    for i, (interleaved, table) in enumerate(
            ((False, (1, 19, 10)), (True, (19, 10)), (False, (2, 19, 5)),
             (True, (2, 1, 5)), (False, (1, 10)))):
        layer = Layer(i)
        x = layer.arg("x", 2, 3, 19, 10)
        cos, sin = layer.arg("c", *table), layer.arg("s", *table)
        word = " interleaved" if interleaved else ""
        good &= layer.judge(
            f"rope{word} {table}",
            f"%r = einsum.rope %x, %c, %s{word} : ({layer.types('x', 'c', 's')}) -> {layer.types('x')}",
            "r", x.shape, rope(x, cos, sin, interleaved))
    return good


def gated(_):
    good = True
    for i, (name, gate, bias) in enumerate(
            (("silu", True, False), ("gelu", True, True), ("gelu_tanh", True, False),
             ("silu", False, True), ("gelu_tanh", False, False))):
        layer = Layer(10 + i)
        x = layer.arg("x", 2, 19, 23)
        up, down = (layer.arg("u", 31, 23, scale=0.2), layer.arg("d", 17, 31, scale=0.2))
        names, words = ["x", "u", "d"], ""
        inner = x.astype(np.float64) @ up.T.astype(np.float64)
        g = layer.arg("g", 31, 23, scale=0.4) if gate else None
        outer = x.astype(np.float64) @ g.T.astype(np.float64) if gate else None
        if gate:
            words += " gate %g"
            names.append("g")
        b2 = 0.0
        if bias:
            b1, b2 = layer.arg("b1", 31), layer.arg("b2", 17)
            inner = inner + b1
            words, names = words + " bias %b1, %b2", names + ["b1", "b2"]
            if gate:
                outer = outer + layer.arg("bg", 31)
                words, names = words + ", %bg", names + ["bg"]
        act = ACTIVATIONS[name]
        hidden = act(outer) * inner if gate else act(inner)
        shape = (2, 19, 17)
        good &= layer.judge(
            f"ffn {name}{' gated' if gate else ''}{' bias' if bias else ''}",
            f"%r = einsum.ffn %x, %u, %d{words} activation {name} out_in : ({layer.types(*names)}) -> {tensor(*shape)}",
            "r", shape, hidden @ down.T.astype(np.float64) + b2)
    return good


def grouped(_):
    """Projection, rotation and attention with shared heads of keys."""
    good = True
    for i, (heads, kv, causal, fused) in enumerate(
            ((6, 2, True, False), (6, 1, False, True), (4, 4, True, True))):
        layer = Layer(20 + i)
        b, p, e, d = 2, 19, 6, 23
        x = layer.arg("x", b, p, d)
        cos, sin = layer.arg("c", 1, p, e), layer.arg("s", 1, p, e)
        widths = [heads * e, kv * e, kv * e]
        if fused:
            w = layer.arg("w", sum(widths), d, scale=0.2)
            weights, names = np.split(w, np.cumsum(widths)[:2]), ["w"]
        else:
            names = ["wq", "wk", "wv"]
            weights = [layer.arg(n, n_out, d, scale=0.2)
                       for n, n_out in zip(names, widths)]
        q, k, v = (reference.split_heads(x.astype(np.float64) @ w.T.astype(np.float64), n)
                   for w, n in zip(weights, (heads, kv, kv)))
        tq, tk = tensor(b, heads, p, e), tensor(b, kv, p, e)
        shape = (b, p, heads * e)
        words = f"heads {heads}" + (f" kv_heads {kv}" if kv != heads else "")
        body = f"""
  %q, %k, %v = einsum.qkv %x, {', '.join('%' + n for n in names)} {words} out_in : ({layer.types('x', *names)}) -> ({tq}, {tk}, {tk})
  %qr = einsum.rope %q, %c, %s : ({tq}, {layer.types('c', 's')}) -> {tq}
  %kr = einsum.rope %k, %c, %s : ({tk}, {layer.types('c', 's')}) -> {tk}
  %r = einsum.mha %qr, %kr, %v scale {e ** -0.5!r}{' causal' if causal else ''} : ({tq}, {tk}, {tk}) -> {tensor(*shape)}"""
        expected = reference.merge_heads(attention(
            rope(q, cos, sin), rope(k, cos, sin), v, causal=causal))
        good &= layer.judge(f"grouped {heads}/{kv}", body, "r", shape, expected)
    return good


def cross(_):
    """17 queries of one sequence, 31 keys of another of other width."""
    layer = Layer(30)
    heads, e = 3, 5
    x, memory = layer.arg("x", 2, 17, 13), layer.arg("m", 2, 31, 11)
    wq = layer.arg("wq", 15, 13, scale=0.3)
    wk, wv = (layer.arg(n, 15, 11, scale=0.3) for n in ("wk", "wv"))
    q, k, v = (reference.split_heads(t.astype(np.float64) @ w.T.astype(np.float64), heads)
               for t, w in ((x, wq), (memory, wk), (memory, wv)))
    tq, tk, shape = tensor(2, heads, 17, e), tensor(2, heads, 31, e), (2, 17, 15)
    body = f"""
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv memory %m heads {heads} out_in : ({layer.types('x', 'wq', 'wk', 'wv', 'm')}) -> ({tq}, {tk}, {tk})
  %r = einsum.mha %q, %k, %v scale {e ** -0.5!r} : ({tq}, {tk}, {tk}) -> {tensor(*shape)}"""
    return layer.judge("cross", body, "r", shape,
                       reference.merge_heads(attention(q, k, v)))


def cache(_):
    """New queries and keys behind a cache; with masks that leave the cache, the
    new keys or both at -inf."""
    good = True
    for i, (p, new, past, causal, mask) in enumerate(
            ((1, 1, 37, False, None), (5, 5, 29, True, None), (7, 3, 19, True, None),
             (2, 2, 17, False, "past"), (2, 2, 17, False, "new"),
             (2, 2, 17, False, "all"))):
        layer = Layer(40 + i)
        b, heads, kv, e, f = 2, 6, 2, 6, 5
        q, k, v = (layer.arg("q", b, heads, p, e), layer.arg("k", b, kv, new, e),
                   layer.arg("v", b, kv, new, f))
        pk, pv = layer.arg("pk", b, kv, past, e), layer.arg("pv", b, kv, past, f)
        names, words, data = ["q", "k", "v", "pk", "pv"], "", None
        if mask:
            data = layer.arg("m", b, 1, p, past + new)
            if mask in ("past", "all"):
                data[0, ..., :past] = -np.inf
            if mask in ("new", "all"):
                data[0, ..., past:] = -np.inf
            names.append("m")
            words = " mask %m"
        shape = (b, p, heads * f)
        body = f"  %r = einsum.mha %q, %k, %v past %pk, %pv{words} scale {e ** -0.5!r}{' causal' if causal else ''} : ({layer.types(*names)}) -> {tensor(*shape)}"
        expected = reference.merge_heads(attention(
            q, np.concatenate([pk, k], 2), np.concatenate([pv, v], 2),
            causal=causal, mask=data))
        good &= layer.judge(f"cache {past} + {new} keys, {p} queries, mask {mask}",
                            body, "r", shape, expected)
    return good


CASES = {f.__name__: f for f in (rms, rotary, gated, grouped, cross, cache)}

if __name__ == "__main__":
    sys.exit(0 if all([CASES[name]([]) for name in sys.argv[1:]]) else 1)
