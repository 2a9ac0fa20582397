# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What people may type (odd_programs.py): refused by an error with a place, or
raised, normalised, scheduled and executed with the numbers of the program as it
stands.

    odd.py good | bad
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import odd_programs

from transfusion import execute, program, tools

#: Of the greatest value: one operation, rounded in another order.
BOUND = 1e-6
RAISE = ["--convert-linalg-to-einsum", "--einsum-normalize"]
SCHEDULE = ["--load-arch=tiny", "--dpipe", "--tileseek=evaluations=8"]


def refused(name, text, stage, message, passes=RAISE):
    """One error, at a place of the file, that says so."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.mlir"
        path.write_text(text)
        done = subprocess.run(
            [tools.find_tool("transfusion-opt"), str(path), *passes,
             *(SCHEDULE if stage == "schedule" else [])],
            capture_output=True, text=True, check=False)
    errors = re.findall(r"^(.*?)error: (.*)$", done.stderr, re.M)
    good = (done.returncode == 1 and errors != [] and
            all(re.fullmatch(r"\S+:\d+:\d+: ", at) for at, _ in errors) and
            message in errors[0][1])
    if not good:
        print(f"{name}: exit code {done.returncode}, WRONG\n{done.stderr[:800]}")
    return good


def inputs_of(sig):
    rng = np.random.default_rng(1)
    result = []
    for t in sig.arguments:
        dtype = program.DTYPES[t.element]
        if t.element == "i1":
            values = rng.integers(0, 2, t.shape)
        elif t.element.startswith("i"):
            values = rng.integers(1, 9, t.shape)
        else:
            values = rng.standard_normal(t.shape)
        result.append(values.astype(dtype))
    return result


def good():
    names = list(odd_programs.GOOD)
    text = tools.optimize("".join(
        re.sub(r"@f\b", f"@f{i}", t)
        for i, t in enumerate(odd_programs.GOOD.values())))
    raised = tools.optimize(text, *RAISE)
    if left := re.findall(r"\b(?:linalg|tensor)\.[a-z_]+", raised):
        print(f"ops are left: {', '.join(left)} WRONG")
    emitted = execute.emit(tools.optimize(raised, *SCHEDULE))
    naive = "--transfusion-naive-to-llvm"
    wanted, *others = [program.Program(llvm, "-O0") for llvm in (
        tools.optimize(text, naive), tools.optimize(raised, naive),
        execute.scheduled_ir(emitted))]
    equal = 0
    for i, name in enumerate(names):
        sig = program.signature(text, f"f{i}")
        # Bufferisation may write to an argument that is read for the last time.
        run = lambda p: p.call(sig, [np.copy(a) for a in inputs_of(sig)])
        results = run(wanted)
        errors = []
        for other in others:
            errors += [execute.greatest_error(a, b) / max(1, np.max(
                np.abs(b[np.isfinite(b)].astype(np.float64)), initial=0))
                for a, b in zip(run(other), results)]
        equal += max(errors) <= BOUND
        if max(errors) > BOUND:
            print(f"{name}: differs by {errors} WRONG")
    print(f"{equal} of {len(names)} programs are executed")
    return not left and equal == len(names)


def bad():
    right = sum(refused(name, *rest)
                for name, rest in odd_programs.BAD.items())
    print(f"{right} of {len(odd_programs.BAD)} programs are refused")
    return right == len(odd_programs.BAD)


if __name__ == "__main__":
    sys.exit(not {"good": good, "bad": bad}[sys.argv[1]]())
