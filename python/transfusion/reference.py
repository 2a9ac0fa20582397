# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the layers mean, in NumPy and double precision.

Written from the definitions of the operations, not from the C++: it is what
emitted programs are judged by. As a program it writes test data:

    python3 -m transfusion.reference bert --batch 3 --length 17 --heads 3 \\
        --head-size 5 --hidden 31 --seed 1 --out FILE.npz
"""

import argparse
import math
import sys

import numpy as np

_erf = np.vectorize(math.erf, otypes=[np.float64])


def linear(x, weight, bias=None, layout="in_out"):
    """x [..., in]; weight [in, out], or torch's [out, in]."""
    w = np.asarray(weight, np.float64)
    y = np.asarray(x, np.float64) @ (w.T if layout == "out_in" else w)
    return y if bias is None else y + np.asarray(bias, np.float64)


def gelu(x):
    return 0.5 * x * (1.0 + _erf(x / math.sqrt(2.0)))


def relu(x):
    return np.maximum(x, 0.0)


def layer_norm(x, gamma=None, beta=None, eps=1e-12):
    """Over the last dimension."""
    x = np.asarray(x, np.float64)
    centred = x - x.mean(-1, keepdims=True)
    y = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
    if gamma is not None:
        y = y * np.asarray(gamma, np.float64)
    return y if beta is None else y + np.asarray(beta, np.float64)


def softmax(s, axis=-1, empty=np.nan):
    """A row without any finite value gives `empty`."""
    top = s.max(axis, keepdims=True)
    none = np.isneginf(top)
    e = np.exp(s - np.where(none, 0.0, top))
    total = e.sum(axis, keepdims=True)
    return np.where(none, empty, e / np.where(none, 1.0, total))


def split_heads(x, heads):
    """[b, p, h*e] -> [b, h, p, e]."""
    b, p, d = x.shape
    return x.reshape(b, p, heads, d // heads).transpose(0, 2, 1, 3)


def merge_heads(x):
    """[b, h, p, f] -> [b, p, h*f]."""
    b, h, p, f = x.shape
    return x.transpose(0, 2, 1, 3).reshape(b, p, h * f)


def attention(q, k, v, scale=None, causal=False, mask=None, empty=np.nan):
    """q [b,h,p,e], k [b,h,m,e], v [b,h,m,f]; causal aligns the last query with
    the last key; the mask is added to the scores."""
    q, k, v = (np.asarray(t, np.float64) for t in (q, k, v))
    scale = 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ k.swapaxes(-1, -2) * scale
    if mask is not None:
        scores = scores + np.asarray(mask, np.float64)
    if causal:
        queries, keys = scores.shape[-2:]
        allowed = (np.arange(keys)[None, :]
                   <= np.arange(queries)[:, None] + keys - queries)
        scores = np.where(allowed, scores, -np.inf)
    return softmax(scores, empty=empty) @ v


def multi_head_attention(q, k, v, heads, **options):
    """The same on [b, p, h*e]."""
    return merge_heads(attention(*(split_heads(np.asarray(t, np.float64), heads)
                                   for t in (q, k, v)), **options))


def bert_layer(x, mask, wq, bq, wk, bk, wv, bv, wo, bo, g1, b1, w1, c1, w2, c2,
               g2, b2, heads, eps=1e-12, layout="out_in", activation=gelu,
               causal=False):
    """A post-norm encoder layer; weights in the order of torch's parameters."""
    project = lambda t, w, b: linear(t, w, b, layout)
    a = multi_head_attention(project(x, wq, bq), project(x, wk, bk),
                             project(x, wv, bv), heads, mask=mask,
                             causal=causal)
    n = layer_norm(x + project(a, wo, bo), g1, b1, eps)
    f = project(activation(project(n, w1, c1)), w2, c2)
    return layer_norm(n + f, g2, b2, eps)


def bert_inputs(batch, length, heads, head_size, hidden, seed):
    """x, mask and weights: x and what each layer makes have about unit
    variance. The last eighth of the keys is masked by -1e9."""
    rng = np.random.default_rng(seed)
    d = heads * head_size
    weight = lambda n, m: rng.standard_normal((n, m)) / math.sqrt(m)
    bias = lambda n: 0.1 * rng.standard_normal(n)
    mask = np.zeros((batch, 1, 1, length))
    mask[..., length - length // 8:] = -1e9
    arrays = [rng.standard_normal((batch, length, d)), mask]
    for _ in range(4):
        arrays += [weight(d, d), bias(d)]
    arrays += [1 + bias(d), bias(d), weight(hidden, d), bias(hidden),
               weight(d, hidden), bias(d), 1 + bias(d), bias(d)]
    return [a.astype(np.float32) for a in arrays]


def save(path, inputs, outputs):
    arrays = {f"in{i}": a for i, a in enumerate(inputs)}
    arrays.update({f"out{i}": a for i, a in enumerate(outputs)})
    np.savez(path, **arrays)


def unmasked_in_out(inputs):
    """The same layer for a program without a mask argument whose weights are
    stored [in, out]."""
    return [inputs[0]] + [np.ascontiguousarray(a.T) if a.ndim == 2 else a
                          for a in inputs[2:]]


def main(argv=None):
    p = argparse.ArgumentParser(prog="transfusion.reference",
                                description=__doc__.split("\n\n")[0])
    p.add_argument("layer", choices=["bert"])
    for name, value in (("batch", 1), ("length", 29), ("heads", 4),
                        ("head-size", 12), ("hidden", 96), ("seed", 1)):
        p.add_argument(f"--{name}", type=int, default=value)
    p.add_argument("--layout", choices=["out_in", "in_out"], default="out_in",
                   help="of weights; in_out leaves the mask argument out too")
    p.add_argument("--out", required=True, help="the npz file to write")
    a = p.parse_args(argv)
    inputs = bert_inputs(a.batch, a.length, a.heads, a.head_size, a.hidden,
                         a.seed)
    if a.layout == "in_out":
        inputs = unmasked_in_out(inputs)
        expected = bert_layer(inputs[0], None, *inputs[1:], heads=a.heads,
                              layout="in_out")
    else:
        expected = bert_layer(*inputs, heads=a.heads)
    save(a.out, inputs, [expected])
    return 0


if __name__ == "__main__":
    sys.exit(main())
