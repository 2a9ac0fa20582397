# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One decode step of Llama 3 8B with a cache of 8191 rows, through
--transfusion: scheduled, near its bound, and simulated. Arguments: the file,
machines."""

import json
import re
import sys
import tempfile
from pathlib import Path

from transfusion import tools

OLD, HEADS, FEATURES, BF16 = 8191, 8, 128, 2
ROW = HEADS * FEATURES * BF16
source = Path(sys.argv[1]).read_text()
cache = rf"(%arg([12]): tensor<1x{HEADS}x{OLD}x{FEATURES}xbf16>)"
appended, found = re.subn(
    cache, r"\1 {einsum.append = #einsum.append<result = \2, dim = 2>}", source)
assert found == 2
good = True
for machine in sys.argv[2:]:
    for form, text in (("copied", source), ("in place", appended)):
        scheduled = tools.optimize(
            text, f"--transfusion=arch={machine} evaluations=128")
        translate = [tools.find_tool("transfusion-translate")]
        report = json.loads(tools.run(
            [*translate, "--schedule-to-report", "--report-format=json"],
            scheduled))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(tools.run([*translate, "--schedule-to-json"], scheduled))
            file.flush()
            ratio = json.loads(tools.run(
                [tools.find_tool("transfusion-sim"), "--format=json",
                 file.name]))["ratio"]
        traffic = {t["tensor"]: t for t in report["outer_traffic"]}
        longer = re.findall(r'map_reduce "(\w+)" .* extends %(\w+) from',
                            scheduled)
        rows = [traffic[new]["write_bytes"] for new, _ in longer]
        fetched = [traffic[new]["read_bytes"] for new, _ in longer]
        copied = sum(traffic.get(old, {}).get("write_bytes", 0)
                     for _, old in longer)
        # One token: every weight and key is fetched once.
        wanted = 0 if form == "in place" else 2 * OLD * ROW
        fine = (rows == [ROW, ROW] and copied == wanted
                and fetched == [(OLD + 1) * ROW] * 2
                and not report["unscheduled_ops"]
                and 0 <= report["gap"] < 0.5 and abs(ratio - 1) <= 0.02)
        good &= fine
        print(f"{machine}, {form}: {1e3 * report['latency_s']:.3f} ms, gap "
              f"{100 * report['gap']:.1f} %, limited by "
              f"{report['lower_bound_limited_by']}, simulated {ratio:.4f}, "
              f"{rows} of new rows, {copied} of old ones"
              f"{'' if fine else ' WRONG'}")
print("good" if good else "WRONG")
sys.exit(not good)
