# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small program for each op of linalg and tensor, with what NumPy says of it in
RAISED, or with the error that refuses it in REFUSED. Every function is called
@f; a name is that of the op, and a variant after a space."""

RAISED, REFUSED = {}, {}


class Case:
    def __init__(self, text, types, reference):
        self.text, self.types, self.reference = text, types, reference


def kind(shape, element="f32"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def case(name, arguments, result, lines, reference=None, error=None):
    """`arguments`: types of %a, %b, ...; `lines` define %r. `reference` takes
    arrays in double precision."""
    assert name not in RAISED and name not in REFUSED, name
    given = ", ".join(f"%{chr(97 + i)}: {t}" for i, t in enumerate(arguments))
    text = (f"func.func @f({given}) -> {result} {{\n{lines}\n"
            f"  return %r : {result}\n}}\n")
    if error:
        REFUSED[name] = (text, error)
    else:
        RAISED[name] = Case(text, arguments, reference)


def start(result, value=None):
    """%e, of one value or of none."""
    element = result[:-1].split("x")[-1].split("<")[-1]
    empty = f"tensor.empty() : {result}\n"
    if value is None:
        return "  %e = " + empty
    return (f"  %e0 = {empty}  %ez = arith.constant {value} : {element}\n"
            f"  %e = linalg.fill ins(%ez : {element}) outs(%e0 : {result}) -> "
            f"{result}\n")


def named(op, arguments, result, reference, value=None, attributes="",
          variant="", before="", operands=None, more="", **refused):
    """linalg.op attributes ins(...) outs(%e); `more`: types of operands that
    are no arguments; `before` defines them."""
    names = operands or ", ".join(f"%{chr(97 + i)}"
                                  for i in range(len(arguments)))
    types = ", ".join(arguments) + more
    case(f"linalg.{op}{variant and ' ' + variant}", arguments, result,
         start(result, value) + before +
         f"  %r = linalg.{op} {attributes} ins({names} : {types}) outs(%e : "
         f"{result}) -> {result}", reference, **refused)


A, B = kind((3, 5)), kind((3, 5), "i32")
ZERO_POINTS = ("  %za = arith.constant 3 : i32\n"
               "  %zb = arith.constant -2 : i32\n")
