# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every op of linalg and tensor (op_cases.py), or of TOSA (op_tosa.py): raised,
normalised and executed as it stands and scheduled for tiny, with the numbers of
NumPy; or refused by an error at a place of the file. The table holds all ops that
upstream has.

    op_table.py linalg|tosa [--names a,b]

All raised programs are functions of one file: tools start once.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import op_cases
import op_linalg  # registers
import op_tensor  # registers
import op_tosa
import op_windows  # registers
from odd import RAISE, SCHEDULE, refused

from transfusion import execute, program, tools

#: Of the greatest value: sums of less than 100 products in f32.
BOUND = 2e-6
#: Ops that stand in bodies of others, or are operands of others only.
INSIDE = {"linalg.yield", "tensor.yield", "tosa.yield", "tosa.const",
          "tosa.apply_scale", "tosa.variable"}
#: Of TOSA: arithmetic on shapes, which no pass of MLIR 22 lowers.
SHAPES = re.compile(r"tosa\.(\w+_shape|dim)")
TABLES = {
    "linalg": (op_cases.RAISED, op_cases.REFUSED, RAISE, ("Linalg", "Tensor")),
    "tosa": (op_tosa.RAISED, op_tosa.REFUSED,
             ["--convert-tosa-to-einsum", "--einsum-normalize"], ("Tosa",)),
}


def upstream_ops(dialects):
    """Names of the ops that MLIR declares."""
    opt = shutil.which("mlir-opt-22") or shutil.which("mlir-opt")
    include = Path(opt).resolve().parents[1] / "include/mlir/Dialect"
    return {name for dialect in dialects
            for header in (include / dialect / "IR").glob("*.h.inc")
            for name in re.findall(r'StringLiteral\("((?:linalg|tensor|tosa)\.\w+)"\)',
                                   header.read_text())}


def missing(raised, refused_, dialects):
    """Ops for which the table has no program."""
    known = {name.split(" ")[0] for name in (*raised, *refused_)}
    return sorted(name for name in upstream_ops(dialects) - known - INSIDE
                  if not SHAPES.fullmatch(name))


def arrays(types, seed, ignores_nan=False):
    rng = np.random.default_rng(seed)
    result = []
    for t in types:
        shape, element = program.Tensor(t[7:-1]).shape, t[:-1].split("x")[-1]
        if element == "i1":
            values = rng.integers(0, 2, shape)
        elif element.startswith("i"):
            values = rng.integers(1, 9, shape)
        else:
            values = rng.standard_normal(shape)
            if ignores_nan:
                values.flat[seed % 2::4] = np.nan
        result.append(np.asarray(values).astype(program.DTYPES[element]))
    return result


def real(array):
    return array if array.dtype == np.bool_ else array.astype(np.float64)


def counts_add_up(text):
    """The report speaks of every op of the file, counted here."""
    generic = tools.optimize(text, "--mlir-print-op-generic")
    ops = len(re.findall(r'^\s*(?:%[\w:]+ = )?"[\w.]+"\(', generic, re.M))
    done = subprocess.run(
        [tools.find_tool("transfusion-opt"), "-", "-o", "/dev/null",
         "--convert-linalg-to-einsum=raise-report=json"], input=text,
        capture_output=True, text=True, check=True)
    report = json.loads(done.stderr)
    told = report["ops"], sum(report["counts"].values())
    if told != (ops, ops):
        print(f"{ops} ops in the file, {told} in the report WRONG")
    return told == (ops, ops)


def check_raised(cases, passes):
    text = "".join(c.text.replace("@f(", f"@f{i}(", 1)
                   for i, c in enumerate(cases.values()))
    if passes == RAISE and not counts_add_up(text):
        return False
    raised = tools.optimize(text, *passes)
    if left := re.findall(r"\b(?:linalg|tensor|tosa)\.[a-z_]+", raised):
        print(f"ops are left: {', '.join(left)} WRONG")
    programs = [program.Program(llvm, "-O0") for llvm in (
        execute.naive_ir(raised),
        execute.scheduled_ir(execute.emit(tools.optimize(raised, *SCHEDULE))))]
    right = 0
    for i, (name, c) in enumerate(cases.items()):
        inputs = arrays(c.types, i, "IGNORE" in name)
        with np.errstate(invalid="ignore"):
            expected = c.reference(*map(real, inputs))
        expected = [np.asarray(e) for e in (
            expected if isinstance(expected, tuple) else (expected,))]
        scale = max(1.0, *(np.nanmax(np.abs(e.astype(np.float64)))
                           for e in expected))
        # Of f16 results one rounding.
        bound = 2**-11 if "xf16" in c.text.split("->")[1] else BOUND
        sig = program.signature(raised, f"f{i}")
        errors = []
        for compiled in programs:
            results = compiled.call(sig, [a.copy() for a in inputs])
            good = ([r.shape for r in results] == [e.shape for e in expected])
            errors.append(max(map(execute.greatest_error, results, expected)) /
                          scale if good else np.inf)
        right += max(errors) <= bound
        if not max(errors) <= bound:
            print(f"{name}: naive {errors[0]:.1e}, scheduled {errors[1]:.1e} of "
                  f"{bound:.1e} WRONG")
    print(f"{right} of {len(cases)} programs are executed")
    return not left and right == len(cases)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("table", choices=TABLES)
    p.add_argument("--names", default="")
    args = p.parse_args()
    raised, bad, passes, dialects = TABLES[args.table]
    names = args.names.split(",") if args.names else list(raised)
    good = check_raised({name: raised[name] for name in names}, passes)
    if not args.names:
        count = sum(refused(name, text, *(stage or ("raise",)), error,
                            passes=passes)
                    for name, (text, error, *stage) in bad.items())
        print(f"{count} of {len(bad)} programs are refused")
        left = missing(raised, bad, dialects)
        print(f"{len(left)} ops are missing", *left)
        good &= count == len(bad) and not left
    return not good


if __name__ == "__main__":
    sys.exit(main())
