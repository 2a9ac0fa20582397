# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shifts the steps that a schedule file runs by one key tile, either way.

    skip_mutations.py CHECKER SCHEDULE.json REPORT.json

The checker must accept the file as it is, and neither mutation: its walk takes
other cycles than the report says.
"""

import json
import subprocess
import sys
import tempfile


def accepted(checker, schedule, report):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(schedule, f)
        f.flush()
        run = subprocess.run([sys.executable, checker, f.name, "--report",
                              report], capture_output=True, text=True)
    print(run.stdout + run.stderr, end="")
    return run.returncode == 0


def main(checker, path, report):
    with open(path, encoding="utf-8") as f:
        schedule = json.load(f)
    skips = [p["skip"] for g in schedule["groups"] for p in g["phases"]
             if "skip" in p]
    good = bool(skips) and accepted(checker, schedule, report)
    rank = skips[0]["rank"]
    # Not where the keys end: no step lies behind that.
    diagonal = [e for e in skips[0]["where"]
                if any(k * e["terms"].get(rank, 0) < 0
                       for k in e["terms"].values())]
    good &= bool(diagonal)
    for expr in diagonal:
        tile = abs(expr["terms"][rank])
        for shift in (-tile, tile):
            expr["constant"] += shift
            good &= not accepted(checker, schedule, report)
            expr["constant"] -= shift
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
