//===- OrderRules.cpp - Rules S21 to S25, S36, S37: order -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {

struct OrderChecker {
  const View &v;
  Sink &sink;

  void read(const Read &r);
  void pieces(const Read &r);
  void step(int32_t g, int32_t p);

private:
  std::string einsum(EinsumId e) const { return quoted(v.c.einsums[e].name); }
  Violation &add(const char *rule, const Read &r, const Place &where,
                 const std::string &what, const std::string &fix) {
    Violation &x = sink.add(rule,
                            einsum(r.reader) + " reads " +
                                quoted(v.c.tensors[r.tensor].name) + " of " +
                                einsum(v.c.tensors[r.tensor].producer) + what,
                            fix);
    x.einsum = r.reader;
    x.group = where.group;
    x.phase = where.phase;
    return x;
  }
};

/// S36: what extends a tensor is read where its pieces lie side by side.
void OrderChecker::pieces(const Read &r) {
  EinsumId maker = v.c.tensors[r.tensor].producer;
  if (maker < 0 || v.c.einsums[maker].base < 0)
    return;
  Place at = v.readAt(r);
  for (TensorId t = r.tensor; t >= 0; t = v.c.einsums[maker].base) {
    maker = v.c.tensors[t].producer;
    if (maker < 0)
      return; // an input
    Place made = v.madeAt(t);
    if (!made.exists() || !at.exists() || made.group < at.group)
      continue;
    add("S36", r, at,
        " in " + groupText(at.group) + ", but its piece " +
            quoted(v.c.tensors[t].name) + " is made in " +
            groupText(made.group),
        "put the reader into a later group");
    return;
  }
}

/// S21 to S24: groups, phases and stages.
void OrderChecker::read(const Read &r) {
  Place made = v.madeAt(r.tensor), at = v.readAt(r);
  if (!made.exists() || !at.exists())
    return; // an input; or S14 has spoken
  if (at.group < made.group) {
    add("S21", r, at,
        " in " + groupText(at.group) + ", but it is made in " +
            groupText(made.group),
        "put the reader into the same group or a later one");
    return;
  }
  if (at.group > made.group) {
    // Only whole tensors cross groups, and a recurrence keeps its last slice.
    if (r.kind == ReadKind::Previous ||
        (r.kind == ReadKind::Plain && v.c.tensors[r.tensor].iterativeDim >= 0))
      add("S23", r, at, " slice by slice in another group",
          "put both into one phase");
    return;
  }
  if (at.phase < made.phase) {
    add("S22", r, at,
        " in " + phaseText(at.group, at.phase) + ", but it is made in " +
            phaseText(made.group, made.phase),
        "put the reader into that phase or a later one");
    return;
  }
  bool slices = v.c.tensors[r.tensor].iterativeDim >= 0;
  bool loop =
      slices &&
      v.cuts[made.group][made.phase][v.c.tensors[r.tensor].iterativeRank]
              .trips > 1;
  if (at.phase > made.phase) {
    if (slices && r.kind != ReadKind::Last)
      add("S23", r, at,
          " slice by slice in a later phase, where only the last one is left",
          "put both into one phase");
    return;
  }
  if (r.kind == ReadKind::Last && loop) {
    add("S23", r, at, " after its last slice, in the phase that makes it",
        "put the reader into a later phase");
    return;
  }
  int32_t distance = r.kind == ReadKind::Previous ? 1 : 0;
  int32_t from = v.slot(made).stage, to = v.slot(at).stage;
  if (from > to + distance) {
    Violation &x =
        add("S24", r, at,
            (distance ? " of the epoch before in stage " : " in stage ") +
                num(to) + ", but it is made in stage " + num(from),
            "run " + einsum(r.reader) + " in stage " + num(from - distance) +
                " or a later one");
    x.demand = from - distance;
    x.bound = to;
    x.unit = "stages";
  }
}

