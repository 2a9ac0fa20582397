//===- StepLimit.cpp - What makes a step last as long as it does ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Limits.h"

#include <algorithm>

namespace transfusion::core {

namespace {

class StepReader {
public:
  StepReader(const Cascade &c, const Arch &a, const Phase &p, PhaseTiming t)
      : c(c), a(a), p(p), t(std::move(t)), slotOf(c.einsums.size(), -1) {
    for (size_t i = 0; i < this->t.slots.size(); ++i)
      slotOf[this->t.slots[i].einsum] = static_cast<int32_t>(i);
    for (const Dependence &d : dependences(c))
      if (slotOf[d.from] >= 0 && slotOf[d.to] >= 0)
        edges.push_back({slotOf[d.from], slotOf[d.to], d.distance});
  }

  Limit read();

private:
  struct Edge {
    int32_t from, to, distance;
  };
  const SlotTiming &slot(int32_t i) const { return t.slots[i]; }
  int64_t end(int32_t i) const { return slot(i).start + slot(i).cycles; }
  UnitId unit(int32_t i) const { return p.runs[slot(i).run].unit; }
  int64_t length() const;
  std::vector<int32_t> chain() const;
  std::vector<int32_t> cycle() const;
  std::string names(const std::vector<int32_t> &slots) const;

  const Cascade &c;
  const Arch &a;
  const Phase &p;
  const PhaseTiming t;
  std::vector<int32_t> slotOf; ///< by EinsumId
  std::vector<Edge> edges;
};

} // namespace

/// First to last; the middle of many is left out.
std::string StepReader::names(const std::vector<int32_t> &slots) const {
  std::vector<std::string> all;
  for (int32_t i : slots)
    all.push_back(c.einsums[slot(i).einsum].name +
                  (slot(i).finishOnly ? ".finish" : ""));
  if (all.size() > 4)
    all = {all[0], all[1], "...", all.back()};
  std::string text;
  for (const std::string &name : all)
    text += (text.empty() ? "" : " > ") + name;
  return text;
}

/// Slots that end in each other's starts, up to the one that ends last. What a
/// slot reads is preferred to what its unit did before.
std::vector<int32_t> StepReader::chain() const {
  const int32_t n = static_cast<int32_t>(t.slots.size());
  int32_t at = 0;
  for (int32_t i = 1; i < n; ++i)
    if (end(i) > end(at))
      at = i;
  std::vector<int32_t> slots = {at};
  std::vector<bool> seen(n, false);
  while (slot(at).start > 0) {
    seen[at] = true;
    int32_t before = -1;
    for (const Edge &e : edges)
      if (e.to == at && !seen[e.from] && end(e.from) == slot(at).start &&
          slot(e.from).stage - slot(at).stage == e.distance)
        before = e.from;
    for (int32_t i = 0; i < n && before < 0; ++i)
      if (!seen[i] && unit(i) == unit(at) && end(i) == slot(at).start)
        before = i;
    if (before < 0)
      break;
    slots.push_back(at = before);
  }
  std::reverse(slots.begin(), slots.end());
  return slots;
}

/// A cycle that a shorter step would not leave time for: one whose slots and
/// order of issue, less a cycle for each step spanned, gain on themselves.
std::vector<int32_t> StepReader::cycle() const {
  struct Arc {
    int32_t from, to;
    int64_t weight;
  };
  const int32_t n = static_cast<int32_t>(t.slots.size());
  const int64_t shorter = t.ii - 1;
  std::vector<Arc> arcs;
  for (const Edge &e : edges)
    arcs.push_back(
        {e.from, e.to,
         slot(e.from).cycles +
             (slot(e.from).stage - slot(e.to).stage - e.distance) * shorter});
  for (UnitId u = 0; u < static_cast<UnitId>(a.units.size()); ++u) {
    std::vector<int32_t> order; // slots are sorted by start
    for (int32_t i = 0; i < n; ++i)
      if (unit(i) == u)
        order.push_back(i);
    for (size_t i = 0; i < order.size(); ++i)
      arcs.push_back(
          {order[i], order[(i + 1) % order.size()],
           slot(order[i]).cycles - (i + 1 == order.size() ? shorter : 0)});
  }
  std::vector<int64_t> at(n, 0);
  std::vector<int32_t> from(n, -1);
  int32_t moved = -1;
  for (int32_t round = 0; round <= n; ++round) {
    moved = -1;
    for (const Arc &arc : arcs)
      if (at[arc.from] + arc.weight > at[arc.to]) {
        at[arc.to] = at[arc.from] + arc.weight;
        from[arc.to] = arc.from;
        moved = arc.to;
      }
  }
  if (moved < 0)
    return {};
  for (int32_t i = 0; i < n; ++i) // into the cycle
    moved = from[moved];
  std::vector<int32_t> slots = {moved};
  for (int32_t i = from[moved]; i != moved; i = from[i])
    slots.push_back(i);
  std::reverse(slots.begin(), slots.end());
  std::rotate(slots.begin(), std::min_element(slots.begin(), slots.end()),
              slots.end());
  return slots;
}

/// Of the step.
int64_t StepReader::length() const {
  int64_t length = t.ii;
  if (!p.wrap)
    for (int32_t i = 0; i < static_cast<int32_t>(t.slots.size()); ++i)
      length = std::max(length, end(i));
  return length;
}

Limit StepReader::read() {
  if (t.slots.empty())
    return {};
  std::vector<int64_t> busy(a.units.size(), 0);
  for (int32_t i = 0; i < static_cast<int32_t>(t.slots.size()); ++i)
    busy[unit(i)] += slot(i).cycles;
  const auto busiest = std::max_element(busy.begin(), busy.end());
  if (*busiest >= length())
    return {LimitKind::Unit, a.units[busiest - busy.begin()].name};
  if (!p.wrap)
    return {LimitKind::Dependences, names(chain())};
  const std::vector<int32_t> around = cycle();
  // Nothing goes around: slots are kept inside the step that they start in.
  return around.empty() ? Limit{LimitKind::Dependences, names(chain())}
                        : Limit{LimitKind::Recurrence, names(around)};
}

Limit stepLimit(const Cascade &c, const Arch &a, const Phase &p,
                const std::vector<Extents> &perStage) {
  return StepReader(c, a, p, timePhase(c, a, p, perStage)).read();
}

} // namespace transfusion::core
