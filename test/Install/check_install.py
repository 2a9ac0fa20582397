# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs into a fresh prefix and uses what is there, and only that.

    check_install.py CMAKE BUILD SOURCE MLIR_OPT CXX

A machine that only the prefix knows proves that tools and plugin look there.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

cmake, build, source, mlir_opt, cxx, cc = sys.argv[1:]
build, source = pathlib.Path(build), pathlib.Path(source)
work = build / "install-test"
prefix = work / "prefix"
shutil.rmtree(work, ignore_errors=True)

env = {k: v for k, v in os.environ.items()
       if k not in ("TRANSFUSION_BIN", "PYTHONPATH")}
env["PYTHONPATH"] = str(prefix / "lib/python3/dist-packages")
env["PYTHONDONTWRITEBYTECODE"] = "1"


def run(*command):
    print("+", *command, flush=True)
    done = subprocess.run(list(map(str, command)), cwd=work, env=env, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed with exit code {done.returncode}")
    return done.stdout


def expect(text, *wanted):
    for w in wanted:
        if w not in text:
            sys.exit(f"not printed: {w}\n--- by\n{text}")


work.mkdir(parents=True)
run(cmake, "--install", build, "--prefix", prefix)

# Every header that an installed header includes is there.
for header in sorted((prefix / "include").rglob("*")):
    if header.suffix in (".h", ".td", ".inc"):
        for name in re.findall(r'include "(transfusion/[^"]+)"',
                               header.read_text()):
            if not (prefix / "include" / name).exists():
                sys.exit(f"{header}: {name} is not installed")

# Tools and plugin.
machines = prefix / "share/transfusion/arch"
only = (machines / "edge.yaml").read_text()
only, renamed = re.subn(r"(?m)^name:.*$", "name: only_here", only)
assert renamed == 1
(machines / "only_here.yaml").write_text(only)
layer = source / "examples/bert_tiny.mlir"
machine = "sched.arch @only_here"
expect(run(prefix / "bin/transfusion-opt", layer, "--load-arch=only_here"),
       machine)
plugin = prefix / "lib/TransFusionPlugin.so"
expect(run(mlir_opt, f"--load-dialect-plugin={plugin}",
           f"--load-pass-plugin={plugin}", layer,
           "--pass-pipeline=builtin.module(load-arch{arch=only_here})"),
       machine)
expect(run(prefix / "bin/transfusion-translate", "--help"), "schedule-to-json")
expect(run(prefix / "bin/transfusion-lsp-server", "--help"), "LSP")

# The Python package finds the tools of its prefix.
expect(run("/usr/bin/python3", "-c", "from transfusion import tools; "
           "print(tools.find_tool('transfusion-opt'))"),
       str(prefix / "bin/transfusion-opt"))

# Somebody else's compiler.
downstream = work / "downstream"
run(cmake, "-G", "Ninja", "-S", source / "examples/downstream", "-B",
    downstream, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={cxx}",
    *([f"-DCMAKE_C_COMPILER={cc}"] if cc else []), "-DCMAKE_BUILD_TYPE=Release")
run(cmake, "--build", downstream)
my_opt = downstream / "my-opt"
expect(run(my_opt, layer, "--load-arch=only_here"), machine)
loops = run(my_opt, layer, "--my-pipeline")
expect(loops, "scf.for", "memref.load")
if "einsum." in loops or "sched.schedule" in loops:
    sys.exit("my-opt left ops of ours in its program")
print("the installed tree is complete")
