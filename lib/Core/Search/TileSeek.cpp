//===- TileSeek.cpp - Tile sizes by Monte Carlo Tree Search ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups exchange data through the outer memory only, so that latency, energy
// and peak memory are sums (or the greatest) over groups and each group is a
// search of its own. A product of sums (EDP) is one search over all groups.
//
//===----------------------------------------------------------------------===//
#include "SkipSteps.h"
#include "SpaceSearch.h"

#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/Feasible.h"
#include "transfusion/Core/Search/FormGroups.h"

#include <algorithm>
#include <optional>

namespace transfusion::core {

namespace {

class TileSeeker {
public:
  TileSeeker(const Cascade &c, const Arch &a, const Schedule &start,
             const TileSeekOptions &o)
      : c(c), a(a), start(start), o(o), solver(c, a, o.policy),
        evaluator(c, a) {}
  TileSeekResult run();

private:
  /// Of all groups; `moved`: with prefetches and deferred stores.
  Schedule assemble(bool moved) const;
  double total(const CostReport &r) const;
  void search();
  void report();

  const Cascade &c;
  const Arch &a;
  Schedule start;
  const TileSeekOptions &o;
  SlotSolver solver;
  Evaluator evaluator;
  std::vector<std::unique_ptr<SpaceSearch>> searches;
  int64_t evaluations = 0, nextReport = 1;
};

} // namespace

double TileSeeker::total(const CostReport &r) const {
  switch (o.objective) {
  case Objective::Latency:
    return r.latencyCycles;
  case Objective::Energy:
    return r.energyPj;
  case Objective::Edp:
    return r.energyPj * r.latencyCycles;
  case Objective::PeakMemory:
    return r.peakBytes.size() > 1 ? static_cast<double>(r.peakBytes[1]) : 0;
  }
  return 0;
}

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

void TileSeeker::report() {
  if (!o.progress || evaluations < nextReport)
    return;
  nextReport = evaluations + 256;
  for (const auto &search : searches)
    if (!search->found())
      return;
  o.progress(evaluations, total(evaluator.evaluate(assemble(true))));
}

/// The search that has had the least for its share of the cost goes next.
void TileSeeker::search() {
  auto count = [&] {
    evaluations = 0;
    for (const auto &search : searches)
      evaluations += search->evaluations();
  };
  if (o.mode == SearchMode::Exhaustive) {
    for (const auto &search : searches)
      search->exhaust();
    count();
    return;
  }
  // Where hardly a completion fits, or all that are reached are known, steps
  // cost nothing of the budget: they have one of their own.
  const int64_t maxSteps =
      o.evaluations > INT64_MAX / 32 ? INT64_MAX : 16 * o.evaluations + 256;
  int64_t steps = 0;
  for (count(); evaluations < o.evaluations && steps < maxSteps; count()) {
    ++steps;
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
      double had =
          static_cast<double>(search->evaluations()) / std::max(share, 0.1);
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

TileSeekResult TileSeeker::run() {
  TileSeekResult result;
  result.infeasible = unsupportedEinsums(c, a);
  if (!result.infeasible.empty())
    return result;
  solveSlots(c, a, start, o.policy);
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
    if (o.evaluations > 0)
      searches.back()->offer(start);
  }
  search();

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
    v.what = "no tile that fits was found in " + std::to_string(evaluations) +
             " evaluations";
    v.notes = {"give the search more evaluations"};
    result.infeasible.push_back(v);
  }
  result.evaluations = evaluations;
  if (!result.infeasible.empty())
    return result;
  result.sizesCost = total(evaluator.evaluate(assemble(false)));
  result.schedule = assemble(true);
  result.cost = total(evaluator.evaluate(result.schedule));
  return result;
}

/// Which Einsums share a phase, phases in order.
static std::vector<std::vector<std::vector<int64_t>>>
members(const Schedule &s) {
  std::vector<std::vector<std::vector<int64_t>>> groups;
  for (const Group &g : s.groups) {
    groups.emplace_back();
    for (const Phase &p : g.phases) {
      groups.back().emplace_back();
      for (const Run &run : p.runs)
        for (const Slot &slot : run.slots)
          groups.back().back().push_back(2 * slot.einsum + slot.finishOnly);
      std::sort(groups.back().back().begin(), groups.back().back().end());
    }
  }
  return groups;
}

/// What DPipe makes for a quarter of the buffer: phases hold less whole, so
/// that outer tiles may be larger. Nothing when that is no other grouping, or
/// `start` is not DPipe's own.
static std::optional<Schedule> regroup(const Cascade &c, const Arch &a,
                                       const Schedule &start) {
  if (members(dpipe(c, a).schedule) != members(start))
    return std::nullopt;
  Arch smaller = a;
  for (Memory &m : smaller.memories)
    if (m.capacityBytes > 0)
      m.capacityBytes = std::max<int64_t>(m.capacityBytes / 4, 1);
  DPipeResult other = dpipe(c, smaller);
  if (!other.infeasible.empty() || members(other.schedule) == members(start))
    return std::nullopt;
  return other.schedule;
}

TileSeekResult tileseek(const Cascade &c, const Arch &a, const Schedule &start,
                        const TileSeekOptions &o) {
  std::optional<Schedule> other;
  if (o.regroup && o.policy == Policy::TransFusion &&
      unsupportedEinsums(c, a).empty())
    other = regroup(c, a, start);
  if (!other)
    return TileSeeker(c, a, start, o).run();
  TileSeekOptions half = o;
  half.evaluations = o.evaluations - o.evaluations / 2;
  TileSeekResult first = TileSeeker(c, a, start, half).run();
  const bool found = first.infeasible.empty();
  half.evaluations = o.evaluations - first.evaluations;
  half.progress = nullptr;
  if (o.progress)
    half.progress = [&](int64_t evaluations, double best) {
      o.progress(first.evaluations + evaluations,
                 found ? std::min(best, first.cost) : best);
    };
  TileSeekResult second = TileSeeker(c, a, *other, half).run();
  const bool better =
      second.infeasible.empty() && (!found || second.cost < first.cost);
  const int64_t evaluations = first.evaluations + second.evaluations;
  TileSeekResult &best = better ? second : first;
  best.evaluations = evaluations;
  return best;
}

} // namespace transfusion::core
