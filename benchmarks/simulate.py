"""Simulates schedules and compares with the cycles that the cost model claims.

    python3 benchmarks/simulate.py [--check] [--evaluations N] [--layers A,B]
                                   [--machines A,B] [--policies A,B]
                                   [--product] [--csv FILE]

A layer is an example, or one of a published workload: BERT-16K. One row a
schedule: simulated over claimed cycles, steps, and how many of them were run one
by one. With --check exits 1 when a ratio is off by more than 2 %, the median by
more than 0.5 %, a schedule that was found is refused, or none is found. What is
beyond that is in simulate-expected.csv with how far it is off, or "-" where
nothing fits: worse is an error, and so is better, which asks for an update.
docs/Rationale/Simulator.md says where the differences come from.

--product: all policies x all machines with two memories x the five workloads x
1K and 16K tokens, with 24 evaluations a search.
"""
import argparse
import csv
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import workloads

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ["attention_only_64", "attention_only_128", "bert_tiny", "llama_tiny",
          "bert_base_1024_b64", "llama3_8b_1024_b64"]
MACHINES = ["tiny", "embedded", "edge", "edge-32", "edge-64", "cloud",
            "cloud-max2d"]
POLICIES = ["unfused", "flat", "fusemax-modelled", "fusemax",
            "fusemax-layerfuse", "transfusion-paper", "transfusion"]
PRODUCT = {
    "layers": [f"{m}-{n}" for m in workloads.MODELS for n in ("1K", "16K")],
    "machines": ["edge", "edge-max2d", "edge-32", "edge-32-max2d", "edge-64",
                 "edge-64-max2d", "cloud", "cloud-max2d", "fusemax", "embedded"],
    "policies": POLICIES, "evaluations": 24}
MAX_ERROR, MAX_MEDIAN = 0.02, 0.005
EXPECTED = Path(__file__).resolve().parent / "simulate-expected.csv"
#: How far a ratio may be from the expected one.
SAME = 1e-4


def tool(name):
    folder = os.environ.get("TRANSFUSION_BIN", str(ROOT / "build" / "bin"))
    return str(Path(folder) / name)


def expected_ratios():
    with EXPECTED.open(encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if line[0] != "#")
        return {(r["layer"], r["machine"], r["policy"], int(r["evaluations"])):
                None if r["ratio"] == "-" else float(r["ratio"]) for r in rows}


def layer_text(name):
    path = ROOT / "examples" / f"{name}.mlir"
    if path.exists():
        return path.read_text(encoding="utf-8")
    model, _, length = name.partition("-")
    return workloads.layer(model, length)


def simulate(layer, machine, policy, evaluations, folder):
    """What the simulator says of the schedule that the search finds; None where
    no schedule fits."""
    schedule = str(Path(folder) / "schedule.json")
    found = subprocess.run(
        [tool("transfusion-opt"), "-", f"--load-arch={machine}",
         f"--dpipe=policy={policy}", f"--tileseek=evaluations={evaluations}"],
        input=layer_text(layer), capture_output=True, text=True, check=False)
    if found.returncode != 0:
        if "it would fit with" in found.stderr:
            return None
        sys.exit(f"{layer} on {machine}: no schedule\n{found.stderr}")
    subprocess.run([tool("transfusion-translate"), "--schedule-to-json", "-o",
                    schedule], input=found.stdout, check=True, text=True)
    run = subprocess.run([tool("transfusion-sim"), "--format=json", schedule],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{layer} on {machine}: refused\n{run.stderr}")
    return json.loads(run.stdout)


def fault_of(case, ratio, expected):
    """What is wrong with a ratio; None: nothing."""
    name = " ".join(map(str, case))
    known = case in expected
    if ratio is None or known and expected[case] is None:
        if known and expected[case] is ratio:
            return None
        return (f"{name} has no schedule that fits" if ratio is None else
                f"{name} fits now: update {EXPECTED.name}")
    if known:
        was = expected[case]
        if abs(ratio - was) <= SAME:
            return None
        if abs(ratio - 1) > abs(was - 1):
            return f"{name}: {ratio:.5f} is worse than the expected {was:.5f}"
        return (f"{name}: {ratio:.5f} is better than the expected {was:.5f}: "
                f"update {EXPECTED.name}")
    if abs(ratio - 1) > MAX_ERROR:
        return f"{name} is off by {100 * (ratio - 1):.2f} %"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--product", action="store_true")
    parser.add_argument("--evaluations", type=int)
    parser.add_argument("--layers", type=lambda s: s.split(","))
    parser.add_argument("--machines", type=lambda s: s.split(","))
    parser.add_argument("--policies", type=lambda s: s.split(","))
    parser.add_argument("--csv", type=Path, help="append the rows there")
    options = parser.parse_args()
    defaults = PRODUCT if options.product else {
        "layers": LAYERS, "machines": MACHINES, "policies": ["transfusion"],
        "evaluations": 64}
    chosen = {k: getattr(options, k) or v for k, v in defaults.items()}
    evaluations = chosen["evaluations"]
    expected, rows, faults, unfit = expected_ratios(), [], [], []
    print(f"{'layer':20} {'machine':14} {'policy':18} {'ratio':>9} "
          f"{'cycles':>16} {'steps':>12} {'one by one':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for layer, machine, policy in itertools.product(
                chosen["layers"], chosen["machines"], chosen["policies"]):
            case = (layer, machine, policy, evaluations)
            r = simulate(layer, machine, policy, evaluations, folder)
            if fault := fault_of(case, r and r["ratio"], expected):
                faults.append(fault)
            if r is None:
                unfit.append(f"{layer} on {machine}, {policy}")
                continue
            print(f"{layer:20} {machine:14} {policy:18} {r['ratio']:9.5f} "
                  f"{r['cycles']:16.0f} {r['steps']:12.0f} "
                  f"{r['steps_simulated']:10d}", flush=True)
            rows.append([*case, f"{r['ratio']:.6f}"])
            if options.csv: # as they come: all of them take an hour
                with options.csv.open("a", encoding="utf-8") as file:
                    print(*rows[-1], sep=",", file=file)
    errors = [abs(float(row[-1]) - 1) for row in rows]
    median = statistics.median(errors)
    print(f"{len(rows)} schedules, median error {100 * median:.4f} %, greatest "
          f"{100 * max(errors):.3f} %, "
          f"{sum(e > MAX_ERROR for e in errors)} above {100 * MAX_ERROR:.0f} %")
    for case in unfit:
        print(f"does not fit: {case}")
    if median > MAX_MEDIAN:
        faults.append(f"the median error is {100 * median:.2f} %")
    if options.check and faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
