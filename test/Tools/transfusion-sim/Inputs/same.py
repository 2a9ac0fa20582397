"""Two simulations of one file agree in all but the number of steps that were
run one by one, and in each every cycle of every unit is accounted for."""
import json
import sys

x, y = (json.load(open(path)) for path in sys.argv[1:3])
skipped, whole = x.pop("steps_simulated"), y.pop("steps_simulated")
assert x == y, "skipping changes the result"
assert skipped < whole == x["steps"], (skipped, whole, x["steps"])
for use in [x] + x["occupancy"]:
    for name, unit in use["units"].items():
        total = sum(unit.values())
        assert abs(total - use["cycles"]) <= 1e-9 * use["cycles"], (name, total)
assert abs(sum(p["cycles"] for p in x["occupancy"]) - x["cycles"]) < 1e-6 * x["cycles"]
assert x["ratio"] == x["cycles"] / x["claimed_cycles"]
assert all(v >= 0 for v in x["stalls"].values()) and x["stalls"]["fill_drain"] > 0
