//===- EvaluateWork.cpp - Operations and lane-cycles of a schedule --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

namespace transfusion::core {

/// How often an Einsum of this phase runs on each of its points (its results,
/// for the finish): once for every step, over all outer tiles, of the loops
/// over ranks that these do not have.
int64_t Evaluator::Impl::repeats(const PhasePlan &plan, EinsumId e,
                                 bool finish) {
  int64_t n = 1;
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
    const RankCut &cut = plan.cuts[r];
    const int64_t extent = c.ranks[r].extent;
    const bool has = (finish ? keepsRank : hasRank)[e * c.ranks.size() + r];
    if (has || (cut.position < 0 && cut.tile == extent))
      continue;
    auto trips = [&](int64_t tile) {
      return cut.position < 0 ? 1 : (tile + cut.inner - 1) / cut.inner;
    };
    int64_t steps = tally.mul(extent / cut.tile, trips(cut.tile));
    if (extent % cut.tile)
      steps = tally.add(steps, trips(extent % cut.tile));
    n = tally.mul(n, steps);
  }
  return n;
}

void Evaluator::Impl::addOps(const PlannedSlot &slot, const OpHistogram &ops,
                             double count) {
  const Unit &unit = a.units[slot.unit];
  const double pj = count * energyPerPoint(unit, ops);
  reportOf->einsums[slot.einsum].energyPj += pj;
  reportOf->arithmeticPj += pj;
  laneCycles[slot.unit] += count * double(cyclesPerPoint(unit, ops));
  for (int k = 0; k < kNumOpClasses; ++k)
    if (ops.count[k]) {
      const OpClassCost &one = oneOp[slot.unit][k];
      OpClassCost &sum = reportOf->opClasses[k];
      const double operations = count * ops.count[k];
      sum.operations += operations;
      sum.laneCycles += operations * one.laneCycles;
      sum.energyPj += operations * one.energyPj;
      if (detail)
        detail->unitOpPj[slot.unit][k] += operations * one.energyPj;
    }
}

OpHistogram Evaluator::Impl::finishOps(const PlannedSlot &slot) const {
  const Einsum &e = c.einsums[slot.einsum];
  OpHistogram finish = e.finishOps;
  if (slot.finishOnly && !e.hasFinish)
    finish[OpClass::Copy] = 1;
  return finish;
}

/// The points of the Einsum (its results, for the finish) exist in active steps
/// only; of others, those in steps that do not run are not computed.
bool Evaluator::Impl::cutToActiveSteps(const PhasePlan &plan, EinsumId e,
                                       bool finish) const {
  if (!plan.active.skips())
    return true;
  bool cut = !c.einsums[e].domain.empty();
  for (const Constraint &k : c.einsums[e].domain)
    for (const auto &term : k.expr.terms)
      cut &= !finish || !isReducedRank(c, e, term.first);
  return cut;
}

/// Operations and lane-cycles of a phase over all outer tiles.
void Evaluator::Impl::addWork(const PhasePlan &plan) {
  for (const PlannedSlot &slot : plan.slots) {
    const EinsumId e = slot.einsum;
    auto add = [&](int64_t count, const OpHistogram &ops, bool finish) {
      if (cutToActiveSteps(plan, e, finish))
        addOps(slot, ops,
               double(tally.mul(repeats(plan, e, finish), tally.count(count))));
    };
    if (!slot.finishOnly)
      add(points[e], c.einsums[e].pointOps, /*finish=*/false);
    if (slot.accumulates)
      continue;
    if (const OpHistogram finish = finishOps(slot); !finish.empty())
      add(results[e], finish, /*finish=*/true);
  }
}

/// What addWork leaves to the tiles.
void Evaluator::Impl::addWorkOfTile(const PhaseTile &tile, const StepRuns &runs,
                                    int64_t tiles) {
  const PhasePlan &plan = tile.planned();
  for (const PlannedSlot &slot : plan.slots) {
    const EinsumId e = slot.einsum;
    auto add = [&](const OpHistogram &ops, bool finish) {
      if (!ops.empty() && !cutToActiveSteps(plan, e, finish))
        addOps(slot, ops,
               double(tally.mul(pointsRun(tile, runs, e, finish, tally),
                                tally.count(tiles))));
    };
    add(c.einsums[e].pointOps, /*finish=*/false);
    add(finishOps(slot), /*finish=*/true);
  }
}

} // namespace transfusion::core
