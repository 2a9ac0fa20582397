# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads forms: that of each function @same... must be the one of @base, that of
each @other... must not."""

import sys

import forms

found = forms.split(sys.stdin.read())
base = found.pop("base")
good = bool(found)
for name, form in found.items():
    lines = forms.difference(base, form)
    wrong = bool(lines) == name.startswith("same")
    good &= not wrong
    print(f"{name}: {f'{len(lines)} lines differ' if lines else 'equal'}"
          f"{' WRONG' if wrong else ''}")
    if wrong:
        print("\n".join(lines))
sys.exit(not good)
