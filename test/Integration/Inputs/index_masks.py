# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks that are computed from the indices of queries and keys, as programs write
them, with what NumPy says of them."""

import numpy as np

P, M = 13, 37  # queries, keys


def index_mask(name, queries=P):
    """(ops on indices %p and %m that give %see, what is seen)."""
    last = M - queries
    p, m = np.arange(queries)[:, None], np.arange(M)[None, :]
    causal = (f"%s = arith.constant {last} : index\n"
              "%l = arith.addi %p, %s : index\n"
              "%c = arith.cmpi sle, %m, %l : index\n")
    size = 9
    blocks = (f"%w = arith.constant {size} : index\n"
              "%pb = arith.floordivsi %p, %w : index\n"
              "%mb = arith.floordivsi %m, %w : index\n")
    def of(size, p=0, m=0, keys=None):
        """%pb and %mb: blocks of queries + p, and of keys + m."""
        return (f"%w = arith.constant {size} : index\n"
                f"%wk = arith.constant {keys or size} : index\n"
                f"%po = arith.constant {p} : index\n"
                f"%mo = arith.constant {m} : index\n"
                "%pi = arith.addi %p, %po : index\n"
                "%mi = arith.addi %m, %mo : index\n"
                "%pb = arith.floordivsi %pi, %w : index\n"
                "%mb = arith.floordivsi %mi, %wk : index\n")

    def corrected(i):
        """i // 4 as a quotient that is corrected where i is negative."""
        return (f"%{i}q = arith.divsi %{i}, %w : index\n"
                f"%{i}x = arith.muli %{i}q, %w : index\n"
                f"%{i}n = arith.cmpi ne, %{i}x, %{i} : index\n"
                f"%{i}s = arith.cmpi slt, %{i}, %zi : index\n"
                f"%{i}c = arith.andi %{i}n, %{i}s : i1\n"
                f"%{i}o = arith.subi %{i}q, %one : index\n"
                f"%{i}b = arith.select %{i}c, %{i}o, %{i}q : index\n")

    def signed(i):
        """Corrected where the sign of i is not that of the divisor."""
        return (f"%{i}q = arith.divsi %{i}, %w : index\n"
                f"%{i}h = arith.shrsi %{i}, %top : index\n"
                f"%{i}i = arith.ori %{i}h, %one : index\n"
                f"%{i}z = arith.cmpi eq, %{i}, %zi : index\n"
                f"%{i}s = arith.select %{i}z, %zi, %{i}i : index\n"
                f"%{i}d = arith.cmpi ne, %{i}s, %one : index\n"
                f"%{i}r = arith.remsi %{i}, %w : index\n"
                f"%{i}n = arith.cmpi ne, %{i}r, %zi : index\n"
                f"%{i}c = arith.andi %{i}d, %{i}n : i1\n"
                f"%{i}o = arith.subi %{i}q, %one : index\n"
                f"%{i}b = arith.select %{i}c, %{i}o, %{i}q : index\n")

    same = "%see = arith.cmpi eq, %pb, %mb : index"
    both = ("%same = arith.cmpi eq, %pb, %mb : index\n"
            "%see = arith.andi %c, %same : i1")
    return {
        "corrected quotient": (
            "%w = arith.constant 4 : index\n%zi = arith.constant 0 : index\n"
            "%one = arith.constant 1 : index\n" + corrected("p")
            + corrected("m") + same, p // 4 == m // 4),
        "signed quotient": (
            "%w = arith.constant 4 : index\n%zi = arith.constant 0 : index\n"
            "%one = arith.constant 1 : index\n"
            "%top = arith.constant 63 : index\n" + signed("p") + signed("m")
            + same, p // 4 == m // 4),
        "shift": ("%w = arith.constant 2 : index\n"
                  "%pb = arith.shrsi %p, %w : index\n"
                  "%mb = arith.shrui %m, %w : index\n" + same,
                  p // 4 == m // 4),
        "offset block": (of(5, 3, 3) + same, (p + 3) // 5 == (m + 3) // 5),
        "shifted block": (of(5, 10, 2) + same, (p + 10) // 5 == (m + 2) // 5),
        "unlike blocks": (of(4, keys=7) + same, p // 4 == m // 7),
        "single keys": (of(9, keys=1) + same, p // 9 == m),
        "single queries": (of(1, keys=3) + same, p == m // 3),
        "blocks without keys": (of(3, keys=14) + same, p // 3 == m // 14),
        "causal block": (
            causal + of(6, last) + both,
            ((p + last) // 6 == m // 6) & (m <= p + last)),
        "other block": (of(9) + "%see = arith.cmpi ne, %pb, %mb : index",
                        p // 9 != m // 9),
        "no block after": (of(4) + "%a = arith.cmpi sge, %pb, %mb : index\n"
                           "%b = arith.cmpi sle, %pb, %mb : index\n"
                           "%see = arith.andi %a, %b : i1", p // 4 == m // 4),
        "from the block's start": (
            of(4) + "%s = arith.muli %pb, %w : index\n"
            "%e = arith.addi %s, %w : index\n"
            "%a = arith.cmpi sge, %m, %s : index\n"
            "%b = arith.cmpi slt, %m, %e : index\n"
            "%see = arith.andi %a, %b : i1", p // 4 == m // 4),
        "by remainders": (
            of(4) + "%pr = arith.remui %p, %w : index\n"
            "%mr = arith.remui %m, %w : index\n"
            "%s = arith.subi %p, %pr : index\n"
            "%t = arith.subi %m, %mr : index\n"
            "%see = arith.cmpi eq, %s, %t : index", p // 4 == m // 4),
        "equal remainders": (
            of(4) + "%pr = arith.remui %p, %w : index\n"
            "%mr = arith.remui %m, %w : index\n"
            "%see = arith.cmpi eq, %pr, %mr : index", p % 4 == m % 4),
        "block and window": (
            of(8) + "%d = arith.subi %p, %m : index\n"
            "%n = arith.constant 3 : index\n"
            "%a = arith.cmpi slt, %d, %n : index\n"
            "%b = arith.cmpi eq, %pb, %mb : index\n"
            "%see = arith.andi %a, %b : i1", (p // 8 == m // 8) & (p - m < 3)),
        "two sizes of blocks": (
            of(6) + "%u = arith.constant 4 : index\n"
            "%pv = arith.divui %p, %u : index\n"
            "%mv = arith.divui %m, %u : index\n"
            "%a = arith.cmpi eq, %pb, %mb : index\n"
            "%b = arith.cmpi eq, %pv, %mv : index\n"
            "%see = arith.andi %a, %b : i1",
            (p // 6 == m // 6) & (p // 4 == m // 4)),
        "causal": (causal + "%see = arith.andi %c, %c : i1",
                   m <= p + last),
        "window": (causal + "%w = arith.constant 3 : index\n"
                   "%f = arith.subi %l, %w : index\n"
                   "%d = arith.cmpi sgt, %m, %f : index\n"
                   "%see = arith.andi %c, %d : i1",
                   (m <= p + last) & (m > p + last - 3)),
        "prefix": ("%n = arith.constant 7 : index\n"
                   "%see = arith.cmpi slt, %m, %n : index", (m < 7) & (p >= 0)),
        "left": ("%n = arith.constant 18 : index\n"
                 "%see = arith.cmpi sge, %m, %n : index", (m >= 18) & (p >= 0)),
        "prefix or causal": (
            causal + "%n = arith.constant 7 : index\n"
            "%d = arith.cmpi slt, %m, %n : index\n"
            "%see = arith.ori %c, %d : i1", (m <= p + last) | (m < 7)),
        "block": (blocks + "%see = arith.cmpi eq, %pb, %mb : index",
                  p // size == m // size),
        "blocks before": (blocks + "%see = arith.cmpi sge, %pb, %mb : index",
                          p // size >= m // size),
        "late queries": ("%n = arith.constant 3 : index\n"
                         "%see = arith.cmpi sge, %p, %n : index",
                         (p >= 3) & (m >= 0)),
        "queries beyond a remainder": (
            "%n = arith.constant 4 : index\n"
            "%i = arith.remsi %m, %n : index\n"
            "%see = arith.cmpi sgt, %p, %i : index", p > m % 4),
        "every third": ("%w = arith.constant 3 : index\n"
                        "%i = arith.remsi %m, %w : index\n"
                        "%z = arith.constant 0 : index\n"
                        "%see = arith.cmpi eq, %i, %z : index",
                        (m % 3 == 0) & (p >= 0)),
    }[name]
