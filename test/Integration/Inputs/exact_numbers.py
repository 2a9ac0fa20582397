# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose results no rounding may change: what a floor, a comparison or
a conversion to integers depends on, through other Einsums, at every multiple
below 1008 of the divisor; and maxima that ignore NaN, of nothing but NaN. Equal
to NumPy in f32 to the last bit: the program as it is, raised, normalised, and
scheduled.

    exact_numbers.py MACHINE
"""

import re
import sys

import numpy as np
from exported_masks import Linalg, kind

from transfusion import execute, program, tools

F32 = np.float32
P, M = 48, 21  # 0 to 1007
X = np.arange(P * M, dtype=F32).reshape(P, M)
NAN, INF = F32("nan"), F32("inf")
CASES = []


class Case:
    def __init__(self, name, inputs, write, expected):
        self.name, self.inputs, self.expected = name, inputs, expected
        f = Linalg()
        names = [f"%a{i}" for i in range(len(inputs))]
        types = [kind(*x.shape) for x in inputs]
        f.types.update(zip(names, types))
        results = write(f, *names)
        kinds = [f.types[r] for r in results]
        self.text = (
            f"func.func @{name}({', '.join(map(': '.join, zip(names, types)))})"
            f" -> ({', '.join(kinds)}) {{\n" + "\n".join(f.lines) +
            f"\n  return {', '.join(results)} : {', '.join(kinds)}\n}}\n")


def case(name, inputs, expected):
    """Decorator of what writes the function."""
    return lambda write: CASES.append(Case(name, inputs, write, expected))


def const(name, value):
    return f"%{name} = arith.constant {float(value):.9e} : f32\n"


def point(f, body, *reads, element="f32"):
    return f.generic(kind(P, M, element=element), "p,m",
                     [(r, "p,m") for r in reads], body)


def over(f, body, *reads, start="0.0"):
    """Reduced over m."""
    return f.generic(kind(P), "p,m", [(r, "p,m") for r in reads], body, "p",
                     start, "m")


def divide(c):
    return const("c", c) + "%r = arith.divf %x0, %c : f32"


def times(c):
    return const("c", c) + "%r = arith.mulf %x0, %c : f32"


FLOOR = "%r = math.floor %x0 : f32"
ADD = "%r = arith.addf %x0, %o : f32"
#: Values that only a jump tells from what is nearly equal.
for by in (3, 7, 41, 49):
    q = X / F32(by)

    @case(f"floor_of_quotient_by_{by}", [X], [q, np.floor(q)])
    def _(f, x):
        y = point(f, divide(by), x)
        return y, point(f, FLOOR, y)

    @case(f"ceil_of_quotient_by_{by}_and_more", [X, X],
          [q, np.ceil((q + X) * F32(2))])
    def _(f, x, y):
        a = point(f, divide(by), x)
        b = point(f, "%r = arith.addf %x0, %x1 : f32", a, y)
        return a, point(f, times(2).replace("%r", "%s") +
                        "\n%r = math.ceil %s : f32", b)

    steps = np.clip(np.rint(q) + F32(3), -5, 12)

    @case(f"clamped_steps_of_{by}", [X], [steps])
    def _(f, x):
        y = point(f, divide(by), x)
        y = point(f, "%r = math.roundeven %x0 : f32", y)
        return point(f, const("l", -5) + const("h", 12) + const("z", 3) +
                     "%s = arith.addf %x0, %z : f32\n"
                     "%t = arith.maximumf %s, %l : f32\n"
                     "%r = arith.minimumf %t, %h : f32", y),

    @case(f"integers_of_{by}_in_two_quotients", [X],
          [((X / F32(by)) / F32(3)).astype(np.int32)])
    def _(f, x):
        y = point(f, divide(3), point(f, divide(by), x))
        return point(f, "%r = arith.fptosi %x0 : f32 to i32", y,
                     element="i32"),

    third = F32(1) / F32(by)

    @case(f"remainder_of_products_by_{by}", [X],
          [np.fmod(X * third * F32(by), F32(1))])
    def _(f, x):
        y = point(f, times(by), point(f, times(third), x))
        return point(f, const("i", 1) +
                     "%r = arith.remf %x0, %i : f32", y),

    @case(f"comparison_of_quotient_by_{by}", [X],
          [np.where(q >= F32(2), X, -X)])
    def _(f, x):
        y = point(f, divide(by), x)
        return point(f, const("t", 2) + "%c = arith.cmpf oge, %x0, %t : f32\n"
                     "%n = arith.negf %x1 : f32\n"
                     "%r = arith.select %c, %x1, %n : f32", y, x),

    total = np.add.accumulate(q, 1, dtype=F32)[:, -1]

    @case(f"floor_of_sum_of_quotients_by_{by}", [X], [np.floor(total)])
    def _(f, x):
        y = over(f, ADD, point(f, divide(by), x))
        return f.generic(kind(P), "p", [(y, "p")], FLOOR),

    mean = np.add.accumulate(X, 1, dtype=F32)[:, -1] / F32(by)

    @case(f"floor_of_quotient_of_sum_by_{by}", [X], [mean, np.floor(mean)])
    def _(f, x):
        y = over(f, ADD, x)
        y = f.generic(kind(P), "p", [(y, "p")], divide(by))
        return y, f.generic(kind(P), "p", [(y, "p")], FLOOR)

    weights = np.tile(F32([1, 2, 4]), (P, M // 3))
    dot = np.add.accumulate(q * weights, 1, dtype=F32)[:, -1]

    @case(f"floor_of_contraction_of_quotients_by_{by}", [X, weights],
          [np.floor(dot)])
    def _(f, x, w):
        y = over(f, "%s = arith.mulf %x0, %x1 : f32\n"
                 "%r = arith.addf %s, %o : f32", point(f, divide(by), x), w)
        return f.generic(kind(P), "p", [(y, "p")], FLOOR),

    # Behind a function that no exact number comes out of, but for exp(0).
    @case(f"floor_of_quotient_by_{by}_of_exponentials", [X, 0 * X],
          [q, np.floor(q)])
    def _(f, x, z):
        e = point(f, "%r = math.exp %x0 : f32", z)
        y = point(f, divide(by), point(f, "%r = arith.mulf %x0, %x1 : f32", x,
                                       e))
        return y, point(f, FLOOR, y)


# ----------------------------------------------------------- maxima of no NaN

R = np.arange(P * M, dtype=F32).reshape(P, M) % 17 - 8
R[1] = NAN
R[2, ::2] = NAN
R[3] = -INF
R[4] = INF
R[5] = NAN
R[5, 7] = -INF
R[6, :-1] = NAN
R[7, 3:] = INF


def named(op):
    """maxnumf over `axis` of all that is a number, from an initial value."""
    def reduced(x, axis, initial):
        best = np.fmax if op == "maxnumf" else np.fmin
        return best(best.reduce(x, axis), initial).astype(F32)
    return reduced


#: As in text, and in NumPy.
STARTS = {"nan": ("0x7FC00000", NAN), "low": ("0xFF800000", -INF),
          "high": ("0x7F800000", INF), "two": ("2.0", F32(2))}
for op in ("maxnumf", "minnumf"):
    for word, (text, initial) in STARTS.items():
        of = named(op)
        ONE = f"%r = arith.{op} %x0, %o : f32"

        @case(f"{op}_from_{word}", [R], [of(R, 1, initial)])
        def _(f, x):
            return over(f, ONE, x, start=text),

        @case(f"{op}_from_{word}_of_two", [R, R[::-1].copy()],
              [of(np.stack([R, R[::-1]]), (0, 2), initial)])
        def _(f, x, y):
            return over(f, f"%s = arith.{op} %o, %x0 : f32\n"
                        f"%r = arith.{op} %x1, %s : f32", x, y, start=text),

        cube = R.reshape(12, 4, M)
        cube = np.concatenate([cube, np.full_like(cube[:1], NAN)])

        @case(f"{op}_from_{word}_over_two_axes", [cube],
              [of(cube, (1, 2), initial)])
        def _(f, x):
            return f.generic(kind(13), "p,n,m", [(x, "p,n,m")], ONE, "p", text,
                             "n,m"),

        @case(f"{op}_from_{word}_of_one", [R[:, :1].copy()],
              [of(R[:, :1], 1, initial)])
        def _(f, x):
            return f.generic(kind(P), "p,m", [(x, "p,m")], ONE, "p", text,
                             "m"),

    start = R[::-1, 2].copy()
    start[1] = NAN

    @case(f"{op}_from_data", [R, start], [named(op)(R, 1, start)])
    def _(f, x, s):
        out = f.types[s]
        return f.define(out, f"linalg.reduce {{ arith.{op} }} ins({x} : "
                        f"{f.types[x]}) outs({s} : {out}) dimensions = [1]"),

    @case(f"{op}_by_select_from_data", [R, start],
          [np.where(np.isnan(start), NAN, named(op)(R, 1, start))])
    def _(f, x, s):
        # An accumulator that is NaN is never compared with success.
        out = f.types[s]
        less = "ogt" if op == "maxnumf" else "olt"
        return f.define(out, f"linalg.reduce ins({x} : {f.types[x]}) outs({s} : "
                        f"{out}) dimensions = [1] (%x: f32, %o: f32) {{\n"
                        f"  %c = arith.cmpf {less}, %x, %o : f32\n"
                        "  %r = arith.select %c, %x, %o : f32\n"
                        "  linalg.yield %r : f32\n}"),

    @case(f"{op}_by_select_of_two", [R[:, 2].copy(), start],
          [np.where(np.isnan(start), NAN,
                    named(op)(R[:, 2:3], 1, start))])
    def _(f, x, s):
        out = f.types[s]
        less = "ogt" if op == "maxnumf" else "olt"
        return f.define(
            out, "linalg.generic {indexing_maps = [affine_map<(p) -> (p)>, "
            "affine_map<(p) -> (p)>], iterator_types = [\"parallel\"]} "
            f"ins({x} : {out}) outs({s} : {out}) {{\n"
            "^bb0(%x: f32, %o: f32):\n"
            f"  %c = arith.cmpf {less}, %x, %o : f32\n"
            "  %r = arith.select %c, %x, %o : f32\n"
            f"  linalg.yield %r : f32\n}} -> {out}"),


def same(result, expected):
    return np.array_equal(result, expected,
                          equal_nan=expected.dtype.kind == "f")


def main(machine):
    source = tools.optimize("".join(c.text for c in CASES))
    raised = tools.optimize(source, "--convert-linalg-to-einsum")
    normal = tools.optimize(raised, "--einsum-normalize")
    scheduled = tools.optimize(
        source, f"--transfusion=arch={machine} evaluations=8")
    paths = {name: program.Program(execute.naive_ir(text), "-O0")
             for name, text in (("as it is", source), ("raised", raised),
                                ("normalised", normal))}
    paths[machine] = program.Program(
        execute.scheduled_ir(execute.emit(scheduled)), "-O0")
    right = 0
    again = tools.optimize(normal, "--einsum-normalize")
    for case in CASES:
        wrong = []
        for path, compiled in paths.items():
            results = compiled.call(program.signature(source, case.name),
                                    [x.copy() for x in case.inputs])
            count = sum(not same(*pair)
                        for pair in zip(results, case.expected, strict=True))
            if count:
                wrong.append(path)
        if wrong:
            print(f"{case.name}: WRONG {', '.join(wrong)}")
        right += not wrong
    print(f"{right} of {len(CASES)} programs are exact")
    print("twice is once" if again == normal else "normal again is another")
    return right != len(CASES)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
