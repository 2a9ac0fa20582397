# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of many families in linalg, as an exporter writes them: each is raised
whole, normalised to one pass over the keys where mathematics allows, and gives
what NumPy says.

    families.py [--names a,b] [--print NAME]
"""

import argparse
import math
import re
import sys

import numpy as np
from torch_linalg import Layer

from transfusion import execute, program, tools

#: Absolute; results are about 1, as PyTorch's are.
BOUND = 2e-6
BATCH, ROWS, WIDTH, HEADS, HIDDEN = 2, 11, 24, 4, 40

FAMILIES = {}


def family(passes=1, names=(), absent=(), constraints=None):
    """`passes`: attentions in one pass. `names`: Einsums that must be there;
    `absent`: that must not. `constraints`: how many QK has."""
    def register(function):
        FAMILIES[function.__name__] = (function, passes, names, absent,
                                       constraints)
        return function
    return register


#===--- Parts -------------------------------------------------------------===#

def index_head():
    return ("%p = linalg.index 2 : index\n%m = linalg.index 3 : index\n"
            "%n = arith.constant 0xFF800000 : f32\n")


def mask(layer, s, condition, visible):
    """select(condition over %p, %m; the score; -inf)"""
    return layer.generic(
        "bhpm", [(s, "bhpm")],
        index_head() + condition + "\n%r = arith.select %c, %a, %n : f32",
        np.where(visible, s.array, -np.inf))


def positions(queries, keys):
    return np.arange(queries)[:, None], np.arange(keys)[None, :]


def causal(layer, s):
    p, m = positions(*s.array.shape[2:])
    return mask(layer, s, "%c = arith.cmpi sle, %m, %p : index", m <= p)


def scores(layer, q, k):
    """[b,h,p,e] and [b,h,m,e], by way of a batch of b*h."""
    b, h = q.array.shape[:2]
    k = layer.transpose(k, [0, 1, 3, 2])
    s = layer.batch_matmul(layer.merge(q, 0, 1), layer.merge(k, 0, 1))
    return layer.split(s, 0, b, h)


def weighted(layer, w, v):
    b, h = w.array.shape[:2]
    o = layer.batch_matmul(layer.merge(w, 0, 1), layer.merge(v, 0, 1))
    return layer.merge(layer.transpose(layer.split(o, 0, b, h), [0, 2, 1, 3]),
                       2, 3)


def attention(layer, x, change=lambda layer, s: s, on_q=None, on_k=None,
              key_heads=HEADS, bias=True, scaled=True, softmax=Layer.softmax):
    size = WIDTH // HEADS
    q = layer.heads(layer.linear(x, WIDTH, bias), HEADS)
    k, v = (layer.heads(layer.linear(x, key_heads * size, bias), key_heads)
            for _ in "kv")
    if on_q:
        q, k = on_q(layer, q), (on_k or on_q)(layer, k)
    if key_heads != HEADS:
        k, v = repeat(layer, k), repeat(layer, v)
    s = scores(layer, q, k)
    if scaled:
        s = layer.scale(s, size**-0.5)
    o = weighted(layer, softmax(layer, change(layer, s)), v)
    return layer.linear(o, WIDTH, bias)


def repeat(layer, x):
    """Each head for a group of queries, one after another."""
    b, kv, m, e = x.array.shape
    group = HEADS // kv
    wide = layer.generic("bkgme", [(x, "bkme")], "",
                         np.repeat(x.array[:, :, None], group, 2))
    return layer.merge(wide, 1, 2)


def feed_forward(layer, x, activation):
    return layer.linear(activation(layer, layer.linear(x, HIDDEN)), WIDTH)


def quick_gelu(layer, x):
    """x sigmoid(1.702 x)"""
    gate = layer.unary(layer.scale(x, 1.702), sigmoid_body(),
                       1 / (1 + np.exp(-float(np.float32(1.702)) * x.array)))
    return layer.binary("mulf", x, gate)


def sigmoid_body():
    return ("%one = arith.constant 1.0 : f32\n%n = arith.negf %a : f32\n"
            "%e = math.exp %n : f32\n%s = arith.addf %e, %one : f32\n"
            "%r = arith.divf %one, %s : f32")


def silu(layer, x):
    gate = layer.unary(x, sigmoid_body(), 1 / (1 + np.exp(-x.array)))
    return layer.binary("mulf", x, gate)


def relu_squared(layer, x):
    y = layer.unary(x, "%k = arith.constant 0.0 : f32\n"
                    "%r = arith.maximumf %a, %k : f32", np.maximum(x.array, 0))
    return layer.binary("mulf", y, y)


def gelu(layer, x):
    erf = np.vectorize(math.erf)
    return layer.unary(
        x, "%k = arith.constant 0.707106769 : f32\n%h = arith.constant 0.5 : f32"
        "\n%one = arith.constant 1.0 : f32\n%s = arith.mulf %a, %k : f32\n"
        "%e = math.erf %s : f32\n%t = arith.addf %e, %one : f32\n"
        "%u = arith.mulf %t, %h : f32\n%r = arith.mulf %a, %u : f32",
        x.array * (0.5 + 0.5 * erf(x.array / math.sqrt(2))))


def add(layer, x, y):
    return layer.binary("addf", x, y)


def new(name):
    layer = Layer(name, seed=sum(map(ord, name)))
    return layer, layer.argument(BATCH, ROWS, WIDTH)


#===--- Scores ------------------------------------------------------------===#

def alibi_bias(layer, s, slope):
    """slope (m - p), where both are computed."""
    p, m = positions(ROWS, ROWS)
    return layer.generic(
        "bhpm", [(s, "bhpm"), (slope, "h")],
        "%p = linalg.index 2 : index\n%m = linalg.index 3 : index\n"
        "%d = arith.subi %m, %p : index\n%i = arith.index_cast %d : index to i64"
        "\n%f = arith.sitofp %i : i64 to f32\n%u = arith.mulf %b, %f : f32\n"
        "%r = arith.addf %a, %u : f32",
        s.array + slope.array[:, None, None] * (m - p))


@family(names=["QK"], constraints=1)
def alibi(layer, x):
    slope = layer.argument(HEADS, scale=0.1)
    return attention(layer, x, lambda l, s: causal(l, alibi_bias(l, s, slope)))


@family(names=["QK"])
def alibi_of_distance(layer, x):
    """slope |m - p|: no causal mask, and the bias is a tensor first."""
    p, m = positions(ROWS, ROWS)
    distance = layer.generic(
        "pm", [], "%p = linalg.index 0 : index\n%m = linalg.index 1 : index\n"
        "%d = arith.subi %m, %p : index\n%i = arith.index_cast %d : index to i64"
        "\n%s = math.absi %i : i64\n%r = arith.sitofp %s : i64 to f32",
        np.abs(m - p))
    slope = layer.argument(HEADS, scale=0.1)
    bias = layer.generic("hpm", [(slope, "h"), (distance, "pm")],
                         "%r = arith.mulf %a, %b : f32",
                         slope.array[:, None, None] * distance.array)
    return attention(layer, x, lambda l, s: l.generic(
        "bhpm", [(s, "bhpm"), (bias, "hpm")], "%r = arith.addf %a, %b : f32",
        s.array + bias.array))


@family(names=["rms1.NR", "rms2.NR", "FFN1", "AR"])
def t5(layer, x):
    """No scale, no bias of projections, a position bias that is a tensor."""
    bias = layer.argument(1, HEADS, ROWS, ROWS)
    x = add(layer, x, attention(
        layer, layer.rms_norm(x), bias=False, scaled=False,
        change=lambda l, s: l.binary("addf", s, bias, "bhpm", "1hpm")))
    hidden = layer.linear(layer.rms_norm(x), HIDDEN, bias=False)
    hidden = layer.unary(hidden, "%k = arith.constant 0.0 : f32\n"
                         "%r = arith.maximumf %a, %k : f32",
                         np.maximum(hidden.array, 0))
    return add(layer, x, layer.linear(hidden, WIDTH, bias=False))


def soft_cap(layer, s, cap):
    s = layer.scale(s, 1 / cap)
    s = layer.unary(s, "%r = math.tanh %a : f32", np.tanh(s.array))
    return layer.scale(s, cap)


@family(names=["QK", "NR"], constraints=1)
def gemma_soft_cap(layer, x):
    return attention(layer, layer.rms_norm(x), key_heads=2, bias=False,
                     change=lambda l, s: causal(l, soft_cap(l, s, 5.0)))


@family(names=["rms1.NR", "rms2.NR"])
def qk_norm(layer, x):
    """A norm of each head of queries and keys, then rotated by nothing."""
    return attention(layer, x, causal, on_q=Layer.rms_norm)


@family(names=["ln1.NR", "ln2.NR"])
def qk_layer_norm(layer, x):
    return attention(layer, x, on_q=Layer.layer_norm)


@family(names=["QK"], constraints=2)
def sliding_window(layer, x):
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%k = arith.constant 4 : index\n%l = arith.subi %p, %k : index\n"
        "%c1 = arith.cmpi sle, %m, %p : index\n"
        "%c2 = arith.cmpi sgt, %m, %l : index\n"
        "%c = arith.andi %c1, %c2 : i1", (m <= p) & (m > p - 4)))


@family(names=["QK"], constraints=2)
def local_both_sides(layer, x):
    """Longformer's window: |m - p| <= 3, by two comparisons that are joined
    the wrong way round."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: layer.generic(
        "bhpm", [(s, "bhpm")], index_head() +
        "%k = arith.constant 3 : index\n%d = arith.subi %m, %p : index\n"
        "%e = arith.subi %p, %m : index\n%c1 = arith.cmpi sgt, %d, %k : index\n"
        "%c2 = arith.cmpi sgt, %e, %k : index\n%c = arith.ori %c1, %c2 : i1\n"
        "%r = arith.select %c, %n, %a : f32",
        np.where(abs(m - p) <= 3, s.array, -np.inf)))


