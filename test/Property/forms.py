# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares canonical forms of cascades, as --test-cascade-fingerprint prints them.

Forms are equal when their texts are, but for constants: a printed constant is
exact, and two of one type may differ by ULPS units in the last place of that
type.
"""

import difflib
import math
import re

ULPS = 2

_CONSTANT = re.compile(r"c\(([^():]+):(\w+)\)")
_MANTISSA = {"bf16": 7, "f16": 10, "f32": 23, "f64": 52}


def split(text):
    """{function: its form} of a printed module."""
    parts = re.split(r"^form @(\S+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def _close(a, b, kind):
    if a == b:
        return True
    if kind not in _MANTISSA:
        return False
    x, y = float(a), float(b)
    if not (math.isfinite(x) and math.isfinite(y)) or x == 0 or y == 0:
        return x == y
    _, exponent = math.frexp(max(abs(x), abs(y)))
    ulp = math.ldexp(1.0, exponent - 1 - _MANTISSA[kind])
    return abs(x - y) <= ULPS * ulp * (1 + 1e-9)


def _same_line(a, b):
    if a == b:
        return True
    if _CONSTANT.sub("c", a) != _CONSTANT.sub("c", b):
        return False
    return all(s == t and _close(x, y, s) for (x, s), (y, t) in
               zip(_CONSTANT.findall(a), _CONSTANT.findall(b)))


def difference(a, b):
    """Lines that differ, as a unified diff; empty when the forms are equal."""
    left, right = a.splitlines(), b.splitlines()
    if len(left) == len(right) and all(map(_same_line, left, right)):
        return []
    # Constants that are close enough are written alike for the diff.
    known = {}
    for line in left:
        known.setdefault(_CONSTANT.sub("c", line), line)
    shown = []
    for line in right:
        twin = known.get(_CONSTANT.sub("c", line))
        shown.append(twin if twin and _same_line(twin, line) else line)
    return [line for line in difflib.unified_diff(left, shown, lineterm="", n=0)
            if not line.startswith(("---", "+++", "@@"))] or ["order differs"]


if __name__ == "__main__":
    # Units in the last place, at powers of two too.
    one, below, step = 1.0, 1 - 2.0**-24, 2.0**-23
    line = lambda x, kind="f32": f"e0 f32[] = mulf(a0[], c({x}:{kind}))"
    assert _same_line(line(one), line(below))
    assert _same_line(line(one), line(1 + 2 * step))
    assert not _same_line(line(one), line(1 + 3 * step))
    assert not _same_line(line(one), line(1 + step, "bf16"))
    assert _same_line(line(1.0, "bf16"), line(1 + 2**-6, "bf16"))
    assert not _same_line(line(1.0, "bf16"), line(1 + 2**-5, "bf16"))
    assert not _same_line(line("inf"), line("-inf"))
    assert not _same_line(line(0.0), line(1e-30))
    print("forms: good")
