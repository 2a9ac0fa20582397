//===- PhaseRules.cpp - What makes a step illegal -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot finds in every buffer what it means to read, and overwrites nothing
// that somebody still means to read.
//
//===----------------------------------------------------------------------===//

#include "PhaseRun.h"

namespace transfusion::core::sim {

std::string PhaseRun::where(const Slot &s) const {
  return phase.name + ", step " + std::to_string(k) + " of outer tile " +
         std::to_string(tileNumber) + ", " + s.name;
}

LoopSet PhaseRun::loopOf(int32_t rank) const {
  for (size_t l = 0; l < phase.loops.size(); ++l)
    if (phase.loops[l].rank == rank)
      return LoopSet(1) << l;
  return 0; // one iteration: always the first and the last
}

bool PhaseRun::writes(const Write &w, const InFlight &e) const {
  return w.onlyAtLast < 0 || (loopOf(w.onlyAtLast) & ~e.last) == 0;
}

/// At the first index of a recurrence its initial value is read instead.
bool PhaseRun::reads(const Read &r, const InFlight &e) const {
  return r.notAtFirst < 0 || (loopOf(r.notAtFirst) & ~e.first) != 0;
}

/// A load has been handed a slot by the time that the file says.
void PhaseRun::checkPromises() {
  for (const LoadRun &load : loads) {
    if (load.cursor.end ||
        load.cursor.epoch + load.t->stage - load.t->stepsAhead > k)
      continue;
    m.refuse(m.links.transfers[load.transfer].where,
             "overwrites what is still needed: fetch " +
                 std::to_string(load.next) + " starts at step " +
                 std::to_string(k) + " of outer tile " +
                 std::to_string(tileNumber) + ", but the " +
                 std::to_string(load.slots) + " slots of " +
                 p.buffers[load.t->buffer].name + " are read until step " +
                 std::to_string(releaseStep(load)));
  }
}

void PhaseRun::checkStep(const StepTimes &t) {
  for (size_t s = 0; s < phase.slots.size() && !m.refused(); ++s) {
    const Slot &slot = phase.slots[s];
    const InFlight &e = epochOf(slot);
    if (!e.exists)
      continue;
    for (const Read &read : slot.reads)
      if (reads(read, e))
        checkRead(s, read, t);
    for (const Write &write : slot.writes)
      if (writes(write, e))
        checkWrite(s, write, t);
  }
}

void PhaseRun::checkRead(size_t s, const Read &read, const StepTimes &t) {
  const Slot &slot = phase.slots[s];
  const InFlight &e = epochOf(slot);
  const Buffer &b = p.buffers[read.buffer];
  const BufferLinks &links = m.links.buffers[read.buffer];
  const Holding &h = m.holdings[read.buffer];
  auto refuse = [&](const std::string &what) {
    m.refuse(where(slot), "reads what was not written: " + b.name + " " + what);
  };
  if (links.kind == Kind::Fetched) {
    int64_t wanted = -1;
    for (size_t i = 0; i < loads.size(); ++i)
      if (loads[i].t->buffer == read.buffer)
        wanted = e.fetch[i];
    if (wanted < 0 || h.slot[wanted % h.slot.size()] != wanted ||
        h.moving[wanted % h.slot.size()])
      refuse("does not hold fetch " + std::to_string(wanted));
    return;
  }
  // Made in this phase, perhaps in this step?
  const int64_t wanted = e.at.epoch - read.distance;
  for (const Touch &w : links.writers) {
    const Slot &maker = phase.slots[w.slot];
    if (w.phase != number || maker.writes[w.index].accumulate)
      continue;
    const InFlight &made = epochOf(maker);
    const bool now = made.exists && made.at.epoch == wanted &&
                     (!phase.wrap ? t.end[w.slot] <= t.start[s] : true);
    if (now && (static_cast<size_t>(w.slot) != s || phase.wrap))
      return;
    const int64_t held =
        links.kind == Kind::Rotating
            ? (wanted < 0 ? -1 : h.slot[wanted % h.slot.size()])
        : h.tile == tileNumber && h.made > wanted ? wanted
                                                  : -1;
    if (held != wanted || wanted < 0)
      refuse(held < 0
                 ? "holds nothing for epoch " + std::to_string(wanted)
                 : "holds epoch " + std::to_string(held) + " where epoch " +
                       std::to_string(wanted) + " is meant");
    return;
  }
  if (links.kind == Kind::Rotating)
    return refuse("is never written");
  for (const Write &own : slot.writes)
    if (own.buffer == read.buffer)
      return; // sums that it goes on with
  const bool ofGroup =
      links.load >= 0 &&
      m.links.transfers[links.load].transfer->scope == Scope::Group;
  if (!h.whole || (!ofGroup && h.tile != tileNumber))
    refuse(links.load < 0 && links.writers.empty()
               ? "is never written"
               : "is not complete for this outer tile");
}

void PhaseRun::checkWrite(size_t s, const Write &write, const StepTimes &t) {
  const Slot &slot = phase.slots[s];
  const InFlight &e = epochOf(slot);
  const Buffer &b = p.buffers[write.buffer];
  const BufferLinks &links = m.links.buffers[write.buffer];
  const Holding &h = m.holdings[write.buffer];
  auto refuse = [&](const std::string &what) {
    m.refuse(where(slot),
             "overwrites what is still needed: " + b.name + " " + what);
  };
  if (links.kind == Kind::Whole) {
    if (h.tile != tileNumber && h.leaving)
      refuse("still holds what is to be stored of the outer tile before");
    return;
  }
  const int64_t held = h.slot[e.at.epoch % h.slot.size()];
  if (held < 0 || held == e.at.epoch)
    return;
  for (const Touch &r : links.readers) {
    const Slot &reader = phase.slots[r.slot];
    const Read &read = reader.reads[r.index];
    const int64_t epoch = held + read.distance;
    if (!nest.exists(epoch) || epoch + reader.stage < k)
      continue;
    InFlight at;
    at.at = nest.at(epoch);
    at.first = nest.atFirst(at.at);
    if (!reads(read, at))
      continue;
    const bool before = epoch + reader.stage == k &&
                        static_cast<size_t>(r.slot) != s &&
                        t.end[r.slot] <= t.start[s];
    if (!before)
      refuse("holds epoch " + std::to_string(held) + ", which " + reader.name +
             " reads in step " + std::to_string(epoch + reader.stage));
  }
}

void PhaseRun::applyWrites() {
  for (const Slot &slot : phase.slots) {
    const InFlight &e = epochOf(slot);
    if (!e.exists)
      continue;
    for (const Write &write : slot.writes) {
      if (!writes(write, e))
        continue;
      Holding &h = m.holdings[write.buffer];
      if (m.links.buffers[write.buffer].kind == Kind::Rotating) {
        h.slot[e.at.epoch % h.slot.size()] = e.at.epoch;
        continue;
      }
      if (h.tile != tileNumber)
        h.whole = false;
      h.tile = tileNumber;
      h.made = e.at.epoch + 1;
    }
  }
}

} // namespace transfusion::core::sim
