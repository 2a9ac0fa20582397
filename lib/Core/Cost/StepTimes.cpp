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
                       const PhasePlan &plan,
                       const std::vector<Buffer> &buffers,
                       const BufferPorts *ports, MemorySet outer)
    : c(c), a(a), phase(p), planned(plan.slots) {
  if (ports)
    this->ports.emplace(c, a, p, plan, buffers, *ports, outer);
  for (RankId r = 0; r < static_cast<RankId>(plan.usesRank.size()); ++r)
    if (plan.usesRank[r])
      ranks.push_back(r);
}

void PhaseTimes::appendKey(const Extents &inner) {
  for (RankId r : ranks)
    key.push_back(inner[r]);
}

const StepTime &PhaseTimes::step(const std::vector<StageEpoch> &perStage) {
  key.clear();
  bool full = true;
  for (const StageEpoch &epoch : perStage) {
    key.push_back(epoch.inner ? 0 : -1); // also where no slot has any rank
    full &= epoch.inner != nullptr;
    if (!epoch.inner)
      continue;
    appendKey(*epoch.inner);
    if (ports) {
      key.push_back(static_cast<int64_t>(epoch.first & ports->firsts));
      key.push_back(static_cast<int64_t>(epoch.last & ports->lasts));
    }
  }
  auto found = steps.find(key);
  if (found != steps.end())
    return found->second;
  Key own = key; // slots() writes another
  std::vector<Extents> extents;
  for (const StageEpoch &epoch : perStage)
    extents.push_back(epoch.inner ? *epoch.inner : Extents());
  const PhaseTiming t = timePhase(c, a, phase, extents);
  if (full)
    violations = t.violations;
  StepTime time{t.ii, t.fill, t.drain, {}};
  if (ports)
    time.limits = limits(perStage, t.ii);
  return steps.emplace(std::move(own), time).first->second;
}

StepLimits PhaseTimes::limits(const std::vector<StageEpoch> &perStage,
                              int64_t ii) {
  std::vector<int64_t> cycles(planned.size(), 0);
  for (size_t i = 0; i < planned.size(); ++i)
    if (const Extents *inner = perStage[planned[i].stage].inner)
      cycles[i] = slots(*inner)[i];
  return phase.wrap ? ports->limitsWithWrap(perStage, cycles, ii)
                    : ports->limits(perStage, cycles);
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

PhaseTimes &StepTimes::phase(const Phase &p, const PhasePlan &plan,
                             const std::vector<Buffer> &buffers,
                             MemorySet outer) {
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
      key.push_back(static_cast<int64_t>(s.instances.size()));
      for (const InstancePart &part : s.instances) {
        key.push_back(part.rank);
        key.push_back(part.points);
      }
    }
  }
  // What accumulates depends on tiles as well.
  for (const PlannedSlot &s : plan.slots)
    key.push_back(s.accumulates);
  // What moves at the ports depends on where operands and results are as well.
  const BufferPorts *limits = ports.limited() ? &ports : nullptr;
  if (limits)
    key.push_back(static_cast<int64_t>(outer));
  if (limits)
    for (const PlannedSlot &s : plan.slots) {
      for (const std::vector<OperandSource> *from :
           {&s.inputs, &s.finishInputs})
        for (const OperandSource &source : *from) {
          key.push_back(source.distance);
          key.push_back(buffers[source.buffer].bitsPerValue);
        }
      for (int32_t id : {s.accumulator, s.window, s.carried})
        key.push_back(id < 0 ? -1 : buffers[id].bitsPerValue);
    }
  auto found = phases.find(key);
  if (found == phases.end())
    found =
        phases.try_emplace(key, c, a, p, plan, buffers, limits, outer).first;
  return found->second;
}

} // namespace transfusion::core
