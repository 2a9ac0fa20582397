# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as exporters write it: one Einsum per op, no name that says what.

Each variant is a cascade and what it computes, by NumPy in double precision. A
variant is attention, and must become one pass over the keys, or is nearly, and
must stay what it is.
"""

import math
import zlib

import numpy as np


class Writer:
    """A function of one cascade, Einsum by Einsum."""

    def __init__(self, ranks, element="f32"):
        self.ranks, self.element = dict(ranks), element
        self.arguments, self.lines, self.types = [], [], {}

    def argument(self, name, shape, element=None, attributes=""):
        self.types[name] = "x".join(map(str, shape)) + "x" + \
            (element or self.element)
        self.arguments.append(f"%{name}: tensor<{self.types[name]}>"
                              + (f" {{{attributes}}}" if attributes else ""))
        return name

    def einsum(self, name, result, reads, body="", reduce="", element=None):
        """`reads`: "q[b,h,p,e]", ...; `body`: lines over %a, %b, ... that end
        in %r; `reduce`: "add over [m]"."""
        shape = [str(self.ranks[r]) for r in result.split(",")] if result else []
        element = element or self.element
        self.types[name] = "x".join(shape + [element])
        tensors = [read.partition("[")[0] for read in reads]
        inputs = ", ".join(f"tensor<{self.types[t]}>" for t in tensors)
        text = f'%{name} = einsum.map_reduce "{name}" [{result}]'
        if reads:
            text += " from " + ", ".join(f"%{read}" for read in reads)
        if body:
            values = ", ".join(
                f"%{chr(97 + i)}: {self.types[t].split('x')[-1]}"
                for i, t in enumerate(tensors))
            text += " map {\n" + (f"      ^bb0({values}):\n" if reads else "")
            lines = [line.strip() for line in body.strip().splitlines()]
            text += "".join(f"        {line}\n" for line in lines)
            text += f"        einsum.yield %r : {element}\n      }}"
        if reduce:
            text += f" reduce {reduce}"
        self.lines.append(
            f"      {text} : ({inputs}) -> tensor<{self.types[name]}>")
        return f"{name}[{result}]"

    def module(self, *results):
        ranks = ", ".join(f"{r} = {n}" for r, n in self.ranks.items())
        names = ", ".join(f"%{r}" for r in results)
        types = ", ".join(f"tensor<{self.types[r]}>" for r in results)
        out = f"({types})" if len(results) > 1 else types
        values = ", ".join(f"%r#{i}" for i in range(len(results))) \
            if len(results) > 1 else "%r"
        count = f":{len(results)}" if len(results) > 1 else ""
        return (f"func.func @f({', '.join(self.arguments)}) -> {out} {{\n"
                f"    %r{count} = einsum.cascade ranks({ranks}) {{\n"
                + "\n".join(self.lines)
                + f"\n      einsum.yield {names} : {types}\n    }} -> {types}\n"
                f"    return {values} : {types}\n}}\n")


F32 = {"neg": "0xFF800000", "zero": "0.0"}


def f32(value):
    return F32["neg"] if value == -math.inf else f"{value:.17e}"


def times(value):
    return f"%c = arith.constant {f32(value)} : f32\n" \
           "%r = arith.mulf %a, %c : f32"


#: Conditions on (p, m), as a body that makes %r : i1, and as NumPy.
def index_condition(name, queries, keys):
    shift = keys - queries
    head = '%pi = einsum.index "p"\n%mi = einsum.index "m"\n'
    const = lambda n, v: f"%{n} = arith.constant {v} : index\n"
    at = const("s", shift) + "%l = arith.addi %pi, %s : index\n"
    causal = at + "%c1 = arith.cmpi sle, %mi, %l : index\n"
    window = const("w", 4) + "%first = arith.subi %l, %w : index\n" \
        "%c2 = arith.cmpi sgt, %mi, %first : index\n"
    prefix = const("n", 11) + "%c3 = arith.cmpi slt, %mi, %n : index\n"
    left = const("n", 5) + "%c4 = arith.cmpi sge, %mi, %n : index\n"
    both = lambda l, r, op="andi": f"%r = arith.{op} {l}, {r} : i1"
    same = lambda v: "%t = arith.constant true\n" + \
        f"%r = arith.andi {v}, %t : i1"
    p, m = np.arange(queries)[:, None], np.arange(keys)[None, :]
    last = p + shift
    return {
        "causal": (head + causal + same("%c1"), m <= last),
        "window": (head + causal + window + both("%c1", "%c2"),
                   (m <= last) & (m > last - 4)),
        "prefix": (head + prefix + same("%c3"), (m < 11) & (p >= 0)),
        "left": (head + left + same("%c4"), (m >= 5) & (p >= 0)),
        "left_causal": (head + causal + left + both("%c1", "%c4"),
                        (m >= 5) & (m <= last)),
        "prefix_lm": (head + causal + prefix + both("%c1", "%c3", "ori"),
                      (m <= last) | (m < 11)),
        "block": (head + const("size", 4) +
                  "%pb = arith.divui %pi, %size : index\n"
                  "%mb = arith.divui %mi, %size : index\n"
                  "%r = arith.cmpi eq, %pb, %mb : index",
                  p // 4 == m // 4),
        # What must not be: the negation, by xor.
        "causal_xor": (head + at +
                       "%c = arith.cmpi sgt, %mi, %l : index\n"
                       "%t = arith.constant true\n"
                       "%r = arith.xori %c, %t : i1", m <= last),
        "causal_or": (head + at + left.replace("sge", "slt")
                      .replace("%c4", "%n4") +
                      "%c = arith.cmpi sgt, %mi, %l : index\n"
                      "%o = arith.ori %c, %n4 : i1\n"
                      "%t = arith.constant true\n"
                      "%r = arith.xori %o, %t : i1", (m <= last) & (m >= 5)),
    }[name]


def attention(scale="after", mask=None, masked="add", guard=None, max="max",
              divide="before", groups=1, queries=13, keys=17, near=None,
              weights=False, stated=None, batch=2, heads=4, e=6, f=5):
    """(text, inputs, results). `near` names what is wrong."""
    w = Writer({"b": batch, "h": heads // groups, "g": groups, "p": queries,
                "m": keys, "e": e, "f": f})
    rows = "b,h,g,p"
    seed = zlib.crc32(repr((scale, mask, masked, guard, max, divide, groups,
                            queries, keys, near)).encode())
    rng = np.random.default_rng(seed)
    normal = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    q = normal(batch, heads // groups, groups, queries, e)
    k, v = normal(batch, heads // groups, keys, e), \
        normal(batch, heads // groups, keys, f)
    inputs = [q, k, v]
    w.argument("q", q.shape)
    w.argument("k", k.shape)
    w.argument("v", v.shape)
    factor = 1 / math.sqrt(e)

    # Scores, with the scale where it is asked for.
    score = np.einsum("bhgpe,bhme->bhgpm", *(a.astype(np.float64)
                                              for a in (q, k)))
    left, right = "q[b,h,g,p,e]", "k[b,h,m,e]"
    if scale == "both":
        root = math.sqrt(factor)
        left = w.einsum("t1", "b,h,g,p,e", [left], times(root))
        right = w.einsum("t2", "b,h,e,m", [right], times(root))
    elif scale == "q":
        left = w.einsum("t1", "b,h,g,p,e", [left], times(factor))
    x = w.einsum("t3", rows + ",m", [left, right],
                 "%r = arith.mulf %a, %b : f32", "add over [e]")
    if scale == "after":
        x = w.einsum("t4", rows + ",m", [x], times(factor))
    score = score * (1 if scale is None else factor)

    # The mask.
    hidden = -1e9 if masked == "finite" else -math.inf
    visible = None
    if mask in ("data", "bool", "rows"):
        visible = rng.random((batch, queries, keys)) < 0.7
        visible[..., 0] = True
        if mask == "rows":
            visible[0, 3] = visible[1, queries - 1] = False
        data = visible if mask == "bool" else np.where(
            visible, 0, hidden).astype(np.float32)
        inputs.append(data)
        condition = "%" + w.argument("mask", data.shape,
                                     "i1" if mask == "bool" else None)
        condition = condition[1:] + "[b,p,m]"
        if mask == "data" and masked == "select":
            condition = w.einsum("t5", "b,p,m", [condition],
                                 "%z = arith.constant 0.0 : f32\n"
                                 "%r = arith.cmpf oeq, %a, %z : f32",
                                 element="i1")
    elif mask == "stated":
        visible = stated[1]
        data = np.broadcast_to(np.where(visible, 0, hidden),
                               (batch, 1, queries, keys)).astype(np.float32)
        inputs.append(np.ascontiguousarray(data))
        w.argument("mask", data.shape,
                   attributes=f"einsum.mask = #einsum.mask<{stated[0]}>")
        condition = "mask[b,0,p,m]"
    elif mask:
        body, visible = index_condition(mask, queries, keys)
        condition = w.einsum("t5", "p,m", [], body, element="i1")
    if visible is not None:
        full = visible[:, None, None] if visible.ndim == 3 else visible
        if masked == "select":
            x = w.einsum(
                "t6", rows + ",m", [condition, x],
                f"%n = arith.constant {f32(hidden)} : f32\n"
                "%r = arith.select %a, %b, %n : f32")
            score = np.where(full, score, hidden)
        else:
            if mask not in ("data", "rows", "stated"):
                condition = w.einsum(
                    "t6", condition.partition("[")[2][:-1], [condition],
                    f"%n = arith.constant {f32(hidden)} : f32\n"
                    "%z = arith.constant 0.0 : f32\n"
                    "%r = arith.select %a, %z, %n : f32")
            x = w.einsum("t7", rows + ",m", [condition, x],
                         "%r = arith.addf %b, %a : f32")
            score = score + np.where(full, 0, hidden)
    if scale == "last":  # after the mask
        x = w.einsum("t4", rows + ",m", [x], times(factor))

    # The softmax.
    top = score.max(-1, keepdims=True)
    subtracted, y = top, x
    if near == "max of other":
        y = w.einsum("n1", rows + ",m", [x], times(0.5))
        subtracted = 0.5 * top
    if max == "maxnum":
        y = w.einsum("t8", rows + ",m", [y],
                     "%u = arith.cmpf uno, %a, %a : f32\n"
                     f"%n = arith.constant {f32(-math.inf)} : f32\n"
                     "%r = arith.select %u, %n, %a : f32")
    kind = "min" if near == "min" else "max"
    if near == "min":
        subtracted = score.min(-1, keepdims=True)
    z = x
    if max:
        over = "[p]" if near == "axis of max" else "[m]"
        result = "b,h,g,m" if near == "axis of max" else rows
        y = w.einsum("t9", result, [y], reduce=f"{kind} over {over}")
        if near == "axis of max":
            subtracted = score.max(-2, keepdims=True)
        if near == "mean":
            y = w.einsum("n2", rows, [x], reduce="add over [m]")
            y = w.einsum("n3", rows, [y], times(1 / keys))
            subtracted = score.mean(-1, keepdims=True)
        z = w.einsum("t10", rows + ",m", [x, y],
                     "%r = arith.subf %a, %b : f32")
    else:
        subtracted = 0
    base = "exp2" if near == "base" else "exp"
    power = np.exp2 if near == "base" else np.exp
    n = w.einsum("t11", rows + ",m", [z], f"%r = math.{base} %a : f32")
    with np.errstate(invalid="ignore", over="ignore"):
        numerator = power(score - subtracted)
    total, d = numerator, n
    if near == "sum of other":
        d = w.einsum("n4", rows + ",m", [n], "%r = arith.mulf %a, %a : f32")
        total = numerator**2
    if near == "two masks":
        body, seen = index_condition("causal", queries, keys)
        c = w.einsum("n5", "p,m", [], body, element="i1")
        d = w.einsum("n6", rows + ",m", [c, n],
                     "%z = arith.constant 0.0 : f32\n"
                     "%r = arith.select %a, %b, %z : f32")
        total = np.where(seen, numerator, 0)
    if near == "axis of sum":
        d = w.einsum("t12", "b,h,g,m", [d], reduce="add over [p]")
        total = total.sum(-2, keepdims=True)
    else:
        d = w.einsum("t12", rows, [d], reduce="add over [m]")
        total = total.sum(-1, keepdims=True)
    if near == "epsilon":
        d = w.einsum("n7", rows, [d],
                     "%c = arith.constant 1.0e-02 : f32\n"
                     "%r = arith.addf %a, %c : f32")
        total = total + 1e-2
    if divide == "reciprocal":
        d = w.einsum("t13", rows, [d], "%c = arith.constant 1.0 : f32\n"
                     "%r = arith.divf %c, %a : f32")
        a = w.einsum("t14", rows + ",m", [n, d],
                     "%r = arith.mulf %a, %b : f32")
    else:
        a = w.einsum("t14", rows + ",m", [n, d],
                     "%r = arith.divf %a, %b : f32")
    with np.errstate(invalid="ignore"):
        weight = numerator / total

    # The guard.
    if guard:
        never = f"%n = arith.constant {f32(-math.inf)} : f32\n"
        reduced = {"and": "and over [m]", "or": "or over [m]",
                   "half": "and over [m]"}
        if guard == "max":
            g = w.einsum("t15", rows, [y], never +
                         "%r = arith.cmpf oeq, %a, %n : f32", element="i1")
        else:
            test = {"and": "oeq", "or": "une", "half": "oeq"}[guard]
            other = x
            if near == "guard of other":
                other = w.einsum("n8", rows + ",m", [x], times(-1.0))
            g = w.einsum("t15", rows + ",m", [other], never +
                         f"%r = arith.cmpf {test}, %a, %n : f32", element="i1")
            g = w.einsum("t16", rows, [g], reduce=reduced[guard],
                         element="i1")
        order = "%b, %z" if guard == "or" else "%z, %b"
        a = w.einsum("t17", rows + ",m", [g, a],
                     "%z = arith.constant 0.0 : f32\n"
                     f"%r = arith.select %a, {order} : f32")
        if near != "guard of other":
            weight = np.where(np.isneginf(top), 0, weight)

    # The values.
    value = v.astype(np.float64)
    if near == "other rank":
        # The weights are summed over keys, the contraction is over groups too.
        out = w.einsum("t18", "b,h,p,f", [a, "v[b,h,m,f]"],
                       "%r = arith.mulf %a, %b : f32", "add over [g,m]")
        result = np.einsum("bhgpm,bhmf->bhpf", weight, value)
    else:
        out = w.einsum("t18", rows + ",f", [a, "v[b,h,m,f]"],
                       "%r = arith.mulf %a, %b : f32", "add over [m]")
        result = np.einsum("bhgpm,bhmf->bhgpf", weight, value)
    names = [out.partition("[")[0]]
    results = [result]
    if weights:
        names.append(a.partition("[")[0])
        results.append(weight)
    return w.module(*names), inputs, results
