# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our linalg in somebody else's hands.

Lowers three layers to linalg on tensors, lets IREE compile them for this CPU,
runs them and compares with PyTorch in double precision. Exit code 77, which
ctest shows as skipped, where IREE is not installed; with
TRANSFUSION_REQUIRE_IREE set, as in CI, that is a failure.

    run.py SOURCE
"""
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
BOUND = 2e-6

#: Layer, passes that make cascades of it, arguments and results.
LAYERS = [
    ("examples/bert_tiny.mlir", [], "test/Data/bert_tiny_eager.npz"),
    ("examples/llama_tiny.mlir", [], "test/Data/models/llama_tiny_causal.npz"),
    ("test/Data/models/llama_tiny_sdpa.linalg.mlir",
     ["--convert-linalg-to-einsum"], "test/Data/models/llama_tiny_sdpa.npz"),
]


def enter_venv(source):
    """Continues in the Python that has IREE."""
    python = source / ".venv" / "bin" / "python"
    if pathlib.Path(sys.prefix) == python.parent.parent:
        return
    if not python.exists():
        print("SKIPPED: IREE is not installed; scripts/install-deps.sh --ci "
              "installs it into .venv")
        sys.exit(1 if os.environ.get("TRANSFUSION_REQUIRE_IREE") else SKIPPED)
    os.execv(python, [str(python), *sys.argv])


def check(source, file, passes, reference):
    # pylint: disable=import-outside-toplevel
    import numpy as np
    from iree import compiler, runtime
    from transfusion import execute, tools

    text = tools.optimize((source / file).read_text(), *passes,
                          "--einsum-decompose", "--einsum-to-linalg",
                          "--canonicalize", "--cse")
    foreign = sorted(set(re.findall(r"\b(?:einsum|sched)\.\w+", text)))
    if foreign:
        print(f"{file}: ops of ours are left: {foreign} WRONG")
        return False
    name = re.search(r"func\.func @(\w+)", text).group(1)
    binary = compiler.compile_str(
        text, target_backends=["llvm-cpu"], input_type="none",
        extra_args=["--iree-llvmcpu-target-cpu=host"])
    config = runtime.Config("local-sync")
    context = runtime.SystemContext(config=config)
    context.add_vm_module(
        runtime.VmModule.copy_buffer(context.instance, binary))
    with np.load(source / reference) as npz:
        inputs = execute.numbered(npz, "in")
        expected = execute.numbered(npz, "out")
    results = context.modules.module[name](*inputs)
    results = results if isinstance(results, (list, tuple)) else [results]
    errors = [execute.greatest_error(r.to_host(), e)
              for r, e in zip(results, expected)]
    good = len(results) == len(expected) > 0 and max(errors) <= BOUND
    print(f"{file}: greatest absolute error {max(errors):.2e}, "
          f"bound {BOUND:.0e}: {'ok' if good else 'TOO GREAT'}", flush=True)
    return good


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    enter_venv(source)
    sys.path.insert(0, str(source / "python"))
    try:
        good = [check(source, *layer) for layer in LAYERS]
    except (RuntimeError, subprocess.CalledProcessError) as e:
        sys.exit(f"error: {e}")
    print(f"{sum(good)} of {len(good)} layers agree")
    sys.exit(not all(good))


main()
