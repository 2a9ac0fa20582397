# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report on exported layers of real size: operations by class, counted again
here from the text of the cascade, and no Einsum without cycles.

    op_classes.py FOLDER MACHINE... [-- NAME...]

The layers NAME are left out.
"""

import collections
import json
import math
import re
import sys
from pathlib import Path

from transfusion import tools

#: Class of each scalar op; a division by a constant is a mac.
CLASSES = {
    "mac": "mulf muli fma", "add": "addf subf negf addi subi andi ori xori",
    "max": "maximumf minimumf maxnumf minnumf cmpf cmpi select absf",
    "div": "divf", "exp": "exp", "rsqrt": "rsqrt", "sqrt": "sqrt",
    "tanh": "tanh", "erf": "erf"}
CLASS_OF = {op: c for c, ops in CLASSES.items() for op in ops.split()}
FREE = set("constant extf truncf sitofp uitofp index_cast extui index "
           "yield".split())
REDUCTIONS = {"add": "add", "max": "max", "min": "max", "and": "add",
              "or": "add", "mul": "mac"}


def classes_of(body):
    """Ops of a body, as text or as the name of one op."""
    counts = collections.Counter()
    for op in re.findall(r"\b(?:arith|math|einsum)\.(\w+)", body):
        if op not in FREE:
            counts[CLASS_OF[op]] += 1
    for value in re.findall(r"divf %\w+, (%cst\w*)", body):
        assert re.search(rf"{value} = arith.constant", body)
        counts += {"mac": 1}
        counts["div"] -= 1
    return +counts


def is_product(body):
    """What is yielded, seen through casts."""
    if "yield" not in body:
        return body.strip() == "arith.mulf"
    value = re.search(r"einsum.yield (%\w+)", body).group(1)
    while m := re.search(rf"{value} = arith.(?:extf|truncf) (%\w+)", body):
        value = m.group(1)
    return f"{value} = arith.mulf" in body


def region(text):
    """(one op or the block in braces, what follows it)."""
    text = text.lstrip()
    if m := re.match(r"from .*?(?=\{|(?:arith|math)\.)", text):
        text = text[m.end():]
    if not text.startswith("{"):
        return re.match(r"\S+", text).group(0), re.sub(r"^\S+", "", text)
    depth = 0
    for i, c in enumerate(text):
        depth += {"{": 1, "}": -1}.get(c, 0)
        if depth == 0:
            return text[:i + 1], text[i + 1:]
    raise ValueError("a body without an end")


def operations(text):
    """By class, of a cascade all of whose points exist."""
    extents = {r: int(n) for r, n in re.findall(
        r"(\w+) = (\d+)", re.search(r"ranks\((.*)\)", text).group(1))}
    total = collections.Counter()
    einsums = re.split(r'\n\s*%\S+ = einsum.map_reduce "', text)[1:]
    for einsum in einsums:
        header, _, rest = einsum.partition("]")
        size = lambda names: math.prod(
            extents[r] for r in re.findall(r"\b[a-z]\w*\b", names))
        results = points = size(header.partition("[")[2])
        rest = re.sub(r"^.*?(?=\s(?:map|reduce|finish|init) |\s: \()", "", rest,
                      count=1, flags=re.S)
        ops, finish = collections.Counter(), collections.Counter()
        body = ""
        if m := re.match(r"\s*map ", rest):
            body, rest = region(rest[m.end():])
            ops = classes_of(body)
        if m := re.match(r"\s*reduce (\w+) over \[([^\]]*)\]", rest):
            points *= size(m.group(2))
            if not (m.group(1) == "add" and is_product(body)):
                ops[REDUCTIONS[m.group(1)]] += 1
            rest = rest[m.end():]
        if m := re.match(r"\s*finish ", rest):
            body, rest = region(rest[m.end():])
            finish = classes_of(body)
        if not ops and not finish:
            ops["copy"] += 1
        for counts, n in ((ops, points), (finish, results)):
            for c in counts:
                total[c] += counts[c] * n
    return total


def check(path, machine):
    text = tools.optimize(
        path.read_text(), "--convert-linalg-to-einsum", "--einsum-normalize",
        f"--load-arch={machine}", "--dpipe=policy=unfused")
    report = json.loads(tools.run(
        [tools.find_tool("transfusion-translate"), "--schedule-to-report",
         "--report-format=json"], text))
    problems = []
    listed = {c: v["operations"] for c, v in report["op_classes"].items()}
    cascade = text[text.index("einsum.cascade"):text.index("sched.schedule")]
    if " where " not in cascade:
        counted = dict(operations(cascade))
        if counted != listed:
            problems.append(f"{counted} are counted, {listed} are reported")
    for c, v in report["op_classes"].items():
        if not (v["lane_cycles"] > 0 and (v["energy_pj"] > 0 or c == "copy")):
            problems.append(f"{c} is free")
    energy = sum(v["energy_pj"] for v in report["op_classes"].values())
    if not math.isclose(energy, report["arithmetic_pj"], rel_tol=1e-9):
        problems.append(f"{energy} pJ by class, {report['arithmetic_pj']} in all")
    names = re.findall(r'einsum.map_reduce "([^"]+)"', cascade)
    if sorted(names) != sorted(e["name"] for e in report["einsums"]):
        problems.append("the report has other Einsums than the cascade")
    for e in report["einsums"]:
        if not (e["cycles"] > 0 and e["busy_cycles"] > 0 and e["points"] > 0):
            problems.append(f"{e['name']} is free")
    print(f"{path.name} on {machine}: {len(names)} Einsums, "
          f"{len(listed)} classes: {'; '.join(problems) or 'good'}")
    return not problems


def main(folder, *arguments):
    machines = arguments[:arguments.index("--")] if "--" in arguments \
        else arguments
    left_out = arguments[len(machines) + 1:]
    found = [p for p in sorted(Path(folder).glob("*.linalg.mlir"))
             if re.search(r"_base_|_xl_|8b|8192", p.name)]
    assert len(found) == 8
    found = [p for p in found if p.name.split(".")[0] not in left_out]
    results = [check(p, m) for p in found for m in machines]
    print(f"{sum(results)} of {len(results)} reports")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
