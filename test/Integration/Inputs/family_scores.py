# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families that differ in what is done to scores, queries and keys."""

import numpy as np
from family_parts import (BATCH, HEADS, HIDDEN, ROWS, WIDTH, add, attention,
                          causal, family, index_head, mask, positions,
                          rotated)
from torch_linalg import Layer

#===--- Scores ------------------------------------------------------------===#

def alibi_bias(layer, s, slope):
    """slope (m - p), where both are computed."""
    p, m = positions(ROWS, ROWS)
    return layer.generic(
        "bhpm", [(s, "bhpm"), (slope, "h")],
        "%p = linalg.index 2 : index\n%m = linalg.index 3 : index\n"
        "%d = arith.subi %m, %p : index\n%i = arith.index_cast %d : index to i64"
        "\n%f = arith.sitofp %i : i64 to f32\n%u = arith.mulf %b, %f : f32\n"
        "%r = arith.addf %a, %u : f32",
        s.array + slope.array[:, None, None] * (m - p))


@family(names=["QK"], constraints=1)
def alibi(layer, x):
    slope = layer.argument(HEADS, scale=0.1)
    return attention(layer, x, lambda l, s: causal(l, alibi_bias(l, s, slope)))


@family(names=["QK"])
def alibi_of_distance(layer, x):
    """slope |m - p|: no causal mask, and the bias is a tensor first."""
    p, m = positions(ROWS, ROWS)
    distance = layer.generic(
        "pm", [], "%p = linalg.index 0 : index\n%m = linalg.index 1 : index\n"
        "%d = arith.subi %m, %p : index\n%i = arith.index_cast %d : index to i64"
        "\n%s = math.absi %i : i64\n%r = arith.sitofp %s : i64 to f32",
        np.abs(m - p))
    slope = layer.argument(HEADS, scale=0.1)
    bias = layer.generic("hpm", [(slope, "h"), (distance, "pm")],
                         "%r = arith.mulf %a, %b : f32",
                         slope.array[:, None, None] * distance.array)
    return attention(layer, x, lambda l, s: l.generic(
        "bhpm", [(s, "bhpm"), (bias, "hpm")], "%r = arith.addf %a, %b : f32",
        s.array + bias.array))


@family(names=["rms1.NR", "rms2.NR", "FFN1", "AR"])
def t5(layer, x):
    """No scale, no bias of projections, a position bias that is a tensor."""
    bias = layer.argument(1, HEADS, ROWS, ROWS)
    x = add(layer, x, attention(
        layer, layer.rms_norm(x), bias=False, scaled=False,
        change=lambda l, s: l.binary("addf", s, bias, "bhpm", "1hpm")))
    hidden = layer.linear(layer.rms_norm(x), HIDDEN, bias=False)
    hidden = layer.unary(hidden, "%k = arith.constant 0.0 : f32\n"
                         "%r = arith.maximumf %a, %k : f32",
                         np.maximum(hidden.array, 0))
    return add(layer, x, layer.linear(hidden, WIDTH, bias=False))


def soft_cap(layer, s, cap):
    s = layer.scale(s, 1 / cap)
    s = layer.unary(s, "%r = math.tanh %a : f32", np.tanh(s.array))
    return layer.scale(s, cap)


@family(names=["QK", "NR"], constraints=1)
def gemma_soft_cap(layer, x):
    return attention(layer, layer.rms_norm(x), key_heads=2, bias=False,
                     change=lambda l, s: causal(l, soft_cap(l, s, 5.0)))


@family(names=["rms1.NR", "rms2.NR"])
def qk_norm(layer, x):
    """A norm of each head of queries and keys, then rotated by nothing."""
    return attention(layer, x, causal, on_q=Layer.rms_norm)


@family(names=["ln1.NR", "ln2.NR"])
def qk_layer_norm(layer, x):
    return attention(layer, x, on_q=Layer.layer_norm)


@family(names=["QK"], constraints=2)
def sliding_window(layer, x):
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%k = arith.constant 4 : index\n%l = arith.subi %p, %k : index\n"
        "%c1 = arith.cmpi sle, %m, %p : index\n"
        "%c2 = arith.cmpi sgt, %m, %l : index\n"
        "%c = arith.andi %c1, %c2 : i1", (m <= p) & (m > p - 4)))


