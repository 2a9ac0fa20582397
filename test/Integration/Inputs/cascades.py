# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cascades as sets of equations: the order of their text means nothing."""

import re


def equations(text):
    """The lines of printed IR, ranks and Einsums in one order."""
    def ranks(match):
        return "ranks(" + ", ".join(sorted(match.group(1).split(", "))) + ")"
    return sorted(re.sub(r"ranks\(([^)]*)\)", ranks, text).splitlines())


def are_same(a, b):
    return equations(a) == equations(b)
