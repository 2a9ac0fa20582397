//===- MemoryRules.cpp - Rules S28 to S30: retention and capacity ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Demand.h"
#include "ScheduleRules.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

/// S28, S29
void check::checkRetention(const View &v, Sink &sink) {
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g) {
    const std::vector<Retain> &retain = v.s.groups[g].retain;
    for (size_t i = 0; i < retain.size(); ++i) {
      TensorId t = retain[i].tensor;
      const std::string name = quoted(v.c.tensors[t].name);
      if (i && retain[i - 1].tensor >= t)
        sink.add("S29",
                 groupText(g) + " retains " + name +
                     (retain[i - 1].tensor == t ? " twice" : " out of order"),
                 "list each tensor once, sorted by tensor")
            .group = g;
      bool read = false;
      for (const Read &r : v.reads)
        read |= r.tensor == t && v.readAt(r).group == g;
      if (!read || v.madeAt(t).group == g)
        sink.add("S28",
                 groupText(g) + " retains " + name +
                     (read ? ", which it makes itself"
                           : ", which it does not read"),
                 "retain inputs of the group only")
            .group = g;
    }
  }
}

namespace {
std::string describe(const View &v, const Need &n) {
  const Tensor &t = v.c.tensors[n.tensor];
  std::string text = quoted(t.name);
  switch (n.role) {
  case BufferRole::Input:
    text += n.level == RetainLevel::Group  ? ", retained by the group"
            : n.level == RetainLevel::Tile ? ", retained by the tile"
            : n.slots > 1                  ? ", a block"
                                           : ", its piece of the tile";
    break;
  case BufferRole::Window:
    text += ", an inner tile";
    break;
  case BufferRole::Accumulator:
    text += ", partial sums of the tile";
    break;
  case BufferRole::Carried:
    text += ", carried to a later phase";
    break;
  case BufferRole::Output:
    text += ", on its way out";
    break;
  }
  text += ": " + byteText(n.bytes);
  if (n.slots > 1)
    text += " in " + num(n.slots) + " slots";
  return text;
}

/// The knob that frees most: what makes the largest need as large as it is.
std::string advice(const View &v, const Need &n, const Memory &m,
                   int64_t needed) {
  const std::string name = quoted(v.c.tensors[n.tensor].name);
  std::string knob;
  if (n.role == BufferRole::Input && n.level != RetainLevel::Block)
    knob = "do not retain " + name;
  else if (n.role == BufferRole::Input)
    knob = "use smaller blocks of the ranks of " + name;
  else if (n.role == BufferRole::Window || n.role == BufferRole::Output)
    knob = "use smaller inner tiles of the ranks of " + name;
  else
    knob = "use smaller tiles of the ranks of " + name;
  return knob + (needed == kTooMuch ? std::string()
                                    : ", or give " + quoted(m.name) +
                                          " capacity_bytes >= " + num(needed));
}
} // namespace

/// S30
void check::checkCapacity(const View &v, const Arch &a, Sink &sink) {
  const Memory &m = a.memories[a.units.front().memory]; // A02, A07
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g) {
    std::vector<Need> needs = needsOf(v, g);
    const int32_t phases = static_cast<int32_t>(v.s.groups[g].phases.size());
    Violation worst;
    for (int32_t p = 0; p < phases; ++p) {
      int64_t live = 0;
      std::vector<size_t> terms;
      for (size_t i = 0; i < needs.size(); ++i)
        if (const Need &n = needs[i]; neededIn(n, p, phases)) {
          live = addSat(live, alignedSat(n.bytes));
          terms.push_back(i);
        }
      if (live <= m.capacityBytes || live <= worst.demand)
        continue;
      std::sort(terms.begin(), terms.end(), [&](size_t x, size_t y) {
        return needs[x].bytes != needs[y].bytes
                   ? needs[x].bytes > needs[y].bytes
                   : x < y;
      });
      Sink one;
      worst = one.add("S30",
                      phaseText(g, p) + " needs " + byteText(live) + " of " +
                          quoted(m.name) + ", but " + quoted(a.name) + " has " +
                          byteText(m.capacityBytes),
                      advice(v, needs[terms[0]], m, live));
      for (size_t i : terms)
        Sink::term(worst, describe(v, needs[i]));
      worst.group = g;
      worst.phase = p;
      worst.demand = live;
      worst.bound = m.capacityBytes;
      worst.unit = "bytes";
    }
    if (worst.demand)
      sink.found.push_back(worst);
  }
}
