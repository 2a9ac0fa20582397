# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that somebody may type: legal but unusual ones in GOOD, by name, and
in BAD those that an error must refuse, with what the error says and the pass
that says it ("raise" or "schedule"). Every function is called @f."""

import re

GOOD, BAD = {}, {}

MAPS = {"#i": "affine_map<(i) -> (i)>", "#ij": "affine_map<(i, j) -> (i, j)>",
        "#ji": "affine_map<(i, j) -> (j, i)>", "#r": "affine_map<(i, j) -> (i)>",
        "#c": "affine_map<(i, j) -> (j)>"}


def add(name, text, error=None, stage="raise"):
    assert name not in GOOD and name not in BAD, name
    text = re.sub(r"#(?:ij|ji|i|r|c)\b", lambda m: MAPS[m.group(0)], text)
    if error:
        BAD[name] = (text, stage, error)
    else:
        GOOD[name] = text


def function(name, arguments, result, lines, **expected):
    """`lines` define %r."""
    add(name, f"func.func @f({arguments}) -> {result} {{\n{lines}\n"
              f"  return %r : {result}\n}}\n", **expected)


def element_of(kind):
    return re.fullmatch(r"tensor<(?:\d+x)*(.*)>", kind).group(1)


def empty(kind):
    return f"  %e = tensor.empty() : {kind}\n"


def filled(kind, value="0.0"):
    element = element_of(kind)
    return (f"  %z = arith.constant {value} : {element}\n"
            f"  %s = tensor.empty() : {kind}\n"
            f"  %e = linalg.fill ins(%z : {element}) outs(%s : {kind}) "
            f"-> {kind}\n")


def generic(name, inputs, kind, maps, iterators, body, start=empty,
            arguments=None, **expected):
    """`inputs`: types; `iterators`: "pr"; `body` over %x0, ..., %o gives %y."""
    words = {"p": "parallel", "r": "reduction", "w": "window"}
    element = element_of(kind)
    scalars = ", ".join(f"%x{i}: {element_of(t)}" for i, t in enumerate(inputs))
    given = ", ".join(f"%a{i}: {t}" for i, t in enumerate(inputs))
    names = ", ".join(f"%a{i}" for i in range(len(inputs)))
    loops = ", ".join(f'"{words[i]}"' for i in iterators)
    function(
        name, arguments or given, kind,
        f"{start(kind)}  %r = linalg.generic {{indexing_maps = [{maps}], "
        f"iterator_types = [{loops}]}} ins({names} : {', '.join(inputs)}) "
        f"outs(%e : {kind}) {{\n  ^bb0({scalars}, %o: {element}):\n"
        f"    {body}\n    linalg.yield %y : {element}\n  }} -> {kind}",
        **expected)


def scalar(name, body, element="f32", inputs=1, result=None, n=8, **expected):
    generic(name, [f"tensor<{n}x{element}>"] * inputs,
            f"tensor<{n}x{result or element}>", ", ".join(["#i"] * (inputs + 1)),
            "p", body, **expected)


def then_exp(value, kind):
    return (f"  %last = tensor.empty() : {kind}\n  %r = linalg.exp "
            f"ins({value} : {kind}) outs(%last : {kind}) -> {kind}")


def pad(source, target, low, high, value="%c"):
    names = ", ".join(f"%i{i}: index" for i in range(low.count(",") + 1))
    return (f"  %c = arith.constant 1.5 : f32\n  %p = tensor.pad %a low[{low}] "
            f"high[{high}] {{\n  ^bb0({names}):\n    tensor.yield {value} : f32"
            f"\n  }} : {source} to {target}\n")


# Scalar functions, types, constants.
for op in ("absf cbrt ceil cos cosh erf erfc exp exp2 expm1 floor log log10 "
           "log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh "
           "trunc").split():
    scalar(f"math.{op}", f"%y = math.{op} %x0 : f32")
for op in "acos acosh asin asinh atan atanh".split():
    scalar(f"math.{op}", f"%y = math.{op} %x0 : f32", stage="schedule",
           error=f"'math.{op}' op is in no class of operations")
for op in "copysign powf".split():
    scalar(f"math.{op}", f"%y = math.{op} %x0, %x1 : f32", inputs=2)
scalar("math.fma", "%y = math.fma %x0, %x1, %x0 : f32", inputs=2)
scalar("math.fpowi", "%c = arith.constant -2 : i32\n"
       "    %y = math.fpowi %x0, %c : f32, i32")
scalar("math.fpowi of a value", "%c = arith.fptosi %x1 : f32 to i32\n"
       "    %y = math.fpowi %x0, %c : f32, i32", inputs=2)
scalar("math.clampf", "%c = arith.constant 0.0 : f32\n"
       "    %d = arith.constant 6.0 : f32\n"
       "    %y = math.clampf %x0 to [%c, %d] : f32")
scalar("math.isnan", "%c = math.isnan %x0 : f32\n"
       "    %y = arith.select %c, %x1, %x0 : f32", inputs=2)
scalar("remf", "%y = arith.remf %x0, %x1 : f32", inputs=2)
scalar("f16", "%y = math.exp %x0 : f16", element="f16")
scalar("i32", "%y = arith.muli %x0, %x0 : i32", element="i32")
scalar("i64", "%y = arith.divsi %x0, %x1 : i64", element="i64", inputs=2)
scalar("i1", "%y = arith.xori %x0, %x1 : i1", element="i1", inputs=2)
scalar("comparison", "%y = arith.cmpf ogt, %x0, %x1 : f32", inputs=2,
       result="i1")
scalar("float of int", "%y = arith.sitofp %x0 : i64 to f32", element="i64",
       result="f32")
scalar("index as value", "%c = linalg.index 0 : index\n"
       "    %y = arith.index_cast %c : index to i64", result="i64")
scalar("f64 inside", "%c = arith.extf %x0 : f32 to f64\n"
       "    %d = math.exp %c : f64\n    %y = arith.truncf %d : f64 to f32")
scalar("NaN", "%c = arith.constant 0x7FC00000 : f32\n"
       "    %y = arith.addf %x0, %c : f32")
scalar("constant beyond f32", "%c = arith.constant 1.0e300 : f64\n"
       "    %d = arith.truncf %c : f64 to f32\n    %y = arith.addf %x0, %d : f32")
scalar("division by zero", "%c = arith.constant 0.0 : f32\n"
       "    %y = arith.divf %x0, %c : f32")
scalar("f64", "%y = math.exp %x0 : f64", element="f64", error="has f64 on the "
       "border of the cascade, and Einsums have no f64; convert it to f32")
for kind in "f80 f8E4M3FN i4 i16 si32 ui8 index complex<f32>".split():
    scalar(kind, "%y = builtin.unrealized_conversion_cast %x0 : "
           f"{kind} to {kind}", element=kind,
           error=f"has elements of type {kind}; f16, bf16, f32, i1, i8, i32 "
           "and i64 can be raised")
scalar("complex inside", "%c = complex.create %x0, %x0 : complex<f32>\n"
       "    %y = complex.abs %c : complex<f32>",
       error="its body computes with 'complex.create'")
scalar("two results", "%c, %y = arith.mulsi_extended %x0, %x0 : i32",
       element="i32", error="its body computes with 'arith.mulsi_extended'")
scalar("branch", "%c = arith.constant true\n    %y = scf.if %c -> f32 {\n"
       "      scf.yield %x0 : f32\n    } else {\n      scf.yield %o : f32\n    }",
       error="its body computes with 'scf.if'")
scalar("undefined", "%y = arith.addf %x0, %o : f32",
       error="it accumulates into 'tensor.empty', whose values are undefined")
scalar("too long", "%y = math.exp %x0 : f32", n=2**62, stage="schedule",
       error="has more than 2^63 bits")

# Maps.
EXP = "%y = math.exp %x0 : f32"
SUM = "%y = arith.addf %x0, %o : f32"
V, W, Q = "tensor<8xf32>", "tensor<4xf32>", "tensor<3x5xf32>"
# No tensor holds an index, wherever it is made.
for name, cast in (("index", "index_cast %x1 : i64 to index"),
                   ("i16", "trunci %x1 : i64 to i16")):
    generic(f"a length that is data, as {name}", [Q, "tensor<3xi64>"], Q,
            "#ij, #r, #ij", "pp", "%i = linalg.index 1 : index\n"
            f"    %n = arith.{cast}\n" +
            ("    %j = arith.index_cast %i : index to i16\n"
             if name == "i16" else "    %j = arith.addi %i, %i : index\n") +
            f"    %c = arith.cmpi slt, %j, %n : {name}\n"
            "    %z = arith.constant -1.0 : f32\n"
            "    %y = arith.select %c, %x0, %z : f32")
generic("transposed", ["tensor<5x3xf32>"], Q, "#ji, #ij", "pp", EXP)
generic("written transposed", [Q], "tensor<5x3xf32>", "#ij, #ji", "pp", EXP)
generic("diagonal", ["tensor<8x8xf32>"], V, "affine_map<(i) -> (i, i)>, #i",
        "p", EXP)
generic("reversed", [V], V, "affine_map<(i) -> (7 - i)>, #i", "p", EXP)
generic("constant index", [V], V, "affine_map<(i) -> (3)>, #i", "p", EXP)
generic("quotient", [W], V, "affine_map<(i) -> (i floordiv 2)>, #i", "p", EXP)
generic("remainder", [W], V, "affine_map<(i) -> (i mod 4)>, #i", "p", EXP)
generic("quotient and remainder", ["tensor<2x4xf32>"], V,
        "affine_map<(i) -> (i floordiv 4, i mod 4)>, #i", "p", EXP)
generic("ragged quotient", ["tensor<3xf32>"], V,
        "affine_map<(i) -> (i floordiv 3)>, #i", "p", EXP, stage="schedule",
        error="has an access that is no sum of multiples of ranks")
MAC = "%t = arith.mulf %x0, %x1 : f32\n    %y = arith.addf %t, %o : f32"
generic("convolution", ["tensor<17xf32>", "tensor<3xf32>"], V,
        "affine_map<(i, j) -> (i * 2 + j)>, #c, #r", "pr", MAC, start=filled)
generic("triangle", ["tensor<5xf32>"], "tensor<4xf32>", "#c, #r", "pr",
        "%p = linalg.index 0 : index\n    %m = linalg.index 1 : index\n"
        "    %c = arith.cmpi sle, %m, %p : index\n"
        "    %n = arith.constant 0.0 : f32\n"
        "    %t = arith.select %c, %x0, %n : f32\n"
        "    %y = arith.addf %t, %o : f32", start=filled)
generic("written with gaps", [W], V, "#i, affine_map<(i) -> (i * 2)>", "p", EXP,
        error="writes dimension 0 of its result at an index that is not a loop of its own")
generic("last value", [Q], "tensor<3xf32>", "#ij, #r", "pr", EXP,
        error="its result keeps only the last value of a loop")
generic("ten ranks", ["tensor<" + "2x" * 10 + "f32>"],
        "tensor<" + "2x" * 10 + "f32>", ", ".join(
            "affine_map<(a,b,c,d,e,f,g,h,i,j) -> (" + ",".join(letters) + ")>"
            for letters in ("abcdefghij", "jihgfedcba")), "p" * 10, EXP)

# Reductions.
generic("sum of all", [Q], "tensor<f32>",
        "#ij, affine_map<(i, j) -> ()>", "rr", SUM, start=filled)
for name, body in (("differences", "arith.subf %o, %x0"),
                   ("minimum", "arith.minimumf %x0, %o"),
                   ("product", "arith.mulf %x0, %o")):
    generic(name, [Q], "tensor<3xf32>", "#ij, #r", "pr", f"%y = {body} : f32",
            start=lambda kind: filled(kind, "2.0"))
for name, body in (("alternating", "%y = arith.subf %x0, %o : f32"),
                   ("divided", "%y = arith.divf %o, %x0 : f32"),
                   ("squared", "%y = arith.mulf %o, %o : f32"),
                   ("sum of twice", "%t = arith.addf %o, %x0 : f32\n"
                    "    %y = arith.addf %t, %o : f32"),
                   ("sum and maximum", "%t = arith.addf %o, %x0 : f32\n"
                    "    %y = arith.maximumf %t, %x0 : f32")):
    generic(name, [Q], "tensor<3xf32>", "#ij, #r", "pr", body, start=filled,
            error="its body does not accumulate by a sum, product, maximum")

# Without a rank, or with ranks of 1.
function("no rank", "%a: tensor<f32>", "tensor<f32>",
         then_exp("%a", "tensor<f32>"))
function("ranks of 1", "%a: tensor<1x1xf32>", "tensor<1x1xf32>",
         then_exp("%a", "tensor<1x1xf32>"))

# Padding, insertion, slices, reshapes.
A, P9, R = "tensor<5x6xf32>", "tensor<9x8xf32>", "tensor<3x4xf32>"
function("padded", f"%a: {V}", "tensor<12xf32>",
         pad(V, "tensor<12xf32>", "1", "3") + then_exp("%p", "tensor<12xf32>"))
function("padded twice", f"%a: {A}", P9,
         pad(A, P9, "1, 2", "3, 0") + then_exp("%p", P9))
function("padded by nothing", f"%a: {V}", V,
         pad(V, V, "0", "0") + then_exp("%p", V))
function("padded by a function", f"%a: {V}", "tensor<12xf32>",
         pad(V, "tensor<12xf32>", "1", "3", "%v").replace(
             "    tensor.yield", "    %j = arith.index_cast %i0 : index to i32\n"
             "    %v = arith.sitofp %j : i32 to f32\n    tensor.yield") +
         then_exp("%p", "tensor<12xf32>"),
         error="pads with a value that is not constant")
INTO = f"%a: {R}, %b: {P9}"
for name, where in (("inserted", "[2, 3] [3, 4] [1, 1]"),
                    ("inserted in a corner", "[0, 4] [3, 4] [1, 1]"),
                    ("inserted at the end", "[6, 0] [3, 4] [1, 1]")):
    function(name, INTO, P9, f"  %p = tensor.insert_slice %a into %b{where} : "
             f"{R} into {P9}\n" + then_exp("%p", P9))
function("inserted row", f"%a: {W}, %b: {P9}", P9,
         f"  %r = tensor.insert_slice %a into %b[2, 3] [1, 4] [1, 1] : {W} into "
         + P9)
function("inserted into zeros", f"%a: {R}", P9,
         f"  %b = arith.constant dense<0.0> : {P9}\n  %r = tensor.insert_slice "
         f"%a into %b[2, 3] [3, 4] [1, 1] : {R} into {P9}")
function("inserted with strides", INTO, P9, "  %r = tensor.insert_slice %a into "
         f"%b[1, 0] [3, 4] [2, 2] : {R} into {P9}")
function("sliced with strides", f"%a: {P9}", "tensor<4x4xf32>",
         f"  %p = tensor.extract_slice %a[1, 0] [4, 4] [2, 2] : {P9} to "
         "tensor<4x4xf32>\n" + then_exp("%p", "tensor<4x4xf32>"))
function("returned slice", f"%a: {V}", W,
         f"  %r = tensor.extract_slice %a[2] [4] [1] : {V} to {W}")
for at in (0, 2):
    function(f"returned slice of a value, from {at}", f"%a: {V}", W,
             then_exp("%a", V).replace("%r", "%p") +
             f"\n  %r = tensor.extract_slice %p[{at}] [4] [1] : {V} to {W}")
for name, lines in (("reshaped argument", ""),
                    ("reshaped value", then_exp("%a", "tensor<4x6xf32>")
                     .replace("%r", "%x").replace("%last", "%first") + "\n")):
    function(name, "%a: tensor<4x6xf32>", "tensor<3x8xf32>",
             lines + f"  %t = tensor.collapse_shape {'%x' if lines else '%a'} "
             "[[0, 1]] : tensor<4x6xf32> into tensor<24xf32>\n"
             "  %u = tensor.expand_shape %t [[0, 1]] output_shape [3, 8] : "
             "tensor<24xf32> into tensor<3x8xf32>\n"
             + then_exp("%u", "tensor<3x8xf32>"))

# Not one tensor computation.
add("returned twice", f"func.func @f(%a: {V}) -> ({V}, {V}) {{\n"
    + then_exp("%a", V) + f"\n  return %r, %r : {V}, {V}\n}}\n")
function("in place", f"%a: {V}", V,
         f"  %r = linalg.exp ins(%a : {V}) outs(%a : {V}) -> {V}")
function("dynamic", "%a: tensor<?xf32>", "tensor<?xf32>",
         "  %r = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> "
         "tensor<?xf32>", error="has a dynamic dimension (tensor<?xf32>)")
function("nothing in it", "%a: tensor<3x0xf32>", "tensor<3x0xf32>",
         "  %r = linalg.exp ins(%a : tensor<3x0xf32>) outs(%a : tensor<3x0xf32>)"
         " -> tensor<3x0xf32>", error="has a dimension of size 0")
function("encoded", "%a: tensor<8xf32, 5>", "tensor<8xf32, 5>",
         "  %r = linalg.exp ins(%a : tensor<8xf32, 5>) outs(%a : tensor<8xf32, 5>"
         ") -> tensor<8xf32, 5>", error="has a tensor with an encoding")
function("unranked", "%a: tensor<*xf32>", V, f"  %p = tensor.cast %a : "
         f"tensor<*xf32> to {V}\n" + then_exp("%p", V),
         error="has an unranked tensor; its shape must be static")
function("on whole tensors", f"%a: {V}", V, f"  %r = arith.addf %a, %a : {V}",
         error="run upstream's --convert-elementwise-to-linalg first")
function("moving slice", f"%a: {V}, %i: index", W,
         f"  %r = tensor.extract_slice %a[%i] [4] [1] : {V} to {W}",
         error="has an offset, size or stride that is not constant")
function("on memory", f"%a: {V}, %b: memref<8xf32>", V,
         "  linalg.exp ins(%b : memref<8xf32>) outs(%b : memref<8xf32>)\n"
         + then_exp("%a", V), error="works on memrefs; run it before")
function("gather", f"%a: {V}, %i: tensor<3x1xindex>", "tensor<3xf32>",
         "  %r = tensor.gather %a[%i] gather_dims([0]) : "
         f"({V}, tensor<3x1xindex>) -> tensor<3xf32>",
         error="'tensor.gather' op cannot be raised to an Einsum")
add("nothing at all", "func.func @f() {\n  return\n}\n", stage="schedule",
    error="the module holds nothing to schedule: it has 1 function, and no "
    "Einsum")
add("in a module of its own", f"""
func.func @f(%a: {V}) -> {V} {{
  return %a : {V}
}}
module {{
  func.func @g(%a: {V}) -> {V} {{
{then_exp("%a", V)}
    return %r : {V}
  }}
}}
""", stage="schedule", error="'func.func' op holds Einsums, but is no func.func "
    "of the module that is given, and nothing else is scheduled")
add("branches", f"""
func.func @f(%a: {V}, %c: i1) -> {V} {{
  cf.cond_br %c, ^b(%a : {V}), ^d
^b(%x: {V}):
  return %x : {V}
^d:
{then_exp("%a", V)}
  cf.br ^b(%r : {V})
}}
""", stage="schedule", error="'func.func' op has 3 blocks: how often each runs "
    "is not known, so their cascades cannot be costed")

add("passed on in f64", f"""
func.func @f(%a: {V}, %b: tensor<3xf64>) -> ({V}, tensor<3xf64>) {{
{then_exp("%a", V)}
  return %r, %b : {V}, tensor<3xf64>
}}
""", stage="schedule", error="'func.return' op returns a 'tensor<3xf64>' as "
    "result #1 that the function does not make, and no Einsum can copy it")

# What exporters leave beside and around a layer.
add("beside a global", f"""
ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
func.func private @elsewhere({V}) -> {V}
func.func @f(%a: {V} {{torch.kind = "x", iree.abi = 0 : index}})
    -> ({V} {{jax.result_info = ""}}) attributes {{torch.assume_strict}} {{
{then_exp("%a", V)}
  return %r : {V}
}}
""")
generic("types of all kinds", ["tensor<3x5xf16>", "tensor<3x5xi1>",
        "tensor<5xi64>", "tensor<5xi8>"], "tensor<3x5xf16>",
        "#ij, #ij, #c, #c, #ij", "pp", """%i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %before = arith.cmpi sle, %x2, %j : i64
    %seen = arith.andi %before, %x1 : i1
    %p = arith.extf %x0 : f16 to f32
    %q = arith.sitofp %x3 : i8 to f32
    %r0 = arith.mulf %p, %q : f32
    %c = arith.constant 0.5 : f32
    %s = arith.select %seen, %r0, %c : f32
    %y = arith.truncf %s : f32 to f16""")

# Results that no op makes are copies.
function("only passed on", f"%a: {V}", V, "  %r = tensor.cast %a : "
         f"{V} to {V}")
add("passed on beside others", f"""
func.func @f(%a: {V}, %b: tensor<f32>) -> ({V}, {V}, {V}, tensor<f32>, {W}) {{
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : {W}
{then_exp("%a", V)}
  return %a, %r, %r, %b, %k : {V}, {V}, {V}, tensor<f32>, {W}
}}
""")
add("a constant alone", f"""
func.func @f() -> ({W}, tensor<2xi64>) {{
  %k = arith.constant dense<2.0> : {W}
  %l = arith.constant dense<[-3, 4]> : tensor<2xi64>
  return %k, %l : {W}, tensor<2xi64>
}}
""")

# Cascades whose tensors are read in another way than they are made.
function("made in reverse", "%a: tensor<40xf32>", "tensor<40xf32>", """\
  %r = einsum.cascade ranks(p = 40) {
    %A = einsum.map_reduce "A" [39-p] from %a[p] map math.exp
      : (tensor<40xf32>) -> tensor<40xf32>
    %B = einsum.map_reduce "B" [p] from %A[p] map math.absf
      : (tensor<40xf32>) -> tensor<40xf32>
    einsum.yield %B : tensor<40xf32>
  } -> tensor<40xf32>""")
function("read by one index", "%a: tensor<4x6x5xf32>", "tensor<10x12xf32>", """\
  %r = einsum.cascade ranks(a = 4, b = 6, c = 5, d = 10, e = 12) {
    %A = einsum.map_reduce "A" [a,b,c] from %a[a,b,c] map math.exp
      : (tensor<4x6x5xf32>) -> tensor<4x6x5xf32>
    %B = einsum.map_reduce "B" [d,e] from %A[(d*12+e) floordiv 30,
        ((d*12+e) floordiv 5) mod 6,(d*12+e) mod 5] map math.absf
      : (tensor<4x6x5xf32>) -> tensor<10x12xf32>
    einsum.yield %B : tensor<10x12xf32>
  } -> tensor<10x12xf32>""")

# One query: nothing but heads is left to tile rows by.
function("one query", "%q: tensor<1x4x1x16xf32>, %k: tensor<1x4x38x16xf32>, "
         "%v: tensor<1x4x38x16xf32>", "tensor<1x1x64xf32>",
         "  %r = einsum.mha %q, %k, %v scale 0.25 : (tensor<1x4x1x16xf32>, "
         "tensor<1x4x38x16xf32>, tensor<1x4x38x16xf32>) -> tensor<1x1x64xf32>")

# A tensor lies in the storage of what extends it, and is a result as well.
add("extended and returned", """\
func.func @f(%x: tensor<5x4xf32>, %new: tensor<3x4xf32>)
    -> (tensor<8x4xf32>, tensor<5x4xf32>) {
  %r:2 = einsum.cascade ranks(q = 5, p = 3, e = 4) {
    %A = einsum.map_reduce "A" [q,e] from %x[q,e] map math.exp
      : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %B = einsum.map_reduce "B" [p+5,e] extends %A from %new[p,e]
      : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    einsum.yield %B, %A : tensor<8x4xf32>, tensor<5x4xf32>
  } -> tensor<8x4xf32>, tensor<5x4xf32>
  return %r#0, %r#1 : tensor<8x4xf32>, tensor<5x4xf32>
}
""")
