# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of an image, whose keys are rows and columns."""

import numpy as np
from family_parts import HEADS, WIDTH, add, family, scores, weighted
from torch_linalg import Layer

SIZE = WIDTH // HEADS
ABC = "bhpm"


def windows_of_image(layer, shift, change=lambda layer, s: s,
                     softmax=Layer.softmax):
    """Swin in two dimensions: an image of 6 x 6, rolled by `shift`, in windows
    of 3 x 3; scores with a bias per distance and a mask per window, as data."""
    size, window, channels = 6, 3, WIDTH
    x = layer.argument(1, size, size, channels)

    def roll(t, by):
        for dim in (1, 2):
            t = layer.concat(dim, layer.slice(t, dim, by, size - by),
                             layer.slice(t, dim, 0, by)) if by else t
        return t
    count = size // window
    t = layer.split(layer.split(roll(x, shift), 1, count, window), 3, count,
                    window)
    t = layer.transpose(t, [0, 1, 3, 2, 4, 5])
    t = layer.merge(layer.merge(t, 3, 4), 0, 2)
    q, k, v = (layer.heads(layer.linear(t, WIDTH), HEADS) for _ in "qkv")
    area = window * window
    s = layer.scale(scores(layer, q, k), SIZE**-0.5)
    s = layer.binary("addf", s, layer.argument(HEADS, area, area), ABC, "hpm")
    mask = layer.argument(count * count, area, area)
    s = layer.binary("addf", s, mask, ABC, "bpm")
    w = softmax(layer, change(layer, s))
    o = layer.linear(weighted(layer, w, v), WIDTH)
    o = layer.split(layer.split(o, 1, window, window), 0, 1, count * count)
    o = layer.split(o, 1, count, count)
    o = layer.transpose(o, [0, 1, 3, 2, 4, 5])
    o = layer.merge(layer.merge(o, 1, 2), 2, 3)
    return roll(o, (size - shift) % size)


@family(names=["QK"])
def windows_of_rows_and_columns(layer, x):
    return windows_of_image(layer, 0)


@family(names=["QK"])
def windows_after_roll(layer, x):
    return windows_of_image(layer, 1)


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def windows_counted_in_two_ways(layer, x):
    """One bias counts the keys by rows, another one by columns: no key has both
    for its number."""
    def change(l, s):
        bias = l.argument(HEADS, 9, 3, 3)
        bias = l.merge(l.transpose(bias, [0, 1, 3, 2]), 2, 3)
        return l.binary("addf", s, bias, ABC, "hpm")
    return windows_of_image(layer, 1, change)


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def softmax_of_rows_of_a_window(layer, x):
    """Over the columns of each row, and the values summed over both."""
    return windows_of_image(layer, 1, softmax=lambda l, s: l.merge(
        l.softmax(l.split(s, 3, 3, 3)), 3, 4))


def grid(layer, queries=1):
    """Queries in rows; keys and values in rows (r) and columns (c)."""
    y, x = layer.argument(2, 7, WIDTH), layer.argument(2, 15, WIDTH)
    k, v = (layer.split(layer.split(layer.linear(x, WIDTH, bias=False), 2,
                                    HEADS, SIZE), 1, 3, 5) for _ in "kv")
    return k, v, *(layer.split(layer.linear(y, WIDTH), 2, HEADS, SIZE)
                   for _ in range(queries))


def attend_grid(layer, q, k, v, keys, over, condition=None, visible=None):
    """Scores [b, h, p, *keys] and a softmax over some of these; `condition`
    over their indices %p, %i, %j."""
    times = "%t = arith.mulf %a, %b : f32\n%r = arith.addf %t, %z : f32"
    at, rows = "bhp" + keys, "bhp" + "".join(c for c in keys if c not in over)
    axes = tuple(at.index(c) for c in over)
    s = layer.generic(at, [(q, "bphe"), (k, "brche")], times,
                      np.einsum("bphe,brche->" + at, q.array, k.array), "e",
                      0.0)
    s = layer.scale(s, SIZE**-0.5)
    if condition:
        p, i, j = np.ogrid[tuple(map(slice, s.array.shape[2:]))]
        s = layer.generic(
            at, [(s, at)], "%n = arith.constant 0xFF800000 : f32\n" + "".join(
                f"%{d} = linalg.index {n} : index\n"
                for n, d in enumerate("pij", 2)) + condition +
            "\n%r = arith.select %c, %a, %n : f32",
            np.where(visible(p, i, j), s.array, -np.inf))
    top = s.array.max(axes, keepdims=True)
    m = layer.generic(rows, [(s, at)], "%r = arith.maximumf %a, %z : f32",
                      top.squeeze(axes), over, -np.inf)
    e = layer.generic(at, [(s, at), (m, rows)], "%t = arith.subf %a, %b : f32\n"
                      "%r = math.exp %t : f32", np.exp(s.array - top))
    total = e.array.sum(axes, keepdims=True)
    z = layer.generic(rows, [(e, at)], "%r = arith.addf %a, %z : f32",
                      total.squeeze(axes), over, 0.0)
    w = layer.binary("divf", e, z, at, rows)
    out = rows + "e"
    return layer.generic(out, [(w, at), (v, "brche")], times,
                         np.einsum(f"{at},brche->{out}", w.array, v.array),
                         over, 0.0)


#: The slower digit of a key is the first of its indices.
COUNTED = ("%k = arith.constant 5 : index\n%l = arith.muli %i, %k : index\n"
           "%m = arith.addi %l, %j : index\n%c = arith.cmpi sle, %m, %p : index",
           lambda p, i, j: i * 5 + j <= p)


@family(passes=2)
def keys_by_rows_and_by_columns(layer, x):
    """Keys and values have one layout, which both attentions can read."""
    k, v, q, r = grid(layer, 2)
    return add(layer, attend_grid(layer, q, k, v, "rc", "rc", *COUNTED),
               attend_grid(layer, r, k, v, "cr", "cr", *COUNTED))


@family()
def scores_of_two_masks(layer, x):
    """One attention has the scores for itself, the other one stays."""
    k, v, q = grid(layer)
    return add(layer, attend_grid(layer, q, k, v, "rc", "rc", *COUNTED),
               attend_grid(layer, q, k, v, "rc", "rc"))


@family(passes=2)
def keys_of_grid_and_of_its_columns(layer, x):
    k, v, q = grid(layer)
    both = attend_grid(layer, q, k, v, "cr", "cr", *COUNTED)
    column = attend_grid(layer, q, k, v, "rc", "r")
    column = layer.generic("bhpe", [(column, "bhpce")],
                           "%r = arith.addf %a, %z : f32", column.array.sum(3),
                           "c", 0.0)
    return add(layer, both, column)
