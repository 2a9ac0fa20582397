//===- MoveTransfers.cpp - Which transfers to prefetch and defer ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveTransfers.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>
#include <tuple>

namespace transfusion::core {

namespace {

struct PhaseTime { ///< of an average outer tile, in cycles
  double compute = 0, memory = 0, exposed = 0;
  double latency() const { return std::max(compute, memory) + exposed; }
};

struct Transfer {
  TensorId tensor = -1;
  int32_t phase = -1, lastPhase = -1;
  bool isLoad = true;
  double cycles = 0;    ///< to move it
  double exposed = 0;   ///< of these, where it is now
  int64_t bytes = 0;    ///< of its buffer, where it must be live in addition
  int64_t newBytes = 0; ///< that its own phase needs in addition
  int32_t fetch = -1;   ///< position of the loop that fetches anew
  int32_t stage = 0;    ///< that waits for it
};

class Mover {
public:
  Mover(const Cascade &c, const Arch &a, Schedule &s, int32_t g,
        const Plan &plan, const CostReport &cost, int64_t capacity)
      : c(c), a(a), group(s.groups[g]), plan(plan), g(g), capacity(capacity),
        phases(static_cast<int32_t>(group.phases.size())) {
    const GroupCost &total = cost.groups[g];
    const double tiles = static_cast<double>(total.outerTiles);
    for (const PhaseCost &p : total.phases)
      times.push_back({p.computeCycles / tiles,
                       (p.memoryCycles - p.exposedCycles) / tiles,
                       p.exposedCycles / tiles});
    live.assign(phases, 0);
    for (int32_t id : plan.groups[g].buffers)
      for (int32_t p = 0; p < phases; ++p)
        if (livesIn(plan.buffers[id], p, phases))
          live[p] += plan.buffers[id].bytes;
  }

  bool run();

private:
  double cycles(double bytes, bool isLoad) const {
    const Memory &m = a.memories[0];
    const double perS =
        isLoad || m.sharedPort ? m.readBytesPerS : m.writeBytesPerS;
    return perS > 0 ? bytes * a.clockHz / perS : 0;
  }
  std::vector<Transfer> transfers() const;
  bool place(const Transfer &t);

  const Cascade &c;
  const Arch &a;
  Group &group;
  const Plan &plan;
  int32_t g;
  int64_t capacity;
  int32_t phases;
  std::vector<PhaseTime> times;
  std::vector<int64_t> live; ///< bytes
};

std::vector<Transfer> Mover::transfers() const {
  std::vector<Transfer> all;
  for (int32_t id : plan.groups[g].buffers) {
    const Buffer &b = plan.buffers[id];
    if (b.outer != 0) // residents wait
      continue;
    Transfer t;
    t.tensor = b.tensor;
    t.phase = b.phase;
    t.lastPhase = b.lastPhase;
    if (b.role == BufferRole::Input && b.level != RetainLevel::Group) {
      t.bytes = b.bytes;
      t.cycles = cycles(static_cast<double>(b.bytesPerSlot), true);
      t.fetch = b.fetchPosition;
      t.stage = b.minStage;
      // What only a later stage reads does not keep the phase from starting.
      t.exposed = b.fetchPosition >= 0 && b.minStage > 0 ? 0 : t.cycles;
    } else if (b.storeToOuter && c.tensors[b.tensor].iterativeDim < 0) {
      t.isLoad = false;
      int64_t whole = bytesPerValue(b.bitsPerValue);
      for (const LinearExpr &x : b.access)
        for (const auto &term : x.terms)
          whole *= plan.groups[g].phases[b.phase].cuts[term.first].tile;
      t.bytes = whole;
      t.newBytes = b.role == BufferRole::Carried ? 0 : whole - b.bytes;
      t.cycles = cycles(static_cast<double>(whole), false);
      t.exposed = b.role == BufferRole::Carried
                      ? 0
                      : cycles(static_cast<double>(b.bytesPerSlot), false);
    } else {
      continue;
    }
    if (t.cycles > 0)
      all.push_back(t);
  }
  std::sort(all.begin(), all.end(), [](const Transfer &x, const Transfer &y) {
    // By the tensor last, when the two are alike.
    auto key = [](const Transfer &t) {
      return std::make_tuple(-t.cycles, t.phase, t.lastPhase, t.bytes,
                             t.exposed, t.fetch, t.stage, t.tensor);
    };
    return key(x) < key(y);
  });
  return all;
}

bool Mover::place(const Transfer &t) {
  PhaseTime here = times[t.phase];
  const double before = here.latency();
  here.exposed -= t.exposed;
  here.memory -= t.cycles - t.exposed;
  int32_t best = 0;
  double most = 1e-9 * before;
  const int32_t span = t.isLoad ? t.lastPhase - t.phase + 1 : 1;
  if (live[t.phase] + t.newBytes > capacity)
    return false;
  for (int32_t distance = 1; distance + span <= phases; ++distance) {
    const int32_t first = t.isLoad ? t.phase : t.lastPhase;
    const int32_t at =
        (first + (t.isLoad ? phases - distance : distance)) % phases;
    // Carried until `lastPhase` anyway.
    if (at == t.phase || live[at] + t.bytes > capacity)
      break;
    const double gain =
        before - here.latency() + times[at].latency() -
        std::max(times[at].compute, times[at].memory + t.cycles) -
        times[at].exposed;
    if (gain > most) {
      most = gain;
      best = distance;
    }
  }
  if (best == 0)
    return false;
  times[t.phase] = here;
  live[t.phase] += t.newBytes;
  const int32_t first = t.isLoad ? t.phase : t.lastPhase;
  for (int32_t d = 1; d <= best; ++d)
    live[(first + (t.isLoad ? phases - d : d)) % phases] += t.bytes;
  times[(first + (t.isLoad ? phases - best : best)) % phases].memory +=
      t.cycles;
  Phase &p = group.phases[t.phase];
  if (t.isLoad)
    p.prefetch.push_back({t.tensor, best});
  else
    p.defer.push_back({t.tensor, t.lastPhase - t.phase + best});
  return true;
}

bool Mover::run() {
  if (phases < 2)
    return false;
  bool any = false;
  // Twice: what is moved away makes room for others.
  std::vector<Transfer> rest = transfers();
  for (int round = 0; round < 2; ++round) {
    std::vector<Transfer> later;
    for (const Transfer &t : rest) {
      const Phase &p = group.phases[t.phase];
      bool listed = false; // another access to the same tensor
      for (const Prefetch &f : p.prefetch)
        listed |= t.isLoad && f.tensor == t.tensor;
      if (listed)
        continue;
      if (place(t))
        any = true;
      else
        later.push_back(t);
    }
    rest = std::move(later);
  }
  for (Phase &p : group.phases) {
    auto byTensor = [](const auto &x, const auto &y) {
      return x.tensor < y.tensor;
    };
    std::sort(p.prefetch.begin(), p.prefetch.end(), byTensor);
    std::sort(p.defer.begin(), p.defer.end(), byTensor);
  }
  return any;
}

} // namespace

bool moveTransfers(const Cascade &c, const Arch &a, Schedule &s, int32_t g,
                   const Plan &plan, const CostReport &cost,
                   int64_t capacityBytes) {
  return Mover(c, a, s, g, plan, cost, capacityBytes).run();
}

} // namespace transfusion::core
