# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers examples and exported layers to linalg and hands them to a stock
mlir-opt, without our dialects, down to buffers. Argument: the source tree."""

import re
import sys
from pathlib import Path

from transfusion import tools

#: Dialects that the result may use.
UPSTREAM = {"affine", "arith", "builtin", "func", "linalg", "math", "scf",
            "tensor"}

source = Path(sys.argv[1])
files = [source / "examples" / f"{name}.mlir"
         for name in ("bert_tiny", "llama_tiny", "bert_base_1024_b64_bf16")]
files += sorted((source / "test/Data/models").glob("*_tiny*.linalg.mlir"))
good = 0
for file in files:
    raising = ([] if file.parent.name == "examples"
               else ["--convert-linalg-to-einsum"])
    text = tools.optimize(file.read_text(), *raising, "--einsum-decompose",
                          "--einsum-to-linalg")
    foreign = set(re.findall(r'^\s*(?:%\S+ = )?"?(\w+)\.\w+', text, re.M)) - UPSTREAM
    foreign |= set(re.findall(r"#(einsum|sched)\b", text))
    if foreign:
        print(f"{file.name}: WRONG, dialects {sorted(foreign)}")
        continue
    tools.run(["mlir-opt-22", "--pass-pipeline=builtin.module(canonicalize,cse,"
               "one-shot-bufferize{bufferize-function-boundaries=true},"
               "func.func(convert-linalg-to-affine-loops))"], text)
    good += 1
print(f"{good} of {len(files)} layers are taken")
sys.exit(good != len(files))
