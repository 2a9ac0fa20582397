//===- PlaceRules.cpp - Rules S02 to S04, S14 to S20: who runs where ------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

#include <algorithm>
#include <limits>

using namespace transfusion::core;
using namespace transfusion::core::check;

/// S02, S03, S04
void check::checkPlaces(const Cascade &c, const Arch &a, const Schedule &s,
                        Sink &sink) {
  std::vector<int> mains(c.einsums.size()), finishes(c.einsums.size());
  for (int32_t g = 0; g < static_cast<int32_t>(s.groups.size()); ++g) {
    if (s.groups[g].phases.empty())
      sink.add("S04", groupText(g) + " has no phase", "remove the group")
          .group = g;
    for (int32_t p = 0; p < static_cast<int32_t>(s.groups[g].phases.size());
         ++p) {
      const Phase &phase = s.groups[g].phases[p];
      std::vector<bool> seen(a.units.size());
      bool empty = true;
      for (const Run &run : phase.runs) {
        if (seen[run.unit]) {
          Violation &v =
              sink.add("S04",
                       phaseText(g, p) + " has two issue orders for unit " +
                           quoted(a.units[run.unit].name),
                       "put all slots of the unit into one run");
          v.group = g;
          v.phase = p;
        }
        seen[run.unit] = true;
        for (const Slot &slot : run.slots) {
          empty = false;
          int count = ++(slot.finishOnly ? finishes : mains)[slot.einsum];
          if (count != 2) // once per Einsum is enough to say it
            continue;
          Violation &v = sink.add("S03",
                                  quoted(c.einsums[slot.einsum].name +
                                         (slot.finishOnly ? ".finish" : "")) +
                                      " is scheduled more than once",
                                  "keep one of its slots");
          v.einsum = slot.einsum;
          v.group = g;
          v.phase = p;
        }
      }
      if (empty) {
        Violation &v = sink.add("S04", phaseText(g, p) + " runs no Einsum",
                                "remove the phase");
        v.group = g;
        v.phase = p;
      }
    }
  }
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
    if (!mains[e])
      sink.add("S02", quoted(c.einsums[e].name) + " is not scheduled",
               "give it a slot in the phase of what it reads or a later one")
          .einsum = e;
}

/// S14 to S17
void check::checkFinishes(const View &v, Sink &sink) {
  for (EinsumId e = 0; e < static_cast<EinsumId>(v.c.einsums.size()); ++e) {
    const std::string name = quoted(v.c.einsums[e].name);
    const Place &main = v.main[e], &finish = v.finish[e];
    auto add = [&](const char *rule, const std::string &what,
                   const std::string &fix, const Place &where) {
      Violation &x = sink.add(rule, what, fix);
      x.einsum = e;
      x.group = where.group;
      x.phase = where.phase;
    };
    if (!v.accumulates(e)) {
      if (finish.exists())
        add("S15",
            name + " has a slot for its finish in " +
                phaseText(finish.group, finish.phase) +
                ", but its reduction ends within each epoch",
            "remove the finish slot", finish);
      continue;
    }
    if (!finish.exists()) {
      add("S14",
          "the reduction of " + name + " spans the epochs of " +
              phaseText(main.group, main.phase) +
              ", but no later phase finishes it",
          "add a finish slot of it to a later phase of the group", main);
      continue;
    }
    if (finish.group != main.group || finish.phase <= main.phase)
      add("S16",
          name + " is finished in " + phaseText(finish.group, finish.phase) +
              ", but accumulates through " + phaseText(main.group, main.phase),
          "finish it in a later phase of the same group", finish);
    // A loop that the Einsum lacks would add every point again.
    for (RankId r : v.s.groups[main.group].phases[main.phase].order)
      if (v.cuts[main.group][main.phase][r].trips > 1 &&
          !v.c.einsums[e].hasRank(r))
        add("S17",
            name + " accumulates through the epochs of " +
                phaseText(main.group, main.phase) +
                ", which also loop over rank " + quoted(v.c.ranks[r].name) +
                " that it lacks",
            "move it to a phase that does not loop over the rank", main);
  }
}

namespace {
/// An expansion stands for its parts; A12 has shown that it ends.
bool supports(const Unit &u, OpClass cls) {
  const OpCost &op = u.ops[static_cast<int>(cls)];
  if (!op.supported) // moving a value takes the adder
    return cls == OpClass::Copy && supports(u, OpClass::Add);
  for (const auto &part : op.expansion)
    if (!supports(u, part.first))
      return false;
  return true;
}

/// First class of `ops` that the unit cannot run, -1 when there is none.
int firstUnsupported(const Unit &u, const OpHistogram &ops) {
  for (int k = 0; k < kNumOpClasses; ++k)
    if (ops.count[k] != 0 && !supports(u, OpClass(k)))
      return k;
  return -1;
}

struct SlotChecker {
  const View &v;
  const Arch &a;
  Sink &sink;
  int32_t g, p;

