"""The keys of a report, and what they say about each other."""
import json
import sys

r = json.load(open(sys.argv[1]))
for key in ("latency_cycles latency_s lower_bound_cycles gap energy_pj bottleneck "
            "search utilization traffic_bytes peak_bytes allocation_bytes groups "
            "einsums buffers outer_traffic").split():
    assert key in r, key
assert {"policy", "strategy", "seed", "evaluations"} <= set(r["search"])
for unit in r["utilization"].values():
    assert {"busy", "lanes"} == set(unit) and 0 <= unit["lanes"] <= unit["busy"] <= 1
for memory in r["traffic_bytes"].values():
    assert {"read", "write"} == set(memory)
for group in r["groups"]:
    assert {"name", "latency_cycles", "phases"} <= set(group)
    for phase in group["phases"]:
        assert {"name", "epochs", "ii_cycles", "stages", "fill_cycles",
                "drain_cycles", "bottleneck"} <= set(phase)
for einsum in r["einsums"]:
    assert {"name", "unit", "stage", "cycles"} <= set(einsum)
for buffer in r["buffers"]:
    assert {"name", "memory", "address", "bytes", "first_use", "last_use"} <= set(buffer)
assert r["latency_cycles"] >= r["lower_bound_cycles"] > 0
assert abs(r["gap"] - (r["latency_cycles"] / r["lower_bound_cycles"] - 1)) < 1e-12
parts = r["lower_bound_parts"]
assert set(parts) == {"work", "recurrence", "dram bandwidth", "buffer ports"}
assert max(parts.values()) == r["lower_bound_cycles"]
assert parts[r["lower_bound_limited_by"]] == r["lower_bound_cycles"]
for group in r["groups"]:
    assert group["latency_cycles"] >= group["lower_bound_cycles"] > 0
# What the grouping costs: the groups' bounds are above the layer's.
assert sum(g["lower_bound_cycles"] for g in r["groups"]) >= r["lower_bound_cycles"]
# K, V and the result are all that is written: 3 x 64 x 1024 x 768 x 4 bytes.
assert r["traffic_bytes"]["dram"]["write"] == 603979776, r["traffic_bytes"]
traffic = {t["tensor"]: t for t in r["outer_traffic"]}
assert {n: t["write_bytes"] for n, t in traffic.items() if t["write_bytes"]} == \
    {name: 64 * 1024 * 768 * 4 for name in ("BK", "BV", "ln2.NR")}, traffic
for what in ("read", "write"):
    assert sum(t[f"{what}_bytes"] for t in traffic.values()) == \
        r["traffic_bytes"]["dram"][what]