/// S25: within one step, issue orders and reads never wait in a circle.
void OrderChecker::step(int32_t g, int32_t p) {
  const Phase &phase = v.s.groups[g].phases[p];
  std::vector<Place> slots;
  std::vector<std::vector<size_t>> next;
  std::vector<size_t> waitsFor;
  auto indexOf = [&](const Place &place) {
    size_t i = 0;
    while (slots[i].run != place.run || slots[i].index != place.index)
      ++i;
    return i;
  };
  for (int32_t u = 0; u < static_cast<int32_t>(phase.runs.size()); ++u)
    for (int32_t i = 0; i < static_cast<int32_t>(phase.runs[u].slots.size());
         ++i)
      slots.push_back({g, p, u, i});
  next.resize(slots.size());
  waitsFor.resize(slots.size());
  auto edge = [&](size_t from, size_t to) {
    next[from].push_back(to);
    ++waitsFor[to];
  };
  for (size_t i = 1; i < slots.size(); ++i)
    if (slots[i].run == slots[i - 1].run)
      edge(i - 1, i);
  std::vector<const Read *> sameStep;
  for (const Read &r : v.reads) {
    Place made = v.madeAt(r.tensor), at = v.readAt(r);
    if (made.group != g || at.group != g || made.phase != p || at.phase != p)
      continue;
    int32_t distance = r.kind == ReadKind::Previous ? 1 : 0;
    if (v.slot(made).stage != v.slot(at).stage + distance)
      continue;
    sameStep.push_back(&r);
    edge(indexOf(made), indexOf(at));
  }
  std::vector<size_t> ready;
  for (size_t i = 0; i < slots.size(); ++i)
    if (!waitsFor[i])
      ready.push_back(i);
  size_t done = 0;
  for (; done < ready.size(); ++done)
    for (size_t to : next[ready[done]])
      if (!--waitsFor[to])
        ready.push_back(to);
  if (done == slots.size())
    return;
  // Name a pair that stands the wrong way round, if one does; every circle that
  // holds no such pair goes through two units.
  std::vector<const Read *> stuck;
  for (const Read *r : sameStep) {
    Place made = v.madeAt(r->tensor), at = v.readAt(*r);
    if (!waitsFor[indexOf(made)] || !waitsFor[indexOf(at)])
      continue;
    stuck.push_back(r);
    if (made.run == at.run && made.index >= at.index) {
      add("S25", *r, at, " in the same step, but is issued before it",
          "issue " + einsum(v.c.tensors[r->tensor].producer) + " first");
      return;
    }
  }
  Violation &x =
      add("S25", *stuck.front(), v.readAt(*stuck.front()),
          ", but the issue orders of the units wait for each other",
          "issue Einsums in an order in which each follows what it reads");
  for (const Read *r : stuck)
    Sink::term(x, einsum(r->reader) + " waits for " +
                      einsum(v.c.tensors[r->tensor].producer));
}

} // namespace

/// S37: what is between two parts runs after all of the first.
static void checkParts(const View &v, Sink &sink) {
  int32_t part = 0;
  EinsumId last = -1;
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g) {
    EinsumId first = -1;
    for (const Phase &phase : v.s.groups[g].phases)
      for (const Run &run : phase.runs)
        for (const Slot &slot : run.slots) {
          const Einsum &e = v.c.einsums[slot.einsum];
          if (e.part >= part && (first < 0 || e.part == part)) {
            part = e.part;
            first = last = slot.einsum;
            continue;
          }
          Violation &x = sink.add(
              "S37",
              quoted(e.name) + " of part " + num(e.part + 1) + " runs in " +
                  groupText(g) + ", together with or after " +
                  quoted(v.c.einsums[last].name) + " of part " + num(part + 1),
              "give each part groups of its own, in order");
          x.einsum = slot.einsum;
          x.group = g;
          return;
        }
  }
}

void check::checkOrder(const View &v, Sink &sink) {
  checkParts(v, sink);
  OrderChecker checker{v, sink};
  for (const Read &r : v.reads) {
    checker.read(r);
    checker.pieces(r);
  }
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g)
    for (int32_t p = 0; p < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++p)
      checker.step(g, p);
}
