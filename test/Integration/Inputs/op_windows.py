# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pooling, with strides and dilations (op_cases.py says how)."""

import numpy as np
from op_cases import ZERO_POINTS, case, kind, named, start

#===--- Windows -----------------------------------------------------------===#

SIZES = {"n": 2, "c": 3, "f": 4, "g": 2, "m": 2}
SPACE = {"d": (4, 2, 1, 2), "h": (7, 2, 2, 3), "w": (8, 3, 1, 1)}


def windows(letters, x, filters, out, combine):
    """Folds, over the kernel, what lies at each of its places."""
    spatial = [c for c in letters if c in SPACE]
    counts = {c: (SPACE[c][0] - 1 - (SPACE[c][1] - 1) * SPACE[c][3]) //
              SPACE[c][2] + 1 for c in spatial}
    parts = []
    for at in np.ndindex(*[SPACE[c][1] for c in spatial]):
        k = dict(zip(spatial, at))
        index = tuple(
            slice(k[c] * SPACE[c][3],
                  k[c] * SPACE[c][3] + (counts[c] - 1) * SPACE[c][2] + 1,
                  SPACE[c][2]) if c in SPACE else slice(None)
            for c in letters)
        part = x[index]
        if filters is not None:
            taken = filters[1][tuple(k[c] if c in SPACE else slice(None)
                                     for c in filters[0])]
            rest = "".join(c for c in filters[0] if c not in SPACE)
            part = np.einsum(f"{letters},{rest}->{out}", part, taken)
        parts.append(part)
    return combine(parts)


def extents(letters, kernel=False, out=False):
    def of(c):
        if c not in SPACE:
            return SIZES[c]
        size, count, stride, dilation = SPACE[c]
        if kernel:
            return count
        return (size - 1 - (count - 1) * dilation) // stride + 1 if out else size
    return [of(c) for c in letters]


def steps(letters):
    spatial = [c for c in letters if c in SPACE]
    both = lambda i: ", ".join(str(SPACE[c][i]) for c in spatial)
    return (f"{{dilations = dense<[{both(3)}]> : tensor<{len(spatial)}xi64>, "
            f"strides = dense<[{both(2)}]> : tensor<{len(spatial)}xi64>}}")


def convolution(op, letters, filters, out, quantized=False, plain=False):
    global SPACE
    known = SPACE
    if plain:
        SPACE = {c: (size, count, 1, 1)
                 for c, (size, count, _, _) in SPACE.items()}
    space = SPACE
    elements = ("i8", "i32") if quantized else ("f32", "f32")

    def reference(x, y):
        global SPACE
        old, SPACE = SPACE, space
        if quantized:
            x, y = x - 3, y + 2
        result = windows(letters, x, (filters, y), out, sum)
        SPACE = old
        return result
    extra = dict(before=ZERO_POINTS, operands="%a, %b, %za, %zb",
                 more=", i32, i32") if quantized else {}
    named(op, [kind(extents(letters), elements[0]),
               kind(extents(filters, kernel=True), elements[0])],
          kind(extents(out, out=True), elements[1]), reference,
          value=0 if quantized else 0.0,
          attributes="" if plain else steps(letters), **extra)
    SPACE = known


for op, *letters in (("conv_1d", "w", "w", "w"), ("conv_2d", "hw", "hw", "hw"),
                     ("conv_3d", "dhw", "dhw", "dhw")):
    convolution(op, *letters, plain=True)
