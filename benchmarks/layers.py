# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules exported layers and prints what came of it.

    python3 benchmarks/layers.py [--check] [--machines NAME,NAME] [FILE ...]

Each file is raised and, where this build has the pass, normalised, then
scheduled by --dpipe and --tileseek. One row a file and machine: ops of the file,
Einsums, latency, lower bound and gap, groups, evaluations, CPU seconds of the
search. Then the classes of operations that were costed. The files that are real
sizes are the default.

With --check exits 1 when a file does not schedule, a bound is above its latency,
an op of the file has no entry in the report of the raising, or an Einsum has no
operations, no cycles, or an op in its body that is neither costed nor one of
those that are documented to cost nothing (casts, constants, indices).
"""
import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "test" / "Data" / "models"
#: include/transfusion/Bridge/OpClasses.h: `none`.
FREE = {"arith.constant", "arith.extf", "arith.truncf", "arith.extsi",
        "arith.extui", "arith.trunci", "arith.sitofp", "arith.uitofp",
        "arith.fptosi", "arith.fptoui", "arith.index_cast",
        "arith.index_castui", "arith.bitcast", "einsum.index", "einsum.yield"}


def tool(name):
    folder = os.environ.get("TRANSFUSION_BIN", str(ROOT / "build" / "bin"))
    return str(Path(folder) / name)


def run(command, text=None):
    """Output, errors and CPU seconds; None where it fails."""
    before = os.times()
    done = subprocess.run(command, input=text, capture_output=True, text=True,
                          check=False)
    after = os.times()
    seconds = (after.children_user - before.children_user
               + after.children_system - before.children_system)
    if done.returncode:
        print("\n".join(done.stderr.splitlines()[:4]), file=sys.stderr)
        return None, done.stderr, seconds
    return done.stdout, done.stderr, seconds


def uncosted(cascade):
    """Ops in bodies that cost nothing and are not documented to."""
    ops = set(re.findall(r"\b((?:arith|math|einsum)\.\w+)", cascade))
    costed = {o for o in ops if o.split(".")[0] in ("arith", "math")} - FREE
    # What has no row in the table is an error of the import, so that a file
    # that schedules has none; that a row is not empty is OpClassesTest's.
    return sorted(ops - costed - FREE - {"einsum.cascade", "einsum.map_reduce",
                                         "einsum.rank", "einsum.append"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--machines", default="edge,cloud")
    parser.add_argument("--evaluations", type=int, default=0)
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    files = options.files or [p for p in sorted(MODELS.glob("*.mlir"))
                              if "tiny" not in p.name]
    known, _, _ = run([tool("transfusion-opt"), "--help"])
    then = ["--einsum-normalize"] if "--einsum-normalize" in known else []
    seek = "--tileseek"
    if options.evaluations:
        seek += f"=evaluations={options.evaluations}"
    print(f"{'file':28} {'machine':8} {'ops':>5} {'Einsums':>7} "
          f"{'latency s':>10} {'bound s':>10} {'gap':>7} {'groups':>6} "
          f"{'evals':>6} {'CPU s':>7}")
    faults, classes = [], Counter()
    for path in files:
        flag = ("--convert-tosa-to-einsum" if path.name.endswith(".tosa.mlir")
                else "--convert-linalg-to-einsum")
        cascade, report, _ = run([tool("transfusion-opt"), str(path),
                                  f"{flag}=raise-report=json", *then])
        if cascade is None:
            faults.append(f"{path.name} is not raised")
            continue
        raised = json.loads(report[report.index("{"):])
        if sum(raised["counts"].values()) != raised["ops"] or \
                raised["counts"]["left"]:
            faults.append(f"{path.name}: the report of the raising does not "
                          f"account for every op")
        if uncosted(cascade):
            faults.append(f"{path.name}: {uncosted(cascade)} cost nothing")
        for machine in options.machines.split(","):
            text, _, seconds = run(
                [tool("transfusion-opt"), "-", f"--load-arch={machine}",
                 "--dpipe", seek], cascade)
            if text is None:
                faults.append(f"{path.name} has no schedule on {machine}")
                continue
            out, _, _ = run([tool("transfusion-translate"),
                             "--schedule-to-report", "--report-format=json"],
                            text)
            costed = json.loads(out)
            bound = costed["lower_bound_cycles"]
            scale = costed["latency_s"] / costed["latency_cycles"]
            print(f"{path.name.replace('.linalg.mlir', ''):28} {machine:8} "
                  f"{raised['ops']:5} {len(costed['einsums']):7} "
                  f"{costed['latency_s']:10.6f} {bound * scale:10.6f} "
                  f"{100 * costed['gap']:6.1f}% {len(costed['groups']):6} "
                  f"{costed['search']['evaluations']:6} {seconds:7.1f}",
                  flush=True)
            if costed["latency_cycles"] < bound:
                faults.append(f"{path.name} on {machine}: the latency is below "
                              f"its bound")
            if costed["unscheduled_ops"]:
                faults.append(f"{path.name}: ops are not scheduled")
            for e in costed["einsums"]:
                ops = Counter(e["point_ops"]) + Counter(e["finish_ops"])
                if not ops or e["busy_cycles"] <= 0:
                    faults.append(f"{path.name} on {machine}: {e['name']} "
                                  f"costs nothing")
                for name in ops:
                    classes[name] += 1
    print("\nclasses of operations, and Einsums that have them:")
    for name, count in sorted(classes.items()):
        print(f"  {name:8} {count}")
    for fault in faults:
        print("FAIL", fault)
    sys.exit(options.check and bool(faults))


if __name__ == "__main__":
    main()