@family(names=["QK"], constraints=1)
def grouped(layer, x):
    return attention(layer, x, causal, key_heads=2)


@family(names=["QK"])
def multi_query(layer, x):
    return attention(layer, x, causal, key_heads=1)


@family(names=["QK"])
def temperature_of_head(layer, x):
    """The scale is a tensor: it is part of the score all the same."""
    scale = layer.argument(HEADS, scale=0.2, around=0.5)
    return attention(layer, x, scaled=False, change=lambda l, s: l.binary(
        "mulf", s, scale, "bhpm", "h"))


@family(names=["QK"])
def bias_of_keys(layer, x):
    bias = layer.argument(ROWS)
    return attention(layer, x, lambda l, s: l.binary("addf", s, bias, "bhpm",
                                                     "m"))


@family(names=["QK"])
def temperature_of_query(layer, x):
    scale = layer.argument(BATCH, ROWS, scale=0.2, around=0.5)
    return attention(layer, x, scaled=False, change=lambda l, s: l.generic(
        "bhpm", [(s, "bhpm"), (scale, "bp")], "%r = arith.mulf %a, %b : f32",
        s.array * scale.array[:, None, :, None]))


@family(names=["QK"], constraints=0)
def mask_of_data(layer, x):
    """What is compared is data: it decides at every point, no domain does."""
    data = layer.argument(BATCH, ROWS, around=0.5)
    return attention(layer, x, lambda l, s: l.generic(
        "bhpm", [(s, "bhpm"), (data, "bm")],
        "%n = arith.constant 0xFF800000 : f32\n%k = arith.constant 0.0 : f32\n"
        "%c = arith.cmpf olt, %b, %k : f32\n%r = arith.select %c, %n, %a : f32",
        np.where(data.array[:, None, None, :] < 0, -np.inf, s.array)))


