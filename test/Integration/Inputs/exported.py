# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exported layers of test/Data, and how they become cascades."""

import numpy as np

from transfusion import execute, tools

#: Absolute, of f32 results against PyTorch in double precision.
BOUND = 2e-6


def files(folder):
    """(layer, its results or None) for all, by name."""
    for path in sorted((folder / "models").glob("*.mlir")):
        name = path.name.split(".")[0]
        places = [place / f"{name}.npz" for place in (folder / "models", folder)]
        yield path, next((p for p in places if p.exists()), None)


def executable(folder):
    """Those whose results are known."""
    return [(path, npz) for path, npz in files(folder) if npz]


def raise_layer(path, *passes):
    """One cascade, after further passes on it."""
    tosa = path.name.endswith(".tosa.mlir")
    return tools.optimize(
        path.read_text(),
        "--convert-tosa-to-einsum" if tosa else "--convert-linalg-to-einsum",
        *passes)


def judge(path, reference, run):
    """Whether run(inputs) gives the results; prints the errors."""
    with np.load(reference) as npz:
        inputs = execute.numbered(npz, "in")
        expected = execute.numbered(npz, "out")
    results = run(inputs)
    errors = [execute.greatest_error(r, e) for r, e in zip(results, expected)]
    good = len(results) == len(expected) > 0 and max(errors) <= BOUND
    print(f"{path.name}: {', '.join(f'{e:.2e}' for e in errors)}"
          f"{'' if good else ' TOO GREAT'}", flush=True)
    return good
