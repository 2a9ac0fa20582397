# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms, activations and rotations in many spellings, and functions that are
almost one: what must be recognised is, what must not is not, and all of them
give what NumPy says, before and after."""

import math
import re
import sys

import numpy as np

from transfusion import program, tools

BOUND = 4e-7  # relative to the greatest value: a few roundings in f32
F64 = np.float64
RANKS = {"p": 5, "d": 8, "e1": 2, "e0": 4}


class Case:
    """One function: a cascade, written Einsum by Einsum."""

    def __init__(self, name, expect, reference, **arguments):
        self.name, self.expect, self.reference = name, expect, reference
        self.arguments = arguments  # name -> ranks
        self.shapes = {f"%{a}": r for a, r in arguments.items()}
        self.lines = []

    def add(self, name, result, reads, body, tail=""):
        """`reads`: "x[p,d], s[p]"; `body`: lines over %0, %1, ... ending in
        %r, or empty; `tail`: "reduce add over [d]"."""
        tensors = re.findall(r"(\w+)\[", reads)
        types = [self.type_of(f"%{t}") for t in tensors]
        self.shapes[f"%{name}"] = result
        text = f'  %{name} = einsum.map_reduce "{name}" [{",".join(result)}] '
        text += "from " + re.sub(r"(\w+)\[", r"%\1[", reads)
        if body:
            arguments = ", ".join(f"%{i}: f32" for i in range(len(tensors)))
            ops = "\n    ".join(body.strip().split("\n"))
            text += f" map {{\n  ^bb0({arguments}):\n    {ops}\n"
            text += "    einsum.yield %r : f32\n  }"
        text += f" {tail} : ({', '.join(types)}) -> {self.type_of(f'%{name}')}"
        self.lines.append(text)
        return self

    def type_of(self, value):
        shape = "x".join(str(RANKS[r]) for r in self.shapes[value])
        return f"tensor<{shape}{'x' if shape else ''}f32>"

    def text(self):
        arguments = ", ".join(f"%{a}: {self.type_of(f'%{a}')}"
                              for a in self.arguments)
        last = re.search(r"%(\w+) =", self.lines[-1]).group(1)
        kind = self.type_of(f"%{last}")
        used = [r for r in RANKS if any(re.search(rf"\b{r}\b", line)
                                        for line in self.lines)]
        ranks = ", ".join(f"{r} = {RANKS[r]}" for r in used)
        body = "\n".join(self.lines)
        return (f"func.func @{self.name}({arguments}) -> {kind} {{\n"
                f"  %out = einsum.cascade ranks({ranks}) {{\n{body}\n"
                f"  einsum.yield %{last} : {kind}\n  }} -> {kind}\n"
                f"  return %out : {kind}\n}}\n")

    def inputs(self, rng):
        return [rng.standard_normal([RANKS[r] for r in ranks])
                .astype(np.float32) for ranks in self.arguments.values()]


CASES = []


def case(name, expect, reference, **arguments):
    CASES.append(Case(name, expect, reference, **arguments))
    return CASES[-1]


def scale(value):
    return f"%c = arith.constant {value:.9e} : f32\n%r = arith.mulf %0, %c : f32"


def root(eps):
    if eps is None:
        return "%r = math.rsqrt %0 : f32"
    return (f"%c = arith.constant {eps:.9e} : f32\n"
            "%s = arith.addf %0, %c : f32\n%r = math.rsqrt %s : f32")


SQUARE = "%r = arith.mulf %0, %0 : f32"
ADD, SUB, MUL = (f"%r = arith.{op}f %0, %1 : f32" for op in ("add", "sub", "mul"))
OVER_D = "reduce add over [d]"

# ---------------------------------------------------------------- layer norm


def numpy_norm(x, gamma=1.0, beta=0.0, eps=1e-5, axis=1, count=None, center=True):
    x = x.astype(F64)
    count = count or x.shape[axis]
    mean = x.sum(axis, keepdims=True) / x.shape[axis] if center else 0.0
    variance = ((x - mean) ** 2).sum(axis, keepdims=True) / count
    return (x - mean) / np.sqrt(variance + eps) * gamma + beta


def layer_norm(name, expect, reference, first=1 / 8, second=1 / 8, eps=1e-5,
               squared="D[p,d]", centred="D[p,d]", square=SQUARE):
    c = case(name, expect, reference, x="pd", y="pd", g="d", b="d")
    c.add("S", "p", "x[p,d]", "", OVER_D).add("M", "p", "S[p]", scale(first))
    c.add("D", "pd", "x[p,d], M[p]", SUB).add("Q", "pd", squared, square)
    c.add("V", "p", "Q[p,d]", "", OVER_D).add("W", "p", "V[p]", scale(second))
    c.add("R", "p", "W[p]", root(eps)).add("N", "pd", f"{centred}, R[p]", MUL)
    c.add("G", "pd", "N[p,d], g[d]", MUL).add("B", "pd", "G[p,d], b[d]", ADD)
    return c


layer_norm("ln_plain", "ln", lambda x, y, g, b: numpy_norm(x, g, b))
layer_norm("ln_unbiased", None,
           lambda x, y, g, b: numpy_norm(x, g, b, count=7), second=1 / 7)
# Not centred, so no layer norm: the RMS norm of what is subtracted.
layer_norm("ln_wrong_mean", "rms", lambda x, y, g, b: wrong_mean(x, g, b),
           first=1 / 7)
layer_norm("ln_no_eps", None, lambda x, y, g, b: numpy_norm(x, g, b, eps=0.0),
           eps=None)
layer_norm("ln_negative_eps", None,
           lambda x, y, g, b: numpy_norm(x, g, b, eps=-1e-5), eps=-1e-5)
layer_norm("ln_square_of_other", None, lambda x, y, g, b: other_square(x, y, g, b),
           squared="y[p,d]")
layer_norm("ln_product_of_two", None, lambda x, y, g, b: two_factors(x, y, g, b),
           squared="D[p,d], x[p,d]", square=MUL)
layer_norm("ln_applied_to_other", None, lambda x, y, g, b: applied(x, y, g, b),
           centred="y[p,d]")


def wrong_mean(x, g, b):
    d = x.astype(F64) - x.sum(1, keepdims=True, dtype=F64) / 7
    return d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5) * g + b


def centre(x):
    return x.astype(F64) - x.mean(1, keepdims=True, dtype=F64)


def other_square(x, y, g, b):
    v = (y.astype(F64) ** 2).mean(1, keepdims=True)
    return centre(x) / np.sqrt(v + 1e-5) * g + b


def two_factors(x, y, g, b):
    v = (centre(x) * x).mean(1, keepdims=True)
    return centre(x) / np.sqrt(v + 1e-5) * g + b


def applied(x, y, g, b):
    v = (centre(x) ** 2).mean(1, keepdims=True)
    return y / np.sqrt(v + 1e-5) * g + b


# Mean over the rows, and the variance over the columns: likewise.
c = case("ln_axes_differ", "rms",
         lambda x: (x - x.mean(0, dtype=F64))
         / np.sqrt(((x - x.mean(0, dtype=F64)) ** 2).mean(1, keepdims=True) + 1e-5),
         x="pd")
c.add("S", "d", "x[p,d]", "", "reduce add over [p]").add("M", "d", "S[d]", scale(0.2))
c.add("D", "pd", "x[p,d], M[d]", SUB).add("Q", "pd", "D[p,d]", SQUARE)
c.add("V", "p", "Q[p,d]", "", OVER_D).add("W", "p", "V[p]", scale(0.125))
c.add("R", "p", "W[p]", root(1e-5)).add("N", "pd", "D[p,d], R[p]", MUL)

# Both over the rows: a norm, of columns.
c = case("ln_over_rows", "ln", lambda x: numpy_norm(x, axis=0), x="pd")
c.add("S", "d", "x[p,d]", "", "reduce add over [p]").add("M", "d", "S[d]", scale(0.2))
c.add("D", "pd", "x[p,d], M[d]", SUB).add("Q", "pd", "D[p,d]", SQUARE)
c.add("V", "d", "Q[p,d]", "", "reduce add over [p]").add("W", "d", "V[d]", scale(0.2))
c.add("R", "d", "W[d]", root(1e-5)).add("N", "pd", "D[p,d], R[d]", MUL)

# E[x^2] - E[x]^2, as it is, cut off at 0, and with the product written out.
for name, tail in (("ln_moments", ""), ("ln_moments_cut_off", "cut"),
                   ("ln_moments_distributed", "distributed"),
                   ("ln_moments_unbiased", "unbiased")):
    unbiased = tail == "unbiased"
    c = case(name, None if unbiased else "ln",
             (lambda x, g, b: numpy_norm(x, g, b, count=7)) if unbiased else
             (lambda x, g, b: numpy_norm(x, g, b)), x="pd", g="d", b="d")
    c.add("S", "p", "x[p,d]", "", OVER_D).add("M", "p", "S[p]", scale(1 / 8))
    c.add("Q", "pd", "x[p,d]", SQUARE).add("T", "p", "Q[p,d]", "", OVER_D)
    c.add("U", "p", "T[p]", scale(1 / 7 if unbiased else 1 / 8))
    c.add("MM", "p", "M[p]", scale(8 / 7) + "\n%q = arith.mulf %r, %0 : f32"
          if unbiased else SQUARE)
    if unbiased:
        c.lines[-1] = c.lines[-1].replace("einsum.yield %r", "einsum.yield %q")
    c.add("W", "p", "U[p], MM[p]", SUB)
    variance = "W"
    if tail == "cut":
        c.add("X", "p", "W[p]", "%c = arith.constant 0.0 : f32\n"
              "%r = arith.maximumf %0, %c : f32")
        variance = "X"
    c.add("R", "p", f"{variance}[p]", root(1e-5))
    if tail == "distributed":
        c.add("A", "pd", "R[p], g[d]", MUL).add("XA", "pd", "x[p,d], A[p,d]", MUL)
        c.add("MA", "pd", "M[p], A[p,d]", MUL).add("Z", "pd", "b[d], MA[p,d]", SUB)
        c.add("B", "pd", "XA[p,d], Z[p,d]", ADD)
        continue
    c.add("D", "pd", "x[p,d], M[p]", SUB).add("N", "pd", "D[p,d], R[p]", MUL)
    c.add("G", "pd", "N[p,d], g[d]", MUL).add("B", "pd", "G[p,d], b[d]", ADD)

# ------------------------------------------------------------------ RMS norm


def rms(name, expect, reference, second=1 / 8, inverse=None, apply=MUL, of="x"):
    c = case(name, expect, reference, x="pd", y="pd", g="d")
    c.add("Q", "pd", f"{of}[p,d]", SQUARE).add("V", "p", "Q[p,d]", "", OVER_D)
    c.add("W", "p", "V[p]", scale(second))
    c.add("R", "p", "W[p]", inverse or root(1e-6))
    c.add("N", "pd", "x[p,d], R[p]", apply).add("G", "pd", "g[d], N[p,d]", MUL)
    return c


def numpy_rms(x, g, count=8, of=None):
    of = x if of is None else of
    return x / np.sqrt((of.astype(F64) ** 2).sum(1, keepdims=True) / count
                       + 1e-6) * g


rms("rms_plain", "rms", lambda x, y, g: numpy_rms(x, g))
rms("rms_divided", "rms", lambda x, y, g: numpy_rms(x, g),
    inverse="%c = arith.constant 1.0e-6 : f32\n%s = arith.addf %c, %0 : f32\n"
            "%r = math.sqrt %s : f32", apply="%r = arith.divf %0, %1 : f32")
rms("rms_power", "rms", lambda x, y, g: numpy_rms(x, g),
    inverse="%c = arith.constant 1.0e-6 : f32\n%s = arith.addf %0, %c : f32\n"
            "%h = arith.constant -0.5 : f32\n%r = math.powf %s, %h : f32")
c = case("rms_of_product", "rms", lambda x, y, g: numpy_rms(x * y, g),
         x="pd", y="pd", g="d")
c.add("Z", "pd", "x[p,d], y[p,d]", MUL).add("Q", "pd", "Z[p,d]", SQUARE)
c.add("V", "p", "Q[p,d]", "", OVER_D).add("W", "p", "V[p]", scale(1 / 8))
c.add("R", "p", "W[p]", root(1e-6)).add("N", "pd", "Z[p,d], R[p]", MUL)
c.add("G", "pd", "g[d], N[p,d]", MUL)
rms("rms_wrong_count", None, lambda x, y, g: numpy_rms(x, g, 9), second=1 / 9)
rms("rms_of_other", None, lambda x, y, g: numpy_rms(x, g, of=y), of="y")
rms("rms_root_twice", None,
    lambda x, y, g: x / np.sqrt(np.sqrt((x.astype(F64) ** 2).mean(
        1, keepdims=True) + 1e-6)) * g,
    inverse="%c = arith.constant 1.0e-6 : f32\n%s = arith.addf %0, %c : f32\n"
            "%h = arith.constant -0.25 : f32\n%r = math.powf %s, %h : f32")

# --------------------------------------------------------------- activations


def erf(x):
    return np.vectorize(math.erf)(x.astype(F64))


def activation(name, expect, reference, body, reads="x[p,d]"):
    case(name, expect, reference, x="pd", y="pd").add("A", "pd", reads, body)


def constants(**values):
    return "".join(f"%{k} = arith.constant {v:.9e} : f32\n"
                   for k, v in values.items())


def gelu_body(k=math.sqrt(0.5), half=0.5, one=1.0, of="%0"):
    return constants(k=k, h=half, o=one) + (
        f"%s = arith.mulf {of}, %k : f32\n%e = math.erf %s : f32\n"
        "%a = arith.addf %o, %e : f32\n%b = arith.mulf %a, %h : f32\n"
        "%r = arith.mulf %b, %0 : f32")


activation("gelu", "AR", lambda x, y: x / 2 * (1 + erf(x / math.sqrt(2))), gelu_body())
activation("gelu_expanded", "AR", lambda x, y: x / 2 * (1 + erf(x / math.sqrt(2))),
           constants(k=math.sqrt(2), h=0.5) +
           "%s = arith.divf %0, %k : f32\n%e = math.erf %s : f32\n"
           "%a = arith.mulf %0, %h : f32\n%b = arith.mulf %a, %e : f32\n"
           "%r = arith.addf %a, %b : f32")
activation("gelu_erfc", "AR", lambda x, y: x / 2 * (1 + erf(x / math.sqrt(2))),
           constants(k=-math.sqrt(0.5), h=0.5) +
           "%s = arith.mulf %0, %k : f32\n%e = math.erfc %s : f32\n"
           "%a = arith.mulf %0, %h : f32\n%r = arith.mulf %a, %e : f32")
activation("gelu_constant_off", None,
           lambda x, y: x / 2 * (1 + erf(x * math.sqrt(0.5) * 1.01)),
           gelu_body(k=math.sqrt(0.5) * 1.01))
activation("gelu_one_off", None,
           lambda x, y: x / 2 * (1.01 + erf(x / math.sqrt(2))), gelu_body(one=1.01))
activation("gelu_gate_differs", None,
           lambda x, y: x / 2 * (1 + erf(y / math.sqrt(2))), gelu_body(of="%1"),
           "x[p,d], y[p,d]")
# The constant in front is no part of the function: it stays behind it.
activation("gelu_scaled", "AR", lambda x, y: x * 0.75 * (1 + erf(x / math.sqrt(2))),
           gelu_body(half=0.75))


def tanh_body(k=math.sqrt(2 / math.pi), cubic=0.044715, power=3):
    return constants(k=k, q=cubic, h=0.5, o=1.0) + (
        f"%n = arith.constant {power} : i32\n"
        "%x3 = math.fpowi %0, %n : f32, i32\n%a = arith.mulf %x3, %q : f32\n"
        "%b = arith.addf %0, %a : f32\n%s = arith.mulf %b, %k : f32\n"
        "%t = math.tanh %s : f32\n%u = arith.addf %t, %o : f32\n"
        "%v = arith.mulf %0, %h : f32\n%r = arith.mulf %v, %u : f32")


def gelu_tanh(x, k=math.sqrt(2 / math.pi), cubic=0.044715, power=3):
    x = x.astype(F64)
    return x / 2 * (1 + np.tanh(k * (x + cubic * x ** power)))


activation("gelu_tanh", "AR", lambda x, y: gelu_tanh(x), tanh_body())
activation("gelu_tanh_nested", "AR", lambda x, y: gelu_tanh(x),
           constants(k=math.sqrt(2 / math.pi), q=0.044715, h=0.5, o=1.0) +
           "%x2 = arith.mulf %0, %0 : f32\n%a = arith.mulf %x2, %q : f32\n"
           "%b = arith.addf %a, %o : f32\n%c = arith.mulf %0, %b : f32\n"
           "%s = arith.mulf %c, %k : f32\n%t = math.tanh %s : f32\n"
           "%u = arith.addf %t, %o : f32\n%v = arith.mulf %u, %h : f32\n"
           "%r = arith.mulf %0, %v : f32")
# What x is made of is not looked into.
for op, made in (("add", lambda x, y: x + y), ("mul", lambda x, y: x * y)):
    first = f"%z = arith.{op}f %0, %1 : f32\n"
    activation(f"gelu_tanh_of_{op}", "AR",
               lambda x, y, made=made: gelu_tanh(made(x, y)),
               first + tanh_body().replace("%0", "%z"), "x[p,d], y[p,d]")
activation("gelu_tanh_linear_off", None, lambda x, y: gelu_tanh(x, k=0.79),
           tanh_body(k=0.79))
activation("gelu_tanh_cubic_off", None, lambda x, y: gelu_tanh(x, cubic=0.045),
           tanh_body(cubic=0.045))
activation("gelu_tanh_square", None, lambda x, y: gelu_tanh(x, power=2),
           tanh_body(power=2))


def silu_body(sign="arith.negf %0", one=1.0, of="%0"):
    return constants(o=one) + (
        f"%n = {sign} : f32\n%e = math.exp %n : f32\n"
        "%a = arith.addf %e, %o : f32\n%s = arith.divf %o, %a : f32\n"
        f"%r = arith.mulf {of}, %s : f32")


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(F64)))


activation("silu", "AR", lambda x, y: x * sigmoid(x), silu_body())
activation("silu_divided", "AR", lambda x, y: x * sigmoid(x),
           constants(o=1.0, m=-1.0) +
           "%n = arith.mulf %0, %m : f32\n%e = math.exp %n : f32\n"
           "%a = arith.addf %o, %e : f32\n%r = arith.divf %0, %a : f32")
for op, made in (("add", lambda x, y: x + y), ("mul", lambda x, y: x * y)):
    activation(f"silu_of_{op}", "AR",
               lambda x, y, made=made: made(x, y) * sigmoid(made(x, y)),
               f"%z = arith.{op}f %0, %1 : f32\n"
               + constants(o=1.0) + "%n = arith.negf %z : f32\n"
               "%e = math.exp %n : f32\n%a = arith.addf %e, %o : f32\n"
               "%s = arith.divf %o, %a : f32\n%r = arith.mulf %z, %s : f32",
               "x[p,d], y[p,d]")
activation("silu_sign", None, lambda x, y: x * sigmoid(-x),
           constants(o=1.0) + "%e = math.exp %0 : f32\n"
           "%a = arith.addf %e, %o : f32\n%r = arith.divf %0, %a : f32")
activation("silu_faster", None, lambda x, y: x * sigmoid(1.702 * x),
           constants(k=-1.702, o=1.0) +
           "%n = arith.mulf %0, %k : f32\n%e = math.exp %n : f32\n"
           "%a = arith.addf %e, %o : f32\n%r = arith.divf %0, %a : f32")
activation("silu_gate_differs", None, lambda x, y: y * sigmoid(x),
           silu_body(of="%1"), "x[p,d], y[p,d]")
activation("swiglu", "AR", lambda x, y: x * sigmoid(x) * y,
           silu_body().replace("%r", "%w") + "\n%r = arith.mulf %1, %w : f32",
           "x[p,d], y[p,d]")
activation("sigmoid_alone", None, lambda x, y: sigmoid(x) + 0 * y,
           constants(o=1.0) + "%n = arith.negf %0 : f32\n%e = math.exp %n : f32\n"
           "%a = arith.addf %e, %o : f32\n%r = arith.divf %o, %a : f32")
activation("relu", "AR", lambda x, y: np.maximum(x, 0),
           constants(z=0.0) + "%r = arith.maximumf %z, %0 : f32")
activation("relu_selected", "AR", lambda x, y: np.maximum(x, 0),
           constants(z=0.0) + "%c = arith.cmpf ugt, %0, %z : f32\n"
           "%r = arith.select %c, %0, %z : f32")
# 0 for NaN, which max is not.
activation("relu_of_nan", None, lambda x, y: np.maximum(x, 0),
           constants(z=0.0) + "%c = arith.cmpf ogt, %0, %z : f32\n"
           "%r = arith.select %c, %0, %z : f32")
activation("relu_six", None, lambda x, y: np.maximum(x, 0.06),
           constants(z=0.06) + "%r = arith.maximumf %0, %z : f32")
activation("relu_leaky", None, lambda x, y: np.where(x > 0, x, 0.1 * x),
           constants(z=0.0, k=0.1) + "%c = arith.cmpf ugt, %0, %z : f32\n"
           "%s = arith.mulf %0, %k : f32\n%r = arith.select %c, %0, %s : f32")

# ----------------------------------------------------------------- rotations

SIGN = ('%i = einsum.index "e1"\n%zero = arith.constant 0 : index\n'
        "%first = arith.cmpi eq, %i, %zero : index\n")
SELECTED = SIGN + ("%n = arith.negf %1 : f32\n"
                   "%t = arith.select %first, %n, %1 : f32\n")


def rotated(x, cos, sin, signs=(-1, 1), other=None):
    other = x if other is None else other
    turned = other[:, ::-1] * np.array(signs)[None, :, None]
    return x.astype(F64) * cos + turned * sin


def rope(name, expect, reference, sign, reads="x[p,e1,e0], x[p,1-e1,e0], "
         "c[p,e1,e0], s[p,e1,e0]", tail=""):
    c = case(name, expect, reference, x=("p", "e1", "e0"), y=("p", "e1", "e0"),
             c=("p", "e1", "e0"), s=("p", "e1", "e0"))
    c.add("R", ("p", "e1", "e0"), reads,
          sign + "%a = arith.mulf %0, %2 : f32\n%b = arith.mulf %t, %3 : f32\n"
          + (tail or "%r = arith.addf %a, %b : f32"))


rope("rope", "ROPE", lambda x, y, c, s: rotated(x, c, s), SELECTED)
rope("rope_by_index", "ROPE", lambda x, y, c, s: rotated(x, c, s),
     '%i = einsum.index "e1"\n%j = arith.index_cast %i : index to i32\n'
     "%f = arith.sitofp %j : i32 to f32\n" + constants(two=2.0, one=1.0) +
     "%g = arith.mulf %f, %two : f32\n%h = arith.subf %g, %one : f32\n"
     "%t = arith.mulf %1, %h : f32\n")
rope("rope_backwards", None, lambda x, y, c, s: rotated(x, c, s, (1, -1)),
     SIGN + "%n = arith.negf %1 : f32\n%t = arith.select %first, %1, %n : f32\n")
rope("rope_no_sign", None, lambda x, y, c, s: rotated(x, c, s, (1, 1)),
     "%t = arith.addf %1, %1 : f32\n", tail="%m = arith.constant 0.5 : f32\n"
     "%d = arith.mulf %b, %m : f32\n%r = arith.addf %a, %d : f32")
rope("rope_of_other", None, lambda x, y, c, s: rotated(x, c, s, other=y), SELECTED,
     "x[p,e1,e0], y[p,1-e1,e0], c[p,e1,e0], s[p,e1,e0]")
rope("rope_not_exchanged", None,
     lambda x, y, c, s: rotated(x, c, s, other=x[:, ::-1]), SELECTED,
     "x[p,e1,e0], x[p,e1,e0], c[p,e1,e0], s[p,e1,e0]")
rope("rope_subtracted", None, lambda x, y, c, s: rotated(x, c, -s), SELECTED,
     tail="%r = arith.subf %a, %b : f32")

# ---------------------------------------------------------------------- run

MARKS = {"ln": "SAV", "rms": "MQAV", "AR": "AR", "ROPE": "ROPE"}


def found_in(text):
    """Which piece the Einsums of a function are called after."""
    names = [n.split(".")[-1] for n in re.findall(r'map_reduce "([^"]+)"', text)]
    for piece, mark in MARKS.items():
        if mark in names:
            return piece
    return None


def main():
    text = tools.optimize("".join(c.text() for c in CASES))
    normal = tools.optimize(text, "--einsum-normalize")
    again = tools.optimize(normal, "--einsum-normalize")
    bodies = dict(re.findall(r"func\.func @(\w+)\(.*?^( .*?)^  }$", normal,
                             re.M | re.S))
    compiled = [program.Program(tools.optimize(t, "--transfusion-naive-to-llvm"))
                for t in (text, normal)]
    bad = 0
    for c in CASES:
        sig = program.signature(text, c.name)
        inputs = c.inputs(np.random.default_rng(7))
        expected = c.reference(*[x.astype(F64) for x in inputs])
        errors = []
        for p in compiled:
            result = p.call(sig, [x.copy() for x in inputs])[0]
            both = np.isnan(result) & np.isnan(expected)
            errors.append(np.abs(np.where(both, 0, result - expected)).max()
                          / max(1.0, np.nanmax(np.abs(expected))))
        found = found_in(bodies[c.name])
        good = found == c.expect and max(errors) <= BOUND
        bad += not good
        print(f"{c.name}: {found}, expected {c.expect}; "
              f"off by {errors[0]:.1e} before, {errors[1]:.1e} after"
              f"{'' if good else ' WRONG'}")
    print(f"{len(CASES) - bad} of {len(CASES)} cases are as expected")
    print("twice is once" if again == normal else "twice DIFFERS from once")
    return bad


if __name__ == "__main__":
    sys.exit(main())
