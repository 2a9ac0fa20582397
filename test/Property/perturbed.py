# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One layer in many texts: every one becomes the same cascade, and computes the
same numbers.

    perturbed.py DATA KIND [--seeds 20] [--execute 3] [--files a,b] [--keep DIR]
    perturbed.py DATA all --execute all

KIND is one of --test-perturb-linalg; mixed: all of them, one after another; or
all: each of these. Each file is rewritten --seeds times; every text is raised
and normalised, its canonical form compared with that of the file as it is, and
--execute of them run on the naive path against the npz.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

import forms

from transfusion import execute, program, tools

BOUND = 2e-6
PASSES = ["--convert-linalg-to-einsum", "--einsum-normalize"]
KINDS = ["reorder", "swap", "split", "merge", "transpose", "reshape", "scale",
         "mask"]
#: Scales and masks are looked for in named ops, so they come first.
MIXED = ["scale", "mask", "merge", "split", "transpose", "reshape", "swap",
         "reorder"]


def run(command, text):
    """(stdout, stderr) of a filter."""
    done = subprocess.run(command, input=text, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise tools.ToolError(command, text, done.stderr)
    return done.stdout, done.stderr


def test_opt(text, *passes):
    return run([tools.find_tool("transfusion-test-opt"), "-", *passes], text)


def functions(text):
    """{name: text without the name} of a printed module."""
    found = re.findall(r"^  func\.func @(\S+?)\((.*?)^  }$", text, re.M | re.S)
    return dict(found)


def form_of(text, passes, names=False):
    """{function: its form}, with names to show where two differ."""
    out, _ = test_opt(text, *passes,
                      f"--test-cascade-fingerprint=names={str(names).lower()}",
                      "-o", "/dev/null")
    return forms.split(out)


class File:
    """One model, its form and its reference."""

    def __init__(self, path, passes):
        self.name = path.name.split(".")[0]
        self.text = path.read_text()
        self.passes = passes
        self.printed = next(iter(functions(test_opt(self.text)[0]).values()))
        self.form = (next(iter(form_of(self.text, passes).values()))
                     if passes else "")
        npz = path.with_name(self.name + ".npz")
        if not npz.exists():
            npz = path.parents[1] / npz.name
        self.inputs, self.expected = execute.read_npz(npz)

    def perturb(self, kind, seeds):
        """the module with @FILE_s1 ... @FILE_s<seeds>, {seed: sites}."""
        kinds = MIXED if kind == "mixed" else [kind]
        out, err = test_opt(
            self.text,
            *(f"--test-perturb-linalg=kind={k} seed=1 copies={n}"
              for k, n in zip(kinds, [seeds] + [0] * len(kinds))))
        sites = {}
        for seed, count in re.findall(r"^@\w+_s(\d+): (\d+) sites$", err, re.M):
            sites[seed] = sites.get(seed, 0) + int(count)
        return out, sites

    def errors(self, module, names):
        """Greatest error of each function, compiled together."""
        raised = tools.optimize(module, *self.passes)
        lowered = execute.naive_ir(raised)
        compiled = program.Program(lowered, "-O0")
        errors = {}
        for name in names:
            sig = program.signature(raised, name)
            # Bufferisation may write to an argument read for the last time.
            results = compiled.call(sig, [a.copy() for a in self.inputs])
            assert len(results) == len(self.expected)
            errors[name] = max(map(execute.greatest_error, results,
                                   self.expected))
        return errors


def only(module, names):
    """The module with these functions alone."""
    head = module[:module.index("  func.func")]
    return head + "".join(
        f"  func.func @{name}({body}  }}\n"
        for name, body in functions(module).items() if name in names) + "}\n"


class Totals:
    """Of all files and kinds."""
    failures = texts = compared = executed = 0
    worst = 0.0


def check(file, kind, args, totals):
    """Adds to the totals; prints one line, and details of what failed."""
    start = time.monotonic()
    module, sites = file.perturb(kind, args.seeds)
    texts = functions(module)
    changed = sum(body != file.printed for body in texts.values())
    moved = [n for n in sites.values() if n]
    if not moved:
        print(f"{file.name}: no site for {kind}")
        return
    bad = []
    try:
        found = (form_of(module, args.passes) if args.passes
                 else dict.fromkeys(texts, ""))
    except tools.ToolError:
        found = {}
        for name in texts:  # one by one, to say which
            try:
                found.update(form_of(only(module, [name]), args.passes))
            except tools.ToolError as e:
                print(f"{name}: NOT RAISED: {e.output.splitlines()[0]}")
                bad.append(name)
    for name, form in found.items():
        lines = forms.difference(file.form, form) if args.compare else []
        if lines:
            print(f"{name}: OTHER FORM, {len(lines)} lines")
            named = forms.difference(
                next(iter(form_of(file.text, args.passes, True).values())),
                form_of(only(module, [name]), args.passes, True)[name])
            print("\n".join("    " + line for line in named[:args.lines]))
            bad.append(name)
    # Files of seeds in turn, so that all seeds are run somewhere.
    names = [n for n in texts if n in found]
    pick = sum(map(ord, file.name + kind)) % max(1, len(names))
    chosen = (names[pick:] + names[:pick])[:args.execute]
    worst = 0.0
    if chosen:
        errors = file.errors(only(module, chosen), chosen)
        worst = max(errors.values())
        for name, error in errors.items():
            if not error <= BOUND:
                print(f"{name}: TOO GREAT: error {error:.2e}")
                bad.append(name)
    # A seed may leave everything as it is, most must not.
    if changed < 0.75 * len(texts):
        print(f"{file.name}: ONLY {changed} of {len(texts)} texts differ")
        bad.append(file.name)
    if args.keep:
        for name in dict.fromkeys(bad):
            if name in texts:
                (args.keep / f"{kind}_{name}.mlir").write_text(
                    only(module, [name]))
    print(f"{file.name}: {kind} x {len(texts)}: {changed} texts differ, "
          f"{min(sites.values())} to {max(sites.values())} sites, "
          f"{len(found) - len(set(bad) & set(found))} forms "
          f"{'equal' if args.compare else 'not compared'}, "
          f"{len(chosen)} run, error {worst:.1e}"
          f"{'' if not bad else f', {len(set(bad))} FAILED'}", flush=True)
    print(f"{file.name} {kind}: {time.monotonic() - start:.1f} s",
          file=sys.stderr)
    totals.failures += len(set(bad))
    totals.texts += len(texts)
    totals.compared += len(found) if args.compare else 0
    totals.executed += len(chosen)
    totals.worst = max(totals.worst, worst)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("data", type=Path)
    p.add_argument("kind", choices=KINDS + ["mixed", "all"])
    p.add_argument("--seeds", type=int, default=20)
    p.add_argument("--execute", default="3", help="how many texts of a file, or "
                   "all")
    p.add_argument("--files", default="", help="names, with commas; all")
    p.add_argument("--raise-only", dest="passes", action="store_const",
                   const=PASSES[:1], default=PASSES,
                   help="without --einsum-normalize, and no form is compared")
    p.add_argument("--as-is", dest="passes", action="store_const", const=[],
                   help="run the texts without raising: do they mean the same?")
    p.add_argument("--lines", type=int, default=6, help="of a diff")
    p.add_argument("--keep", type=Path, help="folder for texts that fail")
    args = p.parse_args()
    args.compare = args.passes is PASSES
    args.execute = args.seeds if args.execute == "all" else int(args.execute)
    kinds = KINDS + ["mixed"] if args.kind == "all" else [args.kind]
    wanted = args.files.split(",") if args.files else None
    totals, files = Totals(), 0
    for path in sorted((args.data / "models").glob("*_tiny*.linalg.mlir")):
        if wanted and path.name.split(".")[0] not in wanted:
            continue
        files += 1
        file = File(path, args.passes)
        for kind in kinds:
            check(file, kind, args, totals)
    print(f"{files} files, {totals.texts} texts, {totals.compared} compared, "
          f"{totals.executed} run, error {totals.worst:.1e}, "
          f"{totals.failures} failures")
    return 1 if totals.failures or not totals.executed + totals.compared else 0


if __name__ == "__main__":
    sys.exit(main())
