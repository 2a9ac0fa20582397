# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the residents of a schedule file, one way at a time: the simulator, or
its reader, refuses each, and so does check-schedule.py.

    resident_mutations.py CHECK_SCHEDULE SCHEDULE.json
"""

import copy
import json
import subprocess
import sys
import tempfile


def mutations(file):
    """Pairs of a name and a broken file."""
    residents = file["residents"]

    def broken(name, change):
        new = copy.deepcopy(file)
        change(new)
        return name, new

    def first(new):
        return new["residents"][0]

    yield broken("not there any more", lambda f: first(f).update(
        {"last_group": first(f)["first_group"]}))
    yield broken("no room", lambda f: first(f).update({"bytes": 64}))
    yield broken("in a memory that feeds units",
                 lambda f: first(f).update({"memory": "buffer"}))
    yield broken("beyond the end",
                 lambda f: first(f).update({"address": 1 << 20}))
    yield broken("nothing is a resident", lambda f: f.update({"residents": []}))
    yield broken("twice", lambda f: f["residents"].append(
        copy.deepcopy(first(f))))
    for i, x in enumerate(residents):
        for y in residents[:i]:
            groups = [g["name"] for g in file["groups"]]
            if (groups.index(x["first_group"]) <= groups.index(y["last_group"]) and
                    groups.index(y["first_group"]) <= groups.index(x["last_group"])):
                yield broken(
                    f"{x['tensor']} on {y['tensor']}",
                    lambda f, i=i, y=y: f["residents"][i].update(
                        {"address": y["address"]}))
                break
    for g, group in enumerate(file["groups"]):
        if group.get("copies"):
            yield broken("never copied",
                         lambda f, g=g: f["groups"][g].pop("copies"))
            yield broken("copied twice", lambda f, g=g:
                         f["groups"][g]["copies"].append(
                             copy.deepcopy(f["groups"][g]["copies"][0])))
            yield broken("over another port", lambda f, g=g:
                         f["groups"][g]["copies"][0].update(
                             {"to_port": "buffer"}))
            break


def main(check, path):
    with open(path, encoding="utf-8") as f:
        file = json.load(f)
    accepted = []
    for name, broken in [("as it is", file), *mutations(file)]:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as out:
            json.dump(broken, out)
            out.flush()
            for tool in (["transfusion-sim", out.name],
                         [sys.executable, check, out.name]):
                run = subprocess.run(tool, capture_output=True, text=True,
                                     check=False)
                said = (run.stdout + run.stderr).strip().splitlines()
                print(name, run.returncode, said[-1] if said else "")
                if "Traceback" in run.stderr or run.returncode < 0 or \
                        (run.returncode == 0) != (broken is file):
                    accepted.append((name, tool[0]))
    print("wrong:", accepted)
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
