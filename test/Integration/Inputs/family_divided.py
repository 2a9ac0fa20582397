# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention whose division comes after the product with the values (by hand, as
FlashAttention has it), and what is nearly that."""

import numpy as np
from family_parts import (HEADS, WIDTH, causal, family, positions, repeat,
                          scores)

SIZE = WIDTH // HEADS
ABC = "bhpm"


def constant(name, value):
    return f"%{name} = arith.constant {value} : f32\n"


def row_maximum(layer, s, finite=False):
    top = layer.reduce(s, "maximumf", -np.inf, s.array.max(-1))
    if not finite:
        return top
    return layer.unary(top, constant("l", "0xFF800000") + constant("k", "0.0") +
                       "%c = arith.cmpf oeq, %a, %l : f32\n"
                       "%r = arith.select %c, %k, %a : f32",
                       np.where(np.isneginf(top.array), 0, top.array))


def rounded(layer, x):
    """To bf16 and back; half of a last place goes up."""
    bits = x.array.astype(np.float32).view(np.uint32) + np.uint32(0x8000)
    array = (bits & np.uint32(0xFFFF0000)).view(np.float32)
    return layer.unary(x, "%n = arith.truncf %a : f32 to bf16\n"
                       "%r = arith.extf %n : bf16 to f32", array.astype(float))


def attend(layer, x, change=causal, late=True, subtract=True, finite=False,
           floor=None, guard=None, key_heads=HEADS, reciprocal=False,
           weigh=None, total=None, around_maximum=lambda layer, top: top,
           around_sums=lambda layer, o: o):
    q = layer.heads(layer.linear(x, WIDTH), HEADS)
    k, v = (layer.heads(layer.linear(x, key_heads * SIZE), key_heads)
            for _ in "kv")
    if key_heads != HEADS:
        k, v = repeat(layer, k), repeat(layer, v)
    s = change(layer, layer.scale(scores(layer, q, k), SIZE**-0.5))
    t = s
    if subtract:
        top = around_maximum(layer, row_maximum(layer, s, finite))
        t = layer.binary("subf", s, top, ABC, "bhp")
    e = layer.unary(t, "%r = math.exp %a : f32", np.exp(t.array))
    z = total(layer, s, e) if total else \
        layer.reduce(e, "addf", 0.0, e.array.sum(-1))
    if floor:
        z = layer.unary(z, *floor(z.array))
    if reciprocal:
        z = layer.unary(z, constant("k", "1.0") + "%r = arith.divf %k, %a : f32",
                        1 / z.array)
    divide = "mulf" if reciprocal else "divf"
    if weigh:
        e = weigh(layer, e)
    w = e if late else layer.binary(divide, e, z, ABC, "bhp")
    o = layer.split(layer.batch_matmul(layer.merge(w, 0, 1),
                                       layer.merge(v, 0, 1)),
                    0, x.array.shape[0], HEADS)
    if late:
        o = layer.binary(divide, around_sums(layer, o), z, "bhpe", "bhp")
    if guard:
        o = guard(layer, s, o)
    o = layer.merge(layer.transpose(o, [0, 2, 1, 3]), 2, 3)
    return layer.linear(o, WIDTH)


def plus(epsilon):
    value = np.float32(epsilon)
    return lambda z: (constant("k", f"{value:.9e}") +
                      "%r = arith.addf %a, %k : f32", z + float(value))


def one_where_zero(z):
    return (constant("k", "0.0") + constant("o", "1.0") +
            "%c = arith.cmpf oeq, %a, %k : f32\n"
            "%r = arith.select %c, %o, %a : f32", np.where(z == 0, 1, z))


def far_keys(layer, s):
    """Keys that are at least 4 behind: the first queries have none."""
    p, m = positions(*s.array.shape[2:])
    return layer.generic(
        ABC, [(s, ABC)], "%p = linalg.index 2 : index\n"
        "%m = linalg.index 3 : index\n%f = arith.constant 4 : index\n"
        "%l = arith.addi %m, %f : index\n%c = arith.cmpi sle, %l, %p : index\n"
        + constant("n", "0xFF800000") + "%r = arith.select %c, %a, %n : f32",
        np.where(m + 4 <= p, s.array, -np.inf))


def zero_without_keys(layer, s, o, equal=-np.inf, text="0xFF800000"):
    """o, but 0 where the maximum of a row is -inf."""
    top = layer.reduce(s, "maximumf", -np.inf, s.array.max(-1))
    return layer.generic(
        "bhpe", [(o, "bhpe"), (top, "bhp")], constant("l", text) +
        constant("k", "0.0") + "%c = arith.cmpf oeq, %b, %l : f32\n"
        "%r = arith.select %c, %k, %a : f32",
        np.where(top.array[..., None] == equal, 0, o.array))


@family(names=["QK"], scheduled=False)
def divided_first(layer, x):
    return attend(layer, x, late=False)


@family(names=["QK"], like="divided_first")
def divided_last(layer, x):
    return attend(layer, x)


@family(names=["QK"], like="divided_first")
def divided_last_by_a_product(layer, x):
    return attend(layer, x, reciprocal=True)


@family(names=["QK"], like="divided_first")
def divided_last_unsubtracted(layer, x):
    return attend(layer, x, subtract=False)


@family(names=["QK"], like="divided_first")
def divided_last_plus_nothing(layer, x):
    """Of 1 and more, what is added is rounded off."""
    return attend(layer, x, floor=plus(1e-9))


@family(names=["QK"], scheduled=False)
def grouped_divided_first(layer, x):
    return attend(layer, x, late=False, key_heads=2)


@family(names=["QK"], like="grouped_divided_first")
def grouped_divided_last(layer, x):
    return attend(layer, x, key_heads=2)


@family(names=["QK", "RDG"])
def guarded_divided_first(layer, x):
    return attend(layer, x, far_keys, late=False, finite=True,
                  floor=one_where_zero)


@family(names=["QK", "RDG"], like="guarded_divided_first")
def guarded_divided_last(layer, x):
    return attend(layer, x, far_keys, finite=True, floor=one_where_zero)


@family(names=["QK", "RDG"], like="guarded_divided_first")
def guarded_divided_last_plus_nothing(layer, x):
    """0 / 1e-9 is 0: a guard."""
    return attend(layer, x, far_keys, finite=True, floor=plus(1e-9))


@family(names=["QK", "RDG"], like="guarded_divided_first")
def guarded_after_divided_last(layer, x):
    return attend(layer, x, far_keys, guard=zero_without_keys)


@family(names=["QK"], absent=["RDG"], scheduled=False)
def finite_maximum_divided_last(layer, x):
    """0 / 0 where the others have NaN."""
    return attend(layer, x, far_keys, finite=True)


#===--- Nearly ------------------------------------------------------------===#


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def divided_by_other_axis(layer, x):
    """The sum over the queries."""
    def total(l, s, e):
        turned = l.transpose(e, [0, 1, 3, 2])
        return l.reduce(turned, "addf", 0.0, turned.array.sum(-1))
    return attend(layer, x, total=total)


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def divided_by_sum_of_others(layer, x):
    """Of exponentials of the scores, less no maximum."""
    def total(l, s, e):
        y = l.unary(s, "%r = math.exp %a : f32", np.exp(s.array))
        return l.reduce(y, "addf", 0.0, y.array.sum(-1))
    return attend(layer, x, total=total)


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def divided_by_sum_of_squares(layer, x):
    def total(l, s, e):
        y = l.binary("mulf", e, e)
        return l.reduce(y, "addf", 0.0, y.array.sum(-1))
    return attend(layer, x, total=total)


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def divided_by_sum_and_more(layer, x):
    return attend(layer, x, floor=plus(1e-3))


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def divided_by_sum_and_little_unsubtracted(layer, x):
    """The sum may be as small as what is added."""
    return attend(layer, x, subtract=False, floor=plus(1e-9))


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def divided_by_one_at_least_of_rounded(layer, x):
    """A maximum that is rounded up makes the sum less than 1."""
    return attend(layer, x, lambda l, s: causal(l, l.scale(s, 6)),
                  around_maximum=rounded, floor=lambda z: (
                      constant("k", "1.0") + "%r = arith.maximumf %a, %k : f32",
                      np.maximum(z, 1)))


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def divided_by_one_where_zero_unsubtracted(layer, x):
    """Exponentials may all be 0 where no score is -inf."""
    return attend(layer, x, subtract=False, floor=one_where_zero)


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def rounded_before_it_is_divided(layer, x):
    return attend(layer, x, around_sums=rounded)


@family(passes=0, absent=["AV", "RM"], scheduled=False)
def weights_changed_before_values(layer, x):
    """Divided by the sum of what they were."""
    return attend(layer, x, weigh=lambda l, e: l.binary("mulf", e, e))


@family(passes=0, absent=["AV"], scheduled=False)
def guarded_by_another_number(layer, x):
    """0 where the maximum is 1, which is needed then."""
    return attend(layer, x, guard=lambda l, s, o: zero_without_keys(
        l, s, o, equal=1.0, text="1.0"))
