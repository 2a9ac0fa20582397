# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One decode step on the scheduled path: both caches and the layer's result,
with the longer caches copied and with the new rows written into the caller's
buffers. Arguments: the folder of the data, FILE, machines."""

import json
import sys
from pathlib import Path

import numpy as np

from transfusion import execute, tools

BOUND = 2e-6
data, name, machines = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
ROW = 2 * 2 * 8 * 4  # batch, heads, features, f32
OLD = 37


def in_place(text):
    """The function says that its caches have room for what it returns."""
    for argument, result in ((1, 1), (2, 2)):
        cache = f"%arg{argument}: tensor<2x2x{OLD}x8xf32>"
        assert cache in text
        text = text.replace(
            cache, f"{cache} {{einsum.append = "
                   f"#einsum.append<result = {result}, dim = 2>}}", 1)
    return text


def report(scheduled):
    return json.loads(tools.run(
        [tools.find_tool("transfusion-translate"), "--schedule-to-report",
         "--report-format=json"], scheduled))


flag = ("--convert-tosa-to-einsum" if name.endswith(".tosa.mlir")
        else "--convert-linalg-to-einsum")
with np.load(data / f"{name.split('.')[0]}.npz") as npz:
    inputs = execute.numbered(npz, "in")
    expected = execute.numbered(npz, "out")
good = True
source = (data / name).read_text()
for machine in machines:
    written = {}
    for form, text in (("copied", source), ("in place", in_place(source))):
        raised = tools.optimize(text, flag)
        plain = tools.optimize(raised, f"--load-arch={machine}", "--dpipe")
        written[form] = next(iter(report(plain)["traffic_bytes"].values()))["write"]
        results = execute.execute(raised, inputs, "scheduled", arch=machine,
                                  tileseek="seed=1 evaluations=100")
        errors = [execute.greatest_error(r, e)
                  for r, e in zip(results, expected)]
        ok = len(results) == len(expected) == 3 and max(errors) <= BOUND
        good &= ok
        print(f"{machine}, {form}: {', '.join(f'{e:.1e}' for e in errors)}"
              f"{'' if ok else ' TOO GREAT'}")
    # Two caches; what else is written is the same.
    saved = written["copied"] - written["in place"]
    good &= saved == 2 * OLD * ROW
    print(f"{machine}: {saved} bytes of old rows are not written")
print("good" if good else "WRONG")
sys.exit(not good)
