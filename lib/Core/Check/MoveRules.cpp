//===- MoveRules.cpp - Rules S31 to S34: prefetch and defer ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Demand.h"
#include "ScheduleRules.h"

using namespace transfusion::core;
using namespace transfusion::core::check;

/// The phase is the first of its group to load the tensor by some access.
static bool loadsFirst(const View &v, int32_t g, int32_t p, TensorId t) {
  const RetainLevel level = retainLevel(v.s.groups[g], t);
  if (level == RetainLevel::Group)
    return false;
  for (const Read &r : v.reads) {
    if (r.tensor != t || v.readAt(r).group != g || v.readAt(r).phase != p ||
        v.madeAt(t).group == g)
      continue;
    bool first = true;
    if (level == RetainLevel::Tile)
      for (const Read &other : v.reads)
        first &= other.tensor != t || v.readAt(other).group != g ||
                 v.readAt(other).phase >= p ||
                 !sameAccess(*other.access, *r.access);
    if (first)
      return true;
  }
  return false;
}

static bool makesForOthers(const View &v, int32_t g, int32_t p, TensorId t) {
  return v.madeAt(t).group == g && v.madeAt(t).phase == p &&
         leavesGroup(v, t) && v.c.tensors[t].iterativeDim < 0;
}

/// S31, S32, S33
void check::checkMoves(const View &v, Sink &sink) {
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g)
    for (int32_t p = 0; p < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++p) {
      const Phase &phase = v.s.groups[g].phases[p];
      TensorId last = -1;
      std::string who;
      auto add = [&](const char *rule, const std::string &what,
                     const std::string &fix) {
        Violation &x = sink.add(rule, who + what, fix);
        x.group = g;
        x.phase = p;
      };
      auto common = [&](const char *verb, TensorId t, int32_t distance) {
        who = phaseText(g, p) + verb + quoted(v.c.tensors[t].name);
        if (t <= last)
          add("S33", t == last ? " twice" : " out of order",
              "list each tensor once, sorted by tensor");
        last = t;
        if (distance < 1)
          add("S33", " by " + num(distance) + " phases",
              "move it by at least one phase, or leave it out");
      };
      for (const Prefetch &f : phase.prefetch) {
        common(" prefetches ", f.tensor, f.ahead);
        if (!loadsFirst(v, g, p, f.tensor))
          add("S31", ", which it is not the first to load in an outer tile",
              "prefetch what the phase would wait for");
      }
      last = -1;
      for (const Defer &d : phase.defer) {
        common(" defers ", d.tensor, d.by);
        if (!makesForOthers(v, g, p, d.tensor))
          add("S32", ", which it does not make for the outer memory",
              "defer results that leave the group and are no recurrence");
      }
    }
}

/// S34
void check::checkMoveSpans(const View &v, Sink &sink) {
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g) {
    const int64_t phases = static_cast<int64_t>(v.s.groups[g].phases.size());
    for (const Need &n : needsOf(v, g)) {
      const int64_t span = int64_t{n.lastPhase} - n.firstPhase + 1;
      if (span <= phases)
        continue;
      Violation &x = sink.add(
          "S34",
          quoted(v.c.tensors[n.tensor].name) + " lives for " + num(span) +
              " phases of " + groupText(g) + ", which has " + num(phases),
          "move its transfer by " + num(span - phases) + " phases less");
      x.group = g;
      x.phase = n.phase;
      x.demand = span;
      x.bound = phases;
      x.unit = "phases";
    }
  }
}
