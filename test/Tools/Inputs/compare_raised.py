"""The row of a comparison against the report of --transfusion."""
import json
import sys

compared, report = (json.load(open(path)) for path in sys.argv[1:])
row, = compared["rows"]
for key in ("latency_s", "energy_pj", "energy_by_component", "energy_by_tensor"):
    assert row[key] == report[key], (key, row[key], report[key])
assert row["dram_bytes"] == sum(report["traffic_bytes"]["dram"].values())
assert row["peak_bytes"] == report["peak_bytes"]["buffer"]
