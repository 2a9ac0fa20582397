# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in linalg that a careless recogniser would take for attention, a
norm, an activation or a rotation: one index, one axis, one initial value or one
rounding is another. Raised, normalised, executed, and compared with NumPy.

    near_programs.py

A case says which pieces are in it all the same: a norm of something else is a
norm, and values read backwards are values.
"""

import math
import re
import sys

import numpy as np
from exported_masks import Linalg, kind

from transfusion import execute, program, tools

BOUND = 2e-6  # relative to the greatest value, or absolute below 1
H, P, M, E, D = 3, 7, 7, 4, 8
MARKS = {"attention": "RM", "layer_norm": "SAV", "rms_norm": "MQAV",
         "activation": "AR", "rope": "ROPE"}
CASES = []


class Case:
    """`write(f)` gives the result of a function of `arguments`, `numpy` what it
    is of the same arguments in double precision."""

    def __init__(self, name, found, arguments, write, numpy, bound=BOUND):
        self.name, self.numpy, self.bound = name, numpy, bound
        self.found = set(found.split())
        rng = np.random.default_rng(len(name))
        self.inputs = [rng.standard_normal(shape).astype(np.float32)
                       for shape in arguments.values()]
        f = Linalg()
        f.types.update({f"%{n}": kind(*s) for n, s in arguments.items()})
        names = ", ".join(f"%{n}: {kind(*s)}" for n, s in arguments.items())
        result = write(f)
        body = "\n".join(f.lines)
        self.text = (f"func.func @{name}({names}) -> {f.types[result]} {{\n"
                     f"{body}\n  return {result} : {f.types[result]}\n}}\n")


def near(found, **arguments):
    """Decorator: a function that gives (write, numpy[, bound])."""
    def add(make):
        CASES.append(Case(make.__name__, found, arguments, *make()))
    return add


def one(f, reads, loops, shape, body):
    return f.generic(kind(*shape), loops, reads, body)


def total(f, value, at, loops, shape, out, reduced, op="addf", start="0.0"):
    return f.generic(kind(*shape), loops, [(value, at)],
                     f"%r = arith.{op} %x0, %o : f32", out, start, reduced)


ADD, SUB, MUL, DIV = (f"%r = arith.{o}f %x0, %x1 : f32"
                      for o in ("add", "sub", "mul", "div"))
EXP = "%d = arith.subf %x0, %x1 : f32\n%r = math.exp %d : f32"
LOWEST = "0xFF800000"
QKV = {"q": (H, P, E), "k": (H, M, E), "v": (H, M, E)}


def const(name, value):
    return f"%{name} = arith.constant {value:.9e} : f32\n"


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


def rounded(x):
    """To bf16, ties to even."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


# --------------------------------------------------------------------- norms


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


# Blocks of 41 by a quotient of floats: 41 * (1 / 41) is less than 1 in f32.
@near("", x=(100,))
def quotient_of_floats():
    body = ("%i = linalg.index 0 : index\n%j = arith.index_cast %i : index to i32\n"
            "%f = arith.sitofp %j : i32 to f32\n" + const("c", 41.0) +
            "%q = arith.divf %f, %c : f32\n%b = math.floor %q : f32\n"
            "%r = arith.addf %b, %x0 : f32")
    return (lambda f: f.generic(kind(100), "p", [("%x", "p")], body),
            lambda x: x + np.arange(100) // 41)


def main():
    text = tools.optimize("".join(c.text for c in CASES))
    normalised = tools.optimize(text, "--convert-linalg-to-einsum",
                                "--einsum-normalize")
    run = program.Program(tools.optimize(normalised,
                                         "--transfusion-naive-to-llvm"))
    bodies = dict(re.findall(r"^  func\.func @(\w+)\((.*?)^  }$", normalised,
                             re.M | re.S))
    good = 0
    for case in CASES:
        names = {n.split(".")[-1] for n in
                 re.findall(r'map_reduce "([^"]+)"', bodies[case.name])}
        found = {p for p, mark in MARKS.items() if mark in names}
        sig = program.signature(text, case.name)
        result = run.call(sig, [x.copy() for x in case.inputs])[0]
        expected = case.numpy(*[x.astype(np.float64) for x in case.inputs])
        error = (execute.greatest_error(result, expected)
                 / max(1.0, np.abs(expected).max()))
        right = bool(found == case.found and error <= case.bound)
        good += right
        print(f"{case.name}: {', '.join(sorted(found)) or 'nothing'} found, "
              f"error {error:.1e}{'' if right else ' WRONG'}")
    print(f"{good} of {len(CASES)} programs are what they are")
    return good != len(CASES)


if __name__ == "__main__":
    sys.exit(main())
