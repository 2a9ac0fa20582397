# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raises the models that have reference results, executes them on the naive
path and compares. Arguments: the folder of the data, and passes to run on what
was raised, which must not change it a second time."""

import sys
from pathlib import Path

import numpy as np
from cascades import are_same

from transfusion import execute, tools

BOUND = 2e-6


def check(path, reference):
    flag = ("--convert-tosa-to-einsum" if path.name.endswith(".tosa.mlir")
            else "--convert-linalg-to-einsum")
    raised = tools.optimize(path.read_text(), flag, *PASSES)
    if PASSES and not are_same(tools.optimize(raised, *PASSES), raised):
        print(f"{path.name}: CHANGES when normalised twice")
        return False
    with np.load(reference) as npz:
        inputs = execute.numbered(npz, "in")
        expected = execute.numbered(npz, "out")
    results = execute.execute(raised, inputs, "naive")
    errors = [execute.greatest_error(r, e) for r, e in zip(results, expected)]
    good = len(results) == len(expected) > 0 and max(errors) <= BOUND
    print(f"{path.name}: {', '.join(f'{e:.2e}' for e in errors)}"
          f"{'' if good else ' TOO GREAT'}")
    return good


data = Path(sys.argv[1])
PASSES = sys.argv[2:]
results = []
for path in sorted((data / "models").glob("*.mlir")):
    name = path.name.split(".")[0]
    for folder in (data / "models", data):
        reference = folder / f"{name}.npz"
        if reference.exists():
            results.append(check(path, reference))
            break
print(f"{sum(results)} of {len(results)} files are within {BOUND}")
sys.exit(not results or not all(results))
