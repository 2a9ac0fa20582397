"""Cycles per inner tile of attention, from IR through the tools.

Published: the paper's DPipe on the twelve-Einsum cascade, derived from its
equations. An epoch carries four heads, so its initiation interval is four times
the figure of one head. Exact: quarters of a cycle are representable.
"""
import csv
import json
import subprocess
import sys

table, examples = sys.argv[1:]
failures = 0
for row in csv.DictReader(open(table)):
    layer = f"{examples}/attention_only_{row['width']}.mlir"
    scheduled = subprocess.run(
        ["transfusion-opt", f"--load-arch={row['machine']}", "--dpipe", layer],
        check=True, capture_output=True).stdout
    report = json.loads(subprocess.run(
        ["transfusion-translate", "--schedule-to-report",
         "--report-format=json"],
        input=scheduled, check=True, capture_output=True).stdout)
    phase = report["groups"][0]["phases"][0]  # QK ... RNV
    cycles = phase["ii_cycles"] / 4
    ok = cycles == float(row["cycles_per_head"])
    failures += not ok
    print(f"{'ok  ' if ok else 'FAIL'} {row['machine']:12} E=F={row['width']:>3}"
          f"  published {row['cycles_per_head']:>7}  found {cycles:7}")
sys.exit(failures != 0)
