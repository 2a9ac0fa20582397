# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Energy by tensor and by component, against what emitted programs touch.

    counted_energy.py SRC FIRST_SEED LAST_SEED

The programs of counted.py. What test-count-traffic counts, times the energies
of the machine's file, must be the report's energy of every tensor at every
memory, and that of every memory; the units' must be that of their Einsums.
Parts must add up to the total: in JSON the sum, rounded once, to the last bit;
in text exactly as printed.
"""

import json
import math
import re
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

from transfusion import tools

import counted  # beside this file  pylint: disable=import-error

ACTIONS = ("read_pj", "write_pj")


def energies(arch):
    """pJ for a byte (read, written), by memory of the machine's file."""
    memories = {}
    for name, body in re.findall(r"- name: (\w+)((?:\n    .*)+)", arch):
        if "energy_pj_per_byte" in body:
            memories[name] = [
                float(re.search(rf" (?:{action}_)?energy_pj_per_byte: (\S+)",
                                body).group(1)) for action in ("read", "write")]
    return memories


def near(x, y):
    return math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-9)


def tables(text):
    """Rows of the two energy tables of the text report: (name, numbers)."""
    found = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.strip().splitlines()
        if lines and lines[0].split()[:2] == ["energy", "of"]:
            found.append([re.split(r"\s{2,}", l.strip()) for l in lines[1:]])
    return found


def check(report, text, counts, memories):
    """What is wrong, in words."""
    faults = []
    names = list(memories)
    traffic = {}
    for tensor, memory, read, write in counts:
        name = names[int(memory)]
        traffic[tensor, name] = [int(n) * e for n, e in
                                 zip((read, write), memories[name])]
    claimed = {(t["tensor"], m): [moves.get(a, 0) for a in ACTIONS]
               for t in report["energy_by_tensor"]
               for m, moves in t["moves"].items()}
    for key in sorted({*traffic, *claimed}):
        ours, theirs = claimed.get(key, [0, 0]), traffic.get(key, [0, 0])
        if not all(map(near, ours, theirs)):
            faults.append(f"{key}: {ours} pJ, counted {theirs}")
    for name in names:
        for i, action in enumerate(ACTIONS):
            sums = math.fsum(v[i] for k, v in traffic.items() if k[1] == name)
            ours = report["energy_by_component"][name][action]
            if not near(ours, sums):
                faults.append(f"{name} {action}: {ours}, counted {sums}")
    parts = [x for c in report["energy_by_component"].values()
             for x in c.values()]
    tensors = [x for v in claimed.values() for x in v]
    tensors += [report["arithmetic_pj"], report.get("leakage_pj", 0)]
    for what, of in (("components", parts), ("tensors", tensors)):
        if math.fsum(of) != report["energy_pj"]:
            faults.append(f"{what} add up to {math.fsum(of)!r}, not to "
                          f"{report['energy_pj']!r}")
    operations = math.fsum(e["energy_pj"] for e in report["einsums"])
    units = math.fsum(x for n, c in report["energy_by_component"].items()
                      if n not in memories for x in c.values())
    leakage = report.get("leakage_pj", 0)
    if not near(units, operations) or leakage:
        faults.append(f"units take {units} pJ, their Einsums {operations}")
    found = tables(text)
    if len(found) != 2:
        faults.append(f"{len(found)} tables of energy")
    for rows in found:
        column = 1 if rows[0][-1].endswith("%") else -1
        numbers = [Decimal(r[column]) for r in rows]
        if sum(numbers[:-1]) != numbers[-1]:
            faults.append(f"printed: {sum(numbers[:-1])} is not {numbers[-1]}")
    return faults


def main(src, first, last):
    src = Path(src)
    sys.path.append(str(src / "test" / "Integration" / "Inputs"))
    import layers  # pylint: disable=import-outside-toplevel

    opt, translate = map(tools.find_tool,
                         ("transfusion-test-opt", "transfusion-translate"))
    bad = done = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last) + 1):
            _, text, arch, passes = counted.case(seed, src, layers)
            file = Path(folder) / "drawn.yaml"
            file.write_text(arch, encoding="utf-8")
            try:
                scheduled = tools.run([opt, "-", f"--load-arch={file}",
                                       *passes[:2]], text)
            except tools.ToolError as e:
                if "(S30 capacity)" in e.output:
                    continue
                raise
            report = [translate, "-", "--schedule-to-report"]
            as_json = json.loads(tools.run(
                [*report, "--report-format=json"], scheduled))
            as_text = tools.run(report, scheduled)
            out = tools.run([opt, "-", *passes[2:-1],
                             "--test-count-traffic=print=true"], scheduled)
            counts = re.findall(r"^counted (\S+) (\d+) (\d+) (\d+)$", out, re.M)
            faults = check(as_json, as_text, counts, energies(arch))
            for fault in faults:
                print(f"seed {seed}: {fault}")
            bad += bool(faults)
            done += 1
    print(f"{done} programs, {bad} with another energy than counted")
    return 1 if bad or done < 0.8 * (int(last) - int(first) + 1) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
