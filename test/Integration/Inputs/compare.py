# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs layers on both paths and judges them by NumPy in double precision.

    compare.py bert LENGTH...       odd sizes, batch 1 and 3
    compare.py causal               causal attention, also with P != M
    compare.py masks                masks that leave key tiles or rows at -inf
    compare.py bf16                 bf16 storage: the paths against each other
    compare.py skip                 windows, padding, rows without a key: steps
                                    of the recurrence that have no points

Bounds: the naive path within 2e-6 of the greatest reference value; the scheduled
path, on every machine, within that and within twice the naive error plus 2e-7.
"""

import sys

import layers
import numpy as np

from transfusion import execute, reference, tools

MACHINES = ("tiny", "edge")


#: What the search finds does not matter here, only that it is tiled.
SEARCH = "evaluations=64"


def judge(name, text, inputs, expected, relative=2e-6, slack=2e-7):
    scale = float(np.max(np.abs(expected[np.isfinite(expected)]), initial=0))
    naive = execute.greatest_error(
        execute.execute(text, inputs, "naive")[0], expected)
    bound = relative * scale
    good = naive <= bound
    print(f"{name}: naive {naive:.2e} of {bound:.2e}", end="")
    bound = min(bound, 2 * naive + slack * scale)
    for machine in MACHINES:
        error = execute.greatest_error(
            execute.execute(text, inputs, "scheduled", arch=machine,
                            tileseek=SEARCH)[0],
            expected)
        good &= error <= bound
        print(f", {machine} {error:.2e} of {bound:.2e}", end="")
    print("" if good else " TOO GREAT", flush=True)
    return good


def bert(lengths):
    good = True
    for length in map(int, lengths):
        for batch in (1, 3):
            heads, head_size, hidden = 3, 5, 31
            inputs = reference.bert_inputs(batch, length, heads, head_size,
                                           hidden, seed=length)
            good &= judge(
                f"bert {batch}x{length}",
                layers.bert(batch, length, heads, head_size, hidden), inputs,
                reference.bert_layer(*inputs, heads=heads))
    return good


def qkv(b, h, p, m, e, f, seed):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(s).astype(np.float32)
            for s in ((b, h, p, e), (b, h, m, e), (b, h, m, f))]


def causal(_):
    good = True
    for p, m in ((23, 23), (17, 29), (29, 17), (1, 19)):
        inputs = qkv(2, 3, p, m, 5, 7, seed=p)
        # Queries before the first key see nothing: 0 / 0.
        good &= judge(f"causal {p} queries {m} keys",
                      layers.attention(2, 3, p, m, 5, 7, causal=True), inputs,
                      reference.attention(*inputs, causal=True))
        if p > m:
            good &= judge(f"causal {p} queries {m} keys, guarded",
                          layers.attention(2, 3, p, m, 5, 7, causal=True,
                                           guarded=True), inputs,
                          reference.attention(*inputs, causal=True, empty=0))
    return good


def masks(_):
    b, h, p, m, e, f = 2, 3, 19, 31, 5, 7
    inputs = qkv(b, h, p, m, e, f, seed=1)
    first, middle, row = (np.zeros((b, 1, p, m), np.float32) for _ in range(3))
    first[..., :16] = -np.inf
    middle[..., 5:20] = -np.inf
    row[0, :, 3] = -np.inf
    row[1, :, p - 1] = -np.inf
    good = True
    for name, mask in (("first tile", first), ("middle", middle),
                       ("whole row", row), ("all", first + middle + row)):
        good &= judge(f"mask {name}",
                      layers.attention(b, h, p, m, e, f, mask=mask.shape),
                      inputs + [mask],
                      reference.attention(*inputs, mask=mask))
    good &= judge("mask all, guarded",
                  layers.attention(b, h, p, m, e, f, mask=mask.shape,
                                   guarded=True), inputs + [mask],
                  reference.attention(*inputs, mask=mask, empty=0))
    return good


def cut(text, tile, window, padded):
    """Decomposed attention whose queries see `window` keys, the first `padded`
    of which do not exist."""
    text = tools.optimize(text, f"--einsum-decompose=key-tile={tile}")
    key = f"m1*{tile} + m0"
    more = ""
    if window:
        more += f" and p <= {key} + {window - 1}"
    if padded:
        more += f" and {key} >= {padded}"
    found = text.index("} where ")
    end = text.index(" : (", found)
    return text[:end] + more + text[end:]


def skip(_):
    good = True
    # On tiny a key tile holds 4 keys, on edge 16.
    for p, window, padded in ((37, 3, 0), (37, 21, 0), (33, 0, 9), (41, 6, 19)):
        b, h, e, f = 2, 3, 5, 7
        inputs = qkv(b, h, p, p, e, f, seed=p)
        mask = np.zeros((1, 1, p, p), np.float32)
        row, key = np.mgrid[0:p, 0:p]
        seen = (key <= row) & (key >= padded)
        if window:
            seen &= key > row - window
        expected = reference.attention(
            *inputs, mask=np.where(seen, mask, -np.inf).astype(np.float32))
        text = cut(layers.attention(b, h, p, p, e, f, causal=True,
                                    mask=mask.shape), 4, window, padded)
        for machine in MACHINES:
            assert " skip " in execute.schedule(text, machine, SEARCH), machine
        good &= judge(f"{p} queries, window {window}, {padded} keys missing",
                      text, inputs + [mask], expected)
    return good


def bf16(_):
    inputs = reference.bert_inputs(1, 17, 3, 5, 31, seed=5)
    # Storage of 8 bits of mantissa: both paths round at the same places.
    return judge("bf16", layers.bert(1, 17, 3, 5, 31, element="bf16"), inputs,
                 reference.bert_layer(*inputs, heads=3), relative=2e-2,
                 slack=0)


if __name__ == "__main__":
    checks = {"bert": bert, "causal": causal, "masks": masks, "bf16": bf16,
              "skip": skip}
    sys.exit(0 if checks[sys.argv[1]](sys.argv[2:]) else 1)
