#!/usr/bin/env python3
"""run_page.py PAGE.md: runs a documentation page and compares what it shows.

Every ```sh block runs, in order, in one shell in the root of the source tree,
and stops at the first failure. A ```text block after it is what it must print:
line by line, in that order; `...` inside a line stands for anything, and a
line of `...` alone for any lines.
"""
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.M | re.S)
MARK = "--- end of block ---"


def pattern(line):
    return re.compile(".*?".join(map(re.escape, line.strip().split("..."))))


def missing_line(expected, printed):
    """The first expected line that is not in `printed` in order, or None."""
    rest = iter(printed)
    for line in expected:
        if line.strip() in ("", "..."):
            continue
        if not any(pattern(line).fullmatch(p.strip()) for p in rest):
            return line
    return None


def main(page):
    root = pathlib.Path(__file__).resolve().parent.parent
    blocks = BLOCK.findall(pathlib.Path(page).read_text())
    commands = [text for kind, text in blocks if kind == "sh"]
    if not commands:
        print(f"{page}: no sh block")
        return 1
    script = "set -euo pipefail\n" + f"echo '{MARK}'\n".join(commands)
    run = subprocess.run(["bash", "-c", script], cwd=root, text=True,
                         env=os.environ, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    print(run.stdout)
    if run.returncode:
        print(f"{page}: a command failed with exit code {run.returncode}")
        return 1
    outputs = run.stdout.split(MARK + "\n")
    last = -1
    for kind, text in blocks:
        if kind == "sh":
            last += 1
            continue
        line = missing_line(text.splitlines(), outputs[last].splitlines())
        if line is not None:
            print(f"{page}: not printed (in this order): {line}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
