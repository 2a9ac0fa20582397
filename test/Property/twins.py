# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported models against the same layers in named ops.

    twins.py DATA [--schedule] [--files a,b]

The raised and normalised cascade of DATA/models/NAME and the decomposed one of
DATA/twins/NAME have one form, and Einsums of the same names. Two texts of one
layer (eager and sdpa) have one form but for the guard of rows without a key,
whose lines are printed. With --schedule both are scheduled on edge, and the
reports are the same, to the byte.
"""

import argparse
import re
import sys
from pathlib import Path

import forms
from perturbed import PASSES, form_of

from transfusion import tools

SEARCH = ["--load-arch=edge", "--dpipe", "--tileseek=seed=1 evaluations=64"]
#: One layer in two texts.
PAIRS = [("bert_tiny_eager", "bert_tiny_sdpa"),
         ("llama_tiny_eager", "llama_tiny_sdpa")]


def form(text, passes, names=False):
    return next(iter(form_of(text, passes, names).values()))


def einsum_names(text, passes):
    return sorted(re.findall(r'einsum\.map_reduce "([^"]+)"',
                             tools.optimize(text, *passes)))


def report(text, passes):
    scheduled = tools.optimize(text, *passes, *SEARCH)
    return tools.run([tools.find_tool("transfusion-translate"),
                      "--schedule-to-report", "-"], scheduled)


def same_cascade(name, model, twin):
    lines = forms.difference(form(model, PASSES),
                             form(twin, ["--einsum-decompose"]))
    found = einsum_names(model, PASSES)
    wanted = einsum_names(twin, ["--einsum-decompose"])
    if lines:
        named = forms.difference(form(model, PASSES, True),
                                 form(twin, ["--einsum-decompose"], True))
        print("\n".join("    " + line for line in named))
    if found != wanted:
        print(f"    names: only raised {sorted(set(found) - set(wanted))}, "
              f"only the twin {sorted(set(wanted) - set(found))}")
    good = not lines and found == wanted
    print(f"{name}: {len(found)} Einsums, "
          f"{'the same' if good else 'OTHER'} cascade as its twin", flush=True)
    return good


def same_schedule(name, model, twin):
    left, right = report(model, PASSES), report(twin, ["--einsum-decompose"])
    latency = re.search(r"latency .*", left)
    good = left == right
    print(f"{name} on edge: {latency.group(0).strip() if latency else 'NONE'}: "
          f"{'the same report' if good else 'OTHER REPORT'} as its twin",
          flush=True)
    return good


def same_but_guard(data, eager, sdpa):
    """A guard selects 0 where a row has no key; nothing else may differ."""
    texts = [(data / "models" / f"{n}.linalg.mlir").read_text()
             for n in (eager, sdpa)]
    lines = forms.difference(*(form(t, PASSES, True) for t in texts))
    bodies = [line for line in lines if not line[1:].startswith(("ranks", "arg"))]
    # The same Einsum without and with a select on its value, or one more.
    guarded = all("select(" in line for line in bodies if line[0] == "+")
    good = bool(bodies) and guarded and len(bodies) <= 4
    print(f"{eager} and {sdpa}: {len(bodies)} lines differ, "
          f"{'the guard' if good else 'NOT THE GUARD ALONE'}")
    for line in bodies:
        print("    " + line)
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("data", type=Path)
    p.add_argument("--schedule", action="store_true")
    p.add_argument("--files", default="")
    args = p.parse_args()
    wanted = args.files.split(",") if args.files else None
    good, count = True, 0
    for path in sorted((args.data / "twins").glob("*.mlir")):
        if wanted and path.stem not in wanted:
            continue
        model = (args.data / "models" / f"{path.stem}.linalg.mlir").read_text()
        twin = path.read_text()
        check = same_schedule if args.schedule else same_cascade
        good &= check(path.stem, model, twin)
        count += 1
    if not args.schedule:
        for pair in PAIRS:
            if not wanted or set(pair) <= set(wanted):
                good &= same_but_guard(args.data, *pair)
    print(f"{count} twins")
    return 0 if good and count else 1


if __name__ == "__main__":
    sys.exit(main())
