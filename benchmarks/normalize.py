#!/usr/bin/env python3
# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raising and normalising layers one after another: time per layer must not
grow with their number.

    normalize.py [FILE.mlir ...]     default: a BERT and a Llama layer

Prints the CPU time of the tool for 1, 8 and 64 layers of each file, less that
for reading and writing the module; exit code 1 where 64 layers take more than
twice eight times what 8 take (0.1 s at least, or noise decides).
"""

import re
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from transfusion import tools  # noqa: E402

MODELS = ROOT / "test" / "Data" / "models"


def stacked(text, layers):
    """`layers` times the layer, each on the result of the one before."""
    maps = "".join(re.findall(r"^#\w+ = .*\n", text, re.M))
    name, arguments, result, body, last = re.search(
        r"func\.func @(\w+)\((.*?)\) -> ([^{]*?) (?:attributes \{.*?\} )?\{\n"
        r"(.*?)\n\s*return (%\S+) : .*?\n  }", text, re.S).groups()
    out, value = "", "%arg0"
    for i in range(layers):
        def renamed(part, i=i):
            return re.sub(r"%(?!arg\d+\b)(\w+)", rf"%l{i}_\1", part)
        out += re.sub(r"%arg0\b", value, renamed(body)) + "\n"
        value = renamed(last)
    return (f"{maps}func.func @{name}({arguments}) -> {result} {{\n{out}"
            f"  return {value} : {result}\n}}\n")


def seconds(text, *passes):
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime
    before = used()
    subprocess.run([tools.find_tool("transfusion-opt"), "-", *passes,
                    "-o", "/dev/null", "--mlir-disable-threading"],
                   input=text, text=True, check=True,
                   stderr=subprocess.DEVNULL)
    return used() - before


def main():
    files = [Path(f) for f in sys.argv[1:]] or [
        MODELS / "bert_tiny_eager.linalg.mlir",
        MODELS / "llama_tiny_causal.linalg.mlir"]
    slow = False
    for path in files:
        times = []
        for layers in (1, 8, 64):
            text = stacked(path.read_text(), layers)
            read = seconds(text)
            raised = seconds(text, "--convert-linalg-to-einsum")
            both = seconds(text, "--convert-linalg-to-einsum",
                           "--einsum-normalize")
            times.append(both - read)
            print(f"{path.name}: {layers:2} layers, raised in "
                  f"{raised - read:.3f} s, normalised in {both - raised:.3f} s")
        slow |= times[2] > 2 * 8 * max(times[1], 0.1)
    return slow


if __name__ == "__main__":
    sys.exit(main())
