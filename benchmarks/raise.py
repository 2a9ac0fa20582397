# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raises exported layers and says how long that takes.

    python3 benchmarks/raise.py [--check] [--layers N,N,...] [FILE ...]

First one row a file: ops, Einsums, and the CPU seconds of raising it to a
cascade and, where this build has the pass, of normalising that. Then one
function of 1, 8 and 64 layers, each reading what the one before made: the time
per op should not grow. CPU time is that of the tool with these passes, less that
of the tool that only reads and prints the file; the least of three.

With --check exits 1 when a file takes more than 1 s, or an op of the longest
function takes more than 2.5 times what it takes in the second longest.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "test" / "Data" / "models"
LAYER = MODELS / "llama_tiny_causal.linalg.mlir"
# Eight times as many layers: 1 is linear, 8 quadratic; a busy machine shows 1.7.
MAX_SECONDS, MAX_GROWTH = 1.0, 2.5


def tool():
    folder = os.environ.get("TRANSFUSION_BIN", str(ROOT / "build" / "bin"))
    return str(Path(folder) / "transfusion-opt")


def cpu(path, passes):
    """CPU seconds of one run, and its output."""
    process = subprocess.Popen([tool(), *passes, str(path)],
                               stdout=subprocess.PIPE)
    text = process.stdout.read().decode()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{path}: {' '.join(passes)} failed")
    return usage.ru_utime + usage.ru_stime, text


def least(path, passes, times=3):
    runs = [cpu(path, passes) for _ in range(times)]
    return min(seconds for seconds, _ in runs), runs[0][1]


def count_ops(text):
    """Ops that stand on a line of their own."""
    return len(re.findall(r"^\s*(?:%[^=\n]* = )?\"?[a-z_]+\.[a-z_]+", text,
                          re.MULTILINE))


def measure(path, passes):
    """Ops, Einsums and the seconds that each step adds."""
    before, text = least(path, [])
    ops, seconds = count_ops(text), []
    for n in range(1, len(passes) + 1):
        total, text = least(path, passes[:n])
        seconds.append(max(total - before, 0))
        before = max(total, before)
    return ops, text.count("einsum.map_reduce"), seconds


def repeated(text, layers):
    """The function of `text`, `layers` times over: each reads as its first
    argument what the one before returns first."""
    head, _, rest = text.partition("func.func ")
    signature, body = re.match(r"(.*?\{\n)(.*?)\n  \}\n", rest, re.S).groups()
    *ops, last = body.splitlines()
    first_result = re.search(r"%\w+", last).group(0)
    x, parts = "%arg0", []

    def rename(name, n):
        if name == "%arg0":
            return x
        return name if name.startswith("%arg") else f"%l{n}_{name[1:]}"

    for n in range(layers):
        parts += [re.sub(r"%\w+", lambda m: rename(m.group(0), n), op)
                  for op in ops]
        x = rename(first_result, n)
    parts.append(re.sub(r"%\w+", lambda m: rename(m.group(0), layers - 1),
                        last))
    return f"{head}func.func {signature}" + "\n".join(parts) + "\n  }\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--layers", default="1,8,64")
    parser.add_argument("files", nargs="*", type=Path,
                        default=sorted(MODELS.glob("*.mlir")))
    options = parser.parse_args()
    options.layers = [int(n) for n in options.layers.split(",")]

    known = subprocess.run([tool(), "--help"], capture_output=True, text=True,
                           check=True).stdout
    then = ["--einsum-normalize"] if "--einsum-normalize" in known else []
    steps = ["raise s"] + ["normalise s"] * len(then)
    faults = []
    print(f"{'file':36} {'ops':>6} {'Einsums':>8} "
          + " ".join(f"{s:>11}" for s in steps))
    for path in options.files:
        first = ("--convert-tosa-to-einsum" if path.name.endswith(".tosa.mlir")
                 else "--convert-linalg-to-einsum")
        ops, einsums, seconds = measure(path, [first, *then])
        print(f"{path.name:36} {ops:6} {einsums:8} "
              + " ".join(f"{s:11.3f}" for s in seconds), flush=True)
        if sum(seconds) > MAX_SECONDS:
            faults.append(f"{path.name} takes {sum(seconds):.2f} s, more than "
                          f"{MAX_SECONDS}")
    print(f"\n{'layers':36} {'ops':>6} {'Einsums':>8} "
          + " ".join(f"{s:>11}" for s in steps) + f" {'us an op':>9}")
    per_op = []
    with tempfile.TemporaryDirectory() as folder:
        for n in options.layers:
            path = Path(folder) / f"{n}_layers.mlir"
            path.write_text(repeated(LAYER.read_text(), n))
            ops, einsums, seconds = measure(
                path, ["--convert-linalg-to-einsum", *then])
            per_op.append(sum(seconds) / ops)
            print(f"{n:<36} {ops:6} {einsums:8} "
                  + " ".join(f"{s:11.3f}" for s in seconds)
                  + f" {1e6 * per_op[-1]:9.1f}", flush=True)
    if len(per_op) > 1 and per_op[-1] > MAX_GROWTH * per_op[-2]:
        faults.append(f"an op takes {1e6 * per_op[-1]:.1f} us in "
                      f"{options.layers[-1]} layers and "
                      f"{1e6 * per_op[-2]:.1f} us in {options.layers[-2]}")
    if options.check:
        for fault in faults:
            print("FAIL", fault)
    sys.exit(options.check and bool(faults))


if __name__ == "__main__":
    main()
