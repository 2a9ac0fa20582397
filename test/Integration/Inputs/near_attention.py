# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a careless recogniser would take for attention."""

import math

import numpy as np
from exported_masks import kind
from near_cases import DIV, E, H, M, P, near, rounded, total

EXP = "%d = arith.subf %x0, %x1 : f32\n%r = math.exp %d : f32"
LOWEST = "0xFF800000"
QKV = {"q": (H, P, E), "k": (H, M, E), "v": (H, M, E)}


def contract(f, a, b, loops, shape, out, reduced):
    return f.generic(kind(*shape), loops, [a, b],
                     "%t = arith.mulf %x0, %x1 : f32\n"
                     "%r = arith.addf %t, %o : f32", out, "0.0", reduced)


def attend(f, score="h,p,m", keys="h,m,e", top=None, summed=None, values="h,m,e",
           start="0.0", lowest=LOWEST, weigh=None, exponent=EXP):
    """Attention of %q, %k and %v in which every access can be another."""
    s = contract(f, ("%q", "h,p,e"), ("%k", keys), "h,p,m,e", (H, P, M),
                 "h,p,m", "e")
    loops = "h,p,m"
    x = top(f, s) if top else (
        total(f, s, loops, loops, (H, P), "h,p", "m", "maximumf", lowest), "h,p")
    y = f.generic(kind(H, P, M), loops, [(s, score), x], exponent)
    z = summed(f, y) if summed else (
        total(f, y, loops, loops, (H, P), "h,p", "m", start=start), "h,p")
    a = (weigh or (lambda f, y, z: f.generic(
        kind(H, P, M), loops, [(y, loops), z], DIV)))(f, y, z)
    return contract(f, (a, loops), ("%v", values), "h,p,m,e", (H, P, E),
                    "h,p,e", "m")


def scores(q, k):
    return np.einsum("hpe,hme->hpm", q, k)


def softmax(s, extra=0.0, axis=2, least=None):
    x = s.max(axis, keepdims=True)
    if least is not None:
        x = np.maximum(x, least)
    y = np.exp(s - x)
    return y / (extra + y.sum(axis, keepdims=True))


def weighed(a, v):
    return np.einsum("hpm,hme->hpe", a, v)


# The denominator starts at 1: a row may attend to nothing.
@near("", **QKV)
def one_more_in_the_sum():
    return (lambda f: attend(f, start="1.0"),
            lambda q, k, v: weighed(softmax(scores(q, k), extra=1.0), v))


# The maximum starts at 0: what is subtracted is a ReLU of the row's.
@near("activation", **QKV)
def maximum_of_zero_as_well():
    def numpy(q, k, v):
        s = scores(q, k)
        return weighed(softmax(s, least=0.0), v)
    return lambda f: attend(f, lowest="0.0"), numpy


# The sum is of the head that comes from the other end.
@near("", **QKV)
def sum_of_another_head():
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(s - s.max(2, keepdims=True))
        return weighed(y / y.sum(2, keepdims=True)[::-1], v)
    def summed(f, y):
        return total(f, y, "h,p,m", "h,p,m", (H, P), "h,p", "m"), f"{H - 1}-h,p"
    return lambda f: attend(f, summed=summed), numpy


# One maximum for all heads; a softmax, were it the row's.
@near("", **QKV)
def maximum_of_all_heads():
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(s - s.max((0, 2), keepdims=True))
        return weighed(y / y.sum(2, keepdims=True), v)
    def top(f, s):
        return total(f, s, "h,p,m", "h,p,m", (P,), "p", "h,m", "maximumf",
                     LOWEST), "p"
    return lambda f: attend(f, top=top), numpy


# The sum runs over heads and keys.
@near("", **QKV)
def sum_of_all_heads():
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(s - s.max(2, keepdims=True))
        return weighed(y / y.sum((0, 2), keepdims=True), v)
    def summed(f, y):
        return total(f, y, "h,p,m", "h,p,m", (P,), "p", "h,m"), "p"
    return lambda f: attend(f, summed=summed), numpy


# Scores of the other side: query and key have changed places after the maximum.
@near("", **QKV)
def scores_turned():
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(s.transpose(0, 2, 1) - s.max(2, keepdims=True))
        return weighed(y / y.sum(2, keepdims=True), v)
    return lambda f: attend(f, score="h,m,p"), numpy


# A maximum that ignores NaN, from NaN: attention, since a score of NaN makes its
# row NaN whatever is subtracted. Of some of the scores, it says nothing.
def from_nan(f, s):
    loops = "h,p,m"
    return total(f, s, loops, loops, (H, P), "h,p", "m", "maxnumf",
                 "0x7FC00000")


