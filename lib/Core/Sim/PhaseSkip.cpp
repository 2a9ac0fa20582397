//===- PhaseSkip.cpp - Skipping what provably repeats ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When an iteration of a loop starts in the state in which the one before it
// started - relative to the clock, the epoch and the fetches - and the work
// ahead is the same, then it takes the same time and ends in that state again.
// So do the next ones, until the work ahead differs: at the last iteration, in
// what is loaded for it, or where something becomes due that does not belong to
// the loop. Time is whole ticks, so "the same" is exact.
//
//===----------------------------------------------------------------------===//

#include "PhaseRun.h"

#include <algorithm>

namespace transfusion::core::sim {

/// All iterations but the last one have the same work: no piece of theirs ends
/// at the end of a tensor.
bool PhaseRun::mayRepeat(size_t loop) const {
  if (nest.trips(loop) < 4 || nest.isRowLoop(loop))
    return false;
  const int32_t rank = phase.loops[loop].rank;
  Box box = nest.tile();
  box[rank].extent = phase.loops[loop].inner * (nest.trips(loop) - 1);
  return staysInside(p, phase, rank, box);
}

/// Its fetches advance with the loop; others stand still meanwhile.
bool PhaseRun::movesWith(const LoadRun &load, size_t loop) const {
  return static_cast<size_t>(load.t->loop) >= loop;
}

const PhaseRun::LoadRun *PhaseRun::loadOf(int32_t transfer) const {
  for (const LoadRun &load : loads)
    if (load.transfer == transfer)
      return &load;
  return nullptr;
}

/// Everything that the future depends on, relative to where the loop is.
std::vector<int64_t> PhaseRun::stateAt(size_t loop) const {
  std::vector<int64_t> state{runsOn};
  for (size_t s = 0; s + 1 < ring.size(); ++s) { // the oldest one leaves now
    const InFlight &e = ring[s];
    state.push_back(e.exists);
    state.push_back(static_cast<int64_t>(e.ragged));
    state.push_back(static_cast<int64_t>(e.first));
    state.push_back(static_cast<int64_t>(e.last));
    for (size_t i = 0; i < e.fetch.size(); ++i)
      state.push_back(e.fetch[i] - loads[i].current);
  }
  for (const LoadRun &load : loads) {
    const bool moves = movesWith(load, loop);
    const int64_t base = moves ? k : 0;
    state.push_back(load.cursor.end);
    state.push_back(load.cursor.epoch - base);
    state.push_back(load.next - (moves ? load.current : 0));
    for (int64_t b : load.begins)
      state.push_back(b - base);
  }
  for (size_t b = 0; b < m.holdings.size(); ++b) {
    const Holding &h = m.holdings[b];
    const BufferLinks &links = m.links.buffers[b];
    const bool mine =
        !links.writers.empty() && links.writers.front().phase == number;
    int64_t base = 0;
    if (links.kind == Kind::Rotating)
      base = mine ? k : 0;
    else if (const LoadRun *load = loadOf(links.load))
      base = movesWith(*load, loop) ? load->current : 0;
    for (size_t i = 0; i < h.slot.size(); ++i) {
      // From the slot of the base on: which one it is does not matter.
      const size_t at = (std::max<int64_t>(base, 0) + i) % h.slot.size();
      state.push_back(h.slot[at] < 0 ? -(int64_t(1) << 62) : h.slot[at] - base);
      state.push_back(h.moving[at]);
    }
    const bool made = mine && h.tile == tileNumber;
    state.push_back(h.tile);
    state.push_back(h.made - (made ? k : 0));
    state.push_back(h.whole * 2 + h.leaving);
  }
  for (const Flight &f : m.fabric.flights) {
    const LoadRun *load = loadOf(f.transfer);
    const bool mine = f.by.phase == sequence && f.by.step != kPhaseEnd;
    const bool moves = load ? movesWith(*load, loop) : mine;
    state.push_back(f.transfer);
    state.push_back(f.left);
    state.push_back(f.by.phase);
    state.push_back(f.by.step - (mine && moves ? k : 0));
    // A store's piece is its epoch, whenever it is due.
    const bool store = f.by.phase == sequence &&
                       !m.links.transfers[f.transfer].transfer->isLoad &&
                       m.links.transfers[f.transfer].transfer->phasesLater == 0;
    state.push_back(f.piece - (load && moves ? load->current : store ? k : 0));
  }
  return state;
}

void PhaseRun::trySkip() {
  for (size_t loop = 0; loop < nest.depth(); ++loop) {
    const int64_t iteration = newest.index[loop];
    if (periods[loop] == 0 || iteration < 1 || iteration % periods[loop] != 0)
      continue;
    // An iteration of this loop starts.
    const LoopSet inside = ~LoopSet(0) << loop << 1;
    if ((inside & nest.all() & ~nest.atFirst(newest)) != 0)
      continue;
    Snapshot now;
    now.valid = true;
    now.prefix.assign(newest.index.begin(), newest.index.begin() + loop);
    now.state = stateAt(loop);
    now.step = k;
    now.iteration = iteration;
    now.now = m.now;
    now.ledger = m.ledger.all();
    for (const LoadRun &load : loads)
      now.current.push_back(load.current);
    Snapshot &then = snapshots[loop];
    const bool same = then.valid && then.prefix == now.prefix &&
                      then.iteration == iteration - periods[loop] &&
                      then.state == now.state;
    const int64_t periodsToGo = same ? periodsAhead(loop, then) : 0;
    if (periodsToGo > 0) {
      const Snapshot before = then;
      skip(loop, before, periodsToGo);
      for (Snapshot &s : snapshots)
        s.valid = false;
      return;
    }
    then = std::move(now);
  }
}

/// How often the period since `then` certainly repeats.
int64_t PhaseRun::periodsAhead(size_t loop, const Snapshot &then) const {
  const int64_t steps = k - then.step;
  const int64_t period = periods[loop];
  const int64_t trips = nest.trips(loop);
  // Older stages must be at work on this run of the loop.
  const int64_t perIteration = steps / period;
  if (then.iteration * perIteration < phase.stages - 1)
    return 0;
  int64_t n = (trips - 1 - newest.index[loop]) / period;
  auto atMost = [&](int64_t room, int64_t each) {
    n = std::min(n, room < 0 ? 0 : room / each);
  };
  // The latest deadline that moves with the loop.
  int64_t latest = 0;
  for (const BufferLinks &b : m.links.buffers)
    for (int32_t id : b.stores)
      if (m.links.transfers[id].phase == number)
        latest = std::max(
            latest, p.buffers[m.links.transfers[id].transfer->buffer].slots +
                        phase.stages);
  for (const LoadRun &load : loads) {
    if (!movesWith(load, loop))
      continue;
    if (load.cursor.end)
      return 0;
    for (size_t l = 0; l < loop; ++l)
      if (load.cursor.index[l] != newest.index[l])
        return 0;
    // What is loaded ahead must not be for the last iteration.
    atMost(trips - 2 - load.cursor.index[loop], period);
    latest = std::max(latest, load.cursor.epoch - k + load.t->stage);
  }
  for (const LoadRun &load : loads) {
    if (movesWith(load, loop) || load.cursor.end)
      continue;
    atMost(releaseStep(load) - k, steps);
    atMost(load.cursor.epoch + load.t->stage - load.t->stepsAhead - k, steps);
  }
  // What does not move with the loop stays the least urgent.
  for (const Flight &f : m.fabric.flights) {
    const LoadRun *load = loadOf(f.transfer);
    if (load && !movesWith(*load, loop) && f.by.phase == sequence)
      atMost(f.by.step - k - latest - 1, steps);
  }
  return n;
}

void PhaseRun::skip(size_t loop, const Snapshot &then, int64_t n) {
  const int64_t epochsAhead = n * (k - then.step);
  const int64_t iterations = n * periods[loop];
  m.now += (m.now - then.now) * n;
  std::vector<Wide> &ledger = m.ledger.all();
  for (size_t i = 0; i < ledger.size(); ++i)
    ledger[i] += (ledger[i] - then.ledger[i]) * n;
  auto shift = [&](Position &at) {
    at.index[loop] += iterations;
    at.epoch += epochsAhead;
  };
  // By buffer and transfer: how far pieces move.
  auto piecesOf = [&](int32_t transfer) {
    for (size_t i = 0; i < loads.size(); ++i)
      if (loads[i].transfer == transfer)
        return movesWith(loads[i], loop)
                   ? n * (loads[i].current - then.current[i])
                   : int64_t(0);
    return int64_t(0);
  };
  for (size_t b = 0; b < m.holdings.size(); ++b) {
    Holding &h = m.holdings[b];
    const BufferLinks &links = m.links.buffers[b];
    const bool made =
        !links.writers.empty() && links.writers.front().phase == number;
    if (links.kind == Kind::Whole) {
      if (made && h.tile == tileNumber)
        h.made += epochsAhead;
      continue;
    }
    const int64_t by = links.kind == Kind::Fetched ? piecesOf(links.load)
                       : made                      ? epochsAhead
                                                   : 0;
    const Holding old = h;
    for (size_t i = 0; i < old.slot.size(); ++i) {
      const size_t to = (i + by) % old.slot.size();
      h.slot[to] = old.slot[i] < 0 ? -1 : old.slot[i] + by;
      h.moving[to] = old.moving[i];
    }
  }
  for (Flight &f : m.fabric.flights) {
    const LoadRun *load = loadOf(f.transfer);
    const Transfer &t = *m.links.transfers[f.transfer].transfer;
    if (f.by.phase != sequence)
      continue;
    if (load ? movesWith(*load, loop) : f.by.step != kPhaseEnd)
      f.by.step += epochsAhead;
    f.piece += load                              ? piecesOf(f.transfer)
               : !t.isLoad && t.phasesLater == 0 ? epochsAhead
                                                 : 0;
  }
  for (InFlight &e : ring) {
    if (e.exists)
      shift(e.at);
    for (size_t i = 0; i < e.fetch.size(); ++i)
      e.fetch[i] += piecesOf(loads[i].transfer);
  }
  // Last: what pieces move by was read from `current`.
  std::vector<int64_t> ahead;
  for (const LoadRun &load : loads)
    ahead.push_back(piecesOf(load.transfer));
  for (size_t i = 0; i < loads.size(); ++i) {
    LoadRun &load = loads[i];
    if (!movesWith(load, loop))
      continue;
    load.next += ahead[i];
    load.current += ahead[i];
    shift(load.cursor);
    for (int64_t &b : load.begins)
      b += epochsAhead;
  }
  shift(newest);
  k += epochsAhead;
}

} // namespace transfusion::core::sim
