# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decomposes layers and normalises them: every Einsum comes back as it was, up
to the order of the text and the spelling of sums in accesses.

    decomposed.py FILE.mlir ...
"""

import re
import sys
from pathlib import Path

from transfusion import tools


def expand(expression):
    """`((kv*4+g)*2+e1)*4+e0` as the set of its terms."""
    names = sorted(set(re.findall(r"[a-z]\w*", expression)))

    def value(**ranks):
        return eval(expression, {}, ranks)  # of a file of ours

    zero = value(**dict.fromkeys(names, 0))
    terms = [f"{value(**{m: int(m == n) for m in names}) - zero}*{n}"
             for n in names]
    return " + ".join(terms + [str(zero)])


def einsums(text):
    """Name -> text of each Einsum, with accesses written as sums of terms."""
    body = re.search(r"einsum\.cascade .*?\n(.*?)\n      einsum\.yield", text,
                     re.S).group(1)
    found = {}
    for op in re.split(r"\n(?=      %)", body):
        name = re.search(r'map_reduce "([^"]+)"', op).group(1)
        found[name] = re.sub(
            r"\[([^\]]*)\]", lambda m: "[" + ", ".join(
                expand(e) for e in m.group(1).split(",") if e) + "]", op).strip()
    return found


bad = 0
for path in sys.argv[1:]:
    before = tools.optimize(Path(path).read_text(), "--einsum-decompose")
    after = tools.optimize(before, "--einsum-normalize")
    old, new = einsums(before), einsums(after)
    differing = sorted(n for n in old.keys() | new.keys()
                       if old.get(n) != new.get(n))
    for name in differing[:3]:
        print(f"--- {old.get(name)}\n+++ {new.get(name)}")
    twice = tools.optimize(after, "--einsum-normalize") == after
    print(f"{Path(path).name}: {len(old)} Einsums, {len(differing)} differ, "
          f"{'twice is once' if twice else 'twice DIFFERS'}")
    bad += bool(differing) or not twice
print(f"{len(sys.argv) - 1 - bad} of {len(sys.argv) - 1} layers come back")
sys.exit(bad)
