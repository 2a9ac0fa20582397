"""One truth about memory: peak_bytes.py SCHEDULED.mlir

The report's peak, the greatest end address of its buffers, the buffers of the
schedule file, and the allocation in the emitted IR are the same number; buffers
that live at the same time, by a sweep over phases done here, share no byte; and
all of it fits the machine.
"""
import json
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


module = sys.argv[1]
report = json.loads(run("transfusion-translate", "--schedule-to-report",
                        "--report-format=json", module))
schedule = json.loads(run("transfusion-translate", "--schedule-to-json",
                          module))
emitted = run("transfusion-opt", "--convert-sched-to-affine", module)

(memory, peak), = [(m, b) for m, b in report["peak_bytes"].items() if b]
buffers = report["buffers"]
end = max(b["address"] + b["bytes"] for b in buffers)
allocated = int(re.search(r"memref<(\d+)xi8, 1(?: : \w+)?>", emitted)[1])
file_end = max(b["address"] + b["bytes"] for b in schedule["buffers"])
capacity = int(re.search(r"capacity_bytes (\d+)", open(module).read())[1])
print(f"{memory}: peak {peak}, end {end}, file {file_end}, "
      f"allocation {report['allocation_bytes'][memory]}, emitted {allocated}, "
      f"capacity {capacity}")
assert (peak == end == file_end == allocated
        == report["allocation_bytes"][memory] <= capacity)

# A buffer may live into the phases of the outer tile before or after its own.
spans, first = {}, 0
for g in schedule["groups"]:
    spans[g["name"]] = range(first, first + len(g["phases"]))
    first += len(g["phases"])
group_of = {b["name"]: b["group"] for b in schedule["buffers"]}
pairs = 0
for phase in range(first):
    def is_live(b):
        span = spans[group_of[b["name"]]]
        return phase in span and any(
            b["first_use"] <= phase + turn * len(span) <= b["last_use"]
            for turn in (-1, 0, 1))
    live = sorted(filter(is_live, buffers), key=lambda b: b["address"])
    for below, above in zip(live, live[1:]):
        pairs += 1
        assert below["address"] + below["bytes"] <= above["address"], (
            f"{below['name']} and {above['name']} overlap in phase {phase}")
assert pairs > 10
