# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decomposed layers, executed as they are meant (einsum -> linalg -> loops),
against NumPy in double precision: odd sizes, causal, masks that hide the first
key tile, a middle one or all keys of a row, one to three passes."""

import sys

import numpy as np

from transfusion import program, reference, tools

RNG = np.random.default_rng(7)
INF = np.inf
failures = 0


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def tensor(array, element="f32"):
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + element + ">"


def function(arrays, results, body, element="f32"):
    """@layer of arguments %0, %1, ... ; body ends in a return."""
    arguments = ", ".join(f"%a{i}: {tensor(a, element)}"
                          for i, a in enumerate(arrays))
    types = ", ".join(tensor(r, element) for r in results)
    return f"func.func @layer({arguments}) -> ({types}) {{\n{body}\n}}\n"


def run(text, arrays, options):
    sig = program.signature(tools.optimize(text))
    decomposed = tools.optimize(text, f"--einsum-decompose={options}")
    llvm = tools.optimize(decomposed, "--transfusion-naive-to-llvm")
    return program.Program(llvm, "-O1").call(sig, arrays)


def check(name, text, arrays, expected, options="", bound=2e-6):
    global failures
    worst = 0.0
    for result, wanted in zip(run(text, arrays, options), expected):
        result = result.astype(np.float64)
        if (np.isnan(result) != np.isnan(wanted)).any():
            worst = INF
            continue
        finite = ~np.isnan(wanted)
        scale = np.max(np.abs(wanted[finite]), initial=1e-30)
        worst = max(worst, np.max(np.abs(result - wanted)[finite], initial=0)
                    / scale)
    good = worst <= bound
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {name} [{options}]: {worst:.2e} of the "
          f"greatest value, bound {bound:.0e}", flush=True)


def attention(name, q, k, v, mask=None, causal=False, scale=0.5, merged=False,
              options="", bound=2e-6):
    expected = reference.attention(q, k, v, scale, causal, mask)
    if merged:
        expected = reference.merge_heads(expected)
    arrays = [q, k, v] + ([] if mask is None else [mask])
    types = ", ".join(map(tensor, arrays))
    with_mask = "" if mask is None else " mask %a3"
    result = tensor(expected)
    body = (f"  %r = einsum.mha %a0, %a1, %a2{with_mask} scale {scale:e}"
            f"{' causal' if causal else ''} : ({types}) -> {result}\n"
            f"  return %r : {result}")
    check(name, function(arrays, [expected], body), arrays, [expected], options,
          bound)


def all_attention():
    sizes = [(1, 3, 17, 17, 5, 5), (3, 3, 23, 31, 5, 7), (1, 1, 29, 23, 8, 3)]
    passes = ["", "key-tile=8", "key-tile=5", "key-tile=1",
              "attention-passes=2 key-tile=8", "attention-passes=3"]
    for i, (b, h, p, m, e, f) in enumerate(sizes):
        q, k, v = normal(b, h, p, e), normal(b, h, m, e), normal(b, h, m, f)
        for options in passes:
            attention(f"attention {p}x{m}", q, k, v, merged=i == 1,
                      options=options)
        for options in passes:
            if p > m and "passes" in options:
                continue  # refused: see unsupported.mlir
            attention(f"causal {p}x{m}", q, k, v, causal=True, options=options)

    b, h, p, m, e, f = 3, 3, 23, 31, 5, 7
    q, k, v = normal(b, h, p, e), normal(b, h, m, e), normal(b, h, m, f)
    hidden = {"first tile": slice(0, 8), "middle tile": slice(8, 16),
              "last tile": slice(24, 31), "all": slice(0, 31),
              "two tiles": slice(0, 16)}
    for name, keys in hidden.items():
        mask = np.zeros((b, 1, p, m), np.float32)
        mask[:, :, 3:7, keys] = -INF
        for options in passes:
            attention(f"mask hides {name}", q, k, v, mask, options=options)
        attention(f"mask hides {name}, causal", q, k, v, mask, causal=True,
                  options="key-tile=8")
    for shape in [(m,), (p, m), (h, 1, m), (b, h, p, m), (1, 1, p, 1)]:
        attention(f"mask of shape {shape}", q, k, v, normal(*shape),
                  options="key-tile=8", merged=True)


def bert():
    for batch, length, heads, size, hidden in [(1, 17, 3, 5, 31),
                                               (3, 23, 3, 5, 17),
                                               (1, 31, 3, 5, 29)]:
        arrays = reference.bert_inputs(batch, length, heads, size, hidden, 3)
        expected = reference.bert_layer(*arrays, heads=heads)
        x, mask = arrays[0], arrays[1]
        d = heads * size
        T = tensor(x)
        w, vec = f"tensor<{d}x{d}xf32>", f"tensor<{d}xf32>"
        head = f"tensor<{batch}x{heads}x{length}x{size}xf32>"
        body = f"""
  %q, %k, %v = einsum.qkv %a0, %a2, %a4, %a6 bias %a3, %a5, %a7 heads {heads} out_in
      : ({T}, {w}, {w}, {w}, {vec}, {vec}, {vec}) -> ({head}, {head}, {head})
  %a = einsum.mha %q, %k, %v mask %a1 scale {size ** -0.5:e}
      : ({head}, {head}, {head}, {tensor(mask)}) -> {T}
  %o = einsum.linear %a, %a8 bias %a9 out_in : ({T}, {w}, {vec}) -> {T}
  %r1 = einsum.add %a0, %o : {T}
  %n1 = einsum.layer_norm %r1, %a10, %a11 eps 1.0e-12 : ({T}, {vec}, {vec}) -> {T}
  %f = einsum.ffn %n1, %a12, %a14 bias %a13, %a15 activation gelu out_in
      : ({T}, {", ".join(map(tensor, [arrays[12], arrays[14], arrays[13], arrays[15]]))}) -> {T}
  %r2 = einsum.add %n1, %f : {T}
  %n2 = einsum.layer_norm %r2, %a16, %a17 eps 1.0e-12 : ({T}, {vec}, {vec}) -> {T}
  return %n2 : {T}"""
        text = function(arrays, [x], body)
        for options in ["", "key-tile=8"]:
            check(f"bert {batch}x{length}", text, arrays, [expected], options)
        # 16 bits of storage, 8 of them mantissa.
        half = function(arrays, [x], body.replace("xf32", "xbf16"), "bf16")
        check(f"bert {batch}x{length} bf16", half, arrays, [expected],
              "key-tile=8", 2e-2)


def ops():
    x, w, b = normal(3, 17, 15), normal(15, 45) / 4, normal(45)
    y = reference.linear(x, w, b)
    parts = [reference.split_heads(y[..., i * 15:i * 15 + 15], 3)
             for i in range(3)]
    t = tensor(parts[0])
    types = ", ".join(map(tensor, [x, w, b]))
    check("fused qkv", function(
        [x, w, b], parts,
        f"  %q, %k, %v = einsum.qkv %a0, %a1 bias %a2 heads 3 : ({types}) -> "
        f"({t}, {t}, {t})\n  return %q, %k, %v : {t}, {t}, {t}"),
        [x, w, b], parts)

    w1, w2 = normal(15, 31) / 4, normal(31, 15) / 5
    f = reference.linear(reference.relu(reference.linear(x, w1)), w2)
    types = ", ".join(map(tensor, [x, w1, w2]))
    check("ffn with relu", function(
        [x, w1, w2], [f],
        f"  %f = einsum.ffn %a0, %a1, %a2 activation relu : ({types}) -> "
        f"{tensor(f)}\n  return %f : {tensor(f)}"), [x, w1, w2], [f])

    n = reference.layer_norm(x, eps=1e-5)
    check("layer_norm without gamma", function(
        [x], [n], f"  %n = einsum.layer_norm %a0 eps 1.0e-5 : ({tensor(x)}) -> "
        f"{tensor(n)}\n  return %n : {tensor(n)}"), [x], [n])

    for axis in range(3):
        s = reference.softmax(x.astype(np.float64), axis)
        check(f"softmax of axis {axis}", function(
            [x], [s], f"  %s = einsum.softmax %a0 axis {axis} : {tensor(x)}\n"
            f"  return %s : {tensor(x)}"), [x], [s])

    # Attention whose heads go straight into the residual and the norm.
    q, k, v = normal(3, 3, 17, 5), normal(3, 3, 23, 5), normal(3, 3, 23, 5)
    r = x + reference.merge_heads(reference.attention(q, k, v, 1.0))
    n = reference.layer_norm(r, eps=1e-5)
    arrays = [q, k, v, x]
    t = tensor(x)
    check("norm over heads", function(
        arrays, [n], f"  %a = einsum.mha %a0, %a1, %a2 : "
        f"({', '.join(map(tensor, arrays[:3]))}) -> {t}\n"
        f"  %r = einsum.add %a3, %a : {t}\n"
        f"  %n = einsum.layer_norm %r eps 1.0e-5 : ({t}) -> {t}\n"
        f"  return %n : {t}"), arrays, [n])


def views():
    x, w, wo = normal(2, 7, 15), normal(15, 15) / 4, normal(15, 15) / 4
    heads = lambda y: reference.split_heads(y, 3)
    a = reference.merge_heads(reference.attention(
        heads(reference.linear(x, w, None, "out_in")),
        heads(reference.linear(x, w)), heads(reference.linear(x, w)), 1.0))
    expected = reference.linear(a, wo)
    with open(sys.argv[1], encoding="utf-8") as f:
        text = "func.func @heads" + f.read().split("func.func @heads")[1]
    text = text[:text.index("\n}\n") + 3].replace("@heads", "@layer")
    check("heads by reshape and transpose", text, [x, w, wo], [expected])


all_attention()
bert()
ops()
views()
print(f"{failures} failures")
sys.exit(1 if failures else 0)
