# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what emitted programs touch, against the cost model.

    counted.py SRC FIRST_SEED LAST_SEED

A seed draws a cascade (attention, causal, in a window or padded; a layer; sums
with halos, digits and domains), a machine and a policy, and then sizes that no
search would choose. test-count-traffic walks the program that is lowered from
it: every byte read and written of every tensor at every memory must be what
evaluate() says.
"""

import random
import re
import sys
import tempfile
from pathlib import Path

from transfusion import tools


def tensor(shape):
    return "tensor<" + "x".join([*map(str, shape), "f32"]) + ">"


def attention(rng, layers):
    b, h, p, m = (rng.randint(1, n) for n in (2, 3, 11, 13))
    window, padded = rng.choice([0, 0, rng.randint(1, 5)]), 0
    if rng.random() < 0.3:
        padded = rng.randint(1, m)
    causal = rng.random() < 0.7 or window or padded
    if window or padded:
        m = p = max(p, 2)
        padded = min(padded, p - 1)
    text = layers.attention(b, h, p, m, rng.randint(1, 4), rng.randint(1, 4),
                            causal=causal,
                            guarded=rng.random() < 0.3 or p > m,
                            mask=(1, 1, p, m) if rng.random() < 0.3 else None)
    if not causal or rng.random() < 0.3 and not (window or padded):
        return text
    # Attention is a cascade now: its domain is written as it will be.
    tile = rng.randint(1, 6)
    text = tools.run([tools.find_tool("transfusion-test-opt"), "-",
                      f"--einsum-decompose=key-tile={tile}"], text)
    key, more = f"m1*{tile} + m0", ""
    if window:
        more += f" and p <= {key} + {window - 1}"
    if padded:
        more += f" and {key} >= {padded}"
    if "} where " not in text:
        return text
    end = text.index(" : (", text.index("} where "))
    return text[:end] + more + text[end:]


def bert(rng, layers):
    return layers.bert(rng.randint(1, 2), rng.randint(1, 9), rng.randint(1, 3),
                       rng.randint(1, 3), rng.randint(1, 7),
                       causal=rng.random() < 0.5)


def sums(rng, _):
    """A chain of Einsums over i, j, k, l."""
    size = {r: rng.randint(1 if r in "ij" else 2, 7) for r in "ijkl"}
    args, lines = [], []

    def read(name, dims):
        """`dims`: pairs of an access and an extent."""
        args.append(f"%{name}: {tensor([n for _, n in dims])}")
        return (f"%{name}[{', '.join(x for x, _ in dims)}]",
                tensor([n for _, n in dims]))

    before, count = None, rng.randint(2, 5)
    for n in range(count):
        reads, ranks = [], set()
        if before:
            reads.append(before)
            ranks |= {"i", "j"}
        kind = rng.choice(["plain", "halo", "digits", "diagonal", "stride"])
        lead = [r for r in "ij" if rng.random() < 0.6]
        ranks |= {*lead, "k"}
        where = []
        own = {"plain": [("k", size["k"])],
               "halo": [("k + l", size["k"] + size["l"] - 1)],
               "digits": [(f"k*{size['l']} + l", size["k"] * size["l"])],
               "diagonal": [("k", size["k"])] * 2,
               "stride": [("k*2 + 1", 2 * size["k"])]}[kind]
        if kind in ("halo", "digits"):
            ranks.add("l")
        if kind == "digits" and own[0][1] > 1 and rng.random() < 0.5:
            end = rng.randint(1, own[0][1])
            own = [(own[0][0], end)]
            where.append(f"{own[0][0]} < {end}")
        elif kind != "halo" and "i" in ranks and rng.random() < 0.4:
            where.append(f"k <= i + {rng.randint(0, 3)}")
        reads.append(read(f"I{n}", [(r, size[r]) for r in lead] + own))
        result = [r for r in "ij" if r in ranks]
        over = [r for r in "kl" if r in ranks]
        rng.shuffle(result)
        shape = tensor([size[r] for r in result])
        body = " map arith.mulf" if len(reads) == 2 else ""
        domain = f" where {' and '.join(where)}" if where else ""
        lines.append(
            f'  %T{n} = einsum.map_reduce "T{n}" [{", ".join(result)}] from '
            f"{', '.join(x for x, _ in reads)}{body} reduce add over "
            f"[{', '.join(over)}]{domain} : "
            f"({', '.join(t for _, t in reads)}) -> {shape}")
        before = (f"%T{n}[{', '.join(result)}]", shape)
    last = before[1]
    text = "\n".join(lines)
    used = [r for r in "ijkl" if re.search(rf"[\[ ,*+]{r}[\], *+]", text)]
    names = ", ".join(f"{r} = {size[r]}" for r in used)
    return (f"func.func @f({', '.join(args)}) -> {last} {{\n"
            f"%r = einsum.cascade ranks({names}) {{\n{text}\n"
            f"  einsum.yield %T{count - 1} : {last}\n}} -> {last}\n"
            f"return %r : {last}\n}}\n")


def machine(rng, src):
    """`tiny` with another grid, lanes and buffer, sometimes with a third memory."""
    text = (src / "arch" / "tiny.yaml").read_text(encoding="utf-8")
    for old, new in (
            ("grid: [4, 4]", f"grid: [{rng.randint(1, 5)}, {rng.randint(1, 5)}]"),
            ("lanes: 8", f"lanes: {rng.randint(1, 9)}"),
            ("capacity_bytes: 12288",
             f"capacity_bytes: {rng.choice([8192, 16384, 65536])}")):
        assert old in text
        text = text.replace(old, new)
    if rng.random() < 0.4: # several of each
        text = re.sub("(?=    (grid|lanes): )",
                      lambda _: f"    instances: {rng.randint(1, 5)}\n", text)
    if rng.random() < 0.3:
        text = text.replace("  - name: buffer\n", f"""  - name: l2
    capacity_bytes: {rng.choice([2048, 16384])}
    bandwidth_bytes_per_s: 4294967296
    energy_pj_per_byte: 27
  - name: buffer
