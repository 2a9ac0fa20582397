# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a layer and compares it with what it should give.

    python3 -m transfusion.execute FILE.mlir --npz FILE.npz --path scheduled --arch edge

The npz file holds the arguments in0, in1, ... and the results out0, ... that
are expected. Data of a mask whose kind is stated (einsum.mask) must be of that
kind. Path `naive` lowers einsum to linalg and loops. Path `scheduled`
emits the program of the schedule: the one in the file, or the one that --dpipe
and --tileseek find.
"""

import argparse
import sys
import time
import zipfile

import numpy as np

from transfusion import masks, program, tools


def naive_ir(text):
    """The LLVM dialect of the reference semantics."""
    return tools.optimize(text, "--einsum-decompose",
                          "--transfusion-naive-to-llvm")


def schedule(text, arch=None, tileseek=""):
    """`text` with a schedule in it."""
    if "sched.schedule" in text:
        return text
    passes = []
    if "sched.arch" not in text:
        if not arch:
            raise ValueError("the file holds no schedule and no machine: name "
                             "one with --arch")
        passes.append(f"--load-arch={arch}")
    seek = f"--tileseek={tileseek}" if tileseek else "--tileseek"
    return tools.optimize(text, *passes, "--dpipe", seek)


def emit(text, poison=True, verify=True):
    """The affine program of the schedule in `text`."""
    options = f"poison={str(poison).lower()} verify={str(verify).lower()}"
    return tools.optimize(text, f"--convert-sched-to-affine={options}")


def scheduled_ir(text):
    """The LLVM dialect of an emitted program."""
    return tools.optimize(text, "--transfusion-scheduled-to-llvm")


def build(text, path, arch=None, tileseek="", poison=True, verify=True,
          optimization="-O1", name=None):
    """(program, signature) of the layer in `text`."""
    sig = program.signature(tools.optimize(text), name)
    if path == "naive":
        llvm = naive_ir(text)
        sig.appends = {}  # every result has a buffer of its own
    else:
        llvm = scheduled_ir(emit(schedule(text, arch, tileseek), poison, verify))
    return program.Program(llvm, optimization), sig


def execute(text, inputs, path, **options):
    """Results of the layer in `text` on `inputs`."""
    compiled, sig = build(text, path, **options)
    masks.check(sig, inputs)
    return compiled.call(sig, inputs)


def numbered(npz, prefix):
    """Arrays PREFIX0, PREFIX1, ... of a file."""
    arrays = []
    while f"{prefix}{len(arrays)}" in npz:
        arrays.append(npz[f"{prefix}{len(arrays)}"])
    return arrays


def read_npz(path):
    """(inputs, expected results) of a file."""
    npz = np.load(path)
    if not isinstance(npz, np.lib.npyio.NpzFile):
        raise ValueError(f"{path} is one array, not an npz file")
    with npz:
        return numbered(npz, "in"), numbered(npz, "out")


def greatest_error(result, expected):
    """NaN where only one of them has it counts as infinite."""
    result = np.asarray(result, np.float64)
    expected = np.asarray(expected, np.float64)
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.abs(result - expected))
    return float(np.max(np.where(np.isnan(error), np.inf, error), initial=0.0))


def _arguments(argv):
    p = argparse.ArgumentParser(prog="transfusion.execute",
                                description=__doc__.split("\n\n")[0])
    p.add_argument("file", help="a layer in the einsum dialect, or a schedule")
    p.add_argument("--npz", required=True, help="in0, ... and out0, ...")
    p.add_argument("--path", choices=["naive", "scheduled"], required=True)
    p.add_argument("--arch", help="machine: a name, or a YAML file")
    p.add_argument("--atol", type=float, default=2e-6,
                   help="bound on the absolute error (default: 2e-6)")
    p.add_argument("--rtol", type=float, default=0.0,
                   help="further bound, times the greatest expected value")
    p.add_argument("--function", help="which, when the file holds several")
    p.add_argument("--tileseek", default="", metavar="OPTIONS",
                   help="options of the tile search: 'seed=1 evaluations=100'")
    p.add_argument("--no-poison", dest="poison", action="store_false",
                   help="leave buffers as they are before their first use")
    p.add_argument("--no-verify", dest="verify", action="store_false",
                   help="run a schedule that the checker would refuse")
    return p.parse_args(argv)


def main(argv=None):
    args = _arguments(argv)
    try:
        with open(args.file, encoding="utf-8") as f:
            text = f.read()
        inputs, expected = read_npz(args.npz)
        start = time.monotonic()
        compiled, sig = build(
            text, args.path, arch=args.arch, tileseek=args.tileseek,
            poison=args.poison, verify=args.verify, name=args.function)
        built = time.monotonic()
        masks.check(sig, inputs)
        results = compiled.call(sig, inputs)
        ran = time.monotonic()
    except (tools.ToolError, ValueError, OSError, zipfile.BadZipFile) as e:
        print(f"error: {e}", file=sys.stderr)
        return 2
    print(f"compiled in {built - start:.2f} s, ran in {ran - built:.2f} s",
          file=sys.stderr)
    if len(expected) != len(results):
        print(f"error: {args.npz} holds {len(expected)} results, "
              f"@{sig.name} has {len(results)}", file=sys.stderr)
        return 2
    for i, (result, wanted) in enumerate(zip(results, expected)):
        if result.shape != wanted.shape:
            print(f"error: out{i} of {args.npz} has shape {wanted.shape}, "
                  f"@{sig.name} returns {result.shape}", file=sys.stderr)
            return 2
    good = True
    for i, (result, wanted) in enumerate(zip(results, expected)):
        finite = np.abs(wanted[np.isfinite(wanted)])
        bound = args.atol + args.rtol * float(np.max(finite, initial=0))
        error = greatest_error(result, wanted)
        good &= error <= bound
        print(f"out{i}: greatest absolute error {error:.3e}, "
              f"bound {bound:.3e}: {'ok' if error <= bound else 'TOO GREAT'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
