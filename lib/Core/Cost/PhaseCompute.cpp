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
      if (position >= 0 && (counts.classes[i].last >> position & 1))
        all[i][r] = tile.spans[r].extent - (tile.trips(r) - 1) * tile.inner(r);
    }
  return all;
}

namespace {

/// What steps take together.
struct StepSums {
  int64_t cycles = 0, fill = 0, drain = 0; ///< the latter of `cycles`
  StepLimits limits;

  /// Returns the cycles that are new.
  int64_t add(const StepTime &step, int64_t count, Tally &tally) {
    const int64_t sum = tally.mul(step.ii, count);
    cycles = tally.add(cycles, sum);
    limits.add(step.limits, double(count));
    return sum;
  }
  void store(PhaseCompute &result) const {
    result.cycles = cycles;
    result.fillCycles = fill;
    result.drainCycles = drain;
    result.limits = limits;
  }
};

/// Loops that are at their first and last turn at once, where that matters.
EpochEnds singleTurns(const PhaseTile &tile, const PhaseTimes &times) {
  EpochEnds ends;
  const PhasePorts *ports = times.atPorts();
  const std::vector<RankId> &order = tile.decision().order;
  for (size_t k = 0; ports && k < order.size() && k < 64; ++k)
    if (tile.trips(order[k]) == 1) {
      ends.first |= ports->firsts & uint64_t(1) << k;
      ends.last |= ports->lasts & uint64_t(1) << k;
    }
  return ends;
}

EpochLoop epochLoop(const PhaseTile &tile, const PhaseTimes &times, size_t k) {
  const RankId r = tile.decision().order[k];
  const PhasePorts *ports = times.atPorts();
  const int64_t trips = tile.trips(r);
  if (trips == 1)
    return {};
  auto matters = [&](uint64_t loops) { return k < 64 && (loops >> k & 1); };
  return {trips,
          tile.spans[r].extent % tile.inner(r) != 0 ||
              (ports && matters(ports->lasts)),
          ports && matters(ports->firsts)};
}

/// Steps of a pipeline of its own over a number of epochs that are alike, but
/// for the first and the last one.
class RowPipeline {
public:
  RowPipeline(const Extents &extents, const PhaseTile &tile, PhaseTimes &times,
              Tally &tally)
      : extents(extents), stages(tile.planned().stages),
        wrap(tile.decision().wrap), times(times), tally(tally),
        single(singleTurns(tile, times)) {
    const int32_t at = tile.planned().cuts[tile.planned().active.rank].position;
    along = at >= 0 && at < 64 ? uint64_t(1) << at : 0;
    const StepTime &middle = step(0, stages - 1, stages, 2 * stages + 1);
    full.add(middle, 1, tally);
    if (wrap)
      drain = middle.drain;
    ends = walk(whole());
  }

  StepSums sums(int64_t epochs) {
    if (epochs < whole())
      return walk(epochs);
    StepSums all = ends;
    const int64_t steady = epochs - whole();
    all.cycles = tally.add(all.cycles, tally.mul(full.cycles, steady));
    all.limits.add(full.limits, double(steady));
    return all;
  }

private:
  /// Epochs of the least row that has a step with neither end of it.
  int64_t whole() const { return stages + 1; }
  /// With wrap, a stage before its first epoch counts as if it had that one.
  const StepTime &step(int64_t first, int64_t last, int64_t k, int64_t epochs) {
    perStage.assign(stages, {});
    for (int64_t s = first; s <= last; ++s)
      perStage[s] = {
          &extents, single.first | (k <= s ? along : 0),
          single.last |
              (std::max(k - s, int64_t(0)) == epochs - 1 ? along : 0)};
    return times.step(perStage);
  }
  /// Stage s works when 0 <= k - s < epochs; with wrap always, and what is left
  /// of the last epoch follows.
  StepSums walk(int64_t epochs) {
    StepSums sums;
    for (int64_t k = 0; k < epochs + (wrap ? 0 : stages - 1); ++k) {
      const StepTime &time =
          step(wrap ? 0 : std::max<int64_t>(0, k - epochs + 1),
               wrap ? stages - 1 : std::min<int64_t>(k, stages - 1), k, epochs);
      sums.add(time, 1, tally);
      if (k < stages - 1)
        sums.fill = tally.add(sums.fill, time.ii);
      else if (k >= epochs)
        sums.drain = tally.add(sums.drain, time.ii);
    }
    if (wrap) {
      sums.drain = drain;
      sums.cycles = tally.add(sums.cycles, drain);
      sums.limits.slowed += double(drain);
    }
    return sums;
  }

