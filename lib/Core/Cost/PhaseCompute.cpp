//===- PhaseCompute.cpp - Cycles of a phase's pipeline --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpochCount.h"
#include "PhaseCost.h"

#include <algorithm>

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

namespace {

/// Cycles of a pipeline of its own over a number of epochs that are alike.
class RowPipeline {
public:
  RowPipeline(const Extents &extents, const PhaseTile &tile, PhaseTimes &times,
              Tally &tally)
      : extents(extents), stages(tile.planned().stages),
        wrap(tile.decision().wrap), times(times), tally(tally) {
    const StepTime &full = step(0, stages - 1);
    ii = full.ii;
    drain = wrap ? full.drain : 0;
    if (!wrap)
      ends = walk(stages, fill, drain);
  }

  /// Also of filling and draining.
  int64_t cycles(int64_t epochs, int64_t &filling, int64_t &draining) {
    filling = wrap ? tally.mul(ii, std::min(epochs, stages - 1)) : fill;
    draining = drain;
    if (wrap)
      return tally.add(tally.mul(ii, epochs), drain);
    if (epochs < stages)
      return walk(epochs, filling, draining);
    return tally.add(ends, tally.mul(ii, epochs - stages));
  }

private:
  const StepTime &step(int64_t first, int64_t last) {
    perStage.assign(stages, nullptr);
    for (int64_t s = first; s <= last; ++s)
      perStage[s] = &extents;
    return times.step(perStage);
  }
  /// Stage s works when 0 <= k - s < epochs.
  int64_t walk(int64_t epochs, int64_t &filling, int64_t &draining) {
    int64_t sum = 0;
    filling = draining = 0;
    for (int64_t k = 0; k < epochs + stages - 1; ++k) {
      const int64_t cycles = step(std::max<int64_t>(0, k - epochs + 1),
                                  std::min<int64_t>(k, stages - 1))
                                 .ii;
      sum = tally.add(sum, cycles);
      if (k < stages - 1)
        filling = tally.add(filling, cycles);
      else if (k >= epochs)
        draining = tally.add(draining, cycles);
    }
    return sum;
  }

