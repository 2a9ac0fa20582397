# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a layer by random legal tilings of its schedule.

    tilings.py FILE.mlir FILE.npz ARCH FIRST_SEED LAST_SEED

Tiles, epochs, blocks and retention of every group are drawn anew; the checker
keeps what is legal. Buffers are poisoned.
"""

import sys

import numpy as np

from transfusion import execute, program, tools


def main(file, npz, arch, first, last):
    with open(file, encoding="utf-8") as f:
        text = f.read()
    sig = program.signature(tools.optimize(text))
    with np.load(npz) as data:
        inputs = execute.numbered(data, "in")
        expected = execute.numbered(data, "out")
    base = execute.schedule(text, arch, "evaluations=64")
    seen, good = set(), True
    for seed in range(int(first), int(last) + 1):
        tiled = tools.run([tools.find_tool("transfusion-test-opt"), "-",
                           f"--test-random-tiling=seed={seed}"], base)
        seen.add(tiled)
        compiled = program.Program(execute.scheduled_ir(execute.emit(tiled)),
                                   "-O0")
        error = execute.greatest_error(compiled.call(sig, inputs)[0],
                                       expected[0])
        if not error <= 2e-6:
            print(f"seed {seed}: error {error:.3e}\n{tiled}")
            good = False
    print(f"{len(seen)} different tilings")
    # A draw may meet another one, not many.
    return 0 if good and len(seen) >= 0.9 * (int(last) - int(first) + 1) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
