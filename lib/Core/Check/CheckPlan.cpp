//===- CheckPlan.cpp - Rules P01 to P11: a plan against its schedule ------===//
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

namespace {

const char *const replan = "make the plan anew from the schedule";

struct Life {
  int32_t first = 0, last = -1;
};

struct PlanChecker {
  const View &v;
  const Arch &a;
  const Plan &p;
  Sink sink;
  std::vector<Life> lives; ///< by buffer, recomputed

  bool mirrors();
  bool buffers();
  void group(int32_t g);
  void overlaps();
  void capacity();

private:
  void slot(int32_t g, int32_t phase, const PlannedSlot &planned);
  void operand(int32_t g, int32_t phase, const Read &r,
               const OperandSource &from);
  void result(int32_t g, int32_t phase, const PlannedSlot &planned);
  void need(const Need &n);
  bool buffer(int32_t id) const {
    return id >= 0 && id < static_cast<int64_t>(p.buffers.size());
  }
  Violation &at(const char *rule, const std::string &what,
                const std::string &fix, int32_t g, int32_t phase = -1,
                EinsumId e = -1) {
    Violation &x = sink.add(rule, what, fix);
    x.group = g;
    x.phase = phase;
    x.einsum = e;
    return x;
  }
};

/// P01
bool PlanChecker::mirrors() {
  for (const std::string &fault : p.faults)
    sink.add("P01", "there is no plan: " + fault, "change the schedule");
  if (p.groups.size() != v.s.groups.size()) {
    sink.add("P01", "the plan has another number of groups than the schedule",
             replan);
    return false;
  }
  for (int32_t g = 0; g < static_cast<int32_t>(p.groups.size()); ++g) {
    const auto &phases = v.s.groups[g].phases;
    if (p.groups[g].phases.size() != phases.size()) {
      at("P01", groupText(g) + " of the plan has another number of phases",
         replan, g);
      return false;
    }
    for (int32_t q = 0; q < static_cast<int32_t>(phases.size()); ++q) {
      const PhasePlan &plan = p.groups[g].phases[q];
      size_t i = 0;
      bool same = true;
      int32_t stages = 1;
      for (size_t u = 0; u < phases[q].runs.size(); ++u)
        for (size_t k = 0; k < phases[q].runs[u].slots.size(); ++k, ++i) {
          const Slot &slot = phases[q].runs[u].slots[k];
          stages = std::max(stages, slot.stage + 1);
          if (i >= plan.slots.size()) {
            same = false;
            continue;
          }
          const PlannedSlot &x = plan.slots[i];
          same &=
              x.run == static_cast<int32_t>(u) &&
              x.index == static_cast<int32_t>(k) &&
              x.unit == phases[q].runs[u].unit && x.einsum == slot.einsum &&
              x.stage == slot.stage && x.finishOnly == slot.finishOnly &&
              x.accumulates ==
                  (!slot.finishOnly && v.accumulates(slot.einsum)) &&
              x.inputs.size() == (slot.finishOnly
                                      ? 0
                                      : v.c.einsums[slot.einsum].inputs.size());
        }
      if (!same || i != plan.slots.size() || stages != plan.stages) {
        at("P01", phaseText(g, q) + " of the plan runs other slots", replan, g,
           q);
        return false;
      }
    }
  }
  return p.faults.empty();
}

/// P02
bool PlanChecker::buffers() {
  bool good = true;
  for (const Buffer &b : p.buffers) {
    std::string wrong;
    if (b.tensor < 0 || b.tensor >= static_cast<int64_t>(v.c.tensors.size()))
      wrong = "holds no tensor";
    else if (b.group < 0 || b.group >= static_cast<int64_t>(p.groups.size()))
      wrong = "belongs to no group";
    else if (b.memory != a.units.front().memory) // A02: as of every unit
      wrong = "is not in the memory that feeds the units";
    else if (b.bytesPerSlot <= 0 || b.slots <= 0)
      wrong =
          "has " + num(b.slots) + " slots of " + num(b.bytesPerSlot) + " bytes";
    else if (b.bytes < mulSat(b.slots, b.bytesPerSlot))
      wrong = "has " + num(b.bytes) + " bytes for " + num(b.slots) +
              " slots of " + num(b.bytesPerSlot);
    else if (b.address < 0 || b.address % kBufferAlignment != 0)
      wrong = "is at address " + num(b.address);
    else if (addSat(b.address, b.bytes) == kTooMuch)
      wrong = "ends beyond 2^63";
    if (wrong.empty())
      continue;
    good = false;
    at("P02", "buffer " + quoted(b.name) + " " + wrong, replan, b.group,
       b.phase);
  }
  return good;
}

/// P03
void PlanChecker::operand(int32_t g, int32_t phase, const Read &r,
                          const OperandSource &from) {
  const std::string who = quoted(v.c.einsums[r.reader].name) + " reads " +
                          quoted(v.c.tensors[r.tensor].name);
  if (!buffer(from.buffer)) {
    at("P03", who + " from no buffer", replan, g, phase, r.reader);
    return;
  }
  const Buffer &b = p.buffers[from.buffer];
  Place made = v.madeAt(r.tensor);
  bool fits = b.tensor == r.tensor && b.group == g;
  if (made.group != g) {
    fits &= b.role == BufferRole::Input && sameAccess(b.access, *r.access);
    if (b.level == RetainLevel::Block)
      fits &= b.phase == phase;
  } else if (made.phase != phase) {
    fits &= b.role == BufferRole::Carried;
  } else {
    bool window = b.role == BufferRole::Window || b.role == BufferRole::Output;
    bool carried =
        b.role == BufferRole::Carried && v.c.tensors[r.tensor].iterativeDim < 0;
    fits &= (window || carried) && b.phase == phase;
  }
  if (!fits) {
    at("P03",
       who + " from buffer " + quoted(b.name) +
           ", which does not hold it there",
       replan, g, phase, r.reader);
    return;
  }
  int32_t distance = r.kind == ReadKind::Previous ? 1 : 0;
  if (from.distance != distance)
    at("P03",
       who + " of " + num(from.distance) + " epochs before instead of " +
           num(distance),
       replan, g, phase, r.reader);
}

/// P04
void PlanChecker::result(int32_t g, int32_t phase, const PlannedSlot &planned) {
  EinsumId e = planned.einsum;
  TensorId t = v.c.einsums[e].result.tensor;
  auto require = [&](bool needed, int32_t id, bool (*role)(BufferRole),
                     const char *what) {
    if (!needed)
      return;
    if (buffer(id) && p.buffers[id].tensor == t && p.buffers[id].group == g &&
        role(p.buffers[id].role))
      return;
    at("P04",
       quoted(v.c.einsums[e].name) + " has no " + what + " for its result",
       replan, g, phase, e);
  };
  require(
      v.accumulates(e), planned.accumulator,
      [](BufferRole r) { return r == BufferRole::Accumulator; }, "accumulator");
  if (planned.accumulates)
    return;
  bool here = false, later = false, leaves = leavesGroup(v, t);
  for (const Read &r : v.reads) {
    if (r.tensor != t || v.readAt(r).group != g)
      continue;
    here |= v.readAt(r).phase == phase;
    later |= v.readAt(r).phase > phase;
  }
  later |= leaves && deferredBy(v.s.groups[g].phases[phase], t) > 0;
  // Carried, whole tile: its own phase reads it there too.
  bool whole = later && v.c.tensors[t].iterativeDim < 0;
  require((here || leaves) && !whole, planned.window,
          [](BufferRole r) {
            return r == BufferRole::Window || r == BufferRole::Output;
          },
          "window");
  require(
      later, planned.carried,
      [](BufferRole r) { return r == BufferRole::Carried; },
      "buffer that later phases read");
  int32_t outgoing = whole ? planned.carried : planned.window;
  if (leaves && buffer(outgoing) && !p.buffers[outgoing].storeToOuter)
    at("P04",
       quoted(v.c.einsums[e].name) +
           " leaves the group, but its result is not stored",
       replan, g, phase, e);
}

void PlanChecker::slot(int32_t g, int32_t phase, const PlannedSlot &planned) {
  for (const Read &r : v.reads) {
    if (r.reader != planned.einsum)
      continue;
    Place here = v.readAt(r);
    if (here.phase != phase || here.run != planned.run ||
        here.index != planned.index)
      continue;
    const auto &sources = r.inFinish ? planned.finishInputs : planned.inputs;
    if (r.operand < static_cast<int64_t>(sources.size()))
      operand(g, phase, r, sources[r.operand]);
    else
      at("P03",
         quoted(v.c.einsums[r.reader].name) + " reads " +
             quoted(v.c.tensors[r.tensor].name) + " from no buffer",
         replan, g, phase, r.reader);
  }
  result(g, phase, planned);
}

/// P05, P06, P07: what the plan gives is at least what is needed.
void PlanChecker::need(const Need &n) {
  for (int32_t id : p.groups[n.group].buffers) {
    if (!buffer(id))
      continue;
    const Buffer &b = p.buffers[id];
    bool same = b.tensor == n.tensor && b.role == n.role;
    if (n.role == BufferRole::Input)
      same &= b.level == n.level && sameAccess(b.access, n.access) &&
              (n.level != RetainLevel::Block || b.phase == n.phase);
    if (!same)
      continue;
    lives[id] = {n.firstPhase, n.lastPhase};
    const std::string name = "buffer " + quoted(b.name);
    auto less = [&](const char *rule, const std::string &text, int64_t demand,
                    int64_t bound, const char *unit) {
      Violation &x = at(rule, name + text, replan, n.group, n.firstPhase,
                        v.c.tensors[n.tensor].producer);
      x.demand = demand;
      x.bound = bound;
      x.unit = unit;
    };
    if (b.bytesPerSlot < n.bytesPerSlot)
      less("P05",
           " holds " + byteText(b.bytesPerSlot) + " of a piece of " +
               byteText(n.bytesPerSlot),
           n.bytesPerSlot, b.bytesPerSlot, "bytes");
    if (b.slots < n.slots)
      less("P06",
           " has " + num(b.slots) + " slots, but " + num(n.slots) +
               " pieces are live at once",
           n.slots, b.slots, "slots");
    if (b.firstPhase > n.firstPhase || b.lastPhase < n.lastPhase)
      less("P07",
           " lives from phase " + num(b.firstPhase + 1) + " to " +
               num(b.lastPhase + 1) + ", but is used from " +
               num(n.firstPhase + 1) + " to " + num(n.lastPhase + 1),
           n.lastPhase, b.lastPhase, "phases");
    if (b.prefetchAhead != n.ahead || b.storeDelay != n.delay)
      at("P11",
         name + " is loaded " + num(b.prefetchAhead) + " and stored " +
             num(b.storeDelay) + " phases away instead of " + num(n.ahead) +
             " and " + num(n.delay),
         replan, n.group, b.phase);
    return;
  }
  at("P05",
     groupText(n.group) + " has no buffer for the " + bufferRoleName(n.role) +
         " of " + quoted(v.c.tensors[n.tensor].name),
     replan, n.group, n.firstPhase);
}

void PlanChecker::group(int32_t g) {
  for (int32_t q = 0; q < static_cast<int32_t>(p.groups[g].phases.size()); ++q)
    for (const PlannedSlot &planned : p.groups[g].phases[q].slots)
      slot(g, q, planned);
  for (const Need &n : needsOf(v, g))
    need(n);
}

/// P08: by recomputed lifetimes, so that a wrong one in the plan hides nothing.
void PlanChecker::overlaps() {
  for (size_t i = 0; i < p.buffers.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Buffer &x = p.buffers[j], &y = p.buffers[i];
      if (x.group != y.group || x.memory != y.memory)
        continue;
      // The next outer tile's turn, or the one's before, counts as well.
      const int32_t phases =
          static_cast<int32_t>(v.s.groups[x.group].phases.size());
      bool live = false;
      for (int32_t turn : {-phases, 0, phases})
        live |= lives[j].first <= lives[i].last + turn &&
                lives[i].first + turn <= lives[j].last;
      bool share =
          x.address < y.address + y.bytes && y.address < x.address + x.bytes;
      if (!live || !share)
        continue;
      Violation &v8 =
          at("P08",
             "buffers " + quoted(x.name) + " and " + quoted(y.name) +
                 " are live together and share " +
                 byteText(std::min(x.address + x.bytes, y.address + y.bytes) -
                          std::max(x.address, y.address)),
             "move one of them", x.group,
             std::max(lives[i].first, lives[j].first));
      for (const Buffer *b : {&x, &y})
        Sink::term(v8, quoted(b->name) + " is at [" + num(b->address) + ", " +
                           num(b->address + b->bytes) + ")");
    }
}

/// P09, P10
void PlanChecker::capacity() {
  std::vector<int64_t> ends(a.memories.size());
  for (const Buffer &b : p.buffers) {
    int64_t end = b.address + b.bytes;
    ends[b.memory] = std::max(ends[b.memory], end);
    const Memory &m = a.memories[b.memory];
    if (m.capacityBytes < 0 || end <= m.capacityBytes)
      continue;
    Violation &x =
        at("P09",
           "buffer " + quoted(b.name) + " ends at " + byteText(end) + " of " +
               quoted(m.name) + ", which has " + byteText(m.capacityBytes),
           "use smaller tiles or blocks, or give " + quoted(m.name) +
               " capacity_bytes >= " + num(end),
           b.group, b.phase);
    x.demand = end;
    x.bound = m.capacityBytes;
    x.unit = "bytes";
  }
  for (const PlannedResident &r : p.residents) {
    const int64_t end = r.address + r.bytes;
    ends[r.memory] = std::max(ends[r.memory], end);
    const Memory &m = a.memories[r.memory];
    if (m.capacityBytes >= 0 && end > m.capacityBytes)
      sink.add("P09",
               "resident " + quoted(v.c.tensors[r.tensor].name) + " ends at " +
                   byteText(end) + " of " + quoted(m.name) + ", which has " +
                   byteText(m.capacityBytes),
               "let fewer tensors reside, or give " + quoted(m.name) +
                   " capacity_bytes >= " + num(end));
  }
  for (size_t m = 1; m < ends.size(); ++m)
    if (m >= p.allocationBytes.size() || p.allocationBytes[m] != ends[m])
      sink.add("P10",
               "the allocation of " + quoted(a.memories[m].name) + " is not " +
                   num(ends[m]) + " bytes, where its last buffer ends",
               replan);
}

} // namespace

std::vector<Violation> transfusion::core::checkPlan(const Cascade &c,
                                                    const Arch &a,
                                                    const Schedule &s,
                                                    const Plan &p) {
  if (auto found = checkSchedule(c, a, s); !found.empty())
    return found;
  View view(c, s);
  PlanChecker checker{view, a, p, {}, {}};
  for (const Buffer &b : p.buffers)
    checker.lives.push_back({b.firstPhase, b.lastPhase});
  if (checker.mirrors() && checker.buffers()) {
    for (int32_t g = 0; g < static_cast<int32_t>(s.groups.size()); ++g)
      checker.group(g);
    checker.overlaps();
    // Allocations end where residents end that are where they should be.
    if (checkPlannedResidents(view, p, checker.sink))
      checker.capacity();
    checkActiveSteps(view, p, checker.sink);
  }
  return std::move(checker.sink.found);
}
