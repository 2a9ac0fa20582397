# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of many families as exporters write them: each is raised whole,
normalised to one pass over the keys where mathematics allows, and gives what
NumPy says, as it stands and scheduled for each machine (--transfusion).

    families.py [--names a,b] [--print NAME] [MACHINE...]

All layers are functions of one file (one per exporter's dialect): tools start
once, not once per layer.
"""

import argparse
import re
import sys

import family_divided  # registers
import family_exports  # registers
import family_layers  # registers
import family_near_misses  # registers
import family_scores  # registers
import family_windows  # registers
import numpy as np
from family_parts import BATCH, FAMILIES, ROWS, WIDTH
from torch_linalg import Layer

from transfusion import execute, program, tools

#: Absolute; results are about 1, as PyTorch's are.
BOUND = 2e-6
#: What the search finds does not matter here, only that it is tiled.
BUDGET = 8


def build(name):
    layer = Layer(name, seed=sum(map(ord, name)))
    x = layer.argument(BATCH, ROWS, WIDTH)
    with np.errstate(invalid="ignore"):
        result = FAMILIES[name].function(layer, x)
    return layer, layer.module(result), result.array


def functions_of(text):
    """By name, as printed."""
    parts = re.split(r"func\.func @(\w+)", text)
    return dict(zip(parts[1::2], parts[2::2]))


def faults_of(name, raised, again, twin):
    """What is wrong with the cascade, but for its numbers."""
    family = FAMILIES[name]
    left = re.findall(r"\b(?:linalg|tensor|tosa)\.\w+", raised)
    found = re.findall(r'map_reduce "([^"]+)"', raised)
    one_pass = sum(bool(re.fullmatch(r"(\w+\.)?AV", n)) for n in found)
    passes = sum(bool(re.fullmatch(r"(\w+\.)?RM", n)) for n in found)
    wrong = []
    if left:
        wrong.append(f"left: {sorted(set(left))}")
    if (one_pass, passes) != (family.passes, family.passes):
        wrong.append(f"{one_pass} attentions in one pass, not {family.passes}")
    wrong += [f"no {n}" for n in family.names if n not in found]
    wrong += [f"{n} is there" for n in family.absent if n in found]
    domains = re.findall(r"where (.*?) :", raised)
    if family.constraints not in (
            None, sum(d.count(" and ") + 1 for d in domains)):
        wrong.append(f"domains {domains}, not {family.constraints} constraints")
    if again != raised:
        wrong.append("changes when normalised again")
    if twin not in (None, raised):
        wrong.append(f"another cascade than {family.like}")
    return len(found), one_pass, wrong


def check(names, flag, machines):
    built = {name: build(name) for name in names}
    source = "".join(text for _, text, _ in built.values())
    raised = tools.optimize(source, flag, "--einsum-normalize")
    again = functions_of(tools.optimize(raised, "--einsum-normalize"))
    programs = {"naive": program.Program(execute.naive_ir(raised), "-O0")}
    chosen = [n for n in names
              if FAMILIES[n].scheduled and not FAMILIES[n].like]
    some = "".join(built[name][1] for name in chosen)
    for machine in machines if chosen else []:
        scheduled = tools.optimize(
            some, f"--transfusion=arch={machine} evaluations={BUDGET}")
        programs[machine] = program.Program(
            execute.scheduled_ir(execute.emit(scheduled)), "-O0")
    texts = functions_of(raised)
    right = 0
    for name, (layer, _, expected) in built.items():
        count, one_pass, wrong = faults_of(name, texts[name], again[name],
                                           texts.get(FAMILIES[name].like))
        bound = BOUND * max(1.0, float(np.nanmax(np.abs(expected))))
        errors = {}
        for path, compiled in programs.items():
            if path != "naive" and name not in chosen:
                continue
            result, = compiled.call(program.signature(raised, name),
                                    [a.copy() for a in layer.inputs])
            errors[path] = execute.greatest_error(result, expected)
            if not errors[path] <= bound:
                wrong.append(f"{path} is more than {bound:.1e} away")
        print(f"{name}: {count} Einsums, {one_pass} in one pass, errors",
              ", ".join(f"{path} {error:.1e}" for path, error in errors.items())
              + ("" if not wrong else " WRONG: " + "; ".join(wrong)),
              flush=True)
        right += not wrong
    return right


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--names", default="")
    p.add_argument("--print", dest="shown")
    p.add_argument("machines", nargs="*")
    args = p.parse_args()
    if args.shown:
        print(build(args.shown)[1])
        return 0
    names = args.names.split(",") if args.names else list(FAMILIES)
    right = 0
    for flag in sorted({FAMILIES[n].flag for n in names}):
        right += check([n for n in names if FAMILIES[n].flag == flag], flag,
                       args.machines)
    print(f"{right} of {len(names)} families are as expected")
    return right != len(names)


if __name__ == "__main__":
    sys.exit(main())
