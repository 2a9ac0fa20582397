//===- PhaseCompute.cpp - Cycles of a phase's pipeline --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpochCount.h"
#include "PhaseCost.h"

namespace transfusion::core {

/// Inner tile of every class of epochs.
static std::vector<Extents> classExtents(const PhaseTile &tile,
                                         const EpochCounts &counts) {
  std::vector<Extents> all(counts.classes.size(),
                           Extents(tile.spans.size(), 1));
  for (size_t i = 0; i < all.size(); ++i)
    for (RankId r = 0; r < static_cast<RankId>(tile.spans.size()); ++r) {
      const int32_t position = tile.planned().cuts[r].position;
      all[i][r] = tile.inner(r);
      if (position >= 0 && (counts.classes[i] >> position & 1))
        all[i][r] = tile.spans[r].extent - (tile.trips(r) - 1) * tile.inner(r);
    }
  return all;
}

PhaseCompute computeOf(const PhaseTile &tile, const Arch &a, PhaseTimes &times,
                       Tally &tally, std::vector<std::string> &faults) {
  const Cascade &c = tile.c;
  const PhasePlan &plan = tile.planned();
  std::vector<EpochLoop> loops;
  for (RankId r : tile.decision().order)
    loops.push_back({tile.trips(r), tile.spans[r].extent % tile.inner(r) != 0});
  const bool wrap = tile.decision().wrap;
  const EpochCounts counts = countEpochs(loops, plan.stages, wrap);
  tally.overflow |= counts.overflow;
  PhaseCompute result;
  result.epochs = counts.epochs;
  result.slotCycles.assign(plan.slots.size(), 0);
  if (counts.overflow)
    return result;

  const std::vector<Extents> extents = classExtents(tile, counts);
  std::vector<const Extents *> perStage(plan.stages);
  for (const auto &[window, count] : counts.windows) {
    for (int32_t stage = 0; stage < plan.stages; ++stage) {
      const char16_t cls = window[plan.stages - 1 - stage];
      perStage[stage] = cls == kIdle ? nullptr : &extents[cls];
    }
    const StepTime &step = times.step(perStage);
    result.cycles = tally.add(result.cycles, tally.mul(step.ii, count));
    // Every epoch is the newest in exactly one step.
    const char16_t newest = window.back();
    if (newest == kIdle)
      continue;
    const std::vector<int64_t> &cycles = times.slots(extents[newest]);
    for (size_t i = 0; i < cycles.size(); ++i)
      result.slotCycles[i] =
          tally.add(result.slotCycles[i], tally.mul(cycles[i], count));
  }
  if (wrap) { // the last epoch's later stages run out
    std::vector<const Extents *> last(plan.stages, &extents.back());
    result.cycles = tally.add(result.cycles, times.step(last).drain);
  }

  const std::vector<int64_t> &cycles = times.slots(extents.front());
  for (size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i] >= 0)
      continue;
    const Einsum &e = c.einsums[plan.slots[i].einsum];
    const Unit &unit = a.units[plan.slots[i].unit];
    int cls = unsupportedClass(unit, e.pointOps);
    if (cls < 0)
      cls = unsupportedClass(unit, e.finishOps);
    faults.push_back(e.name + " cannot run on " + unit.name +
                     (cls < 0 ? std::string()
                              : std::string(", which does not support ") +
                                    opClassName(static_cast<OpClass>(cls))));
  }
  return result;
}

} // namespace transfusion::core
