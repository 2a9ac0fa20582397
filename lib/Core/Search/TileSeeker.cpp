//===- TileSeeker.cpp - Search of the tiles of given groups ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileSeeker.h"

#include "SkipSteps.h"

#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/Feasible.h"

#include <algorithm>

namespace transfusion::core {

Schedule TileSeeker::assemble(bool moved) const {
  Schedule s = start;
  for (const auto &search : searches) {
    if (!search->found())
      continue;
    const Schedule &part = moved ? search->bestSchedule() : search->bestSized();
    for (int32_t g : search->tiles().groups())
      s.groups[g] = part.groups[g];
  }
  return s;
}

int64_t TileSeeker::spent() const {
  int64_t evaluations = 0;
  for (const auto &search : searches)
    evaluations += search->evaluations();
  return evaluations;
}

void TileSeeker::report() {
  const int64_t evaluations = spent();
  if (!o.progress || evaluations < nextReport)
    return;
  nextReport = evaluations + 256;
  const double cost = bestCost();
  if (cost < std::numeric_limits<double>::infinity())
    o.progress(evaluations, cost);
}

double TileSeeker::bestCost() {
  for (const auto &search : searches)
    if (!search->found())
      return std::numeric_limits<double>::infinity();
  return total(evaluator.evaluate(assemble(true)));
}

/// The search that has had the least for its share of the cost goes next.
void TileSeeker::searchUntil(int64_t limit) {
  if (o.mode == SearchMode::Exhaustive) {
    for (const auto &search : searches)
      if (!search->finished())
        search->exhaust();
    return;
  }
  // Where hardly a completion fits, or all that are reached are known, steps
  // cost nothing of the budget: they have one of their own.
  const int64_t maxSteps =
      limit > INT64_MAX / 32 ? INT64_MAX : 16 * limit + 256;
  for (; spent() < limit && steps < maxSteps; ++steps) {
    report();
    double sum = 0;
    for (const auto &search : searches)
      sum += search->found() ? search->best() : 0;
    SpaceSearch *next = nullptr;
    double least = 0;
    for (const auto &search : searches) {
      if (search->finished())
        continue;
      double share = search->found() && sum > 0 ? search->best() / sum : 1;
      double had = static_cast<double>(search->effort()) / std::max(share, 0.1);
      if (!next || had < least) {
        next = search.get();
        least = had;
      }
    }
    if (!next)
      break;
    if (o.mode == SearchMode::Mcts)
      next->stepMcts();
    else
      next->stepRandom();
  }
}

bool TileSeeker::begin() {
  unsupported = unsupportedEinsums(c, a);
  if (!unsupported.empty())
    return false;
  for (Group &g : start.groups)
    for (Phase &p : g.phases)
      solver.solve(g, p);
  chooseSkips(c, a, start);

  std::vector<std::vector<int32_t>> parts;
  for (int32_t g = 0; g < static_cast<int32_t>(start.groups.size()); ++g) {
    if (o.objective == Objective::Edp && !parts.empty())
      parts.back().push_back(g);
    else
      parts.push_back({g});
  }
  Rng seeds(o.seed);
  for (const std::vector<int32_t> &part : parts) {
    TileSpace space(c, a, start, part, o.objective, solver);
    searches.push_back(std::make_unique<SpaceSearch>(
        c, a, std::move(space), solver, evaluator, o.objective, seeds.next()));
    if (collects)
      searches.back()->collectTrades();
    if (o.evaluations > 0)
      searches.back()->offer(start);
  }
  return true;
}

/// A product is least where its logarithm is, which is concave in both sums: to
/// minimise its tangent, group by group, never makes it greater.
Schedule TileSeeker::leastEdp() {
  Schedule best = assemble(true);
  CostReport r = evaluator.evaluate(best);
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps && r.faults.empty(); ++step) {
    const double perCycle =
        1 / r.latencyCycles + r.leakagePj / r.latencyCycles / r.energyPj;
    Schedule next = best;
    for (const auto &search : searches) {
      const SpaceSearch::Trade *choice = nullptr;
      double least = 0;
      for (const SpaceSearch::Trade &trade : search->trades()) {
        const double cost =
            trade.cycles * perCycle + trade.dynamicPj / r.energyPj;
        if (!choice || cost < least) {
          choice = &trade;
          least = cost;
        }
      }
      const std::vector<int32_t> &groups = search->tiles().groups();
      for (size_t i = 0; choice && i < groups.size(); ++i)
        next.groups[groups[i]] = choice->groups[i];
    }
    const CostReport better = evaluator.evaluate(next);
    if (!better.faults.empty() ||
        better.energyPj * better.latencyCycles >= r.energyPj * r.latencyCycles)
      break;
    best = std::move(next);
    r = better;
  }
  return best;
}

TileSeekResult TileSeeker::result() {
  TileSeekResult result;
  result.infeasible = unsupported;
  if (!result.infeasible.empty())
    return result;
  for (const auto &search : searches) {
    if (search->found())
      continue;
    // Nothing fits, as far as was searched: say what the smallest lacks.
    Plan plan = makePlan(c, a, search->tiles().build({}, true));
    Violation v;
    v.rule = "infeasible";
    if (!plan.faults.empty()) {
      v.what = plan.faults.front();
      v.notes = {"let --dpipe form the groups"};
      result.infeasible.push_back(v);
      continue;
    }
    int32_t worst = search->tiles().groups().front();
    for (int32_t g : search->tiles().groups())
      if (groupNeedBytes(plan, g) > groupNeedBytes(plan, worst))
        worst = g;
    if (groupNeedBytes(plan, worst) > search->tiles().capacity()) {
      result.infeasible.push_back(explainMisfit(c, a, plan, worst));
      continue;
    }
    v.group = worst;
    v.what = "no tile that fits was found in " + std::to_string(spent()) +
             " evaluations";
    v.notes = {"give the search more evaluations"};
    result.infeasible.push_back(v);
  }
  result.evaluations = spent();
  if (!result.infeasible.empty())
    return result;
  result.sizesCost = total(evaluator.evaluate(assemble(false)));
  result.schedule = assemble(true);
  result.cost = total(evaluator.evaluate(result.schedule));
  return result;
}

} // namespace transfusion::core
