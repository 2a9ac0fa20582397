#!/usr/bin/env python3
"""diff_docs.py GENERATED CHECKED_IN FILE...: fails where they differ."""
import difflib
import pathlib
import sys

FIX = "cmake --build build --target transfusion-docs"


def lines(file):
    return file.read_text().splitlines() if file.exists() else []


def main(generated, checked_in, *files):
    stale = 0
    for name in files:
        new = lines(pathlib.Path(generated, name))
        old = lines(pathlib.Path(checked_in, name))
        if new != old or not new:
            stale += 1
            print("\n".join(difflib.unified_diff(
                old, new, f"docs/{name} (checked in)",
                f"docs/{name} (generated)", lineterm="", n=1)))
    if stale:
        print(f"\n{stale} generated page(s) are out of date; to fix: {FIX}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
