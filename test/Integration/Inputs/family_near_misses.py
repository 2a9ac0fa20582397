# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is nearly attention."""

import numpy as np
from family_parts import HEADS, attention, family, sigmoid_body


def softmax_with(layer, s, extra, array):
    """The denominator has a term that is no key's."""
    top = layer.reduce(s, "maximumf", -np.inf, s.array.max(-1))
    shifted = layer.binary("subf", s, top, "bhpm", "bhp")
    power = layer.unary(shifted, "%r = math.exp %a : f32", np.exp(shifted.array))
    total = layer.reduce(power, "addf", 0.0, power.array.sum(-1))
    total = layer.generic("bhp", [(total, "bhp"), (top, "bhp")] + extra[0],
                          extra[1], total.array + array(top.array))
    return layer.binary("divf", power, total, "bhpm", "bhp")


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def softmax_off_by_one(layer, x):
    """exp(s) / (1 + sum exp(s)): no softmax."""
    return attention(layer, x, softmax=lambda l, s: softmax_with(
        l, s, ([], "%n = arith.negf %b : f32\n%e = math.exp %n : f32\n"
               "%r = arith.addf %a, %e : f32"), lambda top: np.exp(-top)))


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def attention_sink(layer, x):
    """A logit per head that no key has."""
    sink = layer.argument(HEADS)
    return attention(layer, x, softmax=lambda l, s: softmax_with(
        l, s, ([(sink, "h")], "%n = arith.subf %c, %b : f32\n"
               "%e = math.exp %n : f32\n%r = arith.addf %a, %e : f32"),
        lambda top: np.exp(sink.array[:, None] - top)))


@family(passes=0, absent=["AV", "RM"])
def sigmoid_attention(layer, x):
    return attention(layer, x, softmax=lambda l, s: l.unary(
        s, sigmoid_body(), 1 / (1 + np.exp(-s.array))))


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def linear_attention(layer, x):
    """Weights that are scores."""
    return attention(layer, x, softmax=lambda l, s: s)


@family(passes=0, absent=["AV"])
def relu_weights(layer, x):
    """A softmax whose weights lose the small ones after it."""
    def softmax(l, s):
        w = l.softmax(s)
        return l.unary(w, "%k = arith.constant 0.1 : f32\n"
                       "%c = arith.cmpf ogt, %a, %k : f32\n"
                       "%n = arith.constant 0.0 : f32\n"
                       "%r = arith.select %c, %a, %n : f32",
                       np.where(w.array > np.float32(0.1), w.array, 0))
    return attention(layer, x, softmax=softmax)


@family(passes=0, absent=["AV"])
def softmax_over_heads(layer, x):
    def softmax(l, s):
        turned = l.softmax(l.transpose(s, [0, 2, 3, 1]))
        return l.transpose(turned, [0, 3, 1, 2])
    return attention(layer, x, softmax=softmax)
