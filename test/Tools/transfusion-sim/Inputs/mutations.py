"""One mutation of a legal schedule file per refusal of the simulator and per
error of its reader.

    mutations.py {illegal,moved,bad} SCHEDULE.json SCRATCH.json
"""
import copy
import json
import subprocess
import sys


def phase(s, name):
    return next(p for g in s["groups"] for p in g["phases"] if p["name"] == name)


def slot(s, phase_name, name):
    return next(x for x in phase(s, phase_name)["slots"] if x["name"] == name)


def buffer(s, name):
    return next(b for b in s["buffers"] if b["name"] == name)


def transfer(s, phase_name, kind, tensor=None):
    return next(t for t in phase(s, phase_name)["transfers"]
                if t["kind"] == kind and tensor in (None, t["tensor"]))


def drop(s, phase_name, kind):
    t = phase(s, phase_name)["transfers"]
    t.remove(transfer(s, phase_name, kind))


def edit(**changes):
    """A mutation that sets keys of what `at` finds."""
    def of(at):
        return lambda s: at(s).update(changes)
    return of


def swap_issue(s):
    x, y = slot(s, "g2.p2", "LM"), slot(s, "g2.p2", "RM")
    x["issue"], y["issue"] = y["issue"], x["issue"]


def swap_ports(s):
    t = transfer(s, "g1.p1", "load")
    t["from_port"], t["to_port"] = t["to_port"], t["from_port"]


def steady(s, phase_name, name):
    for list_ in phase(s, phase_name)["steady"]["units"].values():
        for x in list_:
            if x["name"] == name:
                return x


def shift(s):
    x = steady(s, "g2.p2", "LM")
    x["start"] -= 1
    x["end"] -= 1


def halve(s):
    s["claimed_cycles"] /= 2


def ragged(s):
    x = next(x for g in s["groups"] for p in g["phases"] for x in p["slots"]
             if len(x["cycles"]) > 1)
    x["cycles"] = x["cycles"][:1]


ILLEGAL = [
    ("a result that nobody writes",
     edit(writes=[])(lambda s: slot(s, "g2.p2", "LM")),
     "RM: reads what was not written: g2.p2.LM is never written"),
    ("the epoch before, where there is none",
     lambda s: slot(s, "g2.p2", "SLN")["reads"][0].update(distance=1),
     "SLN: reads what was not written: g2.p2.QK holds nothing for epoch -1"),
    ("a window of one slot where two epochs are live",
     edit(slots=1)(lambda s: buffer(s, "g2.p2.RM")),
     "RM: overwrites what is still needed: g2.p2.RM holds epoch 0, which"),
    ("a block buffer of one slot",
     edit(slots=1)(lambda s: buffer(s, "g1.p1.%arg4")),
     "load of %arg4: overwrites what is still needed: fetch 1"),
    ("a load that is due after it is read",
     lambda s: transfer(s, "g2.p4", "load", "%arg8")["when"].update(stage=1),
     "O: reads what was not written: it reads g2.p4.%arg8 in stage 0"),
    ("no load for the tile", lambda s: drop(s, "g1.p1", "load"),
     "BK: reads what was not written: g1.p1.%arg0 is never written"),
    ("no load for the group", lambda s: s["groups"][0].update(transfers=[]),
     "BK: reads what was not written: g1.p1.%arg5 is never written"),
    ("what another group reads is not stored",
     lambda s: drop(s, "g1.p1", "store"),
     "load of BK: reads what was not written: no earlier group stores BK"),
    ("the output is not stored", lambda s: drop(s, "g2.p11", "store"),
     "never stores its output ln2.NR"),
    ("a store of what its slot does not write",
     lambda s: transfer(s, "g2.p11", "store").update(
         buffer="g2.p10.ln2.DAV", tensor="ln2.DAV"),
     "store of ln2.DAV: reads what was not written"),
    ("a later phase reads what an earlier one made for an epoch",
     lambda s: (buffer(s, "g2.p2.RD").update(last_use=4),
                slot(s, "g2.p3", "AV")["reads"][1].update(
                    buffer="g2.p2.RD", tensor="RD")),
     "AV: reads what was not written: g2.p2.RD holds pieces of another phase"),
    ("a slot that writes an input",
     lambda s: slot(s, "g1.p1", "BK")["writes"].append(
         {"tensor": "%arg0", "buffer": "g1.p1.%arg0", "accumulate": False,
          "bytes": 4}),
     "BK: overwrites what is still needed in g1.p1.%arg0"),
    ("two slots make one buffer",
     lambda s: slot(s, "g2.p2", "RM").update(
         writes=slot(s, "g2.p2", "LM")["writes"]),
     "overwrites what is still needed in g2.p2.LM"),
    ("a piece too large for its slot",
     edit(bytes_per_slot=64)(lambda s: buffer(s, "g1.p1.%arg4")),
     "load of %arg4: overwrites what is still needed: its piece takes"),
    ("a load goes out of the port that it should come in by", swap_ports,
     "oversubscribes a port"),
    ("more bytes than the claimed time carries", halve,
     "oversubscribes port dram: its transfers take"),
    ("a slot starts before its operand is made", shift,
     "g2.p2, steady body, LM: starts at cycle"),
    ("a body that is too short",
     lambda s: phase(s, "g2.p2")["steady"].update(length=1),
     "g2.p2, steady body: is 1 cycles long"),
    ("a body without a slot",
     lambda s: phase(s, "g1.p1")["steady"]["units"].update(mac2d=[]),
     "g1.p1, steady body: does not run BK"),
    ("no epilogue", lambda s: phase(s, "g2.p2").update(epilogue=[]),
     "g2.p2: has 2 stages"),
    ("units wait for each other", swap_issue,
     "g2.p2, RM: is issued on vec1d before LM, which it reads"),
    ("two slots at one place", edit(issue=0)(lambda s: slot(s, "g2.p2", "RM")),
     "is issued on vec1d at the same place as"),
    ("no cycles for a ragged epoch", ragged,
     ": has no cycles for epoch"),
    ("a stage that there is not",
     edit(stage=7)(lambda s: slot(s, "g2.p2", "RM")),
     "RM: is in stage 7 of 2"),
    ("a buffer that is dead when it is read",
     edit(last_use=9)(lambda s: buffer(s, "g2.p6.ln1.NR")),
     "ln2.IAV: uses g2.p6.ln1.NR, which does not live in its phase"),
    ("a memory that is too small",
     lambda s: s["arch"]["memories"][1].update(capacity_bytes=4096),
     "of buffer, which has 4096"),
    ("a deferral beyond the life of the buffer",
     lambda s: transfer(s, "g2.p11", "store")["when"].update(phases_later=1),
     "store of ln2.NR: moves g2.p11.ln2.NR outside of its life"),
]

