//===- PhaseRun.cpp - A phase in one outer tile ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseRun.h"

#include <algorithm>

namespace transfusion::core::sim {

PhaseRun::PhaseRun(Machine &m, int32_t number, const Box &tile,
                   int64_t tileNumber, int64_t sequence)
    : m(m), p(m.p), phase(m.links.group.phases[number]), number(number),
      tileNumber(tileNumber), sequence(sequence), nest(phase, tile),
      epochs(nest.epochs()), ring(phase.stages), newest(nest.first()) {
  for (const Unit &u : p.units)
    for (int32_t port :
         {p.memories[u.memory].readPort, p.memories[u.memory].writePort})
      limited |= p.ports[port].bytesPerCycle > 0;
  const int32_t first = m.links.firstOf[number];
  for (size_t i = 0; i < phase.transfers.size(); ++i) {
    const Transfer &t = phase.transfers[i];
    if (!t.isLoad || t.scope != Scope::Epoch)
      continue;
    LoadRun load;
    load.transfer = first + static_cast<int32_t>(i);
    load.t = &t;
    load.slots = p.buffers[t.buffer].slots;
    load.cursor = nest.first();
    load.lastStage = t.stage;
    for (const Touch &r : m.links.buffers[t.buffer].readers)
      if (r.phase == number)
        load.lastStage = std::max(load.lastStage, phase.slots[r.slot].stage);
    loads.push_back(std::move(load));
  }
  snapshots.resize(nest.depth());
  for (size_t l = 0; l < nest.depth(); ++l)
    periods.push_back(mayRepeat(l) ? 1 : 0);
  for (const LoadRun &load :
       loads) { // a common multiple; large ones do not pay
    int64_t &period = periods[load.t->loop];
    int64_t a = period, b = load.t->every;
    while (b) {
      const int64_t rest = a % b;
      a = b;
      b = rest;
    }
    if (period > 0 &&
        __builtin_mul_overflow(period / a, load.t->every, &period))
      period = 0;
  }
}

void PhaseRun::run() {
  if (epochs < 0)
    return m.refuse(phase.name, "has too many epochs");
  begin();
  while (!m.refused()) {
    if (m.options.skip && !newest.end && newest.epoch == k)
      trySkip();
    if (!takeEpoch())
      break;
    if (++m.stepsRun > m.options.maxSteps)
      return m.refuse(phase.name, "takes more than " +
                                      std::to_string(m.options.maxSteps) +
                                      " steps to simulate");
    checkPromises();
    awaitSlots();
    m.waitFor({sequence, k}, Stall::Load);
    if (m.refused())
      return;
    const StepTimes t = runStep();
    checkStep(t);
    const bool partial = !ring.front().exists || !ring.back().exists;
    m.step(t, partial, limited);
    if (phase.wrap) {
      const Ticks end = *std::max_element(t.end.begin(), t.end.end());
      runsOn = std::max({runsOn - t.length, end - t.length, Ticks(0)});
    }
    applyWrites();
    store();
    release();
    ++k;
  }
  if (!m.refused())
    finish();
}

/// What the phase finds, and the first loads.
void PhaseRun::begin() {
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    const BufferLinks &links = m.links.buffers[b];
    const bool mine =
        std::any_of(links.writers.begin(), links.writers.end(),
                    [&](const Touch &w) { return w.phase == number; });
    Holding &h = m.holdings[b];
    if (mine && links.kind == Kind::Rotating)
      h.slot.assign(h.slot.size(), -1);
  }
  const int32_t first = m.links.firstOf[number];
  for (size_t i = 0; i < phase.transfers.size(); ++i)
    if (phase.transfers[i].isLoad && phase.transfers[i].scope == Scope::Tile &&
        phase.transfers[i].phasesAhead == 0)
      loadTile(first + static_cast<int32_t>(i));
  for (LoadRun &load : loads) {
    Holding &h = m.holdings[load.t->buffer];
    if (load.t->phasesAhead == 0) {
      h.slot.assign(h.slot.size(), -1);
      h.moving.assign(h.slot.size(), false);
      h.tile = tileNumber;
    } else if (h.tile == tileNumber) { // the first piece was loaded ahead
      load.begins.push_back(0);
      load.next = 1;
      nest.advance(load.cursor, load.t->loop, load.t->every);
    }
  }
  k = -1;
  release();
  k = 0;
}

void PhaseRun::loadTile(int32_t transfer) {
  Holding &h =
      m.holdings[phase.transfers[transfer - m.links.firstOf[number]].buffer];
  h.tile = tileNumber;
  h.whole = false;
  m.start(transfer, {sequence, 0}, tileNumber,
          nest.pieceAt(nest.first(),
                       phase.transfers[transfer - m.links.firstOf[number]]));
}

//===----------------------------------------------------------------------===//
// Loads by the epoch
//===----------------------------------------------------------------------===//

