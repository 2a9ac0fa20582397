"""Compute cycles of a BERT-base layer on edge, under the fixed grouping.

Expected, by hand, in million cycles: 64 batches of 1024 tokens, 768 wide, on
256 multipliers. Projection: 64 * 1024 * 768 * 768 / 256 MACs and a bias; K beside
V on the vector lanes. Attention: 87 cycles for each of 64 * 12 * 64 * 64 tiles.
FFN: the second layer and GELU (18 operations) on the lanes beside the first.
Each part must agree within 2 %, and so must the sum, 1,347.8.
"""
import json
import subprocess
import sys

EXPECTED = {  # by the phase's first Einsum
    "BK": 151.2, "Q": 151.2, "QK": 273.7, "AV": 151.2, "FFN1": 618.1}

scheduled = subprocess.run(
    ["transfusion-opt", "--load-arch=edge", "--dpipe", sys.argv[1]],
    check=True, capture_output=True).stdout
report = json.loads(subprocess.run(
    ["transfusion-translate", "--schedule-to-report", "--report-format=json"],
    input=scheduled, check=True, capture_output=True).stdout)
total = 0
found = {}
for group in report["groups"]:
    for phase in group["phases"]:
        cycles = phase["compute_cycles"] / 1e6
        total += cycles
        for einsum in phase["einsums"]:
            found[einsum] = cycles
failures = 0
for name, expected in EXPECTED.items():
    cycles = found[name]
    ok = abs(cycles / expected - 1) <= 0.02
    failures += not ok
    print(f"{'ok  ' if ok else 'FAIL'} {name:5} expected {expected:7.1f} M"
          f"  found {cycles:7.1f} M  {100 * (cycles / expected - 1):+.2f} %")
ok = abs(total / 1347.8 - 1) <= 0.02
print(f"{'ok  ' if ok else 'FAIL'} all   expected  1347.8 M  found {total:7.1f} M"
      f"  {100 * (total / 1347.8 - 1):+.2f} %")
sys.exit(failures != 0 or not ok)
