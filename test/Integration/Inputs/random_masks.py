# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention under random conditions on indices, with quotients and remainders,
raised, normalised and executed without a schedule, against NumPy: whatever part
of a condition becomes a domain, and whatever rows are left without a key.

    random_masks.py SEED COUNT
"""

import random
import sys

import exported_masks
import numpy as np

from transfusion import program, tools

OPS = {"addi": lambda x, k: x + k, "muli": lambda x, k: x * k,
       "floordivsi": lambda x, k: x // k, "remsi": lambda x, k: x % k}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "sge": np.greater_equal,
           "sle": np.less_equal, "slt": np.less, "sgt": np.greater}
QUERIES = np.arange(exported_masks.P)[:, None]
KEYS = np.arange(exported_masks.M)[None, :]


class Condition:
    """Lines that end in %see, and what is seen."""

    def __init__(self, rng):
        self.rng, self.lines = rng, []
        see, seen = self.comparison()
        if rng.random() < 0.4:
            other, more = self.comparison()
            self.lines.append(f"%both = arith.andi {see}, {other} : i1")
            see, seen = "%both", seen & more
        self.lines.append(f"%see = arith.andi {see}, {see} : i1")
        self.seen = np.broadcast_to(seen, (exported_masks.P, exported_masks.M))

    def comparison(self):
        rng = self.rng
        left, right = self.term("p"), self.term("m")
        how = rng.choice(list(COMPARE))
        if rng.random() < 0.3:  # two sizes of blocks, or one
            size = rng.choice([2, 3, 5])
            left = self.by("floordivsi", left, size)
            right = self.by("floordivsi", right,
                            rng.choice([size, size, 3, 4]))
            how = rng.choice(["eq", "eq", how])
        elif rng.random() < 0.5:
            right = self.define("addi", right, self.term(rng.choice("pm")))
        name = f"%s{len(self.lines)}"
        self.lines.append(f"{name} = arith.cmpi {how}, {left[0]}, {right[0]} : "
                          "index")
        return name, COMPARE[how](left[1], right[1])

    def define(self, op, left, right):
        name = f"%t{len(self.lines)}"
        self.lines.append(f"{name} = arith.{op} {left[0]}, {right[0]} : index")
        return name, OPS[op](left[1], right[1])

    def term(self, index):
        term = f"%{index}", QUERIES if index == "p" else KEYS
        for _ in range(self.rng.randint(0, 2)):
            # Division is what is asked about.
            term = self.by(self.rng.choice([*OPS, "floordivsi"]), term,
                           self.rng.choice([1, 2, 3, 4, 5, 9, 20]))
        return term

    def by(self, op, term, k):
        name = f"%c{len(self.lines)}"
        self.lines.append(f"{name} = arith.constant {k} : index")
        return self.define(op, term, (name, k))


def main(seed, count):
    rng = random.Random(int(seed))
    conditions = [Condition(rng) for _ in range(int(count))]
    exported_masks.index_mask = lambda number, _=None: (
        "\n".join(conditions[int(number)].lines), conditions[int(number)].seen)
    cases = [exported_masks.Case(
        str(i), mask=str(i), how=rng.choice(["add", "select"]),
        guard=rng.random() < 0.3) for i in range(len(conditions))]
    text = tools.optimize("".join(c.text(f"f{i}") for i, c in enumerate(cases)),
                          "--convert-linalg-to-einsum", "--einsum-normalize")
    naive = program.Program(tools.optimize(text, "--transfusion-naive-to-llvm"),
                            "-O0")
    good = 0
    for i, case in enumerate(cases):
        right = exported_masks.compare(case, text, f"f{i}", naive, "naive")
        good += right
        if not right:
            print("\n".join(conditions[i].lines))
    print(f"{good} of {len(cases)} conditions, {text.count(' where ')} in part "
          "domains")
    return good != len(cases)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
