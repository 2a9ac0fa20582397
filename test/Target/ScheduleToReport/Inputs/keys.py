"""The keys of a report, and what they say about each other."""
import json
import math
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

# Energy, twice: what it is spent on, and for whom. Rounded once, to the bit.
by_component = [pj for actions in r["energy_by_component"].values()
                for pj in actions.values()]
assert math.fsum(by_component) == r["energy_pj"]
by_tensor = [pj for t in r["energy_by_tensor"] for actions in t["moves"].values()
             for pj in actions.values()]
assert math.fsum([*by_tensor, r["arithmetic_pj"], r.get("leakage_pj", 0)]) == \
    r["energy_pj"]
near = lambda x, y: abs(x - y) <= 1e-9 * (1 + abs(y))
for memory, pj in r["memory_pj"].items():
    assert near(sum(r["energy_by_component"][memory].values()), pj)
# An Einsum may finish on another unit than it runs on.
assert near(sum(sum(r["energy_by_component"][u].values())
                for u in r["utilization"]),
            sum(e["energy_pj"] for e in r["einsums"]))

# Parts of each phase, and what limits them, add up; so do groups and the layer.
PARTS = ("load", "fill", "steady", "drain", "store")
def limits_add_up(limits, cycles):
    assert near(sum(l["cycles"] for l in limits), cycles)
    assert [l["cycles"] for l in limits] == sorted(
        (l["cycles"] for l in limits), reverse=True)
    assert len({l["limited_by"] for l in limits}) == len(limits)
limits_add_up(r["limits"], r["latency_cycles"])
for group in r["groups"]:
    limits_add_up(group["limits"], group["latency_cycles"])
    assert set(group["parts"]) == {"load", "store"}
    for phase in group["phases"]:
        parts = phase["parts"]
        assert tuple(parts) == PARTS
        assert near(sum(p["cycles"] for p in parts.values()),
                    phase["latency_cycles"])
        assert near(parts["load"]["cycles"] + parts["store"]["cycles"],
                    phase["exposed_cycles"])
        for name, part in parts.items():
            assert (part["cycles"] == 0) == (part["kind"] == "none"), part
            assert name not in ("load", "store") or \
                part.get("limited_by", "dram port") == "dram port"

# The roof of edge: 16 x 16 and 256 lanes at 940 MHz, 30 GiB/s.
def roofline(r, ops, moved, cycles):
    roof, bandwidth = 16 * 16 + 256, 30 * 2**30 / 940e6
    assert near(r["ops"], ops) and r["bytes"] == moved
    assert near(r["ridge_ops_per_byte"], roof / bandwidth)
    roof = min(roof, ops / moved * bandwidth)
    assert near(r["roof_ops_per_cycle"], roof)
    assert near(r["attained"], ops / cycles / roof) and 0 < r["attained"] <= 1
    assert r["roof_of"] == ("memory" if roof < 512 else "units")
roofline(r["roofline"], sum(c["lane_cycles"] for c in r["op_classes"].values()),
         sum(r["traffic_bytes"]["dram"].values()), r["latency_cycles"])
assert near(sum(g["roofline"]["ops"] for g in r["groups"]), r["roofline"]["ops"])
assert sum(g["roofline"]["bytes"] for g in r["groups"]) == r["roofline"]["bytes"]
for group in r["groups"]:
    roofline(group["roofline"], group["roofline"]["ops"],
             group["roofline"]["bytes"], group["latency_cycles"])