/// Step at whose end the slot of the next fetch is free: the last one that
/// reads the fetch which is `slots` before it.
int64_t PhaseRun::releaseStep(const LoadRun &load) const {
  if (load.next < load.slots)
    return -1;
  const int64_t after =
      load.slots == 1 ? load.cursor.epoch : load.begins.front();
  return after - 1 + load.lastStage;
}

void PhaseRun::release() {
  for (LoadRun &load : loads)
    while (!load.cursor.end && releaseStep(load) <= k && !m.refused())
      releaseOne(load);
}

void PhaseRun::releaseOne(LoadRun &load) {
  Holding &h = m.holdings[load.t->buffer];
  const size_t slot = load.next % load.slots;
  h.slot[slot] = load.next;
  h.moving[slot] = true;
  m.start(load.transfer, {sequence, load.cursor.epoch + load.t->stage},
          load.next, nest.pieceAt(load.cursor, *load.t));
  load.begins.push_back(load.cursor.epoch);
  if (static_cast<int64_t>(load.begins.size()) >= load.slots)
    load.begins.pop_front();
  ++load.next;
  nest.advance(load.cursor, load.t->loop, load.t->every);
}

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

/// Moves every epoch one stage on; false when none is left.
bool PhaseRun::takeEpoch() {
  ring.pop_back();
  InFlight e;
  if (!newest.end && newest.epoch == k) { // else a pipeline drains
    e.exists = true;
    e.at = newest;
    e.ragged = nest.ragged(newest);
    e.first = nest.atFirst(newest);
    e.last = nest.atLast(newest);
    for (LoadRun &load : loads) {
      const LoopSet inside = ~LoopSet(0) << load.t->loop << 1;
      const bool begins = newest.index[load.t->loop] % load.t->every == 0 ||
                          (e.first >> load.t->loop & 1);
      const bool fetched = begins && (inside & nest.all() & ~e.first) == 0;
      load.current += fetched;
      e.fetch.push_back(load.current);
    }
    if (nest.depth() == 0)
      newest.end = true;
    else
      nest.advance(newest, nest.depth() - 1, 1);
  }
  ring.push_front(std::move(e));
  for (const InFlight &any : ring)
    if (any.exists)
      return true;
  return false;
}

/// A result whose place is still being stored waits for it.
void PhaseRun::awaitSlots() {
  for (const Slot &slot : phase.slots)
    for (const Write &write : slot.writes)
      if (epochOf(slot).exists && writes(write, epochOf(slot)) &&
          m.links.buffers[write.buffer].kind == Kind::Rotating)
        m.waitForSlot(write.buffer,
                      epochOf(slot).at.epoch % p.buffers[write.buffer].slots);
}

std::vector<SlotWork> PhaseRun::work() const {
  std::vector<SlotWork> all(phase.slots.size());
  for (size_t s = 0; s < all.size(); ++s) {
    const Slot &slot = phase.slots[s];
    const InFlight &e = epochOf(slot);
    if (!e.exists)
      continue;
    const int64_t cycles = cyclesOn(slot, nest.boxOf(e.at));
    if (cycles < 0) {
      m.refuse(where(slot), "has no cycles for epoch " +
                                std::to_string(e.at.epoch) +
                                " of this outer tile");
      continue;
    }
    all[s].ticks = ticksOf(cycles);
    if (limited)
      portUses(slot, e, all[s]);
  }
  return all;
}

/// The slot adds to what the buffer holds, and this is the first epoch of these
/// sums: every loop that they do not have is at its first iteration.
bool PhaseRun::startsSums(const Slot &slot, const Read &r,
                          const InFlight &e) const {
  if (std::none_of(slot.writes.begin(), slot.writes.end(), [&](const Write &w) {
        return w.accumulate && w.buffer == r.buffer;
      }))
    return false;
  auto has = [&](int32_t rank) {
    for (const Coordinate &x : p.buffers[r.buffer].access)
      for (const auto &term : x.terms)
        if (term.first == rank)
          return true;
    return false;
  };
  for (size_t l = 0; l < phase.loops.size(); ++l)
    if (!has(phase.loops[l].rank) && !(e.first >> l & 1))
      return false;
  return true;
}

/// Bytes that the slot moves at the ports of its memory in this epoch.
void PhaseRun::portUses(const Slot &slot, const InFlight &e,
                        SlotWork &w) const {
  const sim::Memory &memory = p.memories[p.units[slot.unit].memory];
  const Box box = nest.boxOf(e.at);
  std::map<int32_t, int64_t> bytes; // by port
  auto add = [&](int32_t port, const Buffer &b, int64_t values) {
    bytes[port] += values * b.bytesPerValue;
  };
  for (const Read &r : slot.reads)
    if (reads(r, e) && !startsSums(slot, r, e))
      add(memory.readPort, p.buffers[r.buffer],
          valuesInParts(p, p.buffers[r.buffer].tensor, r.access, box,
                        slot.instances));
  for (const Write &wr : slot.writes)
    if (writes(wr, e))
      add(memory.writePort, p.buffers[wr.buffer],
          valuesIn(p, p.buffers[wr.buffer].tensor, p.buffers[wr.buffer].access,
                   box));
  for (const auto &[port, n] : bytes) {
    const Ticks alone = ticksOf(n, p.ports[port].bytesPerCycle);
    if (alone > 0 && w.ticks > 0)
      w.uses.push_back(
          {port, static_cast<Share>(Wide(alone) * kWholePort / w.ticks)});
  }
}