  const Extents &extents;
  int64_t stages;
  bool wrap;
  PhaseTimes &times;
  Tally &tally;
  std::vector<const Extents *> perStage;
  int64_t ii = 0, fill = 0, drain = 0, ends = 0;
};

/// Rows one after another, each a pipeline that fills and drains.
void addRows(const PhaseTile &tile, const StepRuns &runs, PhaseTimes &times,
             Tally &tally, PhaseCompute &result) {
  // Loops on which no row depends; which of their turns are ragged.
  const PhasePlan &plan = tile.planned();
  std::vector<RankId> others;
  std::vector<EpochLoop> loops;
  for (RankId r : tile.decision().order)
    if (r != plan.active.rank && !runs.isRow(r)) {
      others.push_back(r);
      loops.push_back(
          {tile.trips(r), tile.spans[r].extent % tile.inner(r) != 0});
    }
  const EpochCounts turns = countEpochs(loops, /*stages=*/1, /*wrap=*/false);
  tally.overflow |= turns.overflow;
  if (turns.overflow)
    return;
  auto lastPiece = [&](RankId r) {
    return tile.spans[r].extent - (tile.trips(r) - 1) * tile.inner(r);
  };
  for (const auto &[window, turnCount] : turns.windows) {
    Extents turn;
    for (RankId r = 0; r < static_cast<RankId>(tile.spans.size()); ++r)
      turn.push_back(tile.inner(r));
    for (size_t i = 0; i < others.size(); ++i)
      if (turns.classes[window[0]] >> i & 1)
        turn[others[i]] = lastPiece(others[i]);
    for (size_t first = 0; first < runs.sets.size();) {
      const uint32_t ragged = runs.sets[first].ragged;
      Extents extents = turn;
      for (size_t i = 0; i < runs.rows.size(); ++i)
        if (ragged >> i & 1)
          extents[runs.rows[i]] = lastPiece(runs.rows[i]);
      RowPipeline pipeline(extents, tile, times, tally);
      int64_t epochs = 0;
      for (; first < runs.sets.size() && runs.sets[first].ragged == ragged;
           ++first) {
        const RowSet &set = runs.sets[first];
        const int64_t rows = tally.mul(set.count, turnCount);
        int64_t fill, drain;
        const int64_t cycles = pipeline.cycles(set.steps, fill, drain);
        result.cycles = tally.add(result.cycles, tally.mul(rows, cycles));
        result.fillCycles = tally.add(result.fillCycles, tally.mul(rows, fill));
        result.drainCycles =
            tally.add(result.drainCycles, tally.mul(rows, drain));
        epochs = tally.add(epochs, tally.mul(rows, set.steps));
        result.steps =
            tally.add(result.steps,
                      tally.mul(rows, tally.add(set.steps, plan.stages - 1)));
      }
      result.epochs = tally.add(result.epochs, epochs);
      const std::vector<int64_t> &cycles = times.slots(extents);
      for (size_t i = 0; i < cycles.size(); ++i)
        result.slotCycles[i] =
            tally.add(result.slotCycles[i], tally.mul(cycles[i], epochs));
    }
  }
}

/// One pipeline of one or two stages through all epochs of the tile.
void addShort(const PhaseTile &tile, PhaseTimes &times, Tally &tally,
              TileScratch &scratch, PhaseCompute &result) {
  const PhasePlan &plan = tile.planned();
  const std::vector<RankId> &order = tile.decision().order;
  const bool wrap = tile.decision().wrap;
  scratch.loops.clear();
  for (RankId r : order)
    scratch.loops.push_back(
        {tile.trips(r), tile.spans[r].extent % tile.inner(r) != 0});
  const int64_t epochs =
      countShort(scratch.loops, plan.stages, wrap, scratch.kinds);
  tally.overflow |= epochs < 0;
  if (epochs < 0)
    return;
  result.epochs = epochs;
  result.steps = tally.add(epochs, plan.stages - 1);
  auto extentsAt = [&](uint64_t ragged, Extents &extents) {
    extents.clear();
    for (RankId r = 0; r < static_cast<RankId>(tile.spans.size()); ++r)
      extents.push_back(tile.inner(r));
    for (size_t k = 0; k < order.size(); ++k)
      if (ragged >> k & 1) {
        const RankId r = order[k];
        extents[r] = tile.spans[r].extent - (tile.trips(r) - 1) * tile.inner(r);
      }
  };
  std::vector<const Extents *> &perStage = scratch.perStage;
  for (const StepKind &kind : scratch.kinds) {
    perStage.assign(plan.stages, nullptr);
    if (kind.hasNewer) {
      extentsAt(kind.newer, scratch.newer);
      perStage.front() = &scratch.newer;
    }
    if (plan.stages == 2 && kind.hasOlder) {
      extentsAt(kind.older, scratch.older);
      perStage.back() = &scratch.older;
    }
    const StepTime &step = times.step(perStage);
    const int64_t sum = tally.mul(step.ii, kind.count);
    result.cycles = tally.add(result.cycles, sum);
    if (plan.stages == 2 && !kind.hasOlder)
      result.fillCycles = tally.add(result.fillCycles, sum);
    if (!kind.hasNewer) {
      result.drainCycles = tally.add(result.drainCycles, sum);
      continue;
    }
    const std::vector<int64_t> &cycles = times.slots(scratch.newer);
    for (size_t i = 0; i < cycles.size(); ++i)
      result.slotCycles[i] =
          tally.add(result.slotCycles[i], tally.mul(cycles[i], kind.count));
  }
  if (!wrap)
    return;
  // The last epoch's later stages run out.
  uint64_t last = 0;
  for (size_t k = 0; k < scratch.loops.size(); ++k)
    last |= uint64_t(scratch.loops[k].raggedLast) << k;
  extentsAt(last, scratch.newer);
  perStage.assign(plan.stages, &scratch.newer);
  result.drainCycles = times.step(perStage).drain;
  result.cycles = tally.add(result.cycles, result.drainCycles);
  extentsAt(0, scratch.newer);
  result.fillCycles = tally.mul(times.step(perStage).ii,
                                std::min<int64_t>(epochs, plan.stages - 1));
}

/// The same for any number of stages.
void addEpochs(const PhaseTile &tile, PhaseTimes &times, Tally &tally,
               PhaseCompute &result) {
  const PhasePlan &plan = tile.planned();
  std::vector<EpochLoop> loops;
  for (RankId r : tile.decision().order)
    loops.push_back({tile.trips(r), tile.spans[r].extent % tile.inner(r) != 0});
  const bool wrap = tile.decision().wrap;
  const EpochCounts counts = countEpochs(loops, plan.stages, wrap);
  tally.overflow |= counts.overflow;
  result.epochs = counts.epochs;
  result.steps = tally.add(counts.epochs, plan.stages - 1);
  if (counts.overflow)
    return;

  const std::vector<Extents> extents = classExtents(tile, counts);
  std::vector<const Extents *> perStage(plan.stages);
  for (const auto &[window, count] : counts.windows) {
    for (int32_t stage = 0; stage < plan.stages; ++stage) {
      const char16_t cls = window[plan.stages - 1 - stage];
      perStage[stage] = cls == kIdle ? nullptr : &extents[cls];
    }
    const StepTime &step = times.step(perStage);
    const int64_t sum = tally.mul(step.ii, count);
    result.cycles = tally.add(result.cycles, sum);
    if (window.front() == kIdle)
      result.fillCycles = tally.add(result.fillCycles, sum);
    else if (window.back() == kIdle)
      result.drainCycles = tally.add(result.drainCycles, sum);
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
    result.drainCycles = times.step(last).drain;
    result.cycles = tally.add(result.cycles, result.drainCycles);
    std::vector<const Extents *> first(plan.stages, &extents.front());
    // Ragged epochs may be faster than the full ones that this counts.
    result.fillCycles =
        std::min(result.cycles - result.drainCycles,
                 tally.mul(times.step(first).ii,
                           std::min<int64_t>(result.epochs, plan.stages - 1)));
  }
}

} // namespace

void computeOf(const PhaseTile &tile, const StepRuns *runs, const Arch &a,
               PhaseTimes &times, Tally &tally,
               std::vector<std::string> &faults, TileScratch &scratch,
               PhaseCompute &result) {
  const Cascade &c = tile.c;
  const PhasePlan &plan = tile.planned();
  result.epochs = result.cycles = result.steps = 0;
  result.fillCycles = result.drainCycles = 0;
  result.slotCycles.assign(plan.slots.size(), 0);
  if (runs)
    addRows(tile, *runs, times, tally, result);
  else if (plan.stages <= 2 && tile.decision().order.size() < 64)
    addShort(tile, times, tally, scratch, result);
  else
    addEpochs(tile, times, tally, result);
  if (tally.overflow)
    return;

  Extents &full = scratch.full;
  full.clear();
  for (RankId r = 0; r < static_cast<RankId>(tile.spans.size()); ++r)
    full.push_back(tile.inner(r));
  const std::vector<int64_t> &cycles = times.slots(full);
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
}

} // namespace transfusion::core