MOVED = [ # of a schedule with loads ahead and late stores
    ("loaded ahead by as many phases as there are",
     lambda s: first_ahead(s)["when"].update(
         first_phases_ahead=len(s["groups"][-1]["phases"])),
     "overwrites what is still needed"),
    ("loaded ahead of the life of its buffer",
     lambda s: first_ahead(s)["when"].update(
         first_phases_ahead=first_ahead(s)["when"]["first_phases_ahead"] + 1),
     "outside of its life"),
    ("stored later than its buffer lives",
     lambda s: late(s)["when"].update(
         phases_later=late(s)["when"]["phases_later"] + 1),
     "outside of its life"),
    ("stored later by a buffer that keeps an epoch only",
     lambda s: late(s).update(buffer=other_output(s)), None),
]


def first_ahead(s):
    return next(t for p in s["groups"][-1]["phases"] for t in p["transfers"]
                if "first_phases_ahead" in t["when"])


def late(s):
    return next(t for p in s["groups"][-1]["phases"] for t in p["transfers"]
                if "phases_later" in t["when"])


def other_output(s):
    return next(b["name"] for b in s["buffers"] if b["role"] == "output")


def at(path, value):
    """Sets what is at a path, a list of keys and indices."""
    def mutate(s):
        for key in path[:-1]:
            s = s[key]
        if value is KeyError:
            del s[path[-1]]
        else:
            s[path[-1]] = value
    return mutate


