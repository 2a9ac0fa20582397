# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a careless recogniser would take for a norm, an activation, a rotation or
a quotient of integers."""

import math

import numpy as np
from exported_masks import kind
from near_cases import D, E, MUL, P, SUB, const, near, one, rounded, total

ROUND = "\n%t = arith.truncf %r : f32 to bf16\n%u = arith.extf %t : bf16 to f32"


def rounding(body, is_rounded):
    """The body, whose result is rounded to bf16."""
    if not is_rounded:
        return body
    return body.replace("%r =", "%s =") + ROUND.replace("%r", "%s").replace(
        "%u", "%r")


def norm(f, x="%x", mean="p", centred="p,d", squared="p,d", count=D, eps=1e-5,
         deviation="p", factor=1.0, round_mean=False, round_inverse=False):
    s = total(f, x, "p,d", "p,d", (P,), "p", "d")
    m = one(f, [(s, "p")], "p", (P,),
            const("c", 1 / D) + rounding("%r = arith.mulf %x0, %c : f32",
                                         round_mean))
    d = f.generic(kind(P, D), "p,d", [(x, centred), (m, mean)], SUB)
    q = f.generic(kind(P, D), "p,d", [(d, squared)],
                  "%r = arith.mulf %x0, %x0 : f32")
    t = total(f, q, "p,d", "p,d", (P,), "p", "d")
    r = one(f, [(t, "p")], "p", (P,),
            const("c", factor / count) + const("e", eps) +
            "%v = arith.mulf %x0, %c : f32\n%w = arith.addf %v, %e : f32\n"
            + rounding("%r = math.rsqrt %w : f32", round_inverse))
    return f.generic(kind(P, D), "p,d", [(d, "p,d"), (r, deviation)], MUL)


def normal(x, mean=None, deviation=None, factor=1.0):
    mean = x.mean(1, keepdims=True) if mean is None else mean
    d = x - mean
    v = (d * d).mean(1, keepdims=True) * factor
    v = v if deviation is None else deviation(v)
    return d / np.sqrt(v + 1e-5)


# The mean of the row that comes from the other end: the root of the mean square
# of what is left is divided by, but no mean is taken out.
@near("rms_norm", x=(P, D))
def mean_of_another_row():
    return (lambda f: norm(f, mean=f"{P - 1}-p"),
            lambda x: normal(x, x.mean(1, keepdims=True)[::-1]))


# The deviation of another row.
@near("", x=(P, D))
def deviation_of_another_row():
    return (lambda f: norm(f, deviation=f"{P - 1}-p"),
            lambda x: normal(x, deviation=lambda v: v[::-1]))


# The mean is rounded: no mean is taken out, as far as a norm is concerned.
@near("rms_norm", x=(P, D))
def rounded_mean():
    return (lambda f: norm(f, round_mean=True),
            lambda x: normal(x, rounded(x.mean(1, keepdims=True))))


# The inverse of the deviation is rounded.
@near("", x=(P, D))
def rounded_inverse():
    def numpy(x):
        d = x - x.mean(1, keepdims=True)
        return d * rounded(1 / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5))
    return lambda f: norm(f, round_inverse=True), numpy


# Squares in another order: the same sum, but not seen to be.
@near("", x=(P, D))
def squares_backwards():
    return (lambda f: norm(f, squared=f"p,{D - 1}-d"), lambda x: normal(x))


# What is centred comes from the other end of the row: it has the same mean, which
# is not seen, and the root of its mean square is divided by.
@near("rms_norm", x=(P, D))
def columns_backwards():
    return (lambda f: norm(f, centred=f"p,{D - 1}-d"),
            lambda x: normal(x[:, ::-1]))


# Half of the variance.
@near("", x=(P, D))
def half_a_variance():
    return (lambda f: norm(f, factor=0.5), lambda x: normal(x, factor=0.5))


# The mean of the squares of half the columns, divided by all: no norm of either.
@near("", x=(P, D))
def squares_of_a_half():
    def write(f):
        q = f.generic(kind(P, D // 2), "p,d", [("%x", f"p,d+{D // 2}")],
                      "%r = arith.mulf %x0, %x0 : f32")
        t = total(f, q, "p,d", "p,d", (P,), "p", "d")
        r = one(f, [(t, "p")], "p", (P,),
                const("c", 1 / D) + const("e", 1e-5) +
                "%v = arith.mulf %x0, %c : f32\n%w = arith.addf %v, %e : f32\n"
                "%r = math.rsqrt %w : f32")
        return f.generic(kind(P, D), "p,d", [("%x", "p,d"), (r, "p")], MUL)
    return write, lambda x: x / np.sqrt(
        (x[:, D // 2:] ** 2).sum(1, keepdims=True) / D + 1e-5)


# ------------------------------------------------------ activations, rotations


def gelu(x, gate, k=math.sqrt(0.5)):
    return gate / 2 * (1 + np.vectorize(math.erf)(x * k))


# The gate is the neighbour's.
@near("", x=(P, D))
def gate_of_another_column():
    body = (const("k", math.sqrt(0.5)) + const("h", 0.5) + const("one", 1.0) +
            "%s = arith.mulf %x0, %k : f32\n%e = math.erf %s : f32\n"
            "%a = arith.addf %one, %e : f32\n%b = arith.mulf %a, %h : f32\n"
            "%r = arith.mulf %b, %x1 : f32")
    return (lambda f: f.generic(kind(P, D), "p,d",
                                [("%x", "p,d"), ("%x", f"p,{D - 1}-d")], body),
            lambda x: gelu(x, x[:, ::-1]))


# The root of 1/2, with two digits exchanged: 15 units in the last place.
@near("", x=(P, D))
def constant_mistyped():
    body = (const("k", 0.70710768) + const("h", 0.5) + const("one", 1.0) +
            "%s = arith.mulf %x0, %k : f32\n%e = math.erf %s : f32\n"
            "%a = arith.addf %one, %e : f32\n%b = arith.mulf %a, %h : f32\n"
            "%r = arith.mulf %b, %x0 : f32")
    return (lambda f: f.generic(kind(P, D), "p,d", [("%x", "p,d")], body),
            lambda x: gelu(x, x, 0.70710768))


# The sigmoid is rounded before it meets x.
@near("", x=(P, D))
def rounded_sigmoid():
    body = (const("one", 1.0) + "%n = arith.negf %x0 : f32\n"
            "%e = math.exp %n : f32\n%a = arith.addf %e, %one : f32\n"
            + rounding("%r = arith.divf %one, %a : f32", True)
            + "\n%y = arith.mulf %x0, %r : f32")
    return (lambda f: f.generic(kind(P, D), "p,d", [("%x", "p,d")],
                                body.replace("%r", "%g").replace("%y", "%r")),
            lambda x: x * rounded(1 / (1 + np.exp(-x))))


def rotate(f, partner, sign, cos="p,i,e", sin="p,i,e"):
    """Pairs are (i, e) and (1-i, e) of x[p,i,e]."""
    body = ("%i = linalg.index 1 : index\n%z = arith.constant 0 : index\n"
            f"%c = arith.cmpi {sign}, %i, %z : index\n"
            "%n = arith.negf %x1 : f32\n%t = arith.select %c, %n, %x1 : f32\n"
            "%a = arith.mulf %x0, %x2 : f32\n%b = arith.mulf %t, %x3 : f32\n"
            "%r = arith.addf %a, %b : f32")
    return f.generic(kind(P, 2, E), "p,i,e",
                     [("%x", "p,i,e"), ("%x", partner), ("%cos", cos),
                      ("%sin", sin)], body)


ROTATED = {"x": (P, 2, E), "cos": (P, 2, E), "sin": (P, 2, E)}
SIGNS = np.array([-1.0, 1.0])[None, :, None]


# The partner is the mirror image, not the other half.
@near("", **ROTATED)
def partner_mirrored():
    return (lambda f: rotate(f, f"p,1-i,{E - 1}-e", "eq"),
            lambda x, c, s: x * c + x[:, ::-1, ::-1] * SIGNS * s)


# Rotated by the angle of the partner: a rotation, with those sines.
@near("rope", **ROTATED)
def sine_of_partner():
    return (lambda f: rotate(f, "p,1-i,e", "eq", sin="p,1-i,e"),
            lambda x, c, s: x * c + x[:, ::-1] * SIGNS * s[:, ::-1])


# The partner of another token.
@near("", **ROTATED)
def partner_of_another_row():
    return (lambda f: rotate(f, f"{P - 1}-p,1-i,e", "eq"),
            lambda x, c, s: x * c + x[::-1, ::-1] * SIGNS * s)


# The sign of the second half.
@near("", **ROTATED)
def turned_the_other_way():
    return (lambda f: rotate(f, "p,1-i,e", "ne"),
            lambda x, c, s: x * c - x[:, ::-1] * SIGNS * s)


# -------------------------------------------------------------------- indices


def of_quotient(lines, numpy):
    """`lines` give %b of %q, which is the index / 41: 41 * (1 / 41) is less
    than 1 in f32."""
    body = ("%i = linalg.index 0 : index\n%j = arith.index_cast %i : index to i32\n"
            "%f = arith.sitofp %j : i32 to f32\n" + const("c", 41.0) +
            const("k", 2.0) + "%q = arith.divf %f, %c : f32\n" + lines +
            "\n%r = arith.addf %b, %x0 : f32")
    return (lambda f: f.generic(kind(100), "p", [("%x", "p")], body),
            lambda x: x + numpy(np.arange(100)))


# Blocks of 41 by a quotient of floats.
@near("", x=(100,))
def quotient_of_floats():
    return of_quotient("%b = math.floor %q : f32", lambda i: i // 41)


# A clamp in between passes the rounding on.
@near("", x=(100,))
def clamped_quotient():
    return of_quotient("%t = arith.minimumf %q, %k : f32\n"
                       "%b = math.floor %t : f32",
                       lambda i: np.minimum(i // 41, 2))


# So does a zero point.
@near("", x=(100,))
def moved_quotient():
    return of_quotient("%t = arith.subf %q, %k : f32\n"
                       "%b = math.floor %t : f32", lambda i: i // 41 - 2)


# A comparison is a jump.
@near("", x=(100,))
def compared_quotient():
    return of_quotient(const("one", 1.0) +
                       "%s = arith.cmpf oge, %q, %one : f32\n"
                       "%b = arith.select %s, %k, %one : f32",
                       lambda i: np.where(i >= 41, 2, 1))


# A clamp of both sides is no ReLU.
@near("", x=(P, D))
def clamp():
    body = (const("l", -0.25) + const("u", 0.5) +
            "%r = math.clampf %x0 to [%l, %u] : f32")
    return (lambda f: f.generic(kind(P, D), "p,d", [("%x", "p,d")], body),
            lambda x: np.clip(x, -0.25, 0.5))
