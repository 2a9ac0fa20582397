# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One decode step, raised and normalised: both caches and the layer's result,
with the longer caches copied and with the new rows written into the caller's
buffers, without a schedule and with one. What the report says of the traffic is
compared with what the shapes say. Arguments: the folder of the data, FILE,
machines."""

import json
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

from transfusion import execute, tools

BOUND = 2e-6
SIMULATED = 0.02
data, name, machines = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
OLD = 37
ROW = 2 * 2 * 8 * 4  # of one cache: batch, heads, features, f32
faults = []


def expect(good, text):
    if not good:
        faults.append(text)
        print("WRONG", text)


def in_place(text):
    """The function says that its caches have room for what it returns."""
    for argument, result in ((1, 1), (2, 2)):
        cache = f"%arg{argument}: tensor<2x2x{OLD}x8xf32>"
        assert cache in text
        text = text.replace(
            cache, f"{cache} {{einsum.append = "
                   f"#einsum.append<result = {result}, dim = 2>}}", 1)
    return text


def translate(scheduled, *options):
    return json.loads(tools.run(
        [tools.find_tool("transfusion-translate"), *options], scheduled))


def compare(form, results):
    errors = [execute.greatest_error(r, e) for r, e in zip(results, expected)]
    expect(len(results) == len(expected) == 3 and max(errors) <= BOUND,
           f"{form}: errors {errors}")


def check_traffic(form, report, cascade):
    """Bytes of the caches at the outermost memory, from their shapes."""
    traffic = {t["tensor"]: t for t in report["outer_traffic"]}
    longer = re.findall(r'map_reduce "(\w+)" .* extends %(\w+) from', cascade)
    expect(len(longer) == 2, f"{form}: {longer} extend a tensor")
    for cache, base in longer:
        expect(traffic[cache]["write_bytes"] == ROW,
               f"{form}: {traffic[cache]} of the new row, of {ROW} bytes")
        # One pass over the keys: all rows are fetched once.
        expect(traffic[cache]["read_bytes"] == (OLD + 1) * ROW,
               f"{form}: {traffic[cache]} of {OLD + 1} rows")
        if form == "copied":
            expect(traffic[base]["write_bytes"] == OLD * ROW,
                   f"{form}: {traffic[base]} of the old rows")
    for cache in ("%arg1", "%arg2"):
        expect(traffic.get(cache, {}).get("read_bytes", 0) ==
               (OLD * ROW if form == "copied" else 0),
               f"{form}: {traffic.get(cache)} of a cache")


def simulate(scheduled):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(tools.run([tools.find_tool("transfusion-translate"),
                              "--schedule-to-json"], scheduled))
        file.flush()
        return json.loads(tools.run(
            [tools.find_tool("transfusion-sim"), "--format=json", file.name]))


flag = ("--convert-tosa-to-einsum" if name.endswith(".tosa.mlir")
        else "--convert-linalg-to-einsum")
with np.load(data / f"{name.split('.')[0]}.npz") as npz:
    inputs = execute.numbered(npz, "in")
    expected = execute.numbered(npz, "out")
source = (data / name).read_text()
written = {}
for form, text in (("copied", source), ("in place", in_place(source))):
    cascade = tools.optimize(text, flag, "--einsum-normalize")
    for einsum in ("BK", "BV"):
        expect(f'map_reduce "{einsum}" ' in cascade, f"no {einsum}")
    compare(f"{form}, naive", execute.execute(cascade, inputs, "naive"))
    for machine in machines:
        where = f"{machine}, {form}"
        scheduled = execute.schedule(cascade, machine, "seed=1 evaluations=100")
        report = translate(scheduled, "--schedule-to-report",
                           "--report-format=json")
        check_traffic(form, report, scheduled)
        outer = next(iter(report["traffic_bytes"].values()))
        for what in ("read", "write"):
            expect(outer[what] == sum(t[f"{what}_bytes"]
                                      for t in report["outer_traffic"]),
                   f"{where}: {outer} is not the sum over tensors")
        written[machine, form] = outer["write"]
        compare(where, execute.execute(scheduled, inputs, "scheduled"))
        ratio = simulate(scheduled)["ratio"]
        expect(abs(ratio - 1) <= SIMULATED, f"{where}: simulated {ratio}")
        print(f"{where}: {outer['write']} bytes written, latency "
              f"{report['latency_cycles']:.0f} cycles, bound "
              f"{report['lower_bound_cycles']:.0f}, simulated {ratio:.4f}")
for machine in machines:
    # Two caches; what else is written is the same.
    saved = written[machine, "copied"] - written[machine, "in place"]
    print(f"{machine}: {saved} bytes of old rows are not written")
print("WRONG" if faults else "good")
sys.exit(bool(faults))
