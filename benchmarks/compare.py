"""Compares all policies on the published workloads; writes docs/Comparison.md.

    python3 benchmarks/compare.py [--evaluations N] [--out docs/Comparison.md]

Searches are small (the budget is in the document) so that it takes minutes.
"""
import argparse
import json
import math
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workloads import MODELS, layer

ROOT = Path(__file__).resolve().parent.parent
MACHINES = ["cloud", "cloud-max2d", "edge"]
LENGTHS = ["1K", "64K"]
POLICIES = ["unfused", "flat", "fusemax-modelled", "fusemax",
            "fusemax-layerfuse", "transfusion-paper", "transfusion"]


def tool():
    folder = os.environ.get("TRANSFUSION_BIN", str(ROOT / "build" / "bin"))
    return str(Path(folder) / "transfusion-compare")


def compare(model, length, machine, evaluations):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layer.mlir"
        path.write_text(layer(model, length))
        run = subprocess.run(
            [tool(), str(path), f"--arch={machine}", "--format=json",
             f"--evaluations={evaluations}", f"--policies={','.join(POLICIES)}"],
            capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{model} {length} {machine}: {run.stderr}")
    return json.loads(run.stdout)


def table(model, length, machine, result):
    lines = [f"### {model}, {length} tokens, {machine}", "",
             "| policy | latency s | energy J | 2D % | 1D % | DRAM GB "
             "| peak MiB | bound s | gap % | limited by | over transfusion |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    best = [r for r in result["rows"] if r["policy"] == "transfusion"][0]
    for row in result["rows"]:
        if "infeasible" in row:
            lines.append(f"| {row['policy']} | - | - | - | - | - | - | - | - "
                         f"| {row['infeasible']} | - |")
            continue
        lines.append(
            f"| {row['policy']} | {row['latency_s']:.4g} "
            f"| {row['energy_pj'] / 1e12:.4g} | {100 * row['util_2d']:.1f} "
            f"| {100 * row['util_1d']:.1f} | {row['dram_bytes'] / 1e9:.4g} "
            f"| {row['peak_bytes'] / 2**20:.2f} | {row['bound_s']:.4g} "
            f"| {100 * row['gap']:.1f} | {row['limited_by']} "
            f"| {row['latency_s'] / best['latency_s']:.2f} |")
    return lines + [""]


def summary(results):
    """Geometric means over the five models of latency over transfusion's."""
    lines = ["| machine | tokens | " + " | ".join(POLICIES[:-1]) + " |",
             "|---|---|" + "---|" * (len(POLICIES) - 1)]
    for machine in MACHINES:
        for length in LENGTHS:
            cells = []
            for policy in POLICIES[:-1]:
                logs = []
                for model in MODELS:
                    rows = {r["policy"]: r for r in
                            results[model, length, machine]["rows"]}
                    if "latency_s" in rows[policy]:
                        logs.append(math.log(
                            rows[policy]["latency_s"] /
                            rows["transfusion"]["latency_s"]))
                cells.append(f"{math.exp(sum(logs) / len(logs)):.2f}"
                             if logs else "-")
            lines.append(f"| {machine} | {length} | " + " | ".join(cells) +
                         " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=256)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default=str(ROOT / "docs" / "Comparison.md"))
    options = parser.parse_args()
    keys = [(m, n, a) for m in MODELS for n in LENGTHS for a in MACHINES]
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(
            lambda k: compare(*k, options.evaluations), keys))
    results = dict(zip(keys, found))
    text = (ROOT / "benchmarks" / "comparison-head.md").read_text().format(
        evaluations=options.evaluations)
    lines = [text.rstrip(), "", "## Slower than `transfusion`, by how much", "",
             "Geometric mean over the five models, each policy's latency over "
             "that of `transfusion`.", ""]
    lines += summary(results) + ["", "## Every layer", ""]
    for key in keys:
        lines += table(*key, results[key])
    Path(options.out).write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