for op, *letters in (
        ("conv_1d_ncw_fcw", "ncw", "fcw", "nfw"),
        ("conv_1d_nwc_wcf", "nwc", "wcf", "nwf"),
        ("conv_2d_nchw_fchw", "nchw", "fchw", "nfhw"),
        ("conv_2d_ngchw_fgchw", "ngchw", "fgchw", "ngfhw"),
        ("conv_2d_ngchw_gfchw", "ngchw", "gfchw", "ngfhw"),
        ("conv_2d_nhwc_fhwc", "nhwc", "fhwc", "nhwf"),
        ("conv_2d_nhwc_hwcf", "nhwc", "hwcf", "nhwf"),
        ("conv_2d_nhwgc_gfhwc", "nhwgc", "gfhwc", "nhwgf"),
        ("conv_3d_ncdhw_fcdhw", "ncdhw", "fcdhw", "nfdhw"),
        ("conv_3d_ndhwc_dhwcf", "ndhwc", "dhwcf", "ndhwf"),
        ("depthwise_conv_1d_ncw_cw", "ncw", "cw", "ncw"),
        ("depthwise_conv_1d_nwc_wc", "nwc", "wc", "nwc"),
        ("depthwise_conv_1d_nwc_wcm", "nwc", "wcm", "nwcm"),
        ("depthwise_conv_2d_nchw_chw", "nchw", "chw", "nchw"),
        ("depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwc"),
        ("depthwise_conv_2d_nhwc_hwcm", "nhwc", "hwcm", "nhwcm"),
        ("depthwise_conv_3d_ncdhw_cdhw", "ncdhw", "cdhw", "ncdhw"),
        ("depthwise_conv_3d_ndhwc_dhwc", "ndhwc", "dhwc", "ndhwc"),
        ("depthwise_conv_3d_ndhwc_dhwcm", "ndhwc", "dhwcm", "ndhwcm")):
    convolution(op, *letters)
for op, *letters in (
        ("conv_2d_nchw_fchw_q", "nchw", "fchw", "nfhw"),
        ("conv_2d_nhwc_fhwc_q", "nhwc", "fhwc", "nhwf"),
        ("conv_2d_nhwc_hwcf_q", "nhwc", "hwcf", "nhwf"),
        ("conv_2d_nhwgc_gfhwc_q", "nhwgc", "gfhwc", "nhwgf"),
        ("conv_2d_ngchw_gfchw_q", "ngchw", "gfchw", "ngfhw"),
        ("conv_3d_ndhwc_dhwcf_q", "ndhwc", "dhwcf", "ndhwf"),
        ("depthwise_conv_2d_nhwc_hwc_q", "nhwc", "hwc", "nhwc"),
        ("depthwise_conv_2d_nhwc_hwcm_q", "nhwc", "hwcm", "nhwcm")):
    convolution(op, *letters, quantized=True)

def unsigned(function):
    """Of i32 in double precision, read as u32."""
    def fold(parts):
        parts = np.array(parts).astype(np.int64).astype(np.uint32)
        return function(parts, 0).view(np.int32)
    return fold


for layouts, word, function, value in (
        (("nchw", "ncw", "ndhwc", "nhwc", "nwc"), "sum", sum, 0.0),
        (("nchw", "ncw", "ndhwc", "nhwc", "nwc"), "max",
         lambda parts: np.max(parts, 0), "0xFF800000"),
        (("ndhwc", "nhwc", "nwc"), "min",
         lambda parts: np.min(parts, 0), "0x7F800000"),
        (("nhwc", "nwc"), "max_unsigned", unsigned(np.max), 0),
        (("nhwc", "nwc"), "min_unsigned", unsigned(np.min), -1)):
    for letters in layouts:
        element = "i32" if "unsigned" in word else "f32"
        kernel = kind([SPACE[c][1] for c in letters if c in SPACE], element)
        source = kind(extents(letters), element)
        # Numbers on both sides of zero.
        shifted = (f"  %five = arith.constant dense<5> : {source}\n"
                   f"  %s = linalg.sub ins(%a, %five : {source}, {source}) "
                   f"outs(%a : {source}) -> {source}\n"
                   if element == "i32" else "")
        result = kind(extents(letters, out=True), element)
        case(f"linalg.pooling_{letters}_{word}", [source], result,
             start(result, value) + shifted +
             f"  %k = tensor.empty() : {kernel}\n  %r = "
             f"linalg.pooling_{letters}_{word} {steps(letters)} ins("
             f"{'%s' if shifted else '%a'}, %k : {source}, {kernel}) outs(%e : "
             f"{result}) -> {result}",
             lambda x, l=letters, f=function, d=5 * bool(shifted): windows(
                 l, x - d, None, l, f))
