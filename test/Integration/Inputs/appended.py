# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that put rows behind an argument with room (einsum.append): each is
raised and executed, without a schedule and with one, and its result is the old
rows with the new ones behind them.

    appended.py FILE.mlir
"""

import re
import sys

import numpy as np

from transfusion import execute, program, tools


def check(text):
    raised = tools.optimize(text, "--convert-linalg-to-einsum",
                            "--einsum-normalize")
    sig = program.signature(tools.optimize(text))
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(t.shape).astype(np.float32)
              for t in sig.arguments]
    shape = sig.results[0].shape
    cache = inputs[0]
    at = next(d for d, n in enumerate(shape) if n != cache.shape[d])
    rows = [a.reshape(*shape[:at], -1, *shape[at + 1:]) for a in inputs[1:]]
    expected = np.concatenate([cache, *rows], at)
    good = True
    for path in ("naive", "scheduled"):
        result, = execute.execute(raised, [a.copy() for a in inputs], path,
                                  **({} if path == "naive" else {
                                      "arch": "tiny",
                                      "tileseek": "evaluations=8"}))
        if not np.array_equal(result, expected):
            good = False
            print(f"@{sig.name}, {path}: another result WRONG")
    return good


def main(file):
    with open(file, encoding="utf-8") as f:
        functions = re.findall(r"^func\.func .*?^}", f.read(), re.M | re.S)
    right = sum(map(check, functions))
    print(f"{right} of {len(functions)} functions append")
    return right != len(functions)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