@near("attention", **QKV)
def maximum_from_nan():
    return (lambda f: attend(f, top=lambda f, s: (from_nan(f, s), "h,p")),
            lambda q, k, v: weighed(softmax(scores(q, k)), v))


@near("", **QKV)
def maximum_from_nan_of_other_scores():
    def top(f, s):
        t = f.generic(kind(H, P, M), "h,p,m", [(s, "h,p,m")],
                      "%r = arith.addf %x0, %x0 : f32")
        return from_nan(f, t), "h,p"
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(s - 2 * s.max(2, keepdims=True))
        return weighed(y / y.sum(2, keepdims=True), v)
    return lambda f: attend(f, top=top), numpy


# Values from the other end: attention, of those.
@near("attention", **QKV)
def values_backwards():
    return (lambda f: attend(f, values=f"h,{M - 1}-m,e"),
            lambda q, k, v: weighed(softmax(scores(q, k)), v[:, ::-1]))


# Keys of the other heads: attention, with those.
@near("attention", **QKV)
def keys_of_other_heads():
    return (lambda f: attend(f, keys=f"{H - 1}-h,m,e"),
            lambda q, k, v: weighed(softmax(scores(q, k[::-1])), v))


# Weights are squared, their sum is not.
@near("", **QKV)
def square_over_sum():
    def numpy(q, k, v):
        a = softmax(scores(q, k))
        s = scores(q, k)
        return weighed(a * np.exp(s - s.max(2, keepdims=True)), v)
    def weigh(f, y, z):
        return f.generic(kind(H, P, M), "h,p,m", [(y, "h,p,m"), z],
                         "%t = arith.mulf %x0, %x0 : f32\n"
                         "%r = arith.divf %t, %x1 : f32")
    return lambda f: attend(f, weigh=weigh), numpy


# 2 to the power of the difference.
@near("", **QKV)
def power_of_two():
    def numpy(q, k, v):
        s = scores(q, k) * math.log(2)
        return weighed(softmax(s), v)
    return (lambda f: attend(f, exponent=EXP.replace("math.exp", "math.exp2")),
            numpy)


# The row's own sum is rounded to bf16, the weights are not.
@near("", **QKV)
def rounded_sum():
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(s - s.max(2, keepdims=True))
        return weighed(y / rounded(y.sum(2, keepdims=True)), v)
    def summed(f, y):
        z = total(f, y, "h,p,m", "h,p,m", (H, P), "h,p", "m")
        return f.generic(kind(H, P), "h,p", [(z, "h,p")],
                         "%t = arith.truncf %x0 : f32 to bf16\n"
                         "%r = arith.extf %t : bf16 to f32"), "h,p"
    return lambda f: attend(f, summed=summed), numpy


# Exponentials are rounded for the sum alone.
@near("", **QKV)
def sum_of_rounded():
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(s - s.max(2, keepdims=True))
        return weighed(y / rounded(y).sum(2, keepdims=True), v)
    def summed(f, y):
        y = f.generic(kind(H, P, M), "h,p,m", [(y, "h,p,m")],
                      "%t = arith.truncf %x0 : f32 to bf16\n"
                      "%r = arith.extf %t : bf16 to f32")
        return total(f, y, "h,p,m", "h,p,m", (H, P), "h,p", "m"), "h,p"
    return lambda f: attend(f, summed=summed), numpy


# The exponent is rounded to bf16, and nothing behind it.
@near("", **QKV)
def rounded_exponent():
    def numpy(q, k, v):
        s = scores(q, k)
        y = np.exp(rounded(s - s.max(2, keepdims=True)))
        return weighed(y / y.sum(2, keepdims=True), v)
    return lambda f: attend(f, exponent=(
        "%d = arith.subf %x0, %x1 : f32\n%t = arith.truncf %d : f32 to bf16\n"
        "%u = arith.extf %t : bf16 to f32\n%r = math.exp %u : f32")), numpy


# Weights are rounded: attention, whose weights are.
@near("attention", **QKV)
def rounded_weights():
    def weigh(f, y, z):
        return f.generic(kind(H, P, M), "h,p,m", [(y, "h,p,m"), z],
                         "%d = arith.divf %x0, %x1 : f32\n"
                         "%t = arith.truncf %d : f32 to bf16\n"
                         "%r = arith.extf %t : bf16 to f32")
    return (lambda f: attend(f, weigh=weigh),
            lambda q, k, v: weighed(softmax(scores(q, k)), v), 2**-8)
