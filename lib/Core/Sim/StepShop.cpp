//===- StepShop.cpp - Who runs when within a step -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepShop.h"

#include <algorithm>

namespace transfusion::core::sim {

int64_t cyclesOn(const Slot &slot, const Box &box) {
  for (const SlotCycles &entry : slot.cycles) {
    bool fits = true;
    for (const auto &[rank, points] : entry.extents)
      fits &= box[rank].extent == points;
    if (fits)
      return entry.cycles;
  }
  return -1;
}

StepShop::StepShop(const Program &p, const Phase &phase)
    : p(p), phase(phase), waits(phase.slots.size()) {
  for (size_t v = 0; v < phase.slots.size(); ++v)
    for (const Read &read : phase.slots[v].reads)
      for (size_t u = 0; u < phase.slots.size(); ++u)
        for (const Write &write : phase.slots[u].writes)
          if (u != v && write.buffer == read.buffer && !write.accumulate &&
              phase.slots[u].stage == phase.slots[v].stage + read.distance)
            waits[v].push_back({static_cast<int32_t>(u), read.distance > 0});
  findOrder();
  if (wrong.empty())
    checkClaims();
}

/// Issues whatever its unit may issue next, until all are issued.
void StepShop::findOrder() {
  std::vector<std::vector<int32_t>> queue(p.units.size());
  for (size_t s = 0; s < phase.slots.size(); ++s)
    queue[phase.slots[s].unit].push_back(static_cast<int32_t>(s));
  for (std::vector<int32_t> &q : queue)
    std::sort(q.begin(), q.end(), [&](int32_t x, int32_t y) {
      return phase.slots[x].issue < phase.slots[y].issue;
    }); // no two are equal
  std::vector<bool> done(phase.slots.size(), false);
  std::vector<size_t> head(queue.size(), 0);
  auto blocker = [&](int32_t s) {
    for (const Wait &w : waits[s])
      if (!done[w.slot])
        return w.slot;
    return -1;
  };
  bool progress = true;
  while (progress && order.size() < phase.slots.size()) {
    progress = false;
    for (size_t u = 0; u < queue.size(); ++u)
      while (head[u] < queue[u].size() && blocker(queue[u][head[u]]) < 0) {
        done[queue[u][head[u]]] = progress = true;
        order.push_back(queue[u][head[u]++]);
      }
  }
  for (size_t u = 0; u < queue.size(); ++u)
    if (head[u] < queue[u].size()) {
      const int32_t stuck = queue[u][head[u]];
      refuse(", " + phase.slots[stuck].name,
             "is issued on " + p.units[u].name + " before " +
                 phase.slots[blocker(stuck)].name +
                 ", which it reads, and the units wait for each other");
      return;
    }
}

StepTimes StepShop::run(const std::vector<SlotWork> &work) const {
  StepTimes t;
  t.start.assign(work.size(), 0);
  t.end.assign(work.size(), 0);
  t.units.resize(p.units.size());
  std::vector<Ticks> free(p.units.size(), 0);
  for (int32_t s : order) {
    if (work[s].ticks < 0)
      continue;
    const int32_t unit = phase.slots[s].unit;
    Ticks at = free[unit];
    bool recurrence = false;
    for (const Wait &w : waits[s])
      if (work[w.slot].ticks >= 0 && t.end[w.slot] > at) {
        at = t.end[w.slot];
        recurrence = w.recurrence;
      }
    StepTimes::OfUnit &of = t.units[unit];
    (recurrence ? of.recurrence : of.data) += at - free[unit];
    of.busy += work[s].ticks;
    t.start[s] = at;
    t.end[s] = free[unit] = at + work[s].ticks;
    t.length = std::max(t.length, free[unit]);
  }
  return t;
}

StepTimes StepShop::run(const std::vector<SlotWork> &work,
                        Fabric &fabric) const {
  StepTimes t;
  t.start.assign(work.size(), 0);
  t.end.assign(work.size(), -1); // not yet
  t.units.resize(p.units.size());
  struct Running {
    int32_t slot = -1;
    Ticks left = 0;
  };
  std::vector<Running> running(p.units.size());
  std::vector<int32_t> todo;
  for (int32_t s : order)
    if (work[s].ticks >= 0)
      todo.push_back(s);
  // What its unit must have issued before, and what it waits for.
  auto next = [&](size_t unit) {
    for (size_t i = 0; i < todo.size(); ++i)
      if (phase.slots[todo[i]].unit == static_cast<int32_t>(unit))
        return i;
    return todo.size();
  };
  while (true) {
    for (size_t u = 0; u < running.size(); ++u)
      while (running[u].slot < 0) {
        const size_t i = next(u);
        if (i == todo.size())
          break;
        const int32_t s = todo[i];
        bool ready = true;
        for (const Wait &w : waits[s])
          ready &= work[w.slot].ticks < 0 || t.end[w.slot] >= 0;
        if (!ready)
          break;
        todo.erase(todo.begin() + i);
        t.start[s] = t.length;
        if (work[s].ticks == 0)
          t.end[s] = t.length;
        else
          running[u] = {s, work[s].ticks};
      }
    std::vector<const std::vector<PortUse> *> uses;
    for (const Running &r : running)
      uses.push_back(r.slot < 0 ? nullptr : &work[r.slot].uses);
    const Fabric::Turns turns = fabric.inTurn(uses);
    std::vector<Share> speed(running.size(), 0);
    Ticks step = -1;
    for (size_t u = 0; u < running.size(); ++u) {
      if (running[u].slot < 0)
        continue;
      speed[u] = std::max<Share>(1, turns.speeds[u]);
      const Ticks ticks = static_cast<Ticks>(
          (Wide(running[u].left) * kWholePort + speed[u] - 1) / speed[u]);
      step = step < 0 ? ticks : std::min(step, ticks);
    }
    if (step < 0)
      return t; // nothing runs, so everything has run
    // What arrives leaves more to the others.
    const Ticks arrival = fabric.untilArrival(turns.flights);
    if (arrival > 0)
      step = std::min(step, arrival);
    for (size_t u = 0; u < running.size(); ++u) {
      StepTimes::OfUnit &of = t.units[u];
      if (running[u].slot < 0) {
        const size_t i = next(u);
        bool recurrence = false;
        if (i < todo.size())
          for (const Wait &w : waits[todo[i]])
            if (work[w.slot].ticks >= 0 && t.end[w.slot] < 0)
              recurrence = w.recurrence;
        if (i < todo.size())
          (recurrence ? of.recurrence : of.data) += step;
        continue;
      }
      const Ticks moved =
          static_cast<Ticks>(Wide(step) * speed[u] / kWholePort);
      for (const PortUse &use : work[running[u].slot].uses)
        fabric.carried[use.port] +=
            Wide(std::min(moved, running[u].left)) * use.share;
      of.busy += moved;
      of.port += step - moved;
      running[u].left -= moved;
      if (running[u].left <= 0) {
        t.end[running[u].slot] = t.length + step;
        running[u].slot = -1;
      }
    }
    fabric.advance(step, turns.flights);
    t.length += step;
  }
}

//===----------------------------------------------------------------------===//
// What the file claims of a step with full tiles
//===----------------------------------------------------------------------===//

void StepShop::checkClaims() {
  if (phase.wrap)
    return checkModulo();
  const int64_t last = phase.stages - 1;
  auto body = [&](const Body &b, int64_t first, int64_t until,
                  const std::string &where) {
    checkBody(b, first, until, where);
  };
  body(phase.steady, 0, last, ", steady body");
  if (static_cast<int64_t>(phase.prologue.size()) != last ||
      static_cast<int64_t>(phase.epilogue.size()) != last)
    return refuse("", "has " + std::to_string(phase.stages) +
                          " stages, so its prologue and its epilogue have " +
                          std::to_string(last) + " bodies");
  for (int64_t k = 0; k < last; ++k) {
    body(phase.prologue[k], 0, k, ", prologue body " + std::to_string(k + 1));
    body(phase.epilogue[k], k + 1, last,
         ", epilogue body " + std::to_string(k + 1));
  }
}

static Box fullBox(const Program &p, const Phase &phase) {
  Box box(p.ranks.size());
  for (const auto &[rank, points] : phase.inner)
    box[rank].extent = points;
  return box;
}

int64_t StepShop::fullCycles(const Slot &s) const {
  return cyclesOn(s, fullBox(p, phase));
}

void StepShop::checkBody(const Body &body, int64_t firstStage,
                         int64_t lastStage, const std::string &where) {
  std::vector<SlotWork> work(phase.slots.size());
  std::vector<const Claimed *> claims(phase.slots.size(), nullptr);
  for (const Claimed &c : body.slots) {
    if (claims[c.slot])
      return refuse(where, "runs " + phase.slots[c.slot].name + " twice");
    claims[c.slot] = &c;
  }
  const Box full = fullBox(p, phase);
  for (size_t s = 0; s < work.size(); ++s) {
    const Slot &slot = phase.slots[s];
    if (slot.stage < firstStage || slot.stage > lastStage)
      continue;
    const int64_t cycles = cyclesOn(slot, full);
    if (cycles < 0)
      return refuse(", " + slot.name, "has no cycles for a full epoch");
    work[s].ticks = ticksOf(cycles);
  }
  const StepTimes t = run(work);
  for (size_t s = 0; s < work.size(); ++s) {
    const std::string &name = phase.slots[s].name;
    if ((work[s].ticks >= 0) != (claims[s] != nullptr))
      return refuse(where, claims[s] ? "runs " + name +
                                           ", whose stage has no epoch there"
                                     : "does not run " + name);
    if (!claims[s])
      continue;
    const int64_t start = t.start[s] / kTicksPerCycle;
    const int64_t end = t.end[s] / kTicksPerCycle;
    if (claims[s]->start < start)
      return refuse(where + ", " + name,
                    "starts at cycle " + std::to_string(claims[s]->start) +
                        ", but its unit is free and what it reads is made "
                        "only at cycle " +
                        std::to_string(start));
    if (claims[s]->start != start || claims[s]->end != end)
      return refuse(where + ", " + name,
                    "runs from cycle " + std::to_string(claims[s]->start) +
                        " to " + std::to_string(claims[s]->end) +
                        ", where the issue order gives " +
                        std::to_string(start) + " to " + std::to_string(end));
  }
  if (body.length != t.length / kTicksPerCycle)
    refuse(where, "is " + std::to_string(body.length) +
                      " cycles long, but its slots end at cycle " +
                      std::to_string(t.length / kTicksPerCycle));
}

/// start(v) + II * (stages in between + distance) >= end(u).
void StepShop::checkModulo() {
  std::vector<const Claimed *> claims(phase.slots.size(), nullptr);
  for (const Claimed &c : phase.steady.slots)
    claims[c.slot] = &c;
  const std::string where = ", steady body";
  for (size_t s = 0; s < claims.size(); ++s) {
    const Slot &slot = phase.slots[s];
    if (!claims[s])
      return refuse(where, "does not run " + slot.name);
    if (claims[s]->end - claims[s]->start != fullCycles(slot))
      return refuse(where + ", " + slot.name,
                    "does not run for the cycles of its epoch");
  }
  for (size_t v = 0; v < claims.size(); ++v) {
    const Slot &reader = phase.slots[v];
    for (const Read &read : reader.reads)
      for (size_t u = 0; u < claims.size(); ++u)
        for (const Write &write : phase.slots[u].writes)
          if (write.buffer == read.buffer && !write.accumulate &&
              (u != v || read.distance > 0) &&
              Wide(claims[v]->start) +
                      Wide(phase.iiCycles) * (reader.stage + read.distance -
                                              phase.slots[u].stage) <
                  claims[u]->end)
            return refuse(where + ", " + reader.name,
                          "starts before " + phase.slots[u].name +
                              " has made what it reads");
    for (size_t u = 0; u < claims.size(); ++u) {
      if (u == v || phase.slots[u].unit != reader.unit)
        continue;
      const bool after = claims[u]->start >= claims[v]->end;
      const bool before = claims[u]->end <= claims[v]->start;
      const bool round = claims[v]->end - phase.iiCycles > claims[u]->start;
      if ((!after && !before) || round)
        return refuse(where, phase.slots[u].name + " and " + reader.name +
                                 " run on " + p.units[reader.unit].name +
                                 " at the same time");
    }
  }
}

} // namespace transfusion::core::sim
