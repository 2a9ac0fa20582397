# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raises and normalises every model of a folder: its norms, activations and
rotations are there under the names that named ops give them, and no others."""

import re
import subprocess
import sys
from pathlib import Path

LAYER_NORM = ["SAV", "MAV", "DAV", "QAV", "SQAV", "MQAV", "SR", "NR"]
RMS_NORM = ["QAV", "SQAV", "MQAV", "SR", "NR"]


def numbered(kind, names, count):
    return [f"{kind}{i + 1}.{n}" for i in range(count) for n in names]


FFN, GATED = ["FFN1", "AR", "FFN2"], ["FFG", "FFN1", "AR", "FFN2"]
POST = numbered("ln", LAYER_NORM, 2) + FFN + ["ln1.IAV", "ln2.IAV"]
PRE = numbered("ln", LAYER_NORM, 2) + FFN + ["ln2.IAV", "RES"]
LLAMA = (numbered("rms", RMS_NORM, 2) + numbered("rope", ["ROPE"], 2) + GATED
         + ["rms2.IAV", "RES"])
EXPECTED = {
    "bert": POST, "llama": LLAMA, "llama3": LLAMA, "decode": LLAMA,
    "vit": PRE, "gpt2": PRE, "encoder": PRE, "swiglu": GATED, "mha": [],
    "decoder": numbered("ln", LAYER_NORM + ["IAV"], 3) + FFN,
}
ROLE = re.compile(r"^(\w+\.)?(S?Q?AV|MQ?AV|DAV|SR|NR|AR|ROPE|FF\w|FFN\d|IAV|RES)$")

bad = 0
files = sorted(Path(sys.argv[1]).glob("*.mlir"))
for path in files:
    flag = "--convert-linalg-to-einsum"
    if path.name.endswith(".tosa.mlir"):
        flag = "--convert-tosa-to-einsum"
    done = subprocess.run(["transfusion-opt", path, flag, "--einsum-normalize"],
                          capture_output=True, text=True, check=True)
    # AV is attention's.
    names = [n for n in re.findall(r'map_reduce "([^"]+)"', done.stdout)
             if ROLE.match(n) and not re.match(r"^(mha\d\.)?AV$", n)]
    expected = EXPECTED[path.name.split("_")[0]]
    missing = sorted(set(expected) - set(names))
    more = sorted(set(names) - set(expected))
    bad += bool(missing or more) or len(names) != len(expected)
    print(f"{path.name}: {len(names)} Einsums"
          f"{f', missing {missing}' if missing else ''}"
          f"{f', unexpected {more}' if more else ''}")
print(f"{len(files) - bad} of {len(files)} files are as expected")
sys.exit(bad)
