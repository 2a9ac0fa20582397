# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds and runs the command line tools."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path


class ToolError(Exception):
    """A tool failed: what was run, on what, and what it said."""

    def __init__(self, command, text, output):
        self.command = command
        self.input = text
        self.output = output
        lines = text.splitlines()
        head = "\n".join(lines[:20] + (["..."] if len(lines) > 20 else []))
        super().__init__(
            f"command failed: {shlex.join(map(str, command))}\n"
            f"--- input\n{head}\n--- output\n{output.strip()}"
        )


def find_tool(name):
    """A tool of this project: in $TRANSFUSION_BIN, in the build tree beside
    the package or the prefix that it is installed in, or on the PATH."""
    packages = Path(__file__).resolve().parent.parent
    for folder in (os.environ.get("TRANSFUSION_BIN"),
                   packages.parent / "build" / "bin",
                   packages.parent.parent.parent / "bin"):
        if folder and (Path(folder) / name).is_file():
            return str(Path(folder) / name)
    found = shutil.which(name)
    if not found:
        raise ToolError([name], "", f"{name} not found: build the project, or "
                        "set TRANSFUSION_BIN to the folder that holds it")
    return found


def run(command, text=""):
    """Runs a filter; returns what it prints."""
    try:
        done = subprocess.run(
            command, input=text.encode(), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, check=False,
        )
    except OSError as e:
        raise ToolError(command, text, f"{e}: scripts/install-deps.sh installs "
                        "what is missing") from e
    if done.returncode:
        raise ToolError(command, text, done.stderr.decode(errors="replace"))
    return done.stdout.decode()


def optimize(text, *passes):
    """transfusion-opt on a module given as text."""
    return run([find_tool("transfusion-opt"), "-", *passes], text)
