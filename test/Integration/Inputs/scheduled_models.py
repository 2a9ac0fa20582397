# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported layers on the scheduled path, against PyTorch in double precision.

    scheduled_models.py FOLDER MACHINE PART OF [NAME...]

Each file with reference results is raised, normalised, scheduled for the
machine by --dpipe and --tileseek and emitted; buffers are poisoned. PART of OF
takes every OF-th file, beginning with the PART-th (from 1). The files NAME are
left out, and must be there.
"""

import sys
from pathlib import Path

import exported

from transfusion import execute

#: What the search finds does not matter here, only that it is tiled.
SEARCH = "evaluations=32"


def check(path, reference, machine):
    text = exported.raise_layer(path, "--einsum-normalize")
    # Compiling takes longer than running.
    return exported.judge(path, reference, lambda inputs: execute.execute(
        text, inputs, "scheduled", arch=machine, tileseek=SEARCH,
        optimization="-O0"))


def main(folder, machine, part, of, *left_out):
    found = exported.executable(Path(folder))
    names = [path.name for path, _ in found]
    if missing := [name for name in left_out if name not in names]:
        print(f"no such file: {', '.join(missing)} WRONG")
        return 1
    found = [pair for pair in found if pair[0].name not in left_out]
    results = [check(path, reference, machine)
               for path, reference in found[int(part) - 1::int(of)]]
    print(f"{sum(results)} of {len(results)} files are within "
          f"{exported.BOUND} on {machine}")
    return not results or not all(results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
