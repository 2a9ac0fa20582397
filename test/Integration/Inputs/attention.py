# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in many spellings, normalised: recognised or not, and the same
numbers as NumPy's in double precision.

    attention.py recognised     every spelling is one pass over the keys
    attention.py near           what is nearly attention stays what it is
    attention.py masks          key tiles that are hidden as a whole, scheduled
    attention.py counts FOLDER  score multiply-accumulates of causal layers
"""

import json
import re
import sys

import numpy as np
from attention_variants import attention
from cascades import are_same

from transfusion import execute, masks, program, tools

#: Of the greatest value, or of 1: sums of 6 and 17 products of values near 1.
BOUND = 2e-6


class Case:
    def __init__(self, name, **options):
        self.name, self.options = name, options
        self.text, self.inputs, self.results = attention(**options)


def together(cases, *passes):
    """One module of all, through the passes: its text by function."""
    text = "".join(c.text.replace("@f(", f"@f{i}(")
                   for i, c in enumerate(cases))
    text = tools.optimize(text, *passes)
    parts = re.split(r"(?=\n  func\.func )", text)
    return text, {re.search(r"@(\w+)", p).group(1): p for p in parts[1:]}


def compare(cases, text, path, run):
    good = True
    for i, case in enumerate(cases):
        sig = program.signature(text, f"f{i}")
        masks.check(sig, case.inputs)
        results = run.call(sig, case.inputs)
        error = max(
            execute.greatest_error(r, e) /
            max(1, np.max(np.abs(e[np.isfinite(e)]), initial=0))
            for r, e in zip(results, case.results))
        if error > BOUND:
            print(f"{case.name}: {path} differs by {error:.2e} WRONG")
            good = False
    return good


def naive(cases, text):
    return compare(cases, text, "naive", program.Program(
        tools.optimize(text, "--transfusion-naive-to-llvm")))


def scheduled(cases, text, machine):
    text = tools.optimize(text, f"--load-arch={machine}", "--dpipe",
                          "--tileseek=evaluations=16")
    program_ir = execute.scheduled_ir(execute.emit(text))
    return compare(cases, text, machine, program.Program(program_ir))


def is_one_pass(text):
    """The Einsums of one pass, and no exponential besides."""
    return (len(re.findall(r'"AV"', text)), text.count("math.exp"),
            len(re.findall(r'"RM"', text))) == (1, 2, 1)


def spellings():
    scales = [None, "after", "q", "both", "last"]
    mask = [(None, "add"), ("data", "add"), ("data", "select"),
            ("bool", "select"), ("rows", "add"), ("causal", "add"),
            ("causal", "select"), ("causal_xor", "add"),
            ("causal_or", "select"), ("window", "add"), ("prefix", "select"),
            ("left", "add"), ("left_causal", "select"), ("prefix_lm", "add"),
            ("block", "select"), ("data", "finite")]
    guards = [None, "and", "or", "max"]
    softmax = [("max", "before"), ("max", "reciprocal"), ("maxnum", "before"),
               (None, "before")]
    # Each value of each axis meets several of the others.
    for i, (kind, how) in enumerate(mask):
        for j in range(3):
            maximum, divide = softmax[(i + j) % 4]
            guard = guards[(i + 2 * j + i // 4) % 4]
            if guard == "max" and maximum != "max":
                guard = "and"
            scale = scales[(i + j) % 5]
            if how == "finite" and scale == "last":
                scale = "q"
            yield Case(f"{kind} {how}, scale {scale}, {maximum}, {divide}, "
                       f"guard {guard}", scale=scale, mask=kind, masked=how,
                       guard=guard, max=maximum, divide=divide)
    yield Case("grouped", groups=2, mask="causal", guard="and")
    yield Case("one group", groups=4, scale="both")
    yield Case("decode", queries=1, mask="data", guard="and")
    yield Case("cross", queries=17, keys=31, scale="both", guard="and")
    yield Case("more queries than keys, guarded", queries=17, keys=9,
               mask="causal", guard="and")
    yield Case("more queries than keys", queries=17, keys=9, mask="causal")


def recognised(_):
    cases = list(spellings())
    text, parts = together(cases, "--einsum-normalize")
    good = True
    for i, case in enumerate(cases):
        part = parts[f"f{i}"]
        wrong = []
        if not is_one_pass(part):
            wrong.append("not one pass")
        kind = case.options.get("mask")
        # Indices that make no conjunction, and data, are computed.
        computed = kind in ("prefix_lm", "data", "bool", "rows")
        if kind and (" where " in part) == computed:
            wrong.append("domain" if computed else "no domain")
        if ('"RDG"' in part) != bool(case.options.get("guard")):
            wrong.append("guard")
        if wrong:
            print(f"{case.name}: {', '.join(wrong)} WRONG")
            good = False
    good &= naive(cases, text)
    if not are_same(tools.optimize(text, "--einsum-normalize"), text):
        print("normalising twice is not once WRONG")
        good = False
    print(f"{len(cases)} spellings" if good else "WRONG")
    return good


def near(_):
    near_misses = ["max of other", "min", "axis of max", "axis of sum", "mean",
                   "base", "sum of other", "two masks", "epsilon",
                   "other rank"]
    cases = [Case(n, near=n, groups=2, queries=7, keys=7)
             for n in near_misses]
    cases.append(Case("guard of another score", near="guard of other",
                      guard="and", mask="rows"))
    cases.append(Case("guard by a maximum that ignores NaN", guard="max",
                      max="maxnum", mask="rows"))
    cases.append(Case("weights are a result", weights=True))
    text, parts = together(cases, "--einsum-normalize")
    good = True
    for i, case in enumerate(cases):
        if '"RM"' in parts[f"f{i}"]:
            print(f"{case.name}: matched WRONG")
            good = False
    good &= naive(cases, text)
    print(f"{len(cases)} near misses" if good else "WRONG")
    return good


def hidden_tiles(_):
    """A key tile of tiny is 4 keys, of edge 16."""
    stated = masks.Kind("sliding_window(3)").visible(13, 33)
    options = {"keys": 33, "batch": 1, "heads": 2}
    cases = [
        Case("left padding", mask="left", **options),
        Case("window", mask="window", **options),
        Case("window, guarded", mask="window", guard="and", **options),
        Case("prefix", mask="prefix", **options),
        Case("prefix-LM", mask="prefix_lm", masked="select", **options),
        Case("left and causal", mask="left_causal", **options),
        Case("row without key", mask="rows", **options | {"batch": 2}),
        Case("row without key, guarded", mask="rows", guard="and",
             **options | {"batch": 2}),
        Case("queries before the first key", queries=21, keys=17,
             mask="causal", batch=1, heads=2),
        Case("queries before the first key, guarded", queries=21, keys=17,
             mask="causal", guard="and", batch=1, heads=2),
        Case("stated", mask="stated", stated=("sliding_window(3)", stated),
             guard="max", **options),
    ]
    text, parts = together(cases, "--einsum-normalize")
    good = all(is_one_pass(part) for part in parts.values())
    good &= "%arg3[" not in parts[f"f{len(cases) - 1}"].partition("cascade")[2]
    good &= naive(cases, text)
    for machine in ("tiny", "edge"):
        for i, case in enumerate(cases):
            alone, _ = together([case], "--einsum-normalize")
            good &= scheduled([case], alone, machine)
    print(f"{len(cases)} masks on both paths" if good else "WRONG")
    return good


def counts(folder):
    """Points of QK, of each feature: what a causal layer computes, no more."""
    good = True
    for name, heads, width in (("mha_fusedqkv_causal_tiny", 2 * 4, 12),
                               ("llama_tiny_causal", 2 * 8, 8)):
        with open(f"{folder[0]}/{name}.linalg.mlir", encoding="utf-8") as f:
            text = f.read()
        length = int(re.search(r"tensor<2x(\d+)x", text).group(1))
        text = tools.optimize(text, "--convert-linalg-to-einsum",
                              "--einsum-normalize", "--load-arch=tiny",
                              "--dpipe", "--tileseek=evaluations=16")
        report = json.loads(tools.run(
            [tools.find_tool("transfusion-translate"),
             "--schedule-to-report", "--report-format=json"], text))
        points = [e["points"] for e in report["einsums"] if e["name"] == "QK"]
        # Brute force over queries and keys.
        seen = sum(m <= p for p in range(length) for m in range(length))
        assert seen == length * (length + 1) // 2
        wanted = heads * width * seen
        good &= points == [wanted]
        print(f"{name}: {points[0]} of {wanted}"
              f"{'' if points == [wanted] else ' WRONG'}")
    return good


if __name__ == "__main__":
    checks = {"recognised": recognised, "near": near, "masks": hidden_tiles,
              "counts": counts}
    sys.exit(0 if checks[sys.argv[1]](sys.argv[2:]) else 1)
