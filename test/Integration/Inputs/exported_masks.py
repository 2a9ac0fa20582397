# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masked attention as an exporter writes it in linalg, on both paths, against
NumPy in double precision, and the score points that are counted against those
that a loop over queries and keys counts.

    exported_masks.py MACHINE

A key tile of tiny holds 4 keys, of edge 16; the masks hide whole tiles, at the
front, at the back and in between, and whole rows.
"""

import json
import math
import re
import subprocess
import sys

import numpy as np
from index_masks import M, P, index_mask

from transfusion import execute, program, reference, tools

B, H, E, F = 1, 2, 4, 3
#: Sums of 4 and 37 products of values near 1.
BOUND = 2e-6


class Linalg:
    """Lines of a function, and the types of its values."""

    def __init__(self):
        self.lines, self.types, self.count = [], {}, 0

    def define(self, kind, text):
        self.count += 1
        name = f"%v{self.count}"
        self.types[name] = kind
        self.lines.append(f"  {name} = {text}")
        return name

    def empty(self, kind, fill=None):
        value = self.define(kind, f"tensor.empty() : {kind}")
        if fill is None:
            return value
        element = kind.split("x")[-1][:-1]
        c = self.define(element, f"arith.constant {fill}" +
                        ("" if element == "i1" else f" : {element}"))
        return self.define(kind, f"linalg.fill ins({c} : {element}) "
                                 f"outs({value} : {kind}) -> {kind}")

    def generic(self, kind, loops, reads, body, out=None, fill=None, reduced=""):
        """`reads`: (value, "p,m"); body: lines over %x0, %x1, ... and %o that
        end in %r."""
        dims = loops.split(",")
        maps = [f"affine_map<({loops}) -> ({at})>" for _, at in reads]
        maps.append(f"affine_map<({loops}) -> ({out or loops})>")
        iterators = ", ".join('"reduction"' if d in reduced.split(",") else
                              '"parallel"' for d in dims)
        types = [self.types[v] for v, _ in reads]
        scalars = ", ".join(f"%x{i}: {t.split('x')[-1][:-1]}"
                            for i, t in enumerate(types))
        element = kind.split("x")[-1][:-1]
        ins = (f"ins({', '.join(v for v, _ in reads)} : {', '.join(types)}) "
               if reads else "")
        into = self.empty(kind, fill)
        return self.define(
            kind, f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{iterators}]}} {ins}outs({into} : {kind}) {{\n"
            f"  ^bb0({scalars}{', ' if scalars else ''}%o: {element}):\n"
            + "".join(f"    {line}\n" for line in body.splitlines())
            + f"    linalg.yield %r : {element}\n  }} -> {kind}")

    def view(self, op, value, groups, kind, shape=""):
        return self.define(kind, f"tensor.{op} {value} {groups} {shape}: "
                                 f"{self.types[value]} into {kind}")


def kind(*shape, element="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def attention(name, mask=None, data=None, how="add", guard=False, queries=P):
    """Text of @name. The mask is computed from indices or is an argument."""
    f = Linalg()
    args = {"%q": kind(B, H, queries, E), "%k": kind(B, H, M, E),
            "%v": kind(B, H, M, F)}
    if data is not None:
        args["%mask"] = kind(*data.shape)
    f.types.update(args)
    n, all_ = B * H, "b,h,p,m"
    scores = kind(B, H, queries, M)
    rows = kind(B, H, queries, 1)
    turned = kind(B, H, E, M)
    kt = f.define(turned, f"linalg.transpose ins(%k : {args['%k']}) "
                  f"outs({f.empty(turned)} : {turned}) "
                  "permutation = [0, 1, 3, 2]")
    merge = "[[0, 1], [2], [3]]"
    x = f.define(kind(n, queries, M), "linalg.batch_matmul ins({}, {} : {}, {})"
                 " outs({} : {}) -> {}".format(
                     f.view("collapse_shape", "%q", merge, kind(n, queries, E)),
                     f.view("collapse_shape", kt, merge, kind(n, E, M)),
                     kind(n, queries, E), kind(n, E, M),
                     f.empty(kind(n, queries, M), "0.0"),
                     kind(n, queries, M), kind(n, queries, M)))
    x = f.view("expand_shape", x, merge, scores,
               f"output_shape [{B}, {H}, {queries}, {M}] ")
    x = f.generic(scores, all_, [(x, all_)],
                  f"%s = arith.constant {1 / math.sqrt(E):.17e} : f64\n"
                  "%t = arith.truncf %s : f64 to f32\n"
                  "%r = arith.mulf %x0, %t : f32")
    if mask:
        see = f.generic(
            kind(queries, M, element="i1"), "p,m", [],
            "%p = linalg.index 0 : index\n%m = linalg.index 1 : index\n"
            + index_mask(mask, queries)[0] + "\n%r = arith.andi %see, %see : i1")
        if how == "add":
            hidden = f.generic(kind(queries, M), "p,m", [(see, "p,m")],
                               "%r = arith.select %x0, %zero, %never : f32")
            x = f.generic(scores, all_, [(x, all_), (hidden, "p,m")],
                          "%r = arith.addf %x0, %x1 : f32")
        else:
            x = f.generic(scores, all_, [(see, "p,m"), (x, all_)],
                          "%r = arith.select %x0, %x1, %never : f32")
    if data is not None:
        at = ",".join(d if size > 1 else "0"
                      for d, size in zip(all_.split(","), data.shape))
        x = f.generic(scores, all_, [(x, all_), ("%mask", at)],
                      "%r = arith.addf %x0, %x1 : f32")
    top = f.generic(rows, all_, [(x, all_)], "%r = arith.maximumf %x0, %o : f32",
                    "b,h,p,0", "0xFF800000", "m")
    one = "b,h,p,0"
    y = f.generic(scores, all_, [(x, all_), (top, one)],
                  "%s = arith.subf %x0, %x1 : f32\n%r = math.exp %s : f32")
    total = f.generic(rows, all_, [(y, all_)], "%r = arith.addf %x0, %o : f32",
                      one, "0.0", "m")
    a = f.generic(scores, all_, [(y, all_), (total, one)],
                  "%r = arith.divf %x0, %x1 : f32")
    if guard:
        none = f.generic(kind(B, H, queries, M, element="i1"), all_, [(x, all_)],
                         "%r = arith.cmpf oeq, %x0, %never : f32")
        none = f.generic(kind(B, H, queries, 1, element="i1"), all_,
                         [(none, all_)], "%r = arith.andi %x0, %o : i1", one,
                         "true", "m")
        a = f.generic(scores, all_, [(none, one), (a, all_)],
                      "%r = arith.select %x0, %zero, %x1 : f32")
    out = f.define(kind(n, queries, F), "linalg.batch_matmul ins({}, {} : {}, "
                   "{}) outs({} : {}) -> {}".format(
                       f.view("collapse_shape", a, merge, kind(n, queries, M)),
                       f.view("collapse_shape", "%v", merge, kind(n, M, F)),
                       kind(n, queries, M), kind(n, M, F),
                       f.empty(kind(n, queries, F), "0.0"),
                       kind(n, queries, F), kind(n, queries, F)))
    result = kind(B, H, queries, F)
    out = f.view("expand_shape", out, merge, result,
                 f"output_shape [{B}, {H}, {queries}, {F}] ")
    text = "\n".join(f.lines)
    names = ", ".join(f"{a}: {t}" for a, t in args.items())
    return (f"func.func @{name}({names}) -> {result} {{\n"
            "  %zero = arith.constant 0.0 : f32\n"
            "  %never = arith.constant 0xFF800000 : f32\n"
            f"{text}\n  return {out} : {result}\n}}\n")


class Case:
    """`counted`: the points that are not seen are not computed; with `reach`,
    those that a linear condition leaves. A mask of indices of which others are
    must be said to be computed. `only`: the machine that it is run on; all."""

    def __init__(self, name, counted=False, mask=None, data=None, guard=False,
                 queries=P, reach=None, only="", **options):
        self.reach, self.only = reach, only
        self.name, self.counted, self.queries = name, counted, queries
        self.said = bool(mask) and not counted
        rng = np.random.default_rng(len(name))
        self.inputs = [rng.standard_normal(s).astype(np.float32) for s in
                       ((B, H, queries, E), (B, H, M, E), (B, H, M, F))]
        added = np.zeros((1, 1, queries, M))
        self.seen = np.ones((queries, M), bool)
        if mask:
            self.seen = index_mask(mask, queries)[1]
            added = added + np.where(self.seen, 0, -np.inf)
        if data is not None:
            added = added + data
            self.inputs.append(data.astype(np.float32))
        self.expected = reference.attention(
            *self.inputs[:3], mask=added, empty=0 if guard else np.nan)
        self.text = lambda function: attention(
            function, mask, data, guard=guard, queries=queries, **options)


def hidden(*ranges, rows=slice(None), per_row=True):
    data = np.zeros((B, 1, P if per_row else 1, M))
    for r in ranges:
        data[:, :, rows, r] = -np.inf
    return data


CASES = [
    Case("causal", True, "causal"),
    Case("causal by select, guarded", True, "causal", how="select", guard=True),
    Case("rows without a key", True, "causal", queries=41),
    Case("rows without a key, guarded", True, "causal", queries=41, guard=True),
    Case("window", True, "window"),
    Case("window by select", True, "window", how="select"),
    Case("prefix", True, "prefix"),
    Case("left padding", True, "left", how="select"),
    Case("left padding, guarded", True, "left", guard=True),
    Case("prefix or causal", mask="prefix or causal", how="select"),
    Case("blocks", True, "block"),
    Case("blocks, guarded", True, "block", how="select", guard=True),
    Case("blocks that come out even", True, "block", queries=27, only="tiny"),
    Case("blocks at the end", True, "block", queries=37, only="tiny"),
    Case("more queries than blocks of keys", True, "block", queries=50,
         only="tiny"),
    Case("blocks before", True, "blocks before"),
    Case("offset blocks", True, "offset block"),
    Case("shifted blocks", True, "shifted block", only="tiny"),
    Case("unlike blocks", True, "unlike blocks", only="tiny"),
    Case("blocks of single keys", True, "single keys", only="tiny"),
    Case("blocks for single queries", True, "single queries", only="tiny"),
    Case("blocks without keys", True, "blocks without keys", only="tiny"),
    Case("blocks without keys, guarded", True, "blocks without keys",
         guard=True, only="tiny"),
    Case("causal blocks", True, "causal block", queries=37, only="tiny"),
    Case("causal blocks at the end", True, "causal block"),
    Case("other blocks", mask="other block", only="tiny"),
    Case("neither before nor after", True, "no block after", only="tiny"),
    Case("between ends of blocks", True, "from the block's start",
         only="tiny"),
    Case("blocks by remainders", True, "by remainders", only="tiny"),
    Case("equal remainders", mask="equal remainders", only="tiny"),
    Case("blocks by a corrected quotient", True, "corrected quotient",
         only="tiny"),
    Case("blocks by a signed quotient", True, "signed quotient", only="tiny"),
    Case("blocks by a shift", True, "shift", only="tiny"),
    Case("blocks and a window", True, "block and window", only="tiny"),
    Case("two sizes of blocks", mask="two sizes of blocks",
         reach=lambda p, m: p // 6 == m // 6 and abs(p - m) < 4, only="tiny"),
    Case("every third key", mask="every third"),
    Case("late queries", mask="late queries"),
    Case("late queries, guarded", mask="late queries", guard=True),
    Case("queries beyond a remainder", mask="queries beyond a remainder"),
    Case("padding as data", data=hidden(slice(0, 21), per_row=False)),
    Case("padding as data, guarded", guard=True,
         data=hidden(slice(0, 21), slice(33, 37), per_row=False)),
    Case("tiles hidden in the middle", data=hidden(slice(3, 30))),
    Case("a row hidden", data=hidden(slice(0, M), rows=4)),
    Case("a row hidden, guarded", guard=True,
         data=hidden(slice(0, M), rows=4)),
    Case("finite padding", data=np.where(hidden(slice(0, 21)) == 0, 0, -1e9)),
    Case("causal and padding", True, "causal", hidden(slice(0, 5))),
]


def compare(case, text, name, compiled, path):
    results = compiled.call(program.signature(text, name), case.inputs)
    error = execute.greatest_error(results[0], case.expected)
    if error > BOUND:
        print(f"{case.name}: {path} differs by {error:.2e} WRONG")
    return error <= BOUND


def points(text, schedule):
    """Of the scores, all features together."""
    report = json.loads(tools.run(
        [tools.find_tool("transfusion-translate"), "--schedule-to-report",
         "--report-format=json", f"--schedule={schedule}"], text))
    return [e["points"] for e in report["einsums"] if e["name"] == "QK"]


def said(case):
    """The report on passes says that a mask is computed at every point."""
    done = subprocess.run(
        [tools.find_tool("transfusion-opt"), "-", "--convert-linalg-to-einsum",
         "--einsum-normalize=report-passes"], input=case.text("f"),
        capture_output=True, text=True, check=True)
    return "a mask of indices is computed at every point" in done.stderr


def main(machine):
    cases = [c for c in CASES if c.only in ("", machine)]
    text = tools.optimize("".join(c.text(f"f{i}") for i, c in enumerate(cases)),
                          "--convert-linalg-to-einsum", "--einsum-normalize")
    good = True
    for case, part in zip(cases, re.split(r"(?=\n  func\.func )", text)[1:]):
        if len(re.findall(r'"RM"', part)) != 1:
            print(f"{case.name}: not one pass WRONG")
            good = False
    naive = program.Program(tools.optimize(text, "--transfusion-naive-to-llvm"),
                            "-O0")
    scheduled = tools.optimize(text, f"--load-arch={machine}", "--dpipe",
                               "--tileseek=evaluations=16")
    emitted = program.Program(
        execute.scheduled_ir(execute.emit(scheduled)), "-O0")
    for i, case in enumerate(cases):
        if said(case) != case.said:
            print(f"{case.name}: the report is wrong about its mask WRONG")
            good = False
        good &= compare(case, text, f"f{i}", naive, "naive")
        good &= compare(case, text, f"f{i}", emitted, machine)
        # Brute force over queries and keys.
        pairs = sum(case.reach(p, m) if case.reach else
                    bool(case.seen[p, m]) or not case.counted
                    for p in range(case.queries) for m in range(M))
        found = points(scheduled, f"f{i}_{machine}")
        if found != [B * H * E * pairs]:
            print(f"{case.name}: {found} score points, {B * H * E * pairs} "
                  "are wanted WRONG")
            good = False
    print(f"{len(cases)} masks on {machine}" if good else "WRONG")
    return not good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