P = ["groups", 1, "phases", 1]
BAD = [
    ("another schema", at(["schema"], "trace"), "the file is no schedule file"),
    ("another version", at(["version"], 99), "version is 99, and only version"),
    ("no version", at(["version"], KeyError), "has no key 'version'"),
    ("no claim", at(["claimed_cycles"], KeyError), "no key 'claimed_cycles'"),
    ("unknown unit", at(P + ["slots", 0, "unit"], "mac3d"),
     "groups[1].phases[1].slots[0].unit there is no unit 'mac3d'; did you mean 'mac2d'?"),
    ("unknown buffer", at(P + ["slots", 0, "reads", 0, "buffer"], "x"),
     "slots[0].reads[0].buffer there is no buffer 'x'"),
    ("unknown rank", at(P + ["loops", 0, "rank"], "z9"), "no rank 'z9'"),
    ("unknown port", at(P + ["transfers", 0, "from_port"], "sram"),
     "there is no port 'sram'"),
    ("unknown memory", at(["buffers", 0, "memory"], "bufer"),
     "no memory 'bufer'; did you mean 'buffer'?"),
    ("unknown key", at(P + ["slots", 0, "units"], "mac2d"),
     "has a key 'units' that the schema does not know; did you mean 'unit'?"),
    ("negative cycles", at(P + ["slots", 0, "cycles", 0, "cycles"], -5),
     "slots[0].cycles[0].cycles is -5, outside of 0 to"),
    ("huge cycles", at(P + ["slots", 0, "cycles", 0, "cycles"], 2**62),
     "is 4611686018427387904, outside of"),
    ("beyond 64 bits", at(P + ["slots", 0, "issue"], 2**70),
     "is not an integer below 2^63"),
    ("a fraction", at(["buffers", 0, "slots"], 1.5), "is not an integer"),
    ("a rank that does not count",
     at(["buffers", 0, "access", 0, "terms", "b"], 0), "terms.b is 0"),
    ("infinite claim", at(["claimed_cycles"], 1e999), None),
    ("text for a number", at(P + ["stages"], "2"),
     "groups[1].phases[1].stages is a string, not an integer"),
    ("a number for an object", at(["arch"], 7), "arch is a number, not an object"),
    ("null for an array", at(["buffers"], None), "buffers is null, not an array"),
    ("missing slots", at(P + ["slots"], KeyError), "has no key 'slots'"),
    ("no slots at all", at(P + ["slots"], []), "slots is empty"),
    ("no groups", at(["groups"], []), "groups is empty"),
    ("no phases", at(["groups", 0, "phases"], []), "groups[0].phases is empty"),
    ("two buffers of one name", at(["buffers", 1, "name"], "g1.p1.BK"),
     "buffers[1].name there is another buffer 'g1.p1.BK'"),
    ("buffers overlap in time and space",
     lambda s: s["buffers"][4].update(address=buffer(s, "g1.p1.BK")["address"]),
     "share bytes while both live"),
    ("too small for its slots", at(["buffers", 0, "bytes_per_slot"], 10**6),
     "too small for 2 slots"),
    ("wrong allocation", at(["allocation_bytes", "buffer"], 1),
     "allocation_bytes.buffer is 1, but the last buffer ends at"),
    ("trips that do not fit", at(P + ["loops", 1, "trips"], 99),
     "loops[1].trips is 99"),
    ("a tile that does not fit", at(P + ["loops", 1, "tile"], 999),
     "loops[1].tile is 999, but an outer tile has"),
    ("epochs that do not fit", at(P + ["epochs"], 1), "epochs is not the product"),
    ("a loop that is not there",
     lambda s: transfer(s, "g2.p2", "load")["when"].update(loop="s"),
     "when.loop is no loop of its phase"),
    ("a tensor that the buffer does not hold",
     at(P + ["slots", 0, "reads", 0, "tensor"], "QK"),
     "is not what the buffer holds"),
    ("an access of another rank", at(["buffers", 0, "access"], []),
     "has 0 dimensions"),
    ("no clock", at(["arch", "clock_hz"], 0), "clock_hz is 0"),
    ("bandwidth zero", at(["arch", "memories", 0, "read_bytes_per_s"], 0),
     "is 0: null says that it is no limit"),
    ("one port, two bandwidths",
     at(["arch", "memories", 0, "write_bytes_per_s"], 1e3),
     "is port 'dram' again, but of another bandwidth"),
    ("one memory",
     lambda s: s["arch"]["memories"].pop(), "arch.memories has fewer"),
    ("a slot of another unit",
     lambda s: phase(s, "g2.p2")["steady"]["units"].update(
         vec1d=phase(s, "g2.p2")["steady"]["units"]["mac2d"], mac2d=[]),
     "which runs on another unit"),
    ("a scope of another place",
     lambda s: transfer(s, "g2.p2", "load").update(when={"scope": "group"}),
     "when.scope is 'group' in a phase"),
    ("a load of an epoch without a stage",
     lambda s: transfer(s, "g2.p2", "load")["when"].pop("stage"),
     "when has no key 'stage'"),
]
TEXTS = [
    ("truncated", lambda t: t[:len(t) // 2], ":", "the file is no JSON:"),
    ("empty", lambda t: "", ":1:1: error:", "the file is no JSON"),
    ("no JSON", lambda t: "sched.schedule", ":1:", "the file is no JSON"),
    ("too deep", lambda t: "[" * 10**6, ":1:1: error:", "nests deeper"),
    ("an array", lambda t: "[1]", ":1:1: error:", "the file is no schedule file"),
]


def simulate(path):
    run = subprocess.run(["transfusion-sim", path], capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def expect(name, code, messages, scratch, text):
    with open(scratch, "w") as f:
        f.write(text)
    got, out, err = simulate(scratch)
    wrong = got != code or out or not err.startswith(scratch + ":")
    if wrong or not all(m in err for m in messages if m):
        sys.exit(f"{name}: exit code {got}, not {code}, or not {messages}:\n{err}{out}")


def place_is_right(text, scratch):
    """The line that an error names is the line where the value is."""
    s = json.loads(text)
    at(P + ["slots", 0, "unit"], "mac3d")(s)
    text = json.dumps(s, indent=1)
    line = text[:text.index('"mac3d"')].count("\n") + 1
    expect("place", 2, [f"{scratch}:{line}:"], scratch, text)


def main():
    which, path, scratch = sys.argv[1:]
    with open(path) as f:
        text = f.read()
    code, out, err = simulate(path)
    if code or err:
        sys.exit(f"the schedule itself: exit code {code}\n{err}")
    table = {"illegal": (ILLEGAL, 1), "moved": (MOVED, 1), "bad": (BAD, 2)}
    mutations, code = table[which]
    for name, mutate, message in mutations:
        s = copy.deepcopy(json.loads(text))
        mutate(s)
        expect(name, code, [message], scratch, json.dumps(s))
    if which == "bad":
        for name, mutate, *messages in TEXTS:
            expect(name, 2, messages, scratch, mutate(text))
        place_is_right(text, scratch)
    print(f"{len(mutations)} {which} mutations refused")


main()
