//===- Demand.cpp - The buffers that a schedule needs ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Demand.h"
#include "Sink.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

bool check::sameAccess(const Access &a, const Access &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const LinearExpr &x, const LinearExpr &y) {
                      return x.constant == y.constant && x.terms == y.terms;
                    });
}

bool check::leavesGroup(const View &v, TensorId t) {
  if (v.c.tensors[t].isOutput)
    return true;
  for (const Einsum &e : v.c.einsums)
    if (e.base == t)
      return true; // its storage is that of a longer tensor
  for (const Read &r : v.reads)
    if (r.tensor == t && v.readAt(r).group != v.madeAt(t).group)
      return true;
  return false;
}

RetainLevel check::retainLevel(const Group &g, TensorId t) {
  for (const Retain &r : g.retain)
    if (r.tensor == t)
      return r.level;
  return RetainLevel::Block;
}

bool check::neededIn(const Need &n, int32_t phase, int32_t phases) {
  for (int32_t at = n.firstPhase; at <= n.lastPhase; ++at)
    if ((at % phases + phases) % phases == phase)
      return true;
  return false;
}

int32_t check::prefetchAhead(const Phase &p, TensorId t) {
  for (const Prefetch &f : p.prefetch)
    if (f.tensor == t)
      return f.ahead;
  return 0;
}

int32_t check::deferredBy(const Phase &p, TensorId t) {
  for (const Defer &d : p.defer)
    if (d.tensor == t)
      return d.by;
  return 0;
}

namespace {

using Sizes = std::vector<int64_t>; // by RankId

struct Collector {
  const View &v;
  int32_t g;
  std::vector<Need> needs;