StepTimes PhaseRun::runStep() {
  if (limited)
    return phase.wrap ? runWithWrap() : m.shop(number).run(work(), m.fabric);
  std::vector<LoopSet> key;
  for (const InFlight &e : ring)
    key.push_back(e.exists ? e.ragged : ~LoopSet(0));
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  const std::vector<SlotWork> all = work();
  StepTimes t = phase.wrap ? claimedTimes(all) : m.shop(number).run(all);
  return known.emplace(std::move(key), std::move(t)).first->second;
}

/// With wrap every step starts ii_cycles after the one before.
StepTimes PhaseRun::claimedTimes(const std::vector<SlotWork> &all) const {
  StepTimes t;
  t.start.assign(all.size(), 0);
  t.end.assign(all.size(), 0);
  t.units.resize(p.units.size());
  t.length = ticksOf(phase.iiCycles);
  for (const Claimed &c : phase.steady.slots)
    if (all[c.slot].ticks >= 0) {
      t.start[c.slot] = ticksOf(c.start);
      t.end[c.slot] = t.start[c.slot] + all[c.slot].ticks;
      t.units[phase.slots[c.slot].unit].busy += all[c.slot].ticks;
    }
  return t;
}

/// All units go slower together where a port takes longer for what they move in
/// the step. They and the flights are served in turn.
StepTimes PhaseRun::runWithWrap() {
  const std::vector<SlotWork> all = work();
  StepTimes t = claimedTimes(all);
  const Ticks claimed = t.length;
  std::vector<Wide> wanted(p.ports.size(), 0);
  for (const SlotWork &w : all)
    for (const PortUse &use : w.uses)
      wanted[use.port] += Wide(w.ticks) * use.share;
  std::vector<PortUse> uses;
  for (size_t q = 0; q < wanted.size(); ++q)
    if (wanted[q] > 0 && claimed > 0)
      uses.push_back(
          {static_cast<int32_t>(q), static_cast<Share>(wanted[q] / claimed)});
  t.length = 0;
  for (Ticks left = claimed; left > 0;) {
    const Fabric::Turns turns = m.fabric.inTurn({&uses});
    const Share speed = std::max<Share>(1, turns.speeds[0]);
    Ticks ticks =
        static_cast<Ticks>((Wide(left) * kWholePort + speed - 1) / speed);
    const Ticks arrival = m.fabric.untilArrival(turns.flights);
    if (arrival > 0)
      ticks = std::min(ticks, arrival);
    const Ticks moved =
        std::min(left, static_cast<Ticks>(Wide(ticks) * speed / kWholePort));
    for (const PortUse &use : uses)
      m.fabric.carried[use.port] += Wide(moved) * use.share;
    m.fabric.advance(ticks, turns.flights);
    left -= moved;
    t.length += ticks;
  }
  for (StepTimes::OfUnit &unit : t.units)
    unit.port += t.length - claimed;
  return t;
}

/// Results of this step leave beside the ones that follow.
void PhaseRun::store() {
  const int32_t first = m.links.firstOf[number];
  for (size_t i = 0; i < phase.transfers.size(); ++i) {
    const Transfer &t = phase.transfers[i];
    if (t.isLoad || t.phasesLater > 0)
      continue;
    const InFlight &e = ring[t.stage];
    if (!e.exists ||
        (t.onlyAtLast >= 0 && (loopOf(t.onlyAtLast) & ~e.last) != 0))
      continue;
    Deadline by{sequence, kPhaseEnd};
    if (m.links.buffers[t.buffer].kind == Kind::Rotating) {
      const int64_t slots = p.buffers[t.buffer].slots;
      m.holdings[t.buffer].moving[e.at.epoch % slots] = true;
      by.step = e.at.epoch + slots + t.stage;
    }
    m.start(first + static_cast<int32_t>(i), by, e.at.epoch,
            nest.pieceAt(e.at, t));
  }
}

void PhaseRun::finish() {
  if (phase.wrap && runsOn > 0)
    m.stall(runsOn, Stall::FillDrain);
  m.waitFor({sequence, kPhaseEnd}, Stall::Store);
  for (size_t b = 0; b < p.buffers.size(); ++b)
    if (m.links.buffers[b].kind == Kind::Whole)
      for (const Touch &w : m.links.buffers[b].writers)
        if (w.phase == number) {
          m.holdings[b].whole = true;
          for (int32_t id : m.links.buffers[b].stores)
            m.holdings[b].leaving |=
                m.links.transfers[id].transfer->phasesLater > 0;
        }
}

} // namespace transfusion::core::sim
