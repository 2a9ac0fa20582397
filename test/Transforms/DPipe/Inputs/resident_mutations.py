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

    for i, x in enumerate(residents):
        if x["first_group"] != x["last_group"]:
            yield broken("not there any more", lambda f, i=i, x=x:
                         f["residents"][i].update({"last_group": x["first_group"]}))
            break
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
    pieces = [i for i, r in enumerate(residents) if "access" in r]
    for i in pieces:
        group = [g["name"] for g in file["groups"]].index(residents[i]["first_group"])
        copies = file["groups"][group]["copies"]
        at = [t["tensor"] for t in copies].index(residents[i]["tensor"])
        name = f"piece of {residents[i]['tensor']}"

        def copied(new, group=group, at=at):
            return new["groups"][group]["copies"][at]

        yield broken(name + " never copied", lambda f, group=group, at=at:
                     f["groups"][group]["copies"].pop(at))
        yield broken(name + " of no room", lambda f, i=i:
                     f["residents"][i].update({"bytes": 64}))
        yield broken(name + " in two groups", lambda f, i=i: f["residents"][i].update(
            {"last_group": file["groups"][-1]["name"]}) if group + 1 < len(
                file["groups"]) else f["residents"].append(f["residents"][i]))
        if "loop" in copies[at]:
            yield broken(name + " called whole", lambda f, i=i:
                         f["residents"][i].pop("access"))
            yield broken(name + " copied once",
                         lambda f, copied=copied: copied(f).pop("loop"))
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
