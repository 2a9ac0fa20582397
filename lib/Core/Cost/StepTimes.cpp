//===- StepTimes.cpp - Remembered timings of pipeline steps ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepTimes.h"

#include <algorithm>

namespace transfusion::core {

PhaseTimes::PhaseTimes(const Cascade &c, const Arch &a, const Phase &p,
                       const PhasePlan &plan)
    : c(c), a(a), phase(p), planned(plan.slots) {
  for (RankId r = 0; r < static_cast<RankId>(plan.usesRank.size()); ++r)
    if (plan.usesRank[r])
      ranks.push_back(r);
}

void PhaseTimes::appendKey(const Extents &inner) {
  for (RankId r : ranks)
    key.push_back(inner[r]);
}

const StepTime &PhaseTimes::step(const std::vector<const Extents *> &perStage) {
  key.clear();
  bool full = true;
  for (const Extents *inner : perStage) {
    key.push_back(inner ? 0 : -1); // also where no slot has any rank
    if (inner)
      appendKey(*inner);
    full &= inner != nullptr;
  }
  auto found = steps.find(key);
  if (found != steps.end())
    return found->second;
  std::vector<Extents> extents;
  for (const Extents *inner : perStage)
    extents.push_back(inner ? *inner : Extents());
  const PhaseTiming t = timePhase(c, a, phase, extents);
  if (full)
    violations = t.violations;
  return steps.emplace(key, StepTime{t.ii, t.fill, t.drain}).first->second;
}

const std::vector<int64_t> &PhaseTimes::slots(const Extents &inner) {
  key.clear();
  appendKey(inner);
  auto found = slotTimes.find(key);
  if (found != slotTimes.end())
    return found->second;
  std::vector<int64_t> cycles;
  for (const PlannedSlot &s : planned)
    cycles.push_back(slotCycles(c, a.units[s.unit],
                                phase.runs[s.run].slots[s.index], s.accumulates,
                                inner));
  return slotTimes.emplace(key, std::move(cycles)).first->second;
}

PhaseTimes &StepTimes::phase(const Phase &p, const PhasePlan &plan) {
  key.clear();
  auto appendRanks = [&](const std::vector<RankId> &ranks) {
    key.push_back(static_cast<int64_t>(ranks.size()));
    for (RankId r : ranks)
      key.push_back(r);
  };
  key.push_back(p.wrap);
  appendRanks(p.order);
  for (RankId r : p.order)
    key.push_back(static_cast<size_t>(r) < p.inner.size() ? p.inner[r] : 0);
  for (const Run &run : p.runs) {
    key.push_back(run.unit);
    key.push_back(static_cast<int64_t>(run.slots.size()));
    for (const Slot &s : run.slots) {
      key.push_back(s.einsum);
      key.push_back(s.finishOnly);
      key.push_back(s.stage);
      appendRanks(s.rows);
      appendRanks(s.cols);
    }
  }
  // What accumulates depends on tiles as well.
  for (const PlannedSlot &s : plan.slots)
    key.push_back(s.accumulates);
  auto found = phases.find(key);
  if (found == phases.end())
    found = phases.emplace(key, PhaseTimes(c, a, p, plan)).first;
  return found->second;
}

} // namespace transfusion::core