  const Extents &extents;
  int64_t stages;
  bool wrap;
  PhaseTimes &times;
  Tally &tally;
  std::vector<StageEpoch> perStage;
  EpochEnds single;
  uint64_t along = 0;  ///< loop of the row
  StepSums full, ends; ///< of one step, and of a row of whole() epochs
  int64_t drain = 0;
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
      const bool ragged = tile.spans[r].extent % tile.inner(r) != 0;
      loops.push_back({tile.trips(r), ragged && tile.trips(r) > 1});
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
      if (turns.classes[window[0]].last >> i & 1)
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
        const StepSums row = pipeline.sums(set.steps);
        result.cycles = tally.add(result.cycles, tally.mul(rows, row.cycles));
        result.fillCycles =
            tally.add(result.fillCycles, tally.mul(rows, row.fill));
        result.drainCycles =
            tally.add(result.drainCycles, tally.mul(rows, row.drain));
        result.limits.add(row.limits, double(rows));
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
  for (size_t k = 0; k < order.size(); ++k)
    scratch.loops.push_back(epochLoop(tile, times, k));
  const int64_t epochs =
      countShort(scratch.loops, plan.stages, wrap, scratch.kinds);
  tally.overflow |= epochs < 0;
  if (epochs < 0)
    return;
  result.epochs = epochs;
  result.steps = tally.add(epochs, plan.stages - 1);
  result.hasKinds = !wrap;
  scratch.kindCycles.clear();
  const EpochEnds single = singleTurns(tile, times);
  auto epochAt = [&](EpochEnds at, Extents &extents) {
    extents.clear();
    for (RankId r = 0; r < static_cast<RankId>(tile.spans.size()); ++r)
      extents.push_back(tile.inner(r));
    for (size_t k = 0; k < order.size(); ++k)
      if (at.last >> k & 1) {
        const RankId r = order[k];
        extents[r] = tile.spans[r].extent - (tile.trips(r) - 1) * tile.inner(r);
      }
    return StageEpoch{&extents, at.first | single.first, at.last | single.last};
  };
  std::vector<StageEpoch> &perStage = scratch.perStage;
  StepSums sums;
  for (const StepKind &kind : scratch.kinds) {
    perStage.assign(plan.stages, {});
    if (kind.hasNewer)
      perStage.front() = epochAt(kind.newer, scratch.newer);
    if (plan.stages == 2 && kind.hasOlder)
      perStage.back() = epochAt(kind.older, scratch.older);
    const StepTime &step = times.step(perStage);
    scratch.kindCycles.push_back(std::max(double(step.ii), step.limits.slowed));
    const int64_t sum = sums.add(step, kind.count, tally);
    if (plan.stages == 2 && !kind.hasOlder)
      sums.fill = tally.add(sums.fill, sum);
    if (!kind.hasNewer) {
      sums.drain = tally.add(sums.drain, sum);
      continue;
    }
    const std::vector<int64_t> &cycles = times.slots(scratch.newer);
    for (size_t i = 0; i < cycles.size(); ++i)
      result.slotCycles[i] =
          tally.add(result.slotCycles[i], tally.mul(cycles[i], kind.count));
  }
  sums.store(result);
  if (!wrap)
    return;
  // The last epoch's later stages run out.
  EpochEnds last;
  for (size_t k = 0; k < scratch.loops.size(); ++k)
    last.last |= uint64_t(scratch.loops[k].lastApart) << k;
  perStage.assign(plan.stages, epochAt(last, scratch.newer));
  result.drainCycles = times.step(perStage).drain;
  result.cycles = tally.add(result.cycles, result.drainCycles);
  result.limits.slowed += double(result.drainCycles);
  perStage.assign(plan.stages, epochAt({}, scratch.newer));
  result.fillCycles = tally.mul(times.step(perStage).ii,
                                std::min<int64_t>(epochs, plan.stages - 1));
}

/// The same for any number of stages.
void addEpochs(const PhaseTile &tile, PhaseTimes &times, Tally &tally,
               PhaseCompute &result) {
  const PhasePlan &plan = tile.planned();
  std::vector<EpochLoop> loops;
  for (size_t k = 0; k < tile.decision().order.size(); ++k)
    loops.push_back(epochLoop(tile, times, k));
  const bool wrap = tile.decision().wrap;
  const EpochCounts counts = countEpochs(loops, plan.stages, wrap);
  tally.overflow |= counts.overflow;
  result.epochs = counts.epochs;
  result.steps = tally.add(counts.epochs, plan.stages - 1);
  if (counts.overflow)
    return;

  const std::vector<Extents> extents = classExtents(tile, counts);
  const EpochEnds single = singleTurns(tile, times);
  std::vector<StageEpoch> perStage(plan.stages);
  StepSums sums;
  for (const auto &[window, count] : counts.windows) {
    for (int32_t stage = 0; stage < plan.stages; ++stage) {
      const char16_t cls = window[plan.stages - 1 - stage];
      perStage[stage] = {};
      if (cls != kIdle)
        perStage[stage] = {&extents[cls],
                           counts.classes[cls].first | single.first,
                           counts.classes[cls].last | single.last};
    }
    const int64_t sum = sums.add(times.step(perStage), count, tally);
    if (window.front() == kIdle)
      sums.fill = tally.add(sums.fill, sum);
    else if (window.back() == kIdle)
      sums.drain = tally.add(sums.drain, sum);
    // Every epoch is the newest in exactly one step.
    const char16_t newest = window.back();
    if (newest == kIdle)
      continue;
    const std::vector<int64_t> &cycles = times.slots(extents[newest]);
    for (size_t i = 0; i < cycles.size(); ++i)
      result.slotCycles[i] =
          tally.add(result.slotCycles[i], tally.mul(cycles[i], count));
  }
  sums.store(result);
  if (wrap) { // the last epoch's later stages run out
    std::vector<StageEpoch> last(plan.stages, {&extents.back()});
    result.drainCycles = times.step(last).drain;
    result.cycles = tally.add(result.cycles, result.drainCycles);
    result.limits.slowed += double(result.drainCycles);
    std::vector<StageEpoch> first(plan.stages, {&extents.front()});
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
  result.limits = {};
  result.hasKinds = false;
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
