"""What the rows of a comparison say about each other."""
import json
import math
import sys

c = json.load(open(sys.argv[1]))
assert (c["layer"], c["arch"], c["model"]) == ("layer", "toy", "default")
rows = {r["policy"]: r for r in c["rows"]}
assert len(rows) == 7
for r in rows.values():
    assert "infeasible" not in r, r
    assert r["latency_s"] >= r["bound_s"] > 0, r
    assert abs(r["gap"] - (r["latency_s"] / r["bound_s"] - 1)) < 1e-9
    assert 0 < r["util_2d"] <= 1 and 0 < r["util_1d"] <= 1
    assert 0 < r["peak_bytes"] <= 32768
    assert r["limited_by"] in ("mac2d", "vec1d", "dram", "buffer")
# Fusing saves traffic, and what a policy may do a freer one may do too.
dram = {p: r["dram_bytes"] for p, r in rows.items()}
assert dram["unfused"] > dram["flat"] > dram["transfusion"], dram
assert dram["fusemax"] > dram["fusemax-layerfuse"], dram
best = rows["transfusion"]["latency_s"]
assert best <= rows["transfusion-paper"]["latency_s"] * 1.001
assert best < rows["unfused"]["latency_s"]
assert best < rows["fusemax"]["latency_s"]
# No max on this 2D array: both readings of FuseMax are one.
assert rows["fusemax"] == {**rows["fusemax-modelled"], "policy": "fusemax"}
assert len(c["changes"]) == 7, c["changes"]
assert [x["speedup"] for x in c["changes"]] == sorted(
    (x["speedup"] for x in c["changes"]), reverse=True)
for x in c["changes"]:
    assert abs(x["speedup"] * x["latency_s"] / min(
        r["latency_s"] for r in rows.values()) - 1) < 1e-9
# Energy by component and by tensor adds up to the last bit.
for r in rows.values():
    components = r["energy_by_component"]
    assert list(components) == ["dram", "buffer", "mac2d", "vec1d"], components
    assert math.fsum(pj for c in components.values() for pj in c.values()) == \
        r["energy_pj"]
    assert math.fsum([r["arithmetic_pj"],
                      *(pj for t in r["energy_by_tensor"]
                        for m in t["moves"].values() for pj in m.values())]) == \
        r["energy_pj"]
