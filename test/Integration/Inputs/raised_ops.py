# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes each function of a file of linalg ops as it is, and raised to a
cascade; prints the greatest difference of their results.

    equivalent.py FILE.mlir [BOUND]
"""

import re
import sys

import numpy as np

from transfusion import execute, program, tools


def compare(aliases, text, bound):
    text = aliases + text
    sig = program.signature(tools.optimize(text))
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(t.shape).astype(np.float32)
              for t in sig.arguments]
    results = []
    for passes in [], ["--convert-linalg-to-einsum"]:
        raised = tools.optimize(text, *passes)
        if passes and re.search(r"\b(linalg|tensor)\.[a-z]", raised):
            print(f"{sig.name}: ops are left")
            return False
        compiled = program.Program(
            tools.optimize(raised, "--transfusion-naive-to-llvm"))
        # Bufferisation may write to an argument that is read for the last time.
        results.append(compiled.call(sig, [a.copy() for a in inputs]))
    error = max((execute.greatest_error(a, b)
                 for a, b in zip(*results)), default=0.0)
    good = error <= bound and len(results[0]) == len(sig.results) > 0
    print(f"{sig.name}: {'equal' if good else f'DIFFERS by {error}'}")
    return good


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    bound = float(sys.argv[2]) if len(sys.argv) > 2 else 1e-6
    aliases = "".join(re.findall(r"^#\w+ = .*\n", text, re.M))
    functions = re.findall(r"^func\.func .*?^}\n", text, re.M | re.S)
    results = [compare(aliases, f, bound) for f in functions]
    print(f"{sum(results)} of {len(results)} functions are equal")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
