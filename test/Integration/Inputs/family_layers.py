# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families that differ in how a layer is put together."""

import numpy as np
from family_parts import (HIDDEN, WIDTH, add, attention, causal, family,
                          feed_forward, gelu, quick_gelu, relu_squared, silu)


@family(names=["NR", "FFN1", "FFN2"])
def parallel(layer, x):
    """GPT-J, PaLM: attention and FFN read one norm, both are added."""
    y = layer.layer_norm(x)
    return add(layer, add(layer, attention(layer, y, causal),
                          feed_forward(layer, y, gelu)), x)


@family(names=["ln1.NR", "ln2.NR", "FFN1", "FFN2"])
def pre_norm(layer, x):
    x = add(layer, x, attention(layer, layer.layer_norm(x)))
    return add(layer, x, feed_forward(layer, layer.layer_norm(x), gelu))


@family(names=["ln1.NR", "ln2.NR", "FFN1", "FFN2"])
def post_norm(layer, x):
    x = layer.layer_norm(add(layer, x, attention(layer, x)))
    return layer.layer_norm(add(layer, x, feed_forward(layer, x, gelu)))


@family(names=["ln1.NR", "ln4.NR", "FFN1"])
def sandwich_norm(layer, x):
    """Before and after, as CogView and Gemma 2."""
    y = layer.layer_norm(attention(layer, layer.layer_norm(x)))
    x = add(layer, x, y)
    y = layer.layer_norm(feed_forward(layer, layer.layer_norm(x), silu))
    return add(layer, x, y)


@family(passes=0, names=["FFN1", "FFN2"])
def geglu(layer, x):
    hidden = layer.binary("mulf", gelu(layer, layer.linear(x, HIDDEN)),
                          layer.linear(x, HIDDEN))
    return layer.linear(hidden, WIDTH)


@family(passes=0)
def clip_ffn(layer, x):
    return feed_forward(layer, x, quick_gelu)


@family(passes=0)
def primer_ffn(layer, x):
    return feed_forward(layer, x, relu_squared)


@family(passes=0, absent=["AR"])
def relu_without_nan(layer, x):
    """x > 0 ? x : 0 is 0 for NaN, which max(x, 0) is not."""
    return feed_forward(layer, x, lambda l, y: l.unary(
        y, "%k = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %a, %k : f32\n"
        "%r = arith.select %c, %a, %k : f32", np.maximum(y.array, 0)))


@family(passes=0, names=["AR"])
def relu_by_comparison(layer, x):
    """0 > x ? 0 : x is max(x, 0)."""
    return feed_forward(layer, x, lambda l, y: l.unary(
        y, "%k = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %k, %a : f32\n"
        "%r = arith.select %c, %k, %a : f32", np.maximum(y.array, 0)))
