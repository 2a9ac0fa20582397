# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows of an image, whose keys are rows and columns."""

from family_parts import HEADS, WIDTH, family, scores, weighted
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
