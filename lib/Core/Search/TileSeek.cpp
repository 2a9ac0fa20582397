//===- TileSeek.cpp - Tile sizes by Monte Carlo Tree Search ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which groups to search tiles in: those of `start`, those that DPipe forms for
// a smaller buffer, and both parted where that is better. Each gets a share of
// the budget, the better half of them another, and so on (successive halving,
// Karnin, Koren and Somekh, ICML 2013).
//
//===----------------------------------------------------------------------===//
#include "ChooseResidents.h"
#include "GroupSearch.h"
#include "TileSeeker.h"

#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/Feasible.h"

#include <algorithm>
#include <optional>

namespace transfusion::core {

namespace {
/// Groups to search tiles in.
struct Contender {
  Grouping grouping;
  double known = std::numeric_limits<double>::infinity(); ///< of its best
  std::unique_ptr<TileSeeker> seeker;

  double cost() const { return std::min(known, seeker->bestCost()); }
};
} // namespace

static std::vector<PhaseMemberIds> members(const Schedule &s) {
  std::vector<PhaseMemberIds> groups;
  for (const Group &g : s.groups)
    groups.push_back(phaseMembers(g));
  return groups;
}

/// What DPipe makes for a quarter of the buffer: phases hold less whole, so
/// that outer tiles may be larger. Nothing when that is no other grouping.
static std::optional<Schedule> regroup(const Cascade &c, const Arch &a,
                                       const Schedule &start) {
  Arch smaller = a;
  Memory &m = smaller.memories[a.units.front().memory];
  if (m.capacityBytes > 0)
    m.capacityBytes = std::max<int64_t>(m.capacityBytes / 4, 1);
  DPipeResult other = dpipe(c, smaller);
  if (!other.infeasible.empty() || members(other.schedule) == members(start))
    return std::nullopt;
  return other.schedule;
}

/// Adds the parted groups of each contender, for half of the budget or so. The
/// evaluations that it took.
static int64_t partGroups(const Cascade &c, const Arch &a,
                          const TileSeekOptions &o, SlotSolver &solver,
                          Evaluator &evaluator,
                          std::vector<Contender> &contenders) {
  int64_t spent = 0, epochBytes = unitMemoryBytes(a);
  const size_t unparted = contenders.size();
  for (size_t i = 0; i < unparted; ++i, epochBytes /= 4) {
    GroupSearch search(c, a, o, solver, evaluator, epochBytes);
    const Schedule &start = contenders[i].grouping.sized;
    std::optional<Grouping> found = search.run(start, o.evaluations / 4);
    if (!found && spent == 0) // hardly enough: it is what helps most
      found = search.run(start, 3 * (o.evaluations / 4));
    spent += search.evaluations();
    if (!found)
      continue;
    const double known =
        objectiveOf(o.objective, evaluator.evaluate(found->best));
    if (members(found->sized) != members(start)) {
      contenders.push_back({std::move(*found), known, nullptr});
      continue;
    }
    contenders[i].grouping = std::move(*found);
    contenders[i].known = known;
  }
  return spent;
}

/// `traded`, if not null: of what was seen on the way, what has the least
/// energy x delay.
static TileSeekResult seek(const Cascade &c, const Arch &a,
                           const Schedule &start, const TileSeekOptions &o,
                           SlotSolver &solver, Evaluator &evaluator,
                           Schedule *traded) {
  std::vector<Contender> contenders(1);
  contenders[0].grouping = {start, start};
  int64_t spent = 0;
  if (o.regroup && o.policy == Policy::TransFusion &&
      unsupportedEinsums(c, a).empty() &&
      members(dpipe(c, a).schedule) == members(start)) {
    if (std::optional<Schedule> other = regroup(c, a, start)) {
      contenders.emplace_back();
      contenders.back().grouping = {*other, *other};
    }
    if (o.mode == SearchMode::Mcts)
      spent = partGroups(c, a, o, solver, evaluator, contenders);
  }

  TileSeekOptions quiet = o;
  double least = std::numeric_limits<double>::infinity();
  int64_t before = 0; // evaluations of all others than the one at hand
  if (o.progress)
    quiet.progress = [&](int64_t evaluations, double cost) {
      least = std::min(least, cost);
      o.progress(before + evaluations, least);
    };
  for (Contender &x : contenders) {
    least = std::min(least, x.known);
    x.seeker = std::make_unique<TileSeeker>(c, a, x.grouping.sized, quiet,
                                            solver, evaluator);
    if (traded)
      x.seeker->collectTrades();
    if (!x.seeker->begin())
      return x.seeker->result();
  }
  auto searchFor = [&](Contender &x, int64_t evaluations) {
    const int64_t had = x.seeker->spent();
    before = spent - had;
    x.seeker->searchUntil(had + evaluations);
    spent += x.seeker->spent() - had;
  };
  // What has been offered counts.
  for (Contender &x : contenders)
    spent += x.seeker->spent();
  while (contenders.size() > 1) {
    const int64_t n = static_cast<int64_t>(contenders.size());
    const int64_t share = (o.evaluations - spent) / (2 * n);
    for (Contender &x : contenders)
      searchFor(x, share);
    std::vector<std::pair<double, size_t>> ranking;
    for (size_t i = 0; i < contenders.size(); ++i)
      ranking.push_back({contenders[i].cost(), i});
    std::sort(ranking.begin(), ranking.end());
    ranking.resize((ranking.size() + 1) / 2);
    std::vector<Contender> better;
    for (const auto &[cost, i] : ranking)
      better.push_back(std::move(contenders[i]));
    contenders = std::move(better);
  }
  Contender &last = contenders.front();
  searchFor(last, o.evaluations - spent);
  TileSeekResult result = last.seeker->result();
  if (traded && result.infeasible.empty())
    *traded = last.seeker->leastEdp();
  if (result.infeasible.empty() && last.known < result.cost) {
    result.cost = last.known;
    result.schedule = last.grouping.best;
  }
  if (result.infeasible.empty() && !memoriesBetween(a).empty()) {
    // Groups have been searched one by one: does what resides go together?
    const bool fits = residentsFit(a, makePlan(c, a, result.schedule));
    // Of these sizes, and with transfers where they are now.
    Schedule other = result.schedule;
    double cost = result.cost;
    if (!fits || o.mode == SearchMode::Mcts) {
      chooseResidents(c, a, other, evaluator, o.objective);
      cost = objectiveOf(o.objective, evaluator.evaluate(other));
    }
    if (!fits || cost < result.cost) {
      result.cost = cost;
      result.schedule = std::move(other);
    }
  }
  result.evaluations = spent;
  return result;
}

/// What is least of a product is in no group by itself, so that a search for it
/// has all groups in one space and learns slowly. The search for latency goes
/// first, the same that it is alone, and what it has seen is traded against
/// energy: so the result is never behind it. What it leaves of the budget,
/// where spaces are small, goes to a search for the product.
static TileSeekResult seekEdp(const Cascade &c, const Arch &a,
                              const Schedule &start, const TileSeekOptions &o) {
  SlotSolver solver(c, a, o.policy);
  Evaluator evaluator(c, a);
  auto edpOf = [&](const Schedule &s) {
    const CostReport r = evaluator.evaluate(s);
    return r.faults.empty() ? objectiveOf(Objective::Edp, r)
                            : std::numeric_limits<double>::infinity();
  };
  TileSeekOptions fast = o;
  fast.objective = Objective::Latency;
  fast.progress = nullptr; // its costs are no products
  Schedule traded;
  TileSeekResult best = seek(c, a, start, fast, solver, evaluator, &traded);
  if (best.infeasible.empty()) {
    best.cost = edpOf(best.schedule);
    if (const double cost = edpOf(traded); cost < best.cost) {
      best.cost = cost;
      best.schedule = std::move(traded);
    }
    best.sizesCost = best.cost;
    if (o.progress)
      o.progress(best.evaluations, best.cost);
  }
  TileSeekOptions rest = o;
  rest.evaluations = o.evaluations - best.evaluations;
  rest.regroup = false;
  if (rest.evaluations <= 0)
    return best;
  if (o.progress)
    rest.progress = [&](int64_t evaluations, double cost) {
      o.progress(best.evaluations + evaluations, std::min(cost, best.cost));
    };
  TileSeekResult product = seek(c, a, start, rest, solver, evaluator, nullptr);
  product.evaluations += best.evaluations;
  if (best.infeasible.empty() &&
      (!product.infeasible.empty() || best.cost <= product.cost)) {
    best.evaluations = product.evaluations;
    return best;
  }
  return product;
}

TileSeekResult tileseek(const Cascade &c, const Arch &a, const Schedule &start,
                        const TileSeekOptions &o) {
  if (o.objective == Objective::Edp && o.mode == SearchMode::Mcts)
    return seekEdp(c, a, start, o);
  SlotSolver solver(c, a, o.policy);
  Evaluator evaluator(c, a);
  return seek(c, a, start, o, solver, evaluator, nullptr);
}

} // namespace transfusion::core
