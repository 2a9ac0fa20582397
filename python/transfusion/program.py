# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function in the LLVM dialect, compiled for this host and called on arrays."""

import ctypes
import re
import tempfile
from pathlib import Path

import numpy as np

from transfusion import tools

#: Storage of each element type; bf16 is held as its bits.
DTYPES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16,
    "bf16": np.uint16, "i64": np.int64, "i32": np.int32, "i16": np.int16,
    "i8": np.int8, "i1": np.bool_,
}


class Tensor:
    """Shape and element type of an argument or a result; of an argument, what
    it states of its mask."""

    def __init__(self, text, mask=None):
        self.mask = mask
        *shape, self.element = text.split("x")
        self.shape = tuple(int(n) for n in shape)
        if self.element not in DTYPES:
            raise ValueError(f"element type {self.element} cannot be passed")

    def encode(self, array):
        """`array` as the function wants it: shape, type, contiguous."""
        if tuple(array.shape) != self.shape:
            raise ValueError(
                f"an array of shape {tuple(array.shape)} is given where the "
                f"function takes {self.shape}")
        dtype = np.dtype(DTYPES[self.element])
        if not np.can_cast(array.dtype, np.float32 if self.element == "bf16"
                           else dtype, "same_kind"):
            raise ValueError(f"an array of {array.dtype} is given where the "
                             f"function takes {self.element}")
        if self.element == "bf16":
            return to_bf16(array)
        return np.ascontiguousarray(array, DTYPES[self.element])

    def decode(self, array):
        return from_bf16(array) if self.element == "bf16" else array


def to_bf16(array):
    """Bits of the nearest bfloat16, ties to even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    quiet = (bits >> 16) | 0x40
    return np.where(np.isnan(array), quiet, rounded).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Signature:
    """Name, arguments and results of a function on tensors. `appends` says
    which results lie in the buffer of an argument, their beginning:
    {result: argument}."""

    def __init__(self, name, arguments, results, appends=None):
        self.name, self.arguments, self.results = name, arguments, results
        self.appends = appends or {}


def signature(text, name=None):
    """Of the function called `name`, or of the only one, in printed IR."""
    found = []
    for line in text.splitlines():
        # Attributes of exporters hold any text.
        line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        m = re.match(r"\s*func\.func @([\w.$-]+)\((.*)\{\s*$", line)
        if m and (name is None or m.group(1) == name):
            found.append(m)
    if len(found) != 1:
        wanted = f"function @{name}" if name else "one function"
        raise ValueError(f"{wanted} is wanted, {len(found)} are there")
    inside, _, after = found[0].group(2).partition(") -> ")
    tensor = r"tensor<([0-9x]*[a-z]+[0-9]+)>"
    arguments = re.findall(
        r"%arg\d+: " + tensor +
        r"(?: \{[^{}]*?einsum\.mask = #einsum\.mask<([^>]*)>[^{}]*\})?", inside)
    appends = {
        int(m.group(2)): int(m.group(1)) for m in re.finditer(
            r"%arg(\d+): [^%]*#einsum\.append<result = (\d+),", inside)}
    after = re.sub(r"\{[^{}]*\}", "", after.partition(" attributes ")[0])
    others = re.sub(tensor, "", after)
    if len(arguments) != len(re.findall(r"%arg\d+: ", inside)) or \
            re.search(r"\w", others):
        raise ValueError(f"@{found[0].group(1)} takes or returns something "
                         "else than tensors of static shape")
    return Signature(
        found[0].group(1),
        [Tensor(t, mask or None) for t, mask in arguments],
        [Tensor(t) for t in re.findall(tensor, after)],
        appends,
    )


def _descriptor(array):
    """What MLIR's C interface takes for a memref."""
    n = array.ndim

    class Memref(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * n), ("strides", ctypes.c_int64 * n),
        ]

    strides = [s // array.itemsize for s in array.strides]
    pointer = array.ctypes.data
    return Memref(pointer, pointer, 0, (ctypes.c_int64 * n)(*array.shape),
                  (ctypes.c_int64 * n)(*strides))


class Program:
    """A shared library made from a module in the LLVM dialect. Arithmetic is
    strict IEEE: nothing is contracted or reassociated."""

    def __init__(self, llvm_dialect, optimization="-O1"):
        self._folder = tempfile.TemporaryDirectory(prefix="transfusion-")
        library = Path(self._folder.name) / "program.so"
        ir = tools.run(["mlir-translate-22", "--mlir-to-llvmir"], llvm_dialect)
        tools.run(
            ["clang-22", optimization, "-march=native", "-ffp-contract=off",
             "-shared", "-fPIC", "-Wno-override-module", "-x", "ir", "-",
             "-o", str(library), "-lm"], ir)
        self._library = ctypes.CDLL(str(library))

    def call(self, sig, inputs):
        """Runs `sig.name` on arrays; returns the list of its results."""
        if len(inputs) != len(sig.arguments):
            raise ValueError(f"@{sig.name} takes {len(sig.arguments)} "
                             f"arguments, {len(inputs)} are given")
        arrays = [t.encode(a) for t, a in zip(sig.arguments, inputs)]
        results = [np.zeros(t.shape, DTYPES[t.element]) for t in sig.results]
        for result, argument in sig.appends.items():
            # A buffer of the result, of which the argument is the beginning;
            # behind it is nothing that may be read.
            buffer, begin = results[result], arrays[argument]
            buffer.view(np.uint8).fill(0xFF)
            buffer[tuple(slice(n) for n in begin.shape)] = begin
            arrays[argument] = buffer
        own = [r for i, r in enumerate(results) if i not in sig.appends]
        descriptors = [_descriptor(a) for a in arrays + own]
        function = getattr(self._library, f"_mlir_ciface_{sig.name}")
        function.restype = None
        function(*[ctypes.byref(d) for d in descriptors])
        return [t.decode(r) for t, r in zip(sig.results, results)]
