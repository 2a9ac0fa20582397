# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linalg as torch-mlir writes it, with the numbers beside it: every tensor is
text and an array in double precision."""

import numpy as np


class Tensor:
    def __init__(self, name, array, element="f32"):
        self.name, self.array, self.element = name, np.asarray(array), element

    @property
    def type(self):
        return type_of(self.array.shape, self.element)


def type_of(shape, element="f32"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


class Layer:
    """A function. Arrays are f64, inputs are rounded to f32 before."""

    def __init__(self, name, seed=0):
        self.name, self.lines, self.arguments = name, [], []
        self.inputs, self.rng, self.count = [], np.random.default_rng(seed), 0

    def argument(self, *shape, scale=1.0, around=0.0, element="f32"):
        if element == "i8":
            array = self.rng.integers(-128, 128, shape).astype(np.int8)
        else:
            array = (around + scale * self.rng.standard_normal(shape)
                     ).astype(np.float32)
        tensor = Tensor(f"%arg{len(self.inputs)}", array.astype(np.float64),
                        element)
        self.inputs.append(array)
        self.arguments.append(f"{tensor.name}: {tensor.type}")
        return tensor

    def fresh(self):
        self.count += 1
        return f"%t{self.count}"

    def add(self, line, array, element="f32"):
        tensor = Tensor(self.fresh(), array, element)
        self.lines.append(f"    {tensor.name} = "
                          + line.replace("TYPE", tensor.type))
        return tensor

    def empty(self, shape, element="f32"):
        return self.add("tensor.empty() : TYPE", np.empty(shape), element)

    def fill(self, shape, value):
        scalar = self.fresh()
        text = {-np.inf: "0xFF800000"}.get(value, f"{value:.9e}")
        self.lines.append(f"    {scalar} = arith.constant {text} : f32")
        empty = self.empty(shape)
        return self.add(f"linalg.fill ins({scalar} : f32) outs({empty.name} : "
                        f"{empty.type}) -> TYPE", np.full(shape, value))

    def generic(self, out, inputs, body, array, over="", init=None,
                element="f32"):
        """`out`, and a string per input: a letter per dimension, "1" for one
        that is broadcast; `over`: letters that are reduced. The body reads %a,
        %b, ... (%z is the accumulator) and ends in %r; none passes %a on."""
        letters = out + over
        array = np.asarray(array)
        to = lambda s: "(" + ", ".join(
            "0" if c == "1" else f"d{letters.index(c)}" for c in s) + ")"
        head = "(" + ", ".join(f"d{i}" for i in range(len(letters))) + ")"
        maps = ", ".join(f"affine_map<{head} -> {to(s)}>"
                         for s in [s for _, s in inputs] + [out])
        kinds = ", ".join(['"parallel"'] * len(out) +
                          ['"reduction"'] * len(over))
        start = self.empty(array.shape, element) if init is None else \
            self.fill(array.shape, init)
        names = ", ".join(t.name for t, _ in inputs)
        types = ", ".join(t.type for t, _ in inputs)
        blocks = ", ".join(f"%{chr(97 + i)}: {t.element}"
                           for i, (t, _) in enumerate(inputs))
        blocks = (blocks + ", " if blocks else "") + f"%z: {element}"
        lines = "\n".join(f"      {line.strip()}"
                          for line in body.strip().splitlines())
        lines = (lines + "\n" if lines else "") + \
            f"      linalg.yield {'%r' if lines else '%a'} : {element}"
        ins = f" ins({names} : {types})" if inputs else ""
        return self.add(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = "
            f"[{kinds}]}}{ins} outs({start.name} : {start.type}) {{\n"
            f"    ^bb0({blocks}):\n{lines}\n    }} -> TYPE", array, element)

    #===--- What a layer is made of --------------------------------------===#

    def unary(self, x, body, array):
        letters = "abcdefgh"[:x.array.ndim]
        return self.generic(letters, [(x, letters)], body, array)

    def scale(self, x, value):
        value = float(np.float32(value))
        return self.unary(x, f"%k = arith.constant {value:.9e} : f32\n"
                          "%r = arith.mulf %a, %k : f32", x.array * value)

    def binary(self, op, x, y, letters=None, other=None):
        function = {"addf": np.add, "mulf": np.multiply, "subf": np.subtract,
                    "divf": np.divide}[op]
        letters = letters or "abcdefgh"[:x.array.ndim]
        other = other or letters
        index = tuple(None if c not in other else slice(None) for c in letters)
        second = y.array if "1" in other else y.array[index]
        return self.generic(letters, [(x, letters), (y, other)],
                            f"%r = arith.{op} %a, %b : f32",
                            function(x.array, second))

    def transpose(self, x, order):
        array = np.transpose(x.array, order)
        empty = self.empty(array.shape)
        return self.add(
            f"linalg.transpose ins({x.name} : {x.type}) outs({empty.name} : "
            f"{empty.type}) permutation = {list(order)}", array)

    def split(self, x, dim, *sizes):
        shape = x.array.shape[:dim] + sizes + x.array.shape[dim + 1:]
        groups = [[i] for i in range(dim)] + \
            [list(range(dim, dim + len(sizes)))] + \
            [[i] for i in range(dim + len(sizes), len(shape))]
        return self.add(f"tensor.expand_shape {x.name} {groups} output_shape "
                        f"{list(shape)} : {x.type} into TYPE",
                        x.array.reshape(shape))

    def merge(self, x, first, last):
        old = x.array.shape
        shape = old[:first] + (-1,) + old[last + 1:]
        groups = [[i] for i in range(first)] + \
            [list(range(first, last + 1))] + \
            [[i] for i in range(last + 1, len(old))]
        return self.add(f"tensor.collapse_shape {x.name} {groups} : {x.type} "
                        "into TYPE", x.array.reshape(shape))

    def slice(self, x, dim, start, size):
        offsets, sizes = [0] * x.array.ndim, list(x.array.shape)
        offsets[dim], sizes[dim] = start, size
        index = tuple(slice(o, o + s) for o, s in zip(offsets, sizes))
        return self.add(f"tensor.extract_slice {x.name}{offsets} {sizes} "
                        f"{[1] * x.array.ndim} : {x.type} to TYPE",
                        x.array[index])

    def concat(self, dim, *parts):
        return self.add(
            f"tensor.concat dim({dim}) {', '.join(p.name for p in parts)} : ("
            + ", ".join(p.type for p in parts) + ") -> TYPE",
            np.concatenate([p.array for p in parts], dim))

    def batch_matmul(self, x, y):
        array = x.array @ y.array
        zero = self.fill(array.shape, 0.0)
        return self.add(
            f"linalg.batch_matmul ins({x.name}, {y.name} : {x.type}, {y.type}) "
            f"outs({zero.name} : {zero.type}) -> TYPE", array)

    def linear(self, x, outputs, bias=True):
        """[b, p, d] by a weight [n, d] that is transposed and repeated."""
        batch, _, features = x.array.shape
        weight = self.argument(outputs, features, scale=features**-0.5)
        weight = self.transpose(weight, [1, 0])
        repeated = self.generic(
            "bdn", [(weight, "dn")],
            "", np.broadcast_to(weight.array, (batch, *weight.array.shape)))
        y = self.batch_matmul(x, repeated)
        if not bias:
            return y
        return self.binary("addf", y, self.argument(outputs, scale=0.3),
                           "bpn", "n")

    def heads(self, x, number):
        """[b, p, h*e] -> [b, h, p, e]"""
        size = x.array.shape[2] // number
        return self.transpose(self.split(x, 2, number, size), [0, 2, 1, 3])

    def reduce(self, x, op, init, array):
        letters = "abcdefgh"[:x.array.ndim - 1]
        return self.generic(letters, [(x, letters + "z")],
                            f"%r = arith.{op} %a, %z : f32", array, "z", init)

    def softmax(self, s):
        """Over the last dimension."""
        letters = "abcdefgh"[:s.array.ndim]
        rows = letters[:-1]
        top = self.reduce(s, "maximumf", -np.inf, s.array.max(-1))
        shifted = self.binary("subf", s, top, letters, rows)
        power = self.unary(shifted, "%r = math.exp %a : f32",
                           np.exp(shifted.array))
        total = self.reduce(power, "addf", 0.0, power.array.sum(-1))
        return self.binary("divf", power, total, letters, rows)

    def mean(self, x):
        total = self.reduce(x, "addf", 0.0, x.array.sum(-1))
        return self.unary(total, "%k = arith.constant "
                          f"{float(x.array.shape[-1]):.9e} : f32\n"
                          "%r = arith.divf %a, %k : f32",
                          total.array / x.array.shape[-1])

    def inverse_root(self, x, eps=1e-5):
        eps = float(np.float32(eps))
        return self.unary(x, f"%k = arith.constant {eps:.9e} : f32\n"
                          "%s = arith.addf %a, %k : f32\n"
                          "%r = math.rsqrt %s : f32",
                          (x.array + eps)**-0.5)

    def rms_norm(self, x):
        letters = "abcdefgh"[:x.array.ndim]
        square = self.binary("mulf", x, x)
        inverse = self.inverse_root(self.mean(square))
        y = self.binary("mulf", x, inverse, letters, letters[:-1])
        gamma = self.argument(x.array.shape[-1], scale=0.2, around=1.0)
        return self.binary("mulf", y, gamma, letters, letters[-1])

    def layer_norm(self, x):
        letters = "abcdefgh"[:x.array.ndim]
        rows, last = letters[:-1], letters[-1]
        centred = self.binary("subf", x, self.mean(x), letters, rows)
        variance = self.mean(self.binary("mulf", centred, centred))
        y = self.binary("mulf", centred, self.inverse_root(variance), letters,
                        rows)
        gamma = self.argument(x.array.shape[-1], scale=0.2, around=1.0)
        beta = self.argument(x.array.shape[-1], scale=0.2)
        y = self.binary("mulf", y, gamma, letters, last)
        return self.binary("addf", y, beta, letters, last)

    def module(self, *results):
        types = ", ".join(r.type for r in results)
        values = ", ".join(r.name for r in results)
        return (f"func.func @{self.name}({', '.join(self.arguments)}) -> "
                f"({types}) {{\n" + "\n".join(self.lines) +
                f"\n    return {values} : {types}\n}}\n")
