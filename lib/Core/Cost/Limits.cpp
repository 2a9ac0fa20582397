//===- Limits.cpp - What each part of a latency waits for -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Limits.h"

#include <algorithm>

namespace transfusion::core {

const char *limitKindName(LimitKind k) {
  switch (k) {
  case LimitKind::None:
    return "none";
  case LimitKind::Unit:
    return "unit";
  case LimitKind::Port:
    return "port";
  case LimitKind::Dependences:
    return "dependences";
  case LimitKind::Recurrence:
    return "recurrence";
  }
  return "none";
}

namespace {

/// The port that is busy longer.
Limit portOf(const Memory &m, double readBytes, double writeBytes) {
  if (m.sharedPort)
    return {LimitKind::Port, m.name + " port"};
  auto seconds = [](double bytes, double bytesPerS) {
    return bytesPerS > 0 ? bytes / bytesPerS : 0.0;
  };
  const bool reads = seconds(readBytes, m.readBytesPerS) >=
                     seconds(writeBytes, m.writeBytesPerS);
  return {LimitKind::Port, m.name + (reads ? " read port" : " write port")};
}

LimitedCycles limited(double cycles, Limit by) {
  return {cycles, cycles > 0 ? std::move(by) : Limit()};
}

void rank(const LimitedCycles &part, std::vector<LimitedCycles> &ranked) {
  if (part.limit.kind == LimitKind::None)
    return;
  for (LimitedCycles &known : ranked)
    if (known.limit == part.limit) {
      known.cycles += part.cycles;
      return;
    }
  ranked.push_back(part);
}

void sortRanked(std::vector<LimitedCycles> &ranked) {
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const LimitedCycles &x, const LimitedCycles &y) {
                     return x.cycles > y.cycles;
                   });
}

class LimitReader {
public:
  LimitReader(const Cascade &c, const Arch &a, const Schedule &s, const Plan &p)
      : c(c), a(a), s(s), p(p) {}

  PhaseLimits phase(int32_t g, int32_t ph, const PhaseDetail &parts) const;

private:
  /// Of the stages first..last one after another, as a pipeline fills or
  /// drains: what limits the longest of its steps.
  Limit ends(const Phase &phase, const Extents &full, int32_t stages,
             bool filling) const;
  Extents fullTile(const PhasePlan &plan) const;

  const Cascade &c;
  const Arch &a;
  const Schedule &s;
  const Plan &p;
};

} // namespace

Extents LimitReader::fullTile(const PhasePlan &plan) const {
  Extents full;
  for (const RankCut &cut : plan.cuts)
    full.push_back(cut.position < 0 ? cut.tile : std::min(cut.inner, cut.tile));
  return full;
}

Limit LimitReader::ends(const Phase &phase, const Extents &full, int32_t stages,
                        bool filling) const {
  Limit longest;
  int64_t most = -1;
  for (int32_t k = 0; k + 1 < stages; ++k) {
    std::vector<Extents> perStage(stages);
    for (int32_t stage = 0; stage < stages; ++stage)
      if (filling ? stage <= k : stage > k)
        perStage[stage] = full;
    const int64_t cycles = timePhase(c, a, phase, perStage).ii;
    if (cycles > most)
      longest = stepLimit(c, a, phase, perStage);
    most = std::max(most, cycles);
  }
  return longest;
}

PhaseLimits LimitReader::phase(int32_t g, int32_t ph,
                               const PhaseDetail &parts) const {
  const Phase &phase = s.groups[g].phases[ph];
  const PhasePlan &plan = p.groups[g].phases[ph];
  const Extents full = fullTile(plan);
  const Limit step =
      stepLimit(c, a, phase, std::vector<Extents>(plan.stages, full));
  PhaseLimits limits;
  // What is loaded is written to the buffer, what is stored is read there.
  const MemoryId buffer = a.units.front().memory;
  const bool in = parts.loadFrom == buffer, out = parts.storeTo == buffer;
  limits.load =
      limited(parts.loadCycles, portOf(a.memories[parts.loadFrom], !in, in));
  limits.store =
      limited(parts.storeCycles, portOf(a.memories[parts.storeTo], out, !out));
  // With wrap the steps of filling are steps like others.
  limits.fill =
      limited(parts.fillCycles,
              phase.wrap ? step : ends(phase, full, plan.stages, true));
  limits.drain =
      limited(parts.drainCycles,
              phase.wrap ? step : ends(phase, full, plan.stages, false));
  Limit most = step;
  const auto slowest =
      std::max_element(parts.memoryBound.begin(), parts.memoryBound.end());
  if (slowest != parts.memoryBound.end() && *slowest > parts.computeBound) {
    const auto m = static_cast<MemoryId>(slowest - parts.memoryBound.begin());
    most = portOf(a.memories[m], double(parts.readBytes[m]),
                  double(parts.writeBytes[m]));
  }
  limits.steady = limited(parts.steadyCycles, most);
  return limits;
}

LayerLimits limitsOf(const Cascade &c, const Arch &a, const Schedule &s,
                     const Plan &p, const CostReport &cost,
                     const CostDetail &detail) {
  LayerLimits layer;
  const LimitReader reader(c, a, s, p);
  for (int32_t g = 0; g < static_cast<int32_t>(cost.groups.size()); ++g) {
    GroupLimits group;
    const GroupDetail &parts = detail.groups[g];
    group.load = limited(
        cost.groups[g].loadCycles,
        portOf(a.memories[parts.loadAt], !parts.loadWrites, parts.loadWrites));
    group.store = limited(cost.groups[g].storeCycles,
                          portOf(a.memories[parts.storeAt], !parts.storeWrites,
                                 parts.storeWrites));
    rank(group.load, group.ranked);
    for (int32_t ph = 0;
         ph < static_cast<int32_t>(detail.groups[g].phases.size()); ++ph) {
      const PhaseLimits phase =
          reader.phase(g, ph, detail.groups[g].phases[ph]);
      for (const LimitedCycles *part : {&phase.load, &phase.fill, &phase.steady,
                                        &phase.drain, &phase.store})
        rank(*part, group.ranked);
      group.phases.push_back(phase);
    }
    rank(group.store, group.ranked);
    for (const LimitedCycles &part : group.ranked)
      rank(part, layer.ranked);
    sortRanked(group.ranked);
    layer.groups.push_back(std::move(group));
  }
  sortRanked(layer.ranked);
  return layer;
}

} // namespace transfusion::core
