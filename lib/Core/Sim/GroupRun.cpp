//===- GroupRun.cpp - A group, outer tile by outer tile -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupRun.h"

#include "PhaseRun.h"

#include <algorithm>

namespace transfusion::core::sim {

GroupRun::GroupRun(Machine &m, size_t entry, std::vector<double> &firstStart)
    : m(m), p(m.p), links(m.links), firstEntry(entry), firstStart(firstStart) {
  for (const OuterLoop &loop : links.group.loops)
    trips.push_back((p.ranks[loop.rank].extent - 1) / loop.tile + 1);
  for (size_t l = 0; l < trips.size(); ++l)
    repeats.push_back(mayRepeat(l));
  snapshots.resize(trips.size());
}

void GroupRun::enter(size_t entry) {
  m.enter(firstEntry + entry);
  double &first = firstStart[firstEntry + entry];
  if (first < 0)
    first = cyclesOf(m.now);
}

Box GroupRun::boxOf(const std::vector<int64_t> &index) const {
  Box box = wholeBox(p);
  for (size_t l = 0; l < trips.size(); ++l) {
    const OuterLoop &loop = links.group.loops[l];
    Range &range = box[loop.rank];
    range.begin = index[l] * loop.tile;
    range.extent = std::min(loop.tile, p.ranks[loop.rank].extent - range.begin);
  }
  return box;
}

bool GroupRun::next(Tile &t) const {
  size_t l = trips.size();
  while (l > 0 && ++t.index[l - 1] == trips[l - 1])
    t.index[--l] = 0;
  ++t.number;
  t.advanced = static_cast<int32_t>(l) - 1;
  if (l == 0)
    return false;
  t.box = boxOf(t.index);
  return true;
}

void GroupRun::run() {
  Tile t;
  t.index.assign(trips.size(), 0);
  t.box = boxOf(t.index);
  before = t.box;
  loadBefore(t);
  Tile last = t;
  while (!m.refused()) {
    if (m.options.skip)
      trySkip(t);
    runTile(t);
    last = t;
    before = t.box;
    if (m.refused() || !next(t))
      break;
    enter(0);
    m.copy(links.group.copies, t.box, t.advanced);
  }
  if (!m.refused())
    storeAfter(last);
}

//===----------------------------------------------------------------------===//
// Transfers beside another phase
//===----------------------------------------------------------------------===//

/// The first piece of a load for the phase that is run as number `sequence`,
/// beside an earlier one, which it does not outlast.
void GroupRun::loadAhead(int32_t id, const Tile &tile, int64_t sequence) {
  const Transfer &t = *links.transfers[id].transfer;
  const Phase &phase = links.group.phases[links.transfers[id].phase];
  Holding &h = m.holdings[t.buffer];
  // Somebody still has to read what is there?
  for (const Touch &r : links.buffers[t.buffer].readers) {
    const int64_t number = h.tile * links.phases() + r.phase;
    if (h.tile >= 0 && number >= sequence - t.phasesAhead)
      return m.refuse(links.transfers[id].where,
                      "overwrites what is still needed: " +
                          links.group.phases[r.phase].name +
                          " has yet to read " + p.buffers[t.buffer].name +
                          " of outer tile " + std::to_string(h.tile));
  }
  h.tile = tile.number;
  h.whole = false;
  const bool fetched = links.buffers[t.buffer].kind == Kind::Fetched;
  if (fetched) {
    h.slot.assign(h.slot.size(), -1);
    h.moving.assign(h.slot.size(), false);
    h.slot[0] = 0;
    h.moving[0] = true;
  }
  const Nest nest(phase, tile.box);
  m.start(id, {sequence - t.phasesAhead, kPhaseEnd}, fetched ? 0 : tile.number,
          nest.pieceAt(nest.first(), t));
}

void GroupRun::storeLate(int32_t id, const Box &box, int64_t tile,
                         int64_t sequence) {
  m.start(id, {sequence, kPhaseEnd}, tile, box);
}

/// What is retained, and what an outer tile before the first one would have
/// loaded ahead.
void GroupRun::loadBefore(const Tile &first) {
  enter(0);
  m.copy(links.group.copies, first.box, -1);
  for (size_t id = 0; id < links.transfers.size(); ++id) {
    const TransferLink &link = links.transfers[id];
    const Transfer &t = *link.transfer;
    if (link.phase < 0) {
      m.holdings[t.buffer].tile = 0;
      m.start(static_cast<int32_t>(id), {0, 0}, 0, wholeBox(p));
    } else if (t.phasesAhead > link.phase) {
      loadAhead(static_cast<int32_t>(id), first, link.phase);
    }
  }
  m.waitFor({links.phases(), kPhaseEnd}, Stall::Load);
}

void GroupRun::runTile(const Tile &t) {
  const int64_t phases = links.phases();
  Tile after = t;
  const bool isLast = !next(after);
  for (int64_t ph = 0; ph < phases && !m.refused(); ++ph) {
    const int64_t sequence = t.number * phases + ph;
    enter(1 + ph);
    for (size_t i = 0; i < links.transfers.size(); ++i) {
      const TransferLink &link = links.transfers[i];
      const Transfer &x = *link.transfer;
      const int32_t id = static_cast<int32_t>(i);
      if (link.phase < 0)
        continue;
      if (x.phasesAhead > 0) {
        const int64_t target = ph + x.phasesAhead; // through the outer tiles
        if (target == link.phase)
          loadAhead(id, t, sequence + x.phasesAhead);
        else if (target == link.phase + phases && !isLast)
          loadAhead(id, after, sequence + x.phasesAhead);
      }
      if (x.phasesLater > 0) {
        const int64_t made = ph - x.phasesLater;
        if (made == link.phase)
          storeLate(id, t.box, t.number, sequence);
        else if (made + phases == link.phase && t.number > 0)
          storeLate(id, before, t.number - 1, sequence);
      }
    }
    if (!m.refused())
      PhaseRun(m, static_cast<int32_t>(ph), t.box, t.number, sequence).run();
  }
}

void GroupRun::storeAfter(const Tile &last) {
  const int64_t phases = links.phases();
  enter(1 + phases);
  for (size_t id = 0; id < links.transfers.size(); ++id) {
    const TransferLink &link = links.transfers[id];
    if (link.phase >= 0 && link.phase + link.transfer->phasesLater >= phases)
      storeLate(static_cast<int32_t>(id), last.box, last.number,
                (last.number + 1) * phases);
  }
  m.waitFor({(last.number + 1) * phases, kPhaseEnd}, Stall::Store);
}

//===----------------------------------------------------------------------===//
// Outer tiles that provably repeat: as in PhaseSkip.cpp
//===----------------------------------------------------------------------===//

bool GroupRun::mayRepeat(size_t loop) const {
  if (trips[loop] < 4)
    return false;
  const OuterLoop &outer = links.group.loops[loop];
  Box box = wholeBox(p);
  box[outer.rank].extent = outer.tile * (trips[loop] - 1);
  for (const Phase &phase : links.group.phases)
    if (usesRank(phase.skip.where, outer.rank) || // tiles run other steps
        !staysInside(p, phase, outer.rank, box))
      return false;
  for (const Copy &copy : links.group.copies)
    if (copy.piece >= 0) {
      const Coordinates &access = p.residents[copy.piece].access;
      if (usesRank(access, outer.rank) &&
          reachesOutside(p, copy.tensor, access, box))
        return false;
    }
  return true;
}

/// Loaded once, before the first tile.
bool GroupRun::isRetained(size_t buffer) const {
  const int32_t load = links.buffers[buffer].load;
  return load >= 0 && links.transfers[load].phase < 0;
}

std::vector<int64_t> GroupRun::stateAt(const Tile &t) const {
  std::vector<int64_t> state;
  for (size_t b = 0; b < m.holdings.size(); ++b) {
    const Holding &h = m.holdings[b];
    // What a phase leaves behind in its windows does not matter any more.
    if (links.buffers[b].kind == Kind::Fetched) {
      for (size_t i = 0; i < h.slot.size(); ++i) {
        state.push_back(h.tile == t.number ? h.slot[i] : -1);
        state.push_back(h.moving[i]);
      }
    }
    state.push_back(h.tile - (isRetained(b) || h.tile < 0 ? 0 : t.number));
    state.push_back(h.whole * 2 + h.leaving);
  }
  for (const Flight &f : m.fabric.flights) {
    const Transfer &x = *links.transfers[f.transfer].transfer;
    const bool fetched = x.isLoad && x.scope == Scope::Epoch;
    state.push_back(f.transfer);
    state.push_back(f.left);
    state.push_back(f.by.phase - t.number * links.phases());
    state.push_back(f.by.step);
    state.push_back(f.piece - (fetched ? 0 : t.number));
  }
  return state;
}

void GroupRun::trySkip(Tile &t) {
  for (size_t loop = 0; loop < trips.size(); ++loop) {
    const int64_t iteration = t.index[loop];
    bool starts = iteration >= 1 && repeats[loop];
    for (size_t l = loop + 1; l < trips.size(); ++l)
      starts &= t.index[l] == 0;
    if (!starts)
      continue;
    Snapshot now;
    now.valid = true;
    now.prefix.assign(t.index.begin(), t.index.begin() + loop);
    now.state = stateAt(t);
    now.iteration = iteration;
    now.tile = t.number;
    now.now = m.now;
    now.ledger = m.ledger.all();
    const Snapshot then = snapshots[loop];
    // The tile before the first one of the period, and the one after the last.
    const int64_t n = trips[loop] - 2 - iteration;
    if (then.valid && then.iteration == iteration - 1 && n > 0 &&
        then.iteration >= 1 && then.prefix == now.prefix &&
        then.state == now.state) {
      skip(t, loop, then, n);
      for (Snapshot &s : snapshots)
        s.valid = false;
      return;
    }
    snapshots[loop] = std::move(now);
  }
}

void GroupRun::skip(Tile &t, size_t loop, const Snapshot &then, int64_t n) {
  const int64_t tiles = n * (t.number - then.tile);
  m.now += (m.now - then.now) * n;
  std::vector<Wide> &ledger = m.ledger.all();
  for (size_t i = 0; i < ledger.size(); ++i)
    ledger[i] += (ledger[i] - then.ledger[i]) * n;
  for (size_t b = 0; b < m.holdings.size(); ++b) {
    if (!isRetained(b) && m.holdings[b].tile >= 0)
      m.holdings[b].tile += tiles;
  }
  for (Flight &f : m.fabric.flights) {
    const Transfer &x = *links.transfers[f.transfer].transfer;
    f.by.phase += tiles * links.phases();
    if (!x.isLoad || x.scope != Scope::Epoch)
      f.piece += tiles;
  }
  t.index[loop] += n;
  t.number += tiles;
  t.box = boxOf(t.index);
  const OuterLoop &outer = links.group.loops[loop];
  for (Box &piece : m.pieces) // those without the rank do not mind
    if (!piece.empty())
      piece[outer.rank].begin += n * outer.tile;
  before[outer.rank].begin += n * outer.tile;
}

} // namespace transfusion::core::sim
