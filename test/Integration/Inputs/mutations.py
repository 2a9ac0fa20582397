# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong schedules and wrong programs must show.

    mutations.py FILE.mlir FILE.npz ARCH

Schedules: two dependent Einsums swapped, a stage shifted. The checker refuses
them; with the checker off, the numbers are wrong. Programs: two live buffers
overlapped, an outer tile dropped. The numbers are wrong.
"""

import re
import sys

import numpy as np

from transfusion import execute, program, tools


class Bench:
    def __init__(self, file, npz):
        with open(file, encoding="utf-8") as f:
            self.text = f.read()
        self.signature = program.signature(tools.optimize(self.text))
        with np.load(npz) as data:
            self.inputs = execute.numbered(data, "in")
            self.expected = execute.numbered(data, "out")[0]

    def error(self, emitted):
        compiled = program.Program(execute.scheduled_ir(emitted), "-O0")
        result = compiled.call(self.signature, self.inputs)[0]
        return execute.greatest_error(result, self.expected)


#: Einsums of which the second reads the first.
DEPENDENT = [("QK", "LM"), ("LM", "RM"), ("RM", "RMG"), ("SLN", "SLNV"),
             ("SLN", "SLD"), ("PRM", "SPD"), ("PRM", "SPNV"), ("SLD", "RD"),
             ("SPD", "RD"), ("SPNV", "RNV"), ("ln1.IAV", "ln1.SAV"),
             ("ln1.DAV", "ln1.QAV"), ("ln1.SR", "ln1.NR")]


def slots(schedule):
    """Of every slot: where it stands, its run and its stage."""
    found = {}
    for run, line in enumerate(schedule.splitlines(keepends=True)):
        start = sum(map(len, schedule.splitlines(keepends=True)[:run]))
        for m in re.finditer(r'#sched\.slot<"([^"]+)", stage (\d+)[^>]*>', line):
            found[m.group(1)] = (start + m.start(), start + m.end(), run,
                                 m.group(2))
    return found


def swappable(schedule):
    """Dependent Einsums of one stage on one unit."""
    place = slots(schedule)
    return [(x, y) for x, y in DEPENDENT if place[x][2:] == place[y][2:]]


def together(schedule):
    """Einsums that are read in the stage that makes them."""
    place = slots(schedule)
    return list(dict.fromkeys(
        x for x, y in DEPENDENT if place[x][3] == place[y][3]))


def swapped(schedule, first, second):
    """The slots of two Einsums of one unit exchanged."""
    place = slots(schedule)
    (a, b), (c, d) = sorted((place[first][:2], place[second][:2]))
    return (schedule[:a] + schedule[c:d] + schedule[b:c] + schedule[a:b]
            + schedule[d:])


def shifted(schedule, name):
    """The slot one stage later."""
    return re.sub(rf'(#sched\.slot<"{re.escape(name)}", stage )(\d+)',
                  lambda m: m.group(1) + str(int(m.group(2)) + 1), schedule,
                  count=1)


def overlapped(emitted, first, second):
    """The buffer `first` at the address of `second`."""
    offset = {}
    for m in re.finditer(r'memref\.view %\S+\[(%\S+)\]\[\] '
                         r'\{sched\.buffer = "([^"]+)"\}', emitted):
        offset[m.group(2)] = m.group(1)
    return re.sub(
        rf'(memref\.view %\S+\[){offset[first]}(\]\[\] '
        rf'\{{sched\.buffer = "{re.escape(first)}"\}})',
        rf"\g<1>{offset[second]}\g<2>", emitted)


def dropped(emitted):
    """One outer tile less: of the longest loop at the top of the function."""
    lines = emitted.splitlines()
    best = (0, 0)
    for i, line in enumerate(lines):
        m = re.match(r"    affine\.for %\S+ = 0 to (\d+) \{", line)
        if m and int(m.group(1)) > 1:
            end = next(j for j in range(i, len(lines)) if lines[j] == "    }")
            best = max(best, (end - i, i))
    i = best[1]
    lines[i] = re.sub(r"to (\d+)", lambda m: f"to {int(m.group(1)) - 1}",
                      lines[i])
    return "\n".join(lines)


def main(file, npz, arch):
    bench = Bench(file, npz)
    schedule = execute.schedule(bench.text, arch, "evaluations=64")
    emitted = execute.emit(schedule)
    good = bench.error(emitted) <= 2e-6
    print(f"unchanged: {'right' if good else 'WRONG'}")

    def caught(name, mutated, original, is_schedule):
        nonlocal good
        assert mutated != original, f"{name}: nothing changed"
        verdict = []
        if is_schedule:
            try:
                execute.emit(mutated)
                verdict.append("NOT REFUSED")
            except tools.ToolError as e:
                line = next(l for l in e.output.splitlines() if "error:" in l)
                verdict.append("refused: " + line.split("error: ")[1])
            mutated = execute.emit(mutated, verify=False)
        error = bench.error(mutated)
        verdict.append(f"{'wrong numbers' if error > 2e-6 else 'NOT CAUGHT'}"
                       f" ({error:.1e})")
        print(f"{name}: {', '.join(verdict)}")
        good &= not any("NOT" in v for v in verdict)

    pairs = swappable(schedule)
    assert pairs, "no two dependent Einsums share a unit and a stage"
    for first, second in pairs[:2]:
        caught(f"{first} and {second} swapped",
               swapped(schedule, first, second), schedule, True)
    for name in together(schedule)[:2]:
        caught(f"{name} a stage later", shifted(schedule, name), schedule, True)
    names = re.findall(r'sched\.buffer = "([^"]+)"', emitted)
    scores = next(n for n in names if n.endswith(".QK"))
    queries = next(n for n in names if n.endswith(".Q"))
    caught("scores over queries", overlapped(emitted, scores, queries), emitted,
           False)
    caught("an outer tile dropped", dropped(emitted), emitted, False)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
