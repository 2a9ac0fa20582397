"""Schedules a layer on several machines and prints what came of it.

    python3 benchmarks/search.py [--check] [--layer FILE] [MACHINE ...]

One row a machine: latency, lower bound and gap, utilisation, traffic, peak
memory, energy, evaluations, and the search's CPU seconds and resident memory.
With --check it also searches a second time and exits 1 when the two schedules
differ in a byte, a bound is above its latency, a gap is greater than it was held
to, or a search takes more than 60 CPU seconds or 1 GB.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACHINES = ["edge", "edge-32", "edge-64", "cloud", "cloud-max2d"]
MAX_SECONDS, MAX_KIB = 60, 1 << 20
MAX_GAP = {"edge": 0.25, "edge-64": 0.12}  # of the default layer


def tool(name):
    folder = os.environ.get("TRANSFUSION_BIN", str(ROOT / "build" / "bin"))
    return str(Path(folder) / name)


def search(layer, machine):
    """The scheduled module, CPU seconds, resident KiB."""
    process = subprocess.Popen(
        [tool("transfusion-opt"), f"--load-arch={machine}", "--dpipe",
         "--tileseek", str(layer)], stdout=subprocess.PIPE)
    text = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"no schedule on {machine}")
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--layer", default=str(
        ROOT / "examples" / "bert_base_1024_b64.mlir"))
    parser.add_argument("machines", nargs="*", default=MACHINES)
    options = parser.parse_args()
    print(f"{'machine':12} {'latency s':>10} {'bound s':>9} {'gap':>7} "
          f"{'2D':>6} {'1D':>6} {'DRAM GB':>8} {'peak MiB':>9} {'energy J':>9} "
          f"{'evals':>6} {'CPU s':>6} {'MiB':>5}")
    faults = []
    for machine in options.machines:
        text, seconds, kib = search(options.layer, machine)
        report = json.loads(subprocess.run(
            [tool("transfusion-translate"), "--schedule-to-report",
             "--report-format=json"],
            input=text, check=True, capture_output=True).stdout)
        dram, buffer = list(report["traffic_bytes"])[:2]
        traffic = report["traffic_bytes"][dram]
        busy = [unit["lanes"] for unit in report["utilization"].values()]
        bound = report["lower_bound_cycles"]
        latency = report["latency_cycles"]
        print(f"{machine:12} {report['latency_s']:10.4f} "
              f"{report['latency_s'] * bound / latency:9.4f} "
              f"{100 * report['gap']:6.1f}% {100 * busy[0]:5.1f}% "
              f"{100 * busy[1]:5.1f}% "
              f"{(traffic['read'] + traffic['write']) / 1e9:8.2f} "
              f"{report['peak_bytes'][buffer] / 2**20:9.2f} "
              f"{report['energy_pj'] / 1e12:9.2f} "
              f"{report['search']['evaluations']:6} {seconds:6.1f} "
              f"{kib / 1024:5.0f}", flush=True)
        if not options.check:
            continue
        if latency < bound:
            faults.append(f"{machine}: latency {latency} is below its bound "
                          f"{bound}")
        if report["gap"] > MAX_GAP.get(machine, float("inf")):
            faults.append(f"{machine}: gap {report['gap']:.3f}, more than "
                          f"{MAX_GAP[machine]}")
        if seconds > MAX_SECONDS:
            faults.append(f"{machine}: the search took {seconds:.1f} s of CPU, "
                          f"more than {MAX_SECONDS}")
        if kib > MAX_KIB:
            faults.append(f"{machine}: the search took {kib} KiB, more than "
                          f"{MAX_KIB}")
        if search(options.layer, machine)[0] != text:
            faults.append(f"{machine}: two searches gave different schedules")
    for fault in faults:
        print("FAIL", fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