@family(names=["QK"], constraints=2)
def local_both_sides(layer, x):
    """Longformer's window: |m - p| <= 3, by two comparisons that are joined
    the wrong way round."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: layer.generic(
        "bhpm", [(s, "bhpm")], index_head() +
        "%k = arith.constant 3 : index\n%d = arith.subi %m, %p : index\n"
        "%e = arith.subi %p, %m : index\n%c1 = arith.cmpi sgt, %d, %k : index\n"
        "%c2 = arith.cmpi sgt, %e, %k : index\n%c = arith.ori %c1, %c2 : i1\n"
        "%r = arith.select %c, %n, %a : f32",
        np.where(abs(m - p) <= 3, s.array, -np.inf)))


@family(names=["QK"], constraints=1)
def grouped(layer, x):
    return attention(layer, x, causal, key_heads=2)


@family(names=["QK"])
def multi_query(layer, x):
    return attention(layer, x, causal, key_heads=1)


@family(names=["QK"])
def temperature_of_head(layer, x):
    """The scale is a tensor: it is part of the score all the same."""
    scale = layer.argument(HEADS, scale=0.2, around=0.5)
    return attention(layer, x, scaled=False, change=lambda l, s: l.binary(
        "mulf", s, scale, "bhpm", "h"))


@family(names=["QK"])
def bias_of_keys(layer, x):
    bias = layer.argument(ROWS)
    return attention(layer, x, lambda l, s: l.binary("addf", s, bias, "bhpm",
                                                     "m"))


@family(names=["QK"])
def temperature_of_query(layer, x):
    scale = layer.argument(BATCH, ROWS, scale=0.2, around=0.5)
    return attention(layer, x, scaled=False, change=lambda l, s: l.generic(
        "bhpm", [(s, "bhpm"), (scale, "bp")], "%r = arith.mulf %a, %b : f32",
        s.array * scale.array[:, None, :, None]))


@family(names=["QK"], constraints=0)
def mask_of_data(layer, x):
    """What is compared is data: it decides at every point, no domain does."""
    data = layer.argument(BATCH, ROWS, around=0.5)
    return attention(layer, x, lambda l, s: l.generic(
        "bhpm", [(s, "bhpm"), (data, "bm")],
        "%n = arith.constant 0xFF800000 : f32\n%k = arith.constant 0.0 : f32\n"
        "%c = arith.cmpf olt, %b, %k : f32\n%r = arith.select %c, %n, %a : f32",
        np.where(data.array[:, None, None, :] < 0, -np.inf, s.array)))


@family(names=["QK", "RMG"], constraints=1)
def later_keys(layer, x):
    """A mask the other way round: the first tiles are hidden."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%c = arith.cmpi sge, %m, %p : index", m >= p))


@family(names=["QK"], constraints=1)
def earlier_keys(layer, x):
    """The first row sees no key: NaN, as in the program."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%c = arith.cmpi slt, %m, %p : index", m < p))


@family(names=["QK"], constraints=0)
def index_is_hidden(layer, x):
    """All keys but the row's own: no conjunction says so."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%c = arith.cmpi ne, %m, %p : index", m != p))


#===--- Rotations ---------------------------------------------------------===#

def angles(layer, part):
    return layer.argument(ROWS, part), layer.argument(ROWS, part)


@family(names=["rope1.ROPE", "rope2.ROPE"])
def rotary(layer, x):
    cos, sin = angles(layer, WIDTH // HEADS)
    return attention(layer, x, causal, bias=False,
                     on_q=lambda l, q: rotated(l, q, cos, sin, WIDTH // HEADS))


@family()
def partly_rotary(layer, x):
    """GPT-NeoX: four of six features are rotated."""
    cos, sin = angles(layer, 4)
    return attention(layer, x, causal,
                     on_q=lambda l, q: rotated(l, q, cos, sin, 4))


@family(absent=["rope1.ROPE", "ROPE"])
def unequal_halves(layer, x):
    """Two features change places with four: no rotation."""
    cos, sin = angles(layer, WIDTH // HEADS)

    def turn(l, q):
        first, second = l.slice(q, 3, 0, 2), l.slice(q, 3, 2, 4)
        minus = l.unary(second, "%r = arith.negf %a : f32", -second.array)
        return add(l, l.binary("mulf", q, cos, "bhpe", "pe"),
                   l.binary("mulf", l.concat(3, minus, first), sin, "bhpe",
                            "pe"))
    return attention(layer, x, on_q=turn)


@family(passes=2, scheduled=False)
def bias_of_all_layers(layer, x):
    """T5: one position bias for two attentions, beside a mask of data."""
    bias = layer.argument(HEADS, ROWS, ROWS)
    hidden = layer.argument(BATCH, ROWS, ROWS)

    def change(l, s):
        s = l.binary("addf", s, bias, "bhpm", "hpm")
        return l.binary("addf", s, hidden, "bhpm", "bpm")
    for _ in range(2):
        x = add(layer, x, attention(layer, x, change, scaled=False))
    return x
