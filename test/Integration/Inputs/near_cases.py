# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions in linalg with the pieces that are in them and what they are in
NumPy, and what they are written with."""

import numpy as np
from exported_masks import Linalg, kind

BOUND = 2e-6  # relative to the greatest value, or absolute below 1
H, P, M, E, D = 3, 7, 7, 4, 8
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


def const(name, value):
    return f"%{name} = arith.constant {value:.9e} : f32\n"


def rounded(x):
    """To bf16, ties to even."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)
