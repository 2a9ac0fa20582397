# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported models against the same layers in named ops.

    twins.py DATA [--schedule] [--files a,b]

The raised and normalised cascade of DATA/models/NAME.linalg.mlir, that of its
.tosa.mlir, and the decomposed and normalised one of DATA/twins/NAME have one
form, and Einsums of the same names. Two texts of one layer (eager and sdpa) have
one form but for the guard of rows without a key, whose lines are printed. With
--schedule both go through --transfusion, and the reports are the same, to the
byte.
"""

import argparse
import re
import sys
from pathlib import Path

import forms
from perturbed import PASSES, form_of

from transfusion import tools

TWIN = ["--einsum-decompose", "--einsum-normalize"]
TOSA = ["--convert-tosa-to-einsum", "--einsum-normalize"]
SCHEDULE = "--transfusion=arch=edge seed=1 evaluations=64"
#: One layer in two texts.
PAIRS = [("bert_tiny_eager", "bert_tiny_sdpa"),
         ("llama_tiny_eager", "llama_tiny_sdpa")]


def form(text, passes, names=False):
    return next(iter(form_of(text, passes, names).values()))


def einsum_names(text, passes):
    return sorted(re.findall(r'einsum\.map_reduce "([^"]+)"',
                             tools.optimize(text, *passes)))


def same_cascade(name, model, twin, passes):
    """Whether `model`, raised, is what the passes make of `twin`."""
    lines = forms.difference(form(model, PASSES), form(twin, passes))
    found = einsum_names(model, PASSES)
    wanted = einsum_names(twin, passes)
    if lines:
        named = forms.difference(form(model, PASSES, True),
                                 form(twin, passes, True))
        print("\n".join("    " + line for line in named))
    if found != wanted:
        print(f"    names: only raised {sorted(set(found) - set(wanted))}, "
              f"only the twin {sorted(set(wanted) - set(found))}")
    good = not lines and found == wanted
    print(f"{name}: {len(found)} Einsums, "
          f"{'the same' if good else 'ANOTHER'} cascade", flush=True)
    return good


def report(text):
    scheduled = tools.optimize(text, SCHEDULE)
    return tools.run([tools.find_tool("transfusion-translate"),
                      "--schedule-to-report", "-"], scheduled)


def same_schedule(name, model, twin):
    left, right = report(model), report(twin)
    latency = re.search(r"^ +latency +(.*?  )", left, re.M)
    good = left == right and latency is not None
    print(f"{name} on edge: {latency.group(1).strip() if latency else 'NONE'}: "
          f"{'the same report' if good else 'ANOTHER REPORT'}", flush=True)
    return good


def is_guard(lines):
    """Whether the second form divides by 1 where a row has seen no key, and the
    first does not ask: RDG[...] = select(RM == -inf, 1, RD[...])."""
    text = "\n".join(sorted(lines))
    guard = re.search(
        r"^\+(\S*RDG) f32\[\S+\] = select\(cmpf\.oeq\(\S*RM\[\S+\], "
        r"c\(-inf:f32\)\), c\(1:f32\), (\S*RD\[\S+\])\)$", text, re.M)
    without = re.search(r"^-(.*)$", text, re.M)
    within = re.search(r"^\+(\S*AV .*)$", text, re.M)
    return (len(lines) == 3 and guard and without and within and
            re.sub(re.escape(guard.group(1)) + r"\[\S+\]",
                   lambda _: guard.group(2), within.group(1)) ==
            without.group(1))


def same_but_guard(data, eager, sdpa):
    texts = [(data / "models" / f"{n}.linalg.mlir").read_text()
             for n in (eager, sdpa)]
    lines = forms.difference(*(form(t, PASSES, True) for t in texts))
    bodies = [line for line in lines if not line[1:].startswith(("ranks", "arg"))]
    good = is_guard(bodies)
    print(f"{eager} and {sdpa}: {len(bodies)} lines differ, "
          f"{'the guard' if good else 'NOT THE GUARD ALONE'}")
    for line in bodies:
        print("    " + line)
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("data", type=Path)
    p.add_argument("--schedule", action="store_true")
    p.add_argument("--files", default="", help="names, with commas; all")
    args = p.parse_args()
    wanted = args.files.split(",") if args.files else None
    models = args.data / "models"
    results = []

    def text(name):
        return (models / f"{name}.linalg.mlir").read_text()

    for path in sorted((args.data / "twins").glob("*.mlir")):
        if wanted and path.stem not in wanted:
            continue
        if args.schedule:
            good = same_schedule(path.stem, text(path.stem), path.read_text())
        else:
            good = same_cascade(f"{path.stem} in named ops", text(path.stem),
                                path.read_text(), TWIN)
        results.append(good)
    if not args.schedule:
        for path in sorted(models.glob("*.tosa.mlir")):
            name = path.name.split(".")[0]
            if not wanted or name in wanted:
                results.append(same_cascade(f"{name} in TOSA", text(name),
                                            path.read_text(), TOSA))
        for pair in PAIRS:
            if not wanted or set(pair) <= set(wanted):
                results.append(bool(same_but_guard(args.data, *pair)))
    print(f"{sum(results)} of {len(results)} twins are the same")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
