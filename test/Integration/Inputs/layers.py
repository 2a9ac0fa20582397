# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of any size, as text in the einsum dialect."""


def tensor(*shape, element="f32"):
    return "tensor<" + "x".join(map(str, shape)) + f"x{element}>"


def bert(batch, length, heads, head_size, hidden, causal=False, element="f32"):
    """Arguments as transfusion.reference.bert_inputs makes them."""
    d = heads * head_size
    t = lambda *shape: tensor(*shape, element=element)
    x, w, v = t(batch, length, d), t(d, d), t(d)
    qkv = t(batch, heads, length, head_size)
    mask, up, down, wide = (t(batch, 1, 1, length), t(hidden, d), t(d, hidden),
                            t(hidden))
    return f"""
func.func @bert(
    %x: {x}, %mask: {mask}, %wq: {w}, %bq: {v}, %wk: {w}, %bk: {v}, %wv: {w},
    %bv: {v}, %wo: {w}, %bo: {v}, %g1: {v}, %be1: {v}, %w1: {up}, %b1: {wide},
    %w2: {down}, %b2: {v}, %g2: {v}, %be2: {v}) -> {x} {{
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv bias %bq, %bk, %bv heads {heads} out_in
      : ({x}, {w}, {w}, {w}, {v}, {v}, {v}) -> ({qkv}, {qkv}, {qkv})
  %a = einsum.mha %q, %k, %v mask %mask scale {head_size ** -0.5!r}{" causal" if causal else ""}
      : ({qkv}, {qkv}, {qkv}, {mask}) -> {x}
  %o = einsum.linear %a, %wo bias %bo out_in : ({x}, {w}, {v}) -> {x}
  %r1 = einsum.add %x, %o : {x}
  %n1 = einsum.layer_norm %r1, %g1, %be1 eps 1.0e-12 : ({x}, {v}, {v}) -> {x}
  %f = einsum.ffn %n1, %w1, %w2 bias %b1, %b2 activation gelu out_in
      : ({x}, {up}, {down}, {wide}, {v}) -> {x}
  %r2 = einsum.add %n1, %f : {x}
  %n2 = einsum.layer_norm %r2, %g2, %be2 eps 1.0e-12 : ({x}, {v}, {v}) -> {x}
  return %n2 : {x}
}}
"""


def attention(b, h, p, m, e, f, causal=False, mask=None, guarded=False):
    """q [b,h,p,e], k [b,h,m,e], v [b,h,m,f], and a mask of the given shape."""
    q, k, v, r = (tensor(b, h, p, e), tensor(b, h, m, e), tensor(b, h, m, f),
                  tensor(b, h, p, f))
    masked = tensor(*mask) if mask else ""
    return f"""
func.func @attention(%q: {q}, %k: {k}, %v: {v}{", %mask: " + masked if mask else ""}) -> {r} {{
  %a = einsum.mha %q, %k, %v{" mask %mask" if mask else ""} scale {e ** -0.5!r}{" causal" if causal else ""}{" guarded" if guarded else ""}
      : ({q}, {k}, {v}{", " + masked if mask else ""}) -> {r}
  return %a : {r}
}}
"""
