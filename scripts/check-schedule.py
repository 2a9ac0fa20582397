#!/usr/bin/env python3
# Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a schedule file and nothing else, and says whether it can be executed.

    check-schedule.py SCHEDULE.json [--report REPORT.json] [--max-steps N]

1. It is valid by docs/schemas/schedule-v1.schema.json.
2. Buffers that are live together share no byte; allocations end where the last
   buffer ends and fit the memory.
3. Walked step by step, everything is in its buffer slot when it is read: what
   was made or loaded for that epoch, not yet overwritten.
4. With --report: cycles of every phase, and bytes to and from every memory that
   feeds no unit, are those of the report.
"""
import argparse
import json
import math
import os
import sys
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "docs", "schemas", "schedule-v1.schema.json")


class Wrong(Exception):
    pass


def validate(schedule):
    import jsonschema
    with open(SCHEMA) as f:
        schema = json.load(f)
    validator = jsonschema.Draft202012Validator(schema)
    for error in validator.iter_errors(schedule):
        raise Wrong("/".join(map(str, error.path)) + ": " + error.message[:200])


def check_moves(schedule):
    """Loads ahead and late stores lie within the life of their buffer, which
    covers no phase twice."""
    buffers = {b["name"]: b for b in schedule["buffers"]}
    phases = {g["name"]: len(g["phases"]) for g in schedule["groups"]}
    for b in buffers.values():
        if b["last_use"] - b["first_use"] >= phases[b["group"]]:
            raise Wrong(f"{b['name']} lives in a phase twice")
    number = 0
    for g in schedule["groups"]:
        for p in g["phases"]:
            for t in p["transfers"]:
                b = buffers[t["buffer"]]
                ahead = t["when"].get("first_phases_ahead", 0)
                later = t["when"].get("phases_later", 0)
                if not b["first_use"] <= number - ahead <= number + later <= b["last_use"]:
                    raise Wrong(f"{b['name']} is not live when it is transferred")
            number += 1


def check_instances(schedule):
    """A slot has a part for each instance of its unit, and no more."""
    instances = {u["name"]: u.get("instances", 1) for u in schedule["arch"]["units"]}
    for group in schedule["groups"]:
        for phase in group["phases"]:
            for slot in phase["slots"]:
                parts = 1
                for rank, points in slot.get("instances", {}).items():
                    parts *= -(-phase["inner"][rank] // points)
                if parts > instances[slot["unit"]]:
                    raise Wrong(f"{slot['name']} has {parts} parts for "
                                f"{instances[slot['unit']]} of {slot['unit']}")


def check_residents(schedule, capacity, ends):
    """Tensors, or pieces of a group's outer tile, in memories that feed nothing:
    they share no byte while groups use them, and no group moves one at another
    time or place."""
    number = {g["name"]: i for i, g in enumerate(schedule["groups"])}
    tensors = {t["name"]: t for t in schedule["tensors"]}
    placed = []
    for r in schedule.get("residents", []):
        t = tensors[r["tensor"]]
        if "access" not in r and \
                r["bytes"] < math.prod(t["shape"]) * -(-t["bits"] // 8):
            raise Wrong(f"{r['tensor']} is too large for its place")
        end = r["address"] + r["bytes"]
        ends[r["memory"]] = max(ends[r["memory"]], end)
        if capacity[r["memory"]] is not None and end > capacity[r["memory"]]:
            raise Wrong(f"{r['tensor']} ends at {end} of {capacity[r['memory']]}")
        life = (number[r["first_group"]], number[r["last_group"]])
        for x, other in placed:
            if (x["memory"] == r["memory"] and x["address"] < end
                    and r["address"] < x["address"] + x["bytes"]
                    and life[0] <= other[1] and other[0] <= life[1]):
                raise Wrong(f"{x['tensor']} and {r['tensor']} share bytes")
        placed.append((r, life))
    homes = {r["tensor"]: (r["memory"], life) for r, life in placed
             if "access" not in r}
    pieces = {(life[0], r["tensor"]): r["memory"] for r, life in placed
              if "access" in r}
    if len(homes) + len(pieces) != len(placed) or any(t in homes for _, t in pieces):
        raise Wrong("a tensor resides twice")
    outer = schedule["arch"]["memories"][0]["name"]
    memories = {m["name"]: m for m in schedule["arch"]["memories"]}
    for i, g in enumerate(schedule["groups"]):
        for t in g.get("copies", []):
            place = pieces.get((i, t["tensor"]), homes.get(t["tensor"], (None,))[0])
            if (t["from"] != outer or t["to"] != place
                    or t["from_port"] != memories[outer]["read_port"]
                    or t["to_port"] != memories[t["to"]]["write_port"]):
                raise Wrong(f"{t['tensor']} is copied from or to elsewhere")
        copied = {t["tensor"] for t in g.get("copies", [])}
        if len(copied) != len(g.get("copies", [])):
            raise Wrong(f"{g['name']} copies a tensor twice")
        for name, (_, life) in homes.items():
            if (tensors[name]["role"] == "input" and life[0] == i) != (name in copied):
                raise Wrong(f"{name} is not copied once, before {g['name']}")
        for group, name in pieces:
            if group == i and name not in copied:
                raise Wrong(f"{name} is never copied in {g['name']}")
        for t in g["transfers"] + [t for p in g["phases"] for t in p["transfers"]]:
            memory, life = homes.get(t["tensor"], (outer, (i, i)))
            if t["kind"] == "load":
                memory = pieces.get((i, t["tensor"]), memory)
            if memory != t["from" if t["kind"] == "load" else "to"]:
                raise Wrong(f"{t['tensor']} is in {memory}")
            if not life[0] <= i <= life[1]:
                raise Wrong(f"{t['tensor']} is moved when it is not there")


def check_buffers(schedule):
    buffers = schedule["buffers"]
    capacity = {m["name"]: m["capacity_bytes"] for m in schedule["arch"]["memories"]}
    ends = defaultdict(int)
    phases = {g["name"]: len(g["phases"]) for g in schedule["groups"]}
    check_moves(schedule)
    for i, x in enumerate(buffers):
        end = x["address"] + x["bytes"]
        ends[x["memory"]] = max(ends[x["memory"]], end)
        if capacity[x["memory"]] is not None and end > capacity[x["memory"]]:
            raise Wrong(f"{x['name']} ends at {end} of {capacity[x['memory']]}")
        if x["bytes"] < x["slots"] * x["bytes_per_slot"]:
            raise Wrong(f"{x['name']} is too small for its slots")
        for y in buffers[:i]:
            if (x["memory"] == y["memory"]
                    and x["group"] == y["group"]
                    and any(x["first_use"] <= y["last_use"] + turn
                            and y["first_use"] + turn <= x["last_use"]
                            for turn in (-phases[x["group"]], 0, phases[x["group"]]))
                    and x["address"] < y["address"] + y["bytes"]
                    and y["address"] < x["address"] + x["bytes"]):
                raise Wrong(f"{x['name']} and {y['name']} share bytes")
    check_residents(schedule, capacity, ends)
    for memory, bytes_ in schedule["allocation_bytes"].items():
        if bytes_ != ends[memory]:
            raise Wrong(f"allocation of {memory} is {bytes_}, not {ends[memory]}")


def row_major(trips):
    index = [0] * len(trips)
    for _ in range(math.prod(trips)):
        yield tuple(index)
        for k in reversed(range(len(trips))):
            index[k] += 1
            if index[k] < trips[k]:
                break
            index[k] = 0


class Walk:
    """One phase of one outer tile."""

    def __init__(self, schedule, phase, tile, alone=False):
        self.schedule = schedule
        self.phase = phase
        self.tile = tile  # rank -> (start, extent)
        self.buffers = {b["name"]: b for b in schedule["buffers"]}
        self.tensors = {t["name"]: t for t in schedule["tensors"]}
        loops = phase["loops"]
        self.order = [l["rank"] for l in loops]
        self.inner = {l["rank"]: l["inner"] for l in loops}
        self.trips = [-(-tile[l["rank"]][1] // l["inner"]) for l in loops]
        self.block = {l["rank"]: l["block"] for l in loops}
        self.skip = phase.get("skip")
        # Epochs in the order in which they run; each pipeline as (its first
        # epoch's number, how many epochs, its first step).
        self.epochs, self.pipelines = [], []
        if not alone:
            self.run_epochs()
        self.cycles = 0
        self.read, self.written = defaultdict(int), defaultdict(int)  # by memory
        self.content = {}  # (buffer, slot) -> epoch or fetch number
        self.fetch_of = {}  # buffer -> fetch number by epoch
        self.loads = defaultdict(list)  # step -> [(buffer, fetch)]

    def active(self, spans):
        """First and last step at which every sum can reach 0; None."""
        rank = self.skip["rank"]
        start, extent = self.tile[rank]
        active = []
        for step in range(start, start + extent):
            spans[rank] = (step, 1)
            if all(e["constant"] + sum(max(k * spans[r][0], k * (sum(spans[r]) - 1))
                                       for r, k in e["terms"].items()) >= 0
                   for e in self.skip["where"]):
                active.append(step)
        return (active[0], active[-1]) if active else None

    def run_epochs(self):
        rows = [list(row_major(self.trips))]
        if self.skip:
            at = self.order.index(self.skip["rank"])
            by_row = defaultdict(list)
            for e in rows[0]:
                by_row[e[:at]].append(e)
            rows = []
            for epochs in by_row.values():
                spans = {r: self.span(r, epochs[0]) for r in self.tile}
                first, last = self.active(spans) or (0, 0)
                rows.append(epochs[first:last + 1])
        step = 0
        for row in rows:
            self.pipelines.append((len(self.epochs), len(row), step))
            self.epochs += row
            step += len(row) + self.phase["stages"] - 1
        self.firsts = {at for at, _, _ in self.pipelines}
        self.lasts = {at + n - 1 for at, n, _ in self.pipelines}

    def span(self, rank, epoch):
        """Start and extent of the epoch along a rank."""
        start, extent = self.tile[rank]
        if rank not in self.inner:
            return start, extent
        at = epoch[self.order.index(rank)] * self.inner[rank]
        return start + at, min(self.inner[rank], extent - at)

    def values(self, tensor, access, spans):
        """Points of the tensor that the access meets in these spans."""
        total = 1
        for expr, size in zip(access, self.tensors[tensor]["shape"]):
            coordinates = {expr["constant"]}
            for rank, k in expr["terms"].items():
                start, extent = spans[rank]
                coordinates = {c + k * v for c in coordinates
                               for v in range(start, start + extent)}
            total *= sum(0 <= c < size for c in coordinates)
        return total

    def bytes(self, transfer, epoch):
        buffer = self.buffers[transfer["buffer"]]
        spans = {}
        for rank, points in transfer["piece"].items():
            start, _ = self.span(rank, epoch)
            end = sum(self.tile[rank])
            spans[rank] = (start, min(points, end - start))
        only = transfer["when"].get("active_steps_of")
        if only:
            # Of the piece, along ranks that the tensor may not have, too.
            loop = transfer["when"].get("loop")
            j = self.order.index(loop) if loop else -1
            box = {}
            for r in self.tile:
                k = self.order.index(r) if r in self.order else len(self.order)
                start, _ = self.span(r, epoch)
                box[r] = (self.tile[r] if k > j else self.span(r, epoch) if k < j else
                          (start, min(self.block[r], sum(self.tile[r]) - start)))
            whole = self.tile[only]
            if loop == only:  # the block that the epoch is in
                block = self.block[only]
                begin = whole[0] + (self.span(only, epoch)[0] - whole[0]) // block * block
                whole = (begin, min(block, sum(whole) - begin))
            steps = self.active(box)
            if steps is None:
                return 0
            first = max(steps[0], whole[0])
            spans[only] = (first, min(steps[1] + 1, sum(whole)) - first)
        return (self.values(transfer["tensor"], buffer["access"], spans)
                * -(-buffer["bits"] // 8))

    def plan_loads(self):
        first = tuple(0 for _ in self.order)
        for t in self.phase["transfers"]:
            if t["kind"] != "load":
                continue
            when = t["when"]
            if when["scope"] == "tile":
                self.read[t["from"]] += self.bytes(t, first)
                continue
            j = self.order.index(when["loop"])
            number, by_epoch, before = -1, [], None
            for at, n, begin in self.pipelines:
                for i in range(at, at + n):
                    e = self.epochs[i]
                    piece = e[:j] + (e[j] // when["every"],)
                    if piece != before:
                        number += 1
                        self.read[t["from"]] += self.bytes(t, e)
                        step = begin + i - at + when["stage"] - when["steps_ahead"]
                        self.loads[step].append((t["buffer"], number))
                    before = piece
                    by_epoch.append(number)
            self.fetch_of[t["buffer"]] = by_epoch

    def slot_of(self, buffer, number):
        return (buffer, number % self.buffers[buffer]["slots"])

    def run_step(self, k, pipeline):
        """Step k of a pipeline."""
        slots = self.phase["slots"]
        at, n, _ = pipeline
        active = [s for s in slots if 0 <= k - s["stage"] < n]
        makers = {w["buffer"]: s for s in active for w in s["writes"]
                  if not w["accumulate"]}
        ends, free, todo = {}, defaultdict(int), list(active)
        started = []
        while todo:
            for s in todo:
                if any(o["unit"] == s["unit"] and o["issue"] < s["issue"] for o in todo):
                    continue
                needs = [makers[r["buffer"]] for r in s["reads"]
                         if r["buffer"] in makers
                         and makers[r["buffer"]]["stage"] == s["stage"] + r["distance"]]
                if all(m["name"] in ends for m in needs if m is not s):
                    break
            else:
                raise Wrong(f"{self.phase['name']}: units wait for each other")
            start = max([free[s["unit"]]] + [ends[m["name"]] for m in needs if m is not s])
            end = start + self.cycles_of(s, self.epochs[at + k - s["stage"]])
            ends[s["name"]] = free[s["unit"]] = end
            started.append(s)
            todo.remove(s)
        for s in started:  # a valid order: everything after what it reads
            self.touch(s, at + k - s["stage"], k)
        return max(ends.values(), default=0)

    def cycles_of(self, s, epoch):
        for c in s["cycles"]:
            if all(self.span(r, epoch)[1] == n for r, n in c["extents"].items()):
                return c["cycles"]
        raise Wrong(f"{s['name']} has no cycles for epoch {epoch}")

    def touch(self, s, epoch, k):
        at = self.epochs[epoch]
        index = dict(zip(self.order, at))
        for r in s["reads"]:
            b = self.buffers[r["buffer"]]
            where = f"{self.phase['name']} step {k}: {s['name']} reads {b['name']}"
            if r["distance"] and (epoch in self.firsts if self.skip else
                                  index.get(r["not_at_first"], 0) == 0):
                continue
            if r["buffer"] in self.fetch_of:
                wanted = self.fetch_of[r["buffer"]][epoch]
            elif b["role"] in ("window", "output"):
                wanted = epoch - r["distance"]
            else:
                continue  # whole tile
            found = self.content.get(self.slot_of(b["name"], wanted))
            if found != wanted:
                raise Wrong(f"{where} for {wanted}, but finds {found}")
        for w in s["writes"]:
            if self.buffers[w["buffer"]]["role"] in ("window", "output"):
                self.content[self.slot_of(w["buffer"], epoch)] = epoch

    def load(self, k):
        for buffer, number in self.loads[k]:
            self.content[self.slot_of(buffer, number)] = number

    def run(self):
        self.plan_loads()
        for k in sorted(self.loads):
            if k < 0:
                self.load(k)  # exposed
        for pipeline in self.pipelines:
            for k in range(pipeline[1] + self.phase["stages"] - 1):
                # Loads run beside the step: worst when they come first.
                self.load(pipeline[2] + k)
                length = self.run_step(k, pipeline)
                self.cycles += self.phase["ii_cycles"] if self.phase["wrap"] else length
        for t in self.phase["transfers"]:
            if t["kind"] == "store":
                only = t["when"].get("only_at_last")
                pieces = set()  # a deferred result is stored once
                for i, e in enumerate(self.epochs):
                    where = tuple(self.span(r, e) for r in t["piece"])
                    if t["when"].get("phases_later") and where in pieces:
                        continue
                    pieces.add(where)
                    if only is None or only not in self.order or \
                            (i in self.lasts if self.skip else
                             e[self.order.index(only)] == self.trips[self.order.index(only)] - 1):
                        self.written[t["to"]] += self.bytes(t, e)
        return self


def steps_of(schedule):
    return sum(g["outer_tiles"] * (p["epochs"] + p["stages"] - 1)
               for g in schedule["groups"] for p in g["phases"])


def copy_pieces(schedule, group, pieces, index, tile, read, written):
    """Those that the outer tile is the first to read."""
    loops = [l["rank"] for l in group["outer_loops"]]
    for t in group.get("copies", []):
        if t["tensor"] not in pieces:
            continue
        r = pieces[t["tensor"]]
        at = loops.index(t["loop"]) if "loop" in t else -1
        if not any(index[at + 1:]):
            w = Walk(schedule, group["phases"][0], tile, alone=True)
            bits = w.tensors[t["tensor"]]["bits"]
            bytes_ = w.values(t["tensor"], r["access"], tile) * -(-bits // 8)
            if bytes_ > r["bytes"]:
                raise Wrong(f"{t['tensor']} has no room for its piece")
            r["holds"] = tile
            read[t["from"]] += bytes_
            written[t["to"]] += bytes_
        used = {k for e in r["access"] for k in e["terms"]}
        if any(r["holds"][k] != tile[k] for k in used):
            raise Wrong(f"{t['tensor']} is read when another piece is there")


def walk(schedule):
    extents = {r["name"]: r["extent"] for r in schedule["ranks"]}
    cycles, read, written = (defaultdict(int) for _ in range(3))
    tensors = {t["name"]: t for t in schedule["tensors"]}
    for g in schedule["groups"]:
        loops = g["outer_loops"]
        whole = {r: (0, n) for r, n in extents.items()}
        pieces = {r["tensor"]: r for r in schedule.get("residents", [])
                  if "access" in r and r["first_group"] == g["name"]}
        for t in g.get("copies", []):
            x = tensors[t["tensor"]]
            if t["tensor"] in pieces:
                continue
            whole_bytes = math.prod(x["shape"]) * -(-x["bits"] // 8)
            read[t["from"]] += whole_bytes
            written[t["to"]] += whole_bytes
        for t in g["transfers"]:
            w = Walk(schedule, g["phases"][0], whole, alone=True)
            w.order, w.inner = [], {}
            read[t["from"]] += w.bytes(t, ())
        for index in row_major([l["trips"] for l in loops]):
            tile = dict(whole)
            for l, i in zip(loops, index):
                start = i * l["tile"]
                tile[l["rank"]] = (start, min(l["tile"], l["extent"] - start))
            copy_pieces(schedule, g, pieces, index, tile, read, written)
            for p in g["phases"]:
                w = Walk(schedule, p, tile).run()
                cycles[p["name"]] += w.cycles
                for sums, more in ((read, w.read), (written, w.written)):
                    for memory, bytes_ in more.items():
                        sums[memory] += bytes_
    return cycles, read, written


def compare(schedule, report, cycles, read, written):
    for g in report["groups"]:
        for p in g["phases"]:
            if cycles[p["name"]] != p["compute_cycles"]:
                raise Wrong(f"{p['name']} takes {cycles[p['name']]} cycles, "
                            f"not {p['compute_cycles']}")
    feeding = {u["memory"] for u in schedule["arch"]["units"]}
    for m in schedule["arch"]["memories"]:
        if m["name"] in feeding:
            continue  # units read and write there, too
        outer = report["traffic_bytes"][m["name"]]
        if (read[m["name"]], written[m["name"]]) != (outer["read"], outer["write"]):
            raise Wrong(f"{m['name']}: {read[m['name']]} bytes read and "
                        f"{written[m['name']]} written, not {outer['read']} and "
                        f"{outer['write']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("schedule")
    parser.add_argument("--report")
    parser.add_argument("--max-steps", type=int, default=200000,
                        help="do not walk a schedule of more steps")
    args = parser.parse_args()
    with open(args.schedule) as f:
        schedule = json.load(f)
    try:
        validate(schedule)
        check_buffers(schedule)
        check_instances(schedule)
        steps = steps_of(schedule)
        if steps > args.max_steps:
            print(f"valid; not walked ({steps} steps)")
            return 0
        cycles, read, written = walk(schedule)
        if args.report:
            with open(args.report) as f:
                compare(schedule, json.load(f), cycles, read, written)
    except Wrong as wrong:
        print(f"{args.schedule}: {wrong}", file=sys.stderr)
        return 1
    print(f"valid; walked {steps} steps, {sum(cycles.values())} cycles, "
          f"{sum(read.values())} bytes read, {sum(written.values())} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
