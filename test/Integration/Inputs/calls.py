# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls one scheduled layer twice from a function on tensors, with other
weights each time, and compares with the layer itself, called twice from here
on the naive path. Argument: the source tree."""

import sys
from pathlib import Path

import numpy as np

from transfusion import execute, program, tools

BOUND = 2e-6  # Both sides round each layer in f32; results are of order 1.

source = Path(sys.argv[1])
layer = (source / "examples/bert_tiny.mlir").read_text()
sig = program.signature(tools.optimize(layer))
scheduled = execute.schedule(layer, "tiny", "evaluations=32")

types = ["tensor<" + "x".join(map(str, [*t.shape, t.element])) + ">"
         for t in sig.arguments + sig.results]
arguments, result = types[:-1], types[-1]
inputs = 2  # x and the mask; weights follow
weights = arguments[inputs:]
names = [[f"%w{call}_{i}" for i in range(len(weights))] for call in range(2)]
parameters = ", ".join(
    [f"%x: {arguments[0]}", f"%mask: {arguments[1]}"] +
    [f"{n}: {t}" for call in names for n, t in zip(call, weights)])
type_of_call = f"({', '.join(arguments)}) -> {result}"
caller = f"""
func.func @stack({parameters}) -> {result} attributes {{llvm.emit_c_interface}} {{
  %a = call @{sig.name}(%x, %mask, {', '.join(names[0])}) : {type_of_call}
  %b = call @{sig.name}(%a, %mask, {', '.join(names[1])}) : {type_of_call}
  return %b : {result}
}}
"""
end = scheduled.rstrip().rindex("}")
module = scheduled[:end] + caller + scheduled[end:]
llvm = tools.optimize(
    module, "--convert-sched-to-affine=poison=true",
    "--one-shot-bufferize=bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map",
    "--buffer-results-to-out-params=hoist-static-allocs "
    "modify-public-functions",
    "--transfusion-scheduled-to-llvm")
stack = program.Program(llvm)

with np.load(source / "test/Data/bert_tiny_eager.npz") as npz:
    first = execute.numbered(npz, "in")
second = first[:inputs] + [w[::-1].copy() for w in first[inputs:]]
naive, _ = execute.build(layer, "naive")
(middle,) = naive.call(sig, first)
(expected,) = naive.call(sig, [middle, *second[1:]])
whole = program.Signature("stack", sig.arguments + sig.arguments[inputs:],
                          sig.results)
(found,) = stack.call(whole, first + second[inputs:])
error = execute.greatest_error(found, expected)
print(f"greatest absolute error {error:.2e}")
print("the stack of two agrees" if error <= BOUND else "TOO GREAT")
