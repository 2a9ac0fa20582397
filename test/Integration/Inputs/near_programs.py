# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in linalg that a careless recogniser would take for attention, a
norm, an activation or a rotation: one index, one axis, one initial value or one
rounding is another. Raised, normalised, executed, and compared with NumPy.

    near_programs.py

A case says which pieces are in it all the same: a norm of something else is a
norm, and values read backwards are values.
"""

import re
import sys

import near_attention  # registers
import near_norms  # registers
import numpy as np
from near_cases import CASES

from transfusion import execute, program, tools

MARKS = {"attention": "RM", "layer_norm": "SAV", "rms_norm": "MQAV",
         "activation": "AR", "rope": "ROPE"}


def main():
    text = tools.optimize("".join(c.text for c in CASES))
    normalised = tools.optimize(text, "--convert-linalg-to-einsum",
                                "--einsum-normalize")
    run = program.Program(tools.optimize(normalised,
                                         "--transfusion-naive-to-llvm"))
    bodies = dict(re.findall(r"^  func\.func @(\w+)\((.*?)^  }$", normalised,
                             re.M | re.S))
    good = 0
    for case in CASES:
        names = {n.split(".")[-1] for n in
                 re.findall(r'map_reduce "([^"]+)"', bodies[case.name])}
        found = {p for p, mark in MARKS.items() if mark in names}
        sig = program.signature(text, case.name)
        result = run.call(sig, [x.copy() for x in case.inputs])[0]
        expected = case.numpy(*[x.astype(np.float64) for x in case.inputs])
        error = (execute.greatest_error(result, expected)
                 / max(1.0, np.abs(expected).max()))
        right = bool(found == case.found and error <= case.bound)
        good += right
        print(f"{case.name}: {', '.join(sorted(found)) or 'nothing'} found, "
              f"error {error:.1e}{'' if right else ' WRONG'}")
    print(f"{good} of {len(CASES)} programs are what they are")
    return good != len(CASES)


if __name__ == "__main__":
    sys.exit(main())