""")
    return text


POLICIES = ("transfusion", "transfusion", "transfusion-paper", "unfused", "flat",
            "fusemax", "fusemax-layerfuse")


def case(seed, src, layers):
    """A module, a machine, and the passes that count it."""
    rng = random.Random(seed)
    kind = rng.choice([attention, attention, bert, sums, sums])
    text = kind(rng, layers)
    policy = rng.choice(POLICIES) if kind is not sums else \
        rng.choice(("transfusion", "unfused"))
    return kind.__name__, text, machine(rng, src), (
        f"--dpipe=policy={policy}", f"--test-random-tiling=seed={seed}",
        "--test-claim-traffic", "--convert-sched-to-affine=verify=true",
        "--test-count-traffic")


def main(src, first, last):
    src = Path(src)
    sys.path.append(str(src / "test" / "Integration" / "Inputs"))
    import layers  # pylint: disable=import-outside-toplevel

    tool = tools.find_tool("transfusion-test-opt")
    kinds, features, bad, infeasible = {}, {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last) + 1):
            kind, text, arch, passes = case(seed, src, layers)
            file = Path(folder) / "drawn.yaml"
            file.write_text(arch, encoding="utf-8")
            try:
                scheduled = tools.run([tool, "-", f"--load-arch={file}",
                                       *passes[:2]], text)
            except tools.ToolError as e:
                if "(S30 capacity)" in e.output:
                    infeasible += 1
                    continue
                raise
            try:
                tools.run([tool, "-", *passes[2:]], scheduled)
            except tools.ToolError as e:
                errors = [l for l in e.output.splitlines() if "error:" in l]
                print(f"seed {seed} ({kind}, {' '.join(passes[:2])}):",
                      *errors[:8], sep="\n  ")
                print(text)
                bad += 1
            kinds[kind] = kinds.get(kind, 0) + 1
            for feature in (" skip", "where", "stage 1", "retain", "block(",
                            "tile(", "finish", "resident(", "instances("):
                features[feature.strip(" (")] = \
                    features.get(feature.strip(" ("), 0) + (feature in scheduled)
            features["pieces"] = features.get("pieces", 0) + bool(
                re.search(r"sched\.group[^\n]* resident\(", scheduled))
    print(f"{sum(kinds.values())} programs counted, {bad} otherwise than "
          f"claimed, {infeasible} that fit no schedule: {kinds} {features}")
    few = sum(kinds.values()) < 0.8 * (int(last) - int(first) + 1)
    return 1 if bad or few else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
