# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes each function of a file of linalg ops as it is, and raised to a
cascade; prints the greatest difference of their results.

    raised_ops.py FILE.mlir [PASS...]

The passes run after the raising. Both files are compiled as a whole.
"""

import re
import sys

import numpy as np

from transfusion import execute, program, tools

BOUND = 1e-6


def compiled(text):
    return program.Program(tools.optimize(text, "--transfusion-naive-to-llvm"))


def compare(name, text, programs):
    sig = program.signature(text, name)
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(t.shape).astype(np.float32)
              for t in sig.arguments]
    # Bufferisation may write to an argument that is read for the last time.
    results = [p.call(sig, [a.copy() for a in inputs]) for p in programs]
    error = max((execute.greatest_error(a, b) for a, b in zip(*results)),
                default=0.0)
    good = error <= BOUND and len(results[0]) == len(sig.results) > 0
    print(f"{sig.name}: {'equal' if good else f'DIFFERS by {error}'}")
    return good


def main(file, *passes):
    with open(file, encoding="utf-8") as f:
        text = tools.optimize(f.read())
    raised = tools.optimize(text, "--convert-linalg-to-einsum", *passes)
    if left := re.findall(r"\b(?:linalg|tensor)\.[a-z_]+", raised):
        print(f"ops are left: {', '.join(left)}")
        return 1
    programs = [compiled(text), compiled(raised)]
    names = re.findall(r"func\.func @(\S+?)\(", text)
    results = [compare(name, text, programs) for name in names]
    print(f"{sum(results)} of {len(results)} functions are equal")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