  void slot(const Place &at);
  void finishUp();

private:
  const Cut &cut(int32_t p, RankId r) const { return v.cuts[g][p][r]; }
  Need &input(const Read &r, const Place &at);
  Need &made(TensorId t, BufferRole role, const Place &at);
  void touch(Need &n, int32_t stage, int32_t phase);
  Sizes tileSizes(int32_t p, bool wholeExtent) const;
  Sizes innerSizes(int32_t p) const;
  int32_t fetchPosition(const Need &n) const;
  Sizes blockSizes(int32_t p, int32_t position) const;
  int64_t fetchSlots(const Need &n, int32_t position) const;
  int64_t footprint(const Need &n, const Sizes &sizes) const;
  void loadAhead(Need &n);
};

void Collector::touch(Need &n, int32_t stage, int32_t phase) {
  n.minStage = std::min(n.minStage, stage);
  n.maxStage = std::max(n.maxStage, stage);
  n.firstPhase = std::min(n.firstPhase, phase);
  n.lastPhase = std::max(n.lastPhase, phase);
}

Need &Collector::input(const Read &r, const Place &at) {
  RetainLevel level = retainLevel(v.s.groups[g], r.tensor);
  int32_t stage = v.slot(at).stage;
  for (Need &n : needs)
    if (n.role == BufferRole::Input && n.tensor == r.tensor &&
        sameAccess(n.access, *r.access) &&
        (level != RetainLevel::Block || n.phase == at.phase)) {
      touch(n, stage, at.phase);
      return n;
    }
  Need n;
  n.tensor = r.tensor;
  n.level = level;
  n.group = g;
  n.phase = level == RetainLevel::Block ? at.phase : -1;
  n.access = *r.access;
  n.minStage = n.maxStage = stage;
  n.firstPhase = n.lastPhase = at.phase;
  needs.push_back(n);
  return needs.back();
}

Need &Collector::made(TensorId t, BufferRole role, const Place &at) {
  // What a phase reads of itself on its way out is one buffer.
  if (role == BufferRole::Window && leavesGroup(v, t))
    role = BufferRole::Output;
  for (Need &n : needs)
    if (n.tensor == t && n.role == role)
      return n;
  Need n;
  n.tensor = t;
  n.role = role;
  n.group = g;
  n.phase = at.phase;
  n.access = v.c.einsums[v.c.tensors[t].producer].result.access;
  n.minStage = n.maxStage = v.slot(at).stage;
  n.firstPhase = n.lastPhase = at.phase;
  needs.push_back(n);
  return needs.back();
}

void Collector::slot(const Place &at) {
  const Slot &slot = v.slot(at);
  EinsumId e = slot.einsum;
  TensorId t = v.c.einsums[e].result.tensor;
  for (const Read &r : v.reads) {
    Place here = v.readAt(r);
    if (r.reader != e || here.phase != at.phase || here.run != at.run ||
        here.index != at.index)
      continue;
    Place made = v.madeAt(r.tensor);
    if (made.group != g) {
      input(r, at);
      continue;
    }
    if (made.phase != at.phase) {
      touch(this->made(r.tensor, BufferRole::Carried, made), slot.stage,
            at.phase);
      continue;
    }
    int32_t distance = r.kind == ReadKind::Previous ? 1 : 0;
    touch(this->made(r.tensor, BufferRole::Window, made), slot.stage + distance,
          at.phase);
  }
  if (v.accumulates(e)) {
    Place main = v.main[e];
    touch(made(t, BufferRole::Accumulator, main), slot.stage, at.phase);
    if (!slot.finishOnly)
      return;
  }
  if (!leavesGroup(v, t))
    return;
  if (int32_t by = deferredBy(v.s.groups[g].phases[at.phase], t)) {
    Need &kept = made(t, BufferRole::Carried, at);
    kept.delay = by;
    kept.lastPhase = std::max(kept.lastPhase, at.phase + by);
    return;
  }
  made(t, BufferRole::Output, at);
}

Sizes Collector::tileSizes(int32_t p, bool wholeExtent) const {
  Sizes sizes;
  for (RankId r = 0; r < static_cast<RankId>(v.c.ranks.size()); ++r)
    sizes.push_back(wholeExtent ? v.c.ranks[r].extent : cut(p, r).tile);
  return sizes;
}

Sizes Collector::innerSizes(int32_t p) const {
  Sizes sizes;
  for (RankId r = 0; r < static_cast<RankId>(v.c.ranks.size()); ++r)
    sizes.push_back(cut(p, r).inner);
  return sizes;
}

int32_t Collector::fetchPosition(const Need &n) const {
  const std::vector<RankId> &order = v.s.groups[g].phases[n.phase].order;
  for (int32_t j = static_cast<int32_t>(order.size()) - 1; j >= 0; --j) {
    bool depends = false;
    for (const LinearExpr &dim : n.access)
      depends |= dim.uses(order[j]);
    const Cut &c = cut(n.phase, order[j]);
    if (depends && c.block < c.tile)
      return j;
  }
  return -1;
}

Sizes Collector::blockSizes(int32_t p, int32_t position) const {
  Sizes sizes;
  for (RankId r = 0; r < static_cast<RankId>(v.c.ranks.size()); ++r) {
    const Cut &c = cut(p, r);
    sizes.push_back(c.position < 0 || c.position > position ? c.tile
                    : c.position == position                ? c.block
                                                            : c.inner);
  }
  return sizes;
}

/// Fetch f is loaded one step ahead of the first stage that reads it, while the
/// last stage may still read older ones: the slot that it overwrites must be
/// read for the last time before that. With gaps between fetches counted in
/// epochs, fetch f - slots + 1 starts at least maxStage - minStage + 1 epochs
/// earlier.
int64_t Collector::fetchSlots(const Need &n, int32_t position) const {
  const std::vector<RankId> &order = v.s.groups[g].phases[n.phase].order;
  if (v.s.groups[g].phases[n.phase].skip)
    return n.maxStage - n.minStage + 2; // any fetch may be for one epoch
  int64_t inside = 1; // epochs for each step of the loop at `position`
  auto raggedTrips = [&](RankId r) {
    const Cut &c = cut(n.phase, r);
    int64_t rest = v.c.ranks[r].extent % c.tile;
    return rest ? ceilDiv(rest, c.inner) : c.trips;
  };
  for (size_t k = position + 1; k < order.size(); ++k)
    inside = mulSat(
        inside, std::min(cut(n.phase, order[k]).trips, raggedTrips(order[k])));
  RankId r = order[position];
  int64_t perBlock = ceilDiv(cut(n.phase, r).block, cut(n.phase, r).inner);
  int64_t spread = n.maxStage - n.minStage;
  int64_t slots = 2;
  for (int64_t trips : {cut(n.phase, r).trips, raggedTrips(r)}) {
    // Gaps along the loop: full blocks, the last one ragged, and again.
    int64_t blocks = ceilDiv(trips, perBlock);
    int64_t last = mulSat(trips - (blocks - 1) * perBlock, inside);
    int64_t full = mulSat(perBlock, inside);
    for (int64_t needed = 2;; ++needed) {
      int64_t gaps = needed - 1;
      // The fewest epochs that `gaps` consecutive fetches can take.
      int64_t rounds = gaps / blocks, rest = gaps % blocks;
      int64_t epochs =
          addSat(mulSat(rounds, addSat(mulSat(blocks - 1, full), last)),
                 rest ? addSat(mulSat(rest - 1, full), last) : 0);
      if (epochs > spread) {
        slots = std::max(slots, needed);
        break;
      }
    }
  }
  return slots;
}

int64_t Collector::footprint(const Need &n, const Sizes &sizes) const {
  const Tensor &t = v.c.tensors[n.tensor];
  int64_t values = 1;
  for (size_t d = 0; d < n.access.size(); ++d) {
    if (static_cast<int32_t>(d) == t.iterativeDim)
      continue; // one slice at a time
    const auto &terms = n.access[d].terms;
    int64_t extent = 1;
    int64_t points = 1; // several ranks: the fewer of what they span or number
    for (const auto &[rank, k] : terms) {
      extent = addSat(extent, mulSat(k < 0 ? -k : k, sizes[rank] - 1));
      points = mulSat(points, sizes[rank]);
    }
    extent = std::min(extent, points);
    values = mulSat(values, std::min(extent, t.shape[d]));
  }
  int64_t bits = t.bitsPerValue;
  if (n.role == BufferRole::Accumulator)
    if (int32_t wide = v.c.einsums[t.producer].accumulatorBits)
      bits = wide;
  return mulSat(values, ceilDiv(bits, 8));
}

void Collector::loadAhead(Need &n) {
  n.ahead = prefetchAhead(v.s.groups[g].phases[n.firstPhase], n.tensor);
  n.firstPhase -= n.ahead;
}

void Collector::finishUp() {
  // What a later phase reads is written to the whole tile at once, and read
  // there by its own phase too; only a recurrence needs a window besides.
  std::vector<TensorId> carried;
  for (const Need &n : needs)
    if (n.role == BufferRole::Carried && v.c.tensors[n.tensor].iterativeDim < 0)
      carried.push_back(n.tensor);
  needs.erase(std::remove_if(needs.begin(), needs.end(),
                             [&](const Need &n) {
                               return (n.role == BufferRole::Window ||
                                       n.role == BufferRole::Output) &&
                                      std::count(carried.begin(), carried.end(),
                                                 n.tensor);
                             }),
              needs.end());
  for (Need &n : needs) {
    switch (n.role) {
    case BufferRole::Input:
      if (n.level == RetainLevel::Block) {
        int32_t j = fetchPosition(n);
        n.bytesPerSlot = footprint(n, blockSizes(n.phase, j));
        n.slots = j < 0 ? 1 : fetchSlots(n, j);
        loadAhead(n);
        break;
      }
      n.bytesPerSlot =
          footprint(n, tileSizes(n.firstPhase, n.level == RetainLevel::Group));
      if (n.level == RetainLevel::Group) { // held over all outer tiles
        n.firstPhase = 0;
        n.lastPhase = static_cast<int32_t>(v.s.groups[g].phases.size()) - 1;
      } else {
        loadAhead(n);
      }
      break;
    case BufferRole::Window:
    case BufferRole::Output:
      n.bytesPerSlot = footprint(n, innerSizes(n.phase));
      n.slots = n.maxStage - n.minStage + 1;
      if (n.role == BufferRole::Output) // one is stored while one is made
        n.slots = std::max<int64_t>(n.slots, 2);
      break;
    case BufferRole::Accumulator:
    case BufferRole::Carried:
      n.bytesPerSlot = footprint(n, tileSizes(n.phase, false));
      break;
    }
    n.bytes = mulSat(n.slots, n.bytesPerSlot);
  }
}

} // namespace

std::vector<Need> check::needsOf(const View &v, int32_t group) {
  Collector collector{v, group, {}};
  const Group &g = v.s.groups[group];
  for (int32_t p = 0; p < static_cast<int32_t>(g.phases.size()); ++p)
    for (int32_t u = 0; u < static_cast<int32_t>(g.phases[p].runs.size()); ++u)
      for (int32_t i = 0;
           i < static_cast<int32_t>(g.phases[p].runs[u].slots.size()); ++i)
        collector.slot({group, p, u, i});
  collector.finishUp();
  return std::move(collector.needs);
}
