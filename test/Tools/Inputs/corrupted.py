# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives a tool files that are cut off, or of which a byte or a number is
another: it says what is wrong, at a place, or does its work, and never crashes.

    corrupted.py COUNT FILE... -- TOOL ARGUMENT...     @ stands for the file
"""

import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

NUMBERS = [b"0", b"1", b"-1", b"7", b"1000000", b"4294967296",
           b"9223372036854775807", b"99999999999999999999"]


def corrupt(data, kind, rng):
    if kind == 0:
        return data[:rng.randrange(len(data))]
    if kind == 1:
        m = rng.choice(list(re.finditer(rb"\d+", data)))
        return data[:m.start()] + rng.choice(NUMBERS) + data[m.end():]
    at = rng.randrange(len(data))
    byte = data[at] ^ 1 << rng.randrange(8) if kind == 2 else rng.choice(
        b"0123456789xf%#(){}<>[],-:\"")
    return data[:at] + bytes([byte]) + data[at + 1:]


def main(count, *rest):
    files, command = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    rng = random.Random(1)
    wrong = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(int(count)):
            source = Path(files[i % len(files)])
            path = Path(folder) / ("input" + source.suffix)
            path.write_bytes(corrupt(source.read_bytes(), i // len(files) % 4,
                                     rng))
            done = subprocess.run(
                [a.replace("@", str(path)) for a in command],
                capture_output=True, check=False, timeout=300)
            refused += done.returncode != 0
            good = done.returncode in (0, 1, 2) and (
                done.returncode == 0 or
                b"error: " in done.stderr)
            if not good:
                wrong += 1
                print(f"corruption {i} of {source.name}: exit code "
                      f"{done.returncode}, WRONG")
    print(f"{count} files, {wrong} crashes")
    return wrong != 0 or refused == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
