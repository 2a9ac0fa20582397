# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The FuseMax artifact's unfused and FLAT attention, against our policies.

    fusemax_policies.py [--write]

Attention alone, batch 64, 16 bits, on `fusemax`, under our own model: what the
search finds for `unfused` and `flat`, not a closed form. Errors of latency, DRAM
traffic and energy are in fusemax-policy-errors.csv, in per cent: a worse one
fails, and so does a better one, which asks for an update (--write). The order of
the artifact is fusemax, flat, unfused, and must be ours but where UNORDERED says
otherwise; docs/Rationale/PublishedModels.md says why.
"""

import csv
import json
import sys
from pathlib import Path

from transfusion import tools

HERE = Path(__file__).resolve().parent
MODELS = {"BERT": (12, 64), "XLM": (16, 128)}  # heads, width of one
LENGTHS = {"1K": 1 << 10, "4K": 4 << 10, "16K": 16 << 10, "64K": 64 << 10,
           "256K": 256 << 10, "1M": 1 << 20}
POLICIES = ("fusemax", "flat", "unfused")
COLUMNS = {"latency_s": "latency_s", "dram_traffic_bytes": "dram_bytes",
           "energy_pj": "energy_pj"}
EVALUATIONS = 128
#: Per cent, and share of it, within which an error is the expected one.
SAME, SAME_SHARE = 0.01, 1e-4
#: A row of scores in 32 bits takes so much of the buffer that fewer rows than the
#: array has fit, and flat is slower than unfused.
UNORDERED = {("BERT", "256K"), ("BERT", "1M"), ("XLM", "64K"), ("XLM", "256K"),
             ("XLM", "1M")}


def attention(heads, width, length):
    read = f"tensor<64x{heads}x{length}x{width}xbf16>"
    made = f"tensor<64x{length}x{heads * width}xbf16>"
    return (f"func.func @attention(%q: {read}, %k: {read}, %v: {read}) -> {made}"
            f" {{\n  %a = einsum.mha %q, %k, %v : ({read}, {read}, {read}) -> "
            f"{made}\n  return %a : {made}\n}}\n")


def ours(model, length):
    """Row of each policy."""
    text = attention(*MODELS[model], LENGTHS[length])
    out = tools.run([tools.find_tool("transfusion-compare"), "-",
                     "--arch=fusemax", "--format=json",
                     f"--policies={','.join(POLICIES)}",
                     f"--evaluations={EVALUATIONS}"], text)
    return {row["policy"]: row for row in json.loads(out)["rows"]}


def rows_of(name):
    with (HERE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    theirs = {tuple(r[k] for k in ("kind", "model", "seq_len")): r
              for r in rows_of("fusemax.csv")}
    expected_file = HERE / "fusemax-policy-errors.csv"
    expected = {} if "--write" in sys.argv else {
        r["row"]: r for r in rows_of(expected_file.name)}
    faults, written = [], []
    print(f"{'row':28} {'latency':>9} {'traffic':>9} {'energy':>8}   "
          f"{'over fusemax':>12} {'artifact':>8}")
    for model in MODELS:
        for length in LENGTHS:
            found = ours(model, length)
            given = {p: theirs[f"attention-{p}", model, length]
                     for p in POLICIES}
            for rows, who in ((found, "we have"), (given, "the artifact has")):
                order = [float(rows[p]["latency_s"]) for p in POLICIES]
                other = rows is found and (model, length) in UNORDERED
                if (order == sorted(order)) == other:
                    faults.append(f"{model} {length}: {who} another order of "
                                  f"policies than expected, {order} s")
            for policy in POLICIES:
                row = f"attention-{policy} {model} {length}"
                errors = {c: 100 * (found[policy][key] / float(given[policy][c])
                                    - 1) for c, key in COLUMNS.items()}
                ratio, their_ratio = (
                    float(r[policy]["latency_s"]) / float(r["fusemax"]["latency_s"])
                    for r in (found, given))
                print(f"{row:28} " + " ".join(
                    f"{errors[c]:+8.2f}%" for c in COLUMNS) +
                    f"   {ratio:12.3f} {their_ratio:8.3f}", flush=True)
                written.append([row, *(f"{errors[c]:.2f}" for c in COLUMNS)])
                for c in COLUMNS:
                    if "--write" in sys.argv:
                        continue
                    was = float(expected[row][c])
                    if abs(errors[c] - was) > SAME + SAME_SHARE * abs(was):
                        worse = abs(errors[c]) > abs(was)
                        faults.append(
                            f"{row}: {c} is off by {errors[c]:.2f} %, "
                            f"{'worse' if worse else 'better'} than the "
                            f"{was:.2f} % of {expected_file.name}" +
                            ("" if worse else ": update it with --write"))
    if "--write" in sys.argv:
        with expected_file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["row", *COLUMNS])
            writer.writerows(written)
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
