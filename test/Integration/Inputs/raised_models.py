# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported layers to cascades and back to linalg, which a stock mlir-opt reads.

    raised_models.py FOLDER [PASS...]        executed, against PyTorch's results
    raised_models.py --sizes FOLDER [PASS...]  the files without results, of real
                                             size: verified and parsed

The passes run on what was raised, and must not change it a second time.
"""

import re
import sys
from pathlib import Path

import exported
from cascades import are_same

from transfusion import program, tools


def linalg_of(path, passes):
    """What a compiler that does not know our dialects accepts; None: not so."""
    raised = exported.raise_layer(path, *passes)
    if passes and not are_same(tools.optimize(raised, *passes), raised):
        print(f"{path.name}: CHANGES when normalised twice")
        return None
    text = tools.optimize(raised, "--einsum-decompose", "--einsum-to-linalg")
    if left := sorted(set(re.findall(r"\b(?:einsum|sched)\.\w+", text))):
        print(f"{path.name}: LEFT {', '.join(left)}")
        return None
    return tools.run(["mlir-opt-22", "--canonicalize", "--cse"], text)


def check(path, reference, passes):
    text = linalg_of(path, passes)
    if text is None:
        return False
    if not reference:
        print(f"{path.name}: {text.count('linalg.generic')} generics")
        return True
    sig = program.signature(text)
    compiled = program.Program(
        tools.optimize(text, "--transfusion-naive-to-llvm"))
    return exported.judge(path, reference,
                          lambda inputs: compiled.call(sig, inputs))


def main(*arguments):
    sizes = arguments[0] == "--sizes"
    folder, *passes = arguments[1:] if sizes else arguments
    chosen = [(path, npz) for path, npz in exported.files(Path(folder))
              if sizes == (npz is None)]
    results = [check(path, npz, passes) for path, npz in chosen]
    print(f"{sum(results)} of {len(results)} files are " +
          ("linalg again" if sizes else f"within {exported.BOUND}"))
    return not results or not all(results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
