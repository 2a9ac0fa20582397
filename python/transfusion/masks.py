# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an argument's `einsum.mask` states, compared with the data given.

Passes believe what is stated and do not read such a mask, so data that differ
from it would give other results than the program without the statement.
"""

import re

import numpy as np

#: An added value from which on exponentials are 0 in 32 bits, whatever is added.
LOW = -1e9


class Kind:
    """Of `#einsum.mask<causal, sliding_window(4)>`."""

    def __init__(self, text):
        self.text = text
        self.stated = {}
        for name, count in re.findall(r"(\w+)(?:\((\d+)\))?", text):
            self.stated[name] = int(count) if count else None
        unknown = set(self.stated) - {"causal", "sliding_window", "prefix",
                                      "left_padding"}
        if unknown or not self.stated:
            raise ValueError(f"unknown kind of mask: {text}")

    def visible(self, queries, keys):
        """[queries, keys]: whether the query sees the key."""
        m = np.arange(keys)[None, :]
        last = np.arange(queries)[:, None] + keys - queries
        result = np.ones((queries, keys), bool)
        for name, n in self.stated.items():
            if name in ("causal", "sliding_window"):
                result &= m <= last
            if name == "sliding_window":
                result &= m > last - n
            if name == "prefix":
                result &= m < n
            if name == "left_padding":
                result &= m >= n
        return result

    def check(self, array, what):
        """An error naming the first point of `array` that differs."""
        array = np.asarray(array)
        queries, keys = ((1,) + array.shape)[-2:]
        visible = np.broadcast_to(self.visible(queries, keys), array.shape)
        if array.dtype == bool:
            agrees, rule = array == visible, "true where seen, false elsewhere"
        else:
            agrees = np.where(visible, array == 0, array <= LOW)
            rule = f"0 where seen, -inf (or {LOW:g} at most) elsewhere"
        if not agrees.all():
            at = tuple(int(i) for i in np.argwhere(~agrees)[0])
            seen = "seen" if visible[at] else "not seen"
            raise ValueError(
                f"{what} is stated to be #einsum.mask<{self.text}> ({rule}), "
                f"but the point {at}, which is {seen}, holds {array[at]}; "
                f"{int((~agrees).sum())} of {array.size} points differ")
        # A row without a key is no softmax of -inf if the data are finite.
        if array.dtype != bool:
            empty = ~visible.any(-1) & np.isfinite(array).any(-1)
            if empty.any():
                row = tuple(int(i) for i in np.argwhere(empty)[0])
                raise ValueError(
                    f"{what} is stated to be #einsum.mask<{self.text}>, so row "
                    f"{row} sees no key, but it holds finite values: its "
                    "softmax is defined; write -inf")


def check(sig, inputs):
    """Every argument of `sig` that states a kind of mask."""
    for i, (tensor, array) in enumerate(zip(sig.arguments, inputs)):
        if tensor.mask:
            Kind(tensor.mask).check(array, f"argument {i}")