  void support(const Unit &u, const Slot &slot);
  void mapping(const Slot &slot);
  void instances(const Unit &unit, const Slot &slot);

private:
  std::string name(const Slot &slot) const {
    return quoted(v.c.einsums[slot.einsum].name +
                  (slot.finishOnly ? ".finish" : ""));
  }
  Violation &at(Violation &x, const Slot &slot) {
    x.einsum = slot.einsum;
    x.group = g;
    x.phase = p;
    return x;
  }
};

/// S18
void SlotChecker::support(const Unit &u, const Slot &slot) {
  const Einsum &e = v.c.einsums[slot.einsum];
  OpHistogram finishOps = e.finishOps;
  if (slot.finishOnly && !e.hasFinish)
    finishOps[OpClass::Copy] = 1; // the sums move out of the accumulator
  int missing = -1;
  if (!slot.finishOnly)
    missing = firstUnsupported(u, e.pointOps);
  if (missing < 0 && (slot.finishOnly || !v.accumulates(slot.einsum)))
    missing = firstUnsupported(u, finishOps);
  if (missing < 0)
    return;
  Violation &x = at(
      sink.add("S18",
               name(slot) + " has an operation of class " +
                   quoted(opClassName(OpClass(missing))) + ", which unit " +
                   quoted(u.name) + " does not execute" +
                   (u.wholeEinsum ? " (an Einsum goes elsewhere whole)" : ""),
               ""),
      slot);
  std::string able;
  for (const Unit &other : a.units) {
    OpHistogram all = finishOps;
    for (int k = 0; k < kNumOpClasses; ++k)
      all.count[k] += slot.finishOnly ? 0 : e.pointOps.count[k];
    if (firstUnsupported(other, all) < 0)
      able += (able.empty() ? "" : " or ") + quoted(other.name);
  }
  x.notes.back() = able.empty() ? "no unit of " + quoted(a.name) +
                                      " executes it: add the op class to one"
                                : "run it on " + able;
}

/// S19
void SlotChecker::mapping(const Slot &slot) {
  std::vector<RankId> seen;
  for (const auto *list : {&slot.rows, &slot.cols})
    for (RankId r : *list) {
      const std::string rank = quoted(v.c.ranks[r].name);
      if (!v.slotHasRank(slot, r))
        at(sink.add("S19",
                    name(slot) + " is mapped along rank " + rank +
                        ", which it does not iterate",
                    "map ranks of the Einsum only"),
           slot);
      else if (std::find(seen.begin(), seen.end(), r) != seen.end())
        at(sink.add("S19",
                    name(slot) + " is mapped along rank " + rank + " twice",
                    "map each rank to rows or to columns, once"),
           slot);
      seen.push_back(r);
    }
}

/// S42
void SlotChecker::instances(const Unit &unit, const Slot &slot) {
  std::vector<RankId> seen;
  int64_t used = 1;
  for (const InstancePart &part : slot.instances) {
    const std::string rank = quoted(v.c.ranks[part.rank].name);
    std::string fault, remedy;
    if (!v.slotHasRank(slot, part.rank)) {
      fault = ", which it does not iterate";
      remedy = "split ranks of the Einsum only";
    } else if (!v.resultHasRank(slot.einsum, part.rank)) {
      fault =
          ", over which it reduces; nothing adds up what the instances make";
      remedy = "split a rank that its result has";
    } else if (std::find(seen.begin(), seen.end(), part.rank) != seen.end()) {
      fault = " twice";
      remedy = "split each rank once";
    } else if (part.points < 1) {
      fault = " in parts of " + num(part.points) + " points";
      remedy = "give each instance a point or more";
    }
    if (!fault.empty()) {
      at(sink.add("S42",
                  name(slot) + " is split over instances along rank " + rank +
                      fault,
                  remedy),
         slot);
      return;
    }
    seen.push_back(part.rank);
    const int64_t inner = v.cuts[g][p][part.rank].inner;
    if (__builtin_mul_overflow(used, (inner - 1) / part.points + 1, &used))
      used = std::numeric_limits<int64_t>::max();
  }
  if (used <= unit.instances)
    return;
  Violation &x =
      sink.add("S42",
               name(slot) + " is split into " + num(used) + " parts, but " +
                   (unit.instances == 1 ? "there is one " + quoted(unit.name)
                                        : "there are " + num(unit.instances) +
                                              " of unit " + quoted(unit.name)),
               "give each instance more points");
  at(x, slot);
  x.demand = used;
  x.bound = unit.instances;
  x.unit = "instances";
}
} // namespace

/// S18, S19, S20, S42
void check::checkUnits(const View &v, const Arch &a, Sink &sink) {
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g)
    for (int32_t p = 0; p < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++p) {
      SlotChecker checker{v, a, sink, g, p};
      std::vector<int32_t> stages;
      for (const Run &run : v.s.groups[g].phases[p].runs)
        for (const Slot &slot : run.slots) {
          checker.support(a.units[run.unit], slot);
          checker.mapping(slot);
          checker.instances(a.units[run.unit], slot);
          stages.push_back(slot.stage);
        }
      std::sort(stages.begin(), stages.end());
      // Stages count from 0 without gaps: a gap is a step that does nothing.
      int32_t expected = 0;
      for (int32_t stage : stages) {
        if (stage >= 0 && (stage == expected || stage == expected - 1)) {
          expected = stage + 1;
          continue;
        }
        Violation &x = sink.add(
            "S20",
            phaseText(g, p) + " uses stage " + num(stage) +
                (stage < 0 ? ""
                           : ", but nothing runs in stage " + num(expected)),
            "number the stages from 0 without gaps");
        x.group = g;
        x.phase = p;
        break;
      }
    }
}