@family(names=["QK", "RMG"], constraints=1)
def later_keys(layer, x):
    """A mask the other way round: the first tiles are hidden."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%c = arith.cmpi sge, %m, %p : index", m >= p))


@family(names=["QK"], constraints=1)
def earlier_keys(layer, x):
    """The first row sees no key: NaN, as in the program."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%c = arith.cmpi slt, %m, %p : index", m < p))


@family(names=["QK"], constraints=0)
def index_is_hidden(layer, x):
    """All keys but the row's own: no conjunction says so."""
    p, m = positions(ROWS, ROWS)
    return attention(layer, x, lambda l, s: mask(
        l, s, "%c = arith.cmpi ne, %m, %p : index", m != p))


#===--- Rotations ---------------------------------------------------------===#

def rotated(layer, x, cos, sin, part):
    """The first `part` features of a head are rotated by halves."""
    size = x.array.shape[3]
    head = layer.slice(x, 3, 0, part) if part < size else x
    first = layer.slice(head, 3, 0, part // 2)
    second = layer.slice(head, 3, part // 2, part // 2)
    minus = layer.unary(second, "%r = arith.negf %a : f32", -second.array)
    turned = layer.concat(3, minus, first)
    y = add(layer, layer.binary("mulf", head, cos, "bhpe", "pe"),
            layer.binary("mulf", turned, sin, "bhpe", "pe"))
    if part == size:
        return y
    return layer.concat(3, y, layer.slice(x, 3, part, size - part))


def angles(layer, part):
    return layer.argument(ROWS, part), layer.argument(ROWS, part)


@family(names=["rope1.ROPE", "rope2.ROPE"])
def rotary(layer, x):
    cos, sin = angles(layer, WIDTH // HEADS)
    return attention(layer, x, causal, bias=False,
                     on_q=lambda l, q: rotated(l, q, cos, sin, WIDTH // HEADS))


@family()
def partly_rotary(layer, x):
    """GPT-NeoX: four of six features are rotated."""
    cos, sin = angles(layer, 4)
    return attention(layer, x, causal,
                     on_q=lambda l, q: rotated(l, q, cos, sin, 4))


@family(absent=["rope1.ROPE", "ROPE"])
def unequal_halves(layer, x):
    """Two features change places with four: no rotation."""
    cos, sin = angles(layer, WIDTH // HEADS)

    def turn(l, q):
        first, second = l.slice(q, 3, 0, 2), l.slice(q, 3, 2, 4)
        minus = l.unary(second, "%r = arith.negf %a : f32", -second.array)
        return add(l, l.binary("mulf", q, cos, "bhpe", "pe"),
                   l.binary("mulf", l.concat(3, minus, first), sin, "bhpe",
                            "pe"))
    return attention(layer, x, on_q=turn)


#===--- Layers ------------------------------------------------------------===#

@family(names=["NR", "FFN1", "FFN2"])
def parallel(layer, x):
    """GPT-J, PaLM: attention and FFN read one norm, both are added."""
    y = layer.layer_norm(x)
    return add(layer, add(layer, attention(layer, y, causal),
                          feed_forward(layer, y, gelu)), x)


@family(names=["ln1.NR", "ln2.NR", "FFN1", "FFN2"])
def pre_norm(layer, x):
    x = add(layer, x, attention(layer, layer.layer_norm(x)))
    return add(layer, x, feed_forward(layer, layer.layer_norm(x), gelu))


@family(names=["ln1.NR", "ln2.NR", "FFN1", "FFN2"])
def post_norm(layer, x):
    x = layer.layer_norm(add(layer, x, attention(layer, x)))
    return layer.layer_norm(add(layer, x, feed_forward(layer, x, gelu)))


@family(names=["ln1.NR", "ln4.NR", "FFN1"])
def sandwich_norm(layer, x):
    """Before and after, as CogView and Gemma 2."""
    y = layer.layer_norm(attention(layer, layer.layer_norm(x)))
    x = add(layer, x, y)
    y = layer.layer_norm(feed_forward(layer, layer.layer_norm(x), silu))
    return add(layer, x, y)


@family(passes=0, names=["FFN1", "FFN2"])
def geglu(layer, x):
    hidden = layer.binary("mulf", gelu(layer, layer.linear(x, HIDDEN)),
                          layer.linear(x, HIDDEN))
    return layer.linear(hidden, WIDTH)


@family(passes=0)
def clip_ffn(layer, x):
    return feed_forward(layer, x, quick_gelu)


@family(passes=0)
def primer_ffn(layer, x):
    return feed_forward(layer, x, relu_squared)


@family(passes=0, absent=["AR"])
def relu_without_nan(layer, x):
    """x > 0 ? x : 0 is 0 for NaN, which max(x, 0) is not."""
    return feed_forward(layer, x, lambda l, y: l.unary(
        y, "%k = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %a, %k : f32\n"
        "%r = arith.select %c, %a, %k : f32", np.maximum(y.array, 0)))


@family(passes=0, names=["AR"])
def relu_by_comparison(layer, x):
    """0 > x ? 0 : x is max(x, 0)."""
    return feed_forward(layer, x, lambda l, y: l.unary(
        y, "%k = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %k, %a : f32\n"
        "%r = arith.select %c, %k, %a : f32", np.maximum(y.array, 0)))


#===--- Nearly attention --------------------------------------------------===#

def softmax_with(layer, s, extra, array):
    """The denominator has a term that is no key's."""
    top = layer.reduce(s, "maximumf", -np.inf, s.array.max(-1))
    shifted = layer.binary("subf", s, top, "bhpm", "bhp")
    power = layer.unary(shifted, "%r = math.exp %a : f32", np.exp(shifted.array))
    total = layer.reduce(power, "addf", 0.0, power.array.sum(-1))
    total = layer.generic("bhp", [(total, "bhp"), (top, "bhp")] + extra[0],
                          extra[1], total.array + array(top.array))
    return layer.binary("divf", power, total, "bhpm", "bhp")


@family(passes=0, absent=["AV", "RM"])
def softmax_off_by_one(layer, x):
    """exp(s) / (1 + sum exp(s)): no softmax."""
    return attention(layer, x, softmax=lambda l, s: softmax_with(
        l, s, ([], "%n = arith.negf %b : f32\n%e = math.exp %n : f32\n"
               "%r = arith.addf %a, %e : f32"), lambda top: np.exp(-top)))


@family(passes=0, absent=["AV", "RM"])
def attention_sink(layer, x):
    """A logit per head that no key has."""
    sink = layer.argument(HEADS)
    return attention(layer, x, softmax=lambda l, s: softmax_with(
        l, s, ([(sink, "h")], "%n = arith.subf %c, %b : f32\n"
               "%e = math.exp %n : f32\n%r = arith.addf %a, %e : f32"),
        lambda top: np.exp(sink.array[:, None] - top)))


@family(passes=0, absent=["AV", "RM"])
def sigmoid_attention(layer, x):
    return attention(layer, x, softmax=lambda l, s: l.unary(
        s, sigmoid_body(), 1 / (1 + np.exp(-s.array))))


@family(passes=0, absent=["AV", "RM"])
def linear_attention(layer, x):
    """Weights that are scores."""
    return attention(layer, x, softmax=lambda l, s: s)


@family(passes=0, absent=["AV"])
def relu_weights(layer, x):
    """A softmax whose weights lose the small ones after it."""
    def softmax(l, s):
        w = l.softmax(s)
        return l.unary(w, "%k = arith.constant 0.1 : f32\n"
                       "%c = arith.cmpf ogt, %a, %k : f32\n"
                       "%n = arith.constant 0.0 : f32\n"
                       "%r = arith.select %c, %a, %n : f32",
                       np.where(w.array > np.float32(0.1), w.array, 0))
    return attention(layer, x, softmax=softmax)


@family(passes=0, absent=["AV"])
def softmax_over_heads(layer, x):
    def softmax(l, s):
        turned = l.softmax(l.transpose(s, [0, 2, 3, 1]))
        return l.transpose(turned, [0, 3, 1, 2])
    return attention(layer, x, softmax=softmax)


#===--- The test ----------------------------------------------------------===#

def build(name):
    layer, x = new(name)
    with np.errstate(invalid="ignore"):
        result = FAMILIES[name][0](layer, x)
    return layer, layer.module(result), result.array


def check(name):
    _, passes, names, absent, constraints = FAMILIES[name]
    layer, text, expected = build(name)
    raised = tools.optimize(text, "--convert-linalg-to-einsum",
                            "--einsum-normalize")
    left = re.findall(r"\b(?:linalg|tensor)\.\w+", raised)
    found = re.findall(r'map_reduce "([^"]+)"', raised)
    one_pass = sum(bool(re.fullmatch(r"(\w+\.)?AV", n)) for n in found)
    passes_found = sum(bool(re.fullmatch(r"(\w+\.)?RM", n)) for n in found)
    twice = tools.optimize(raised, "--einsum-normalize") == raised
    compiled = program.Program(execute.naive_ir(raised), "-O0")
    result, = compiled.call(program.signature(raised, name),
                            [a.copy() for a in layer.inputs])
    error = execute.greatest_error(result, expected)
    bound = BOUND * max(1.0, float(np.nanmax(np.abs(expected))))
    wrong = []
    if left:
        wrong.append(f"left: {sorted(set(left))}")
    if (one_pass, passes_found) != (passes, passes):
        wrong.append(f"{one_pass} attentions in one pass, not {passes}")
    wrong += [f"no {n}" for n in names if n not in found]
    wrong += [f"{n} is there" for n in absent if n in found]
    domains = re.findall(r"where (.*?) :", raised)
    if constraints not in (None, sum(d.count(" and ") + 1 for d in domains)):
        wrong.append(f"domains {domains}, not {constraints} constraints")
    if not twice:
        wrong.append("changes when normalised again")
    if not error <= bound:
        wrong.append(f"error {error:.1e} of {bound:.1e}")
    print(f"{name}: {len(found)} Einsums, {one_pass} in one pass, error "
          f"{error:.1e}{'' if not wrong else ' WRONG: ' + '; '.join(wrong)}",
          flush=True)
    return not wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--names", default="")
    p.add_argument("--print", dest="shown")
    args = p.parse_args()
    if args.shown:
        print(build(args.shown)[1])
        return 0
    names = args.names.split(",") if args.names else FAMILIES
    results = [check(name) for name in names]
    print(f"{sum(results)} of {len(results)} families are as expected")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
