# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raises every model of a folder: one cascade, no op left, and a report whose
counts add up to the ops of the file, counted here from its generic form."""

import json
import re
import subprocess
import sys
from pathlib import Path


def opt(*arguments):
    done = subprocess.run(["transfusion-opt", *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{arguments}: {done.stderr[:2000]}")
    return done.stdout, done.stderr


def check(path):
    tosa = path.name.endswith(".tosa.mlir")
    flag = "--convert-tosa-to-einsum" if tosa else "--convert-linalg-to-einsum"
    raised, report = opt(path, f"{flag}=raise-report=json")
    report = json.loads(report)
    counts = report["counts"]
    problems = []
    if sum(counts.values()) != report["ops"]:
        problems.append(f"counts add up to {sum(counts.values())}, "
                        f"not to {report['ops']}")
    if not tosa:  # which upstream lowers first, to ops of its own
        generic, _ = opt(path, "--mlir-print-op-generic")
        ops = len(re.findall(r'^\s*(?:%[\w:]+ = )?"[\w.]+"\(', generic, re.M))
        if ops != report["ops"]:
            problems.append(f"{ops} ops in the file, "
                            f"{report['ops']} in the report")
    else:
        # An op of the file is what has its place. Upstream folds constants and
        # shapes that it needs no more, and nothing else.
        seen = {int(e["at"].split(":")[-2]) for f in report["functions"]
                for e in f["entries"] if e["at"].count(":") >= 2}
        gone = {m.group(1) for number, line in enumerate(
                    path.read_text().splitlines(), 1) if number not in seen
                for m in [re.search(r"= \"?(tosa\.\w+)", line)] if m}
        if gone - {"tosa.const", "tosa.const_shape"}:
            problems.append(f"no entry for {sorted(gone)}")
    _, text = opt(path, f"{flag}=raise-report=text", "-o", "/dev/null")
    told = sum(map(int, re.findall(r"^ +(\d+)  [a-z]+ ", text, re.M)))
    listed = len(re.findall(r"^  (?:\S+:\d+:\d+)?  \w+\.[\w.]+  \w+", text,
                            re.M))
    entries = sum(len(f["entries"]) for f in report["functions"])
    if told != report["ops"] or listed != entries:
        problems.append(f"the text counts {told} ops and lists {listed}, not "
                        f"{report['ops']} and {entries}")
    if counts["left"]:
        problems.append(f"{counts['left']} ops left")
    if re.search(r"\b(linalg|tensor|tosa)\.[a-z]", raised):
        problems.append("an op of linalg, tensor or tosa in the result")
    if raised.count("einsum.cascade") != 1:
        problems.append(f"{raised.count('einsum.cascade')} cascades")
    einsums = raised.count("einsum.map_reduce")
    if einsums == 0:
        problems.append("no Einsum")
    copies = sum(e["fate"] == "copy" for f in report["functions"]
                 for e in f["entries"])
    # Caches that are returned one row longer are the only copies there are.
    if copies != (2 if "decode_" in path.name else 0):
        problems.append(f"{copies} copies")
    print(f"{path.name}: {report['ops']} ops, {einsums} Einsums: "
          f"{'; '.join(problems) or 'good'}")
    return not problems


files = sorted(Path(sys.argv[1]).glob("*.mlir"))
results = [check(path) for path in files]
print(f"{sum(results)} of {len(results)} files are raised")
sys.exit(not all(results))
