//===- SpaceSearch.cpp - Search of one tile space -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SpaceSearch.h"

#include "ChooseResidents.h"
#include "MoveTransfers.h"

#include "transfusion/Core/Search/Feasible.h"

#include <algorithm>
#include <functional>

namespace transfusion::core {

/// Completions per evaluation.
static constexpr int kRollouts = 4;

SpaceSearch::SpaceSearch(const Cascade &c, const Arch &a, TileSpace s,
                         SlotSolver &solver, Evaluator &evaluator,
                         Objective objective, uint64_t seed)
    : c(c), a(a), space(std::move(s)), evaluator(evaluator),
      objective(objective), hasBetween(!memoriesBetween(a).empty()), rng(seed),
      chooser(c, a, space, solver, objective) {
  nodes.emplace_back();
}

//===----------------------------------------------------------------------===//
// Costs and bounds
//===----------------------------------------------------------------------===//

double objectiveOf(Objective objective, const CostReport &r) {
  switch (objective) {
  case Objective::Latency:
    return r.latencyCycles;
  case Objective::Energy:
    return r.energyPj;
  case Objective::Edp:
    return r.energyPj * r.latencyCycles;
  case Objective::PeakMemory:
    break;
  }
  double most = 0; // of the memory that feeds the units
  for (const GroupCost &g : r.groups)
    most = std::max(most, static_cast<double>(g.peakBytes));
  return most;
}

double SpaceSearch::costOf(const CostReport &r) const {
  if (!r.faults.empty())
    return kNone;
  double cost = 0;
  switch (objective) {
  case Objective::Latency:
    for (int32_t g : space.groups())
      cost += r.groups[g].latencyCycles;
    return cost;
  case Objective::Energy: // the other groups are those of the start, always
    return r.energyPj;
  case Objective::Edp:
    return r.energyPj * r.latencyCycles;
  case Objective::PeakMemory:
    for (int32_t g : space.groups())
      cost = std::max(cost, static_cast<double>(r.groups[g].peakBytes));
    return cost;
  }
  return kNone;
}

/// What the compute time of a group depends on: its tiles and epochs.
Choices SpaceSearch::boundKey(const Choices &prefix) const {
  Choices key;
  for (size_t i = 0; i < space.size(); ++i) {
    const DecisionKind k = space.decision(i).kind;
    if (k != DecisionKind::Tile && k != DecisionKind::Inner)
      continue;
    if (i >= prefix.size())
      return {};
    key.push_back(prefix[i]);
  }
  return key;
}

/// Phases take no less than their compute time, which blocks and retention do
/// not change.
double SpaceSearch::bound(const Choices &prefix) const {
  if (objective != Objective::Latency)
    return 0;
  auto it = bounds.find(boundKey(prefix));
  return it == bounds.end() ? 0 : it->second;
}

bool SpaceSearch::mayFit(const Choices &prefix) {
  auto [it, fresh] = fits.insert({prefix, false});
  if (fresh) {
    const int64_t bytes = space.leastBytes(prefix);
    it->second = bytes >= 0 && bytes <= space.capacity();
  }
  return it->second;
}

double SpaceSearch::evaluateLeaf(const Choices &choices) {
  auto [it, fresh] = costs.insert({choices, kNone});
  if (!fresh)
    return it->second;
  Schedule s = space.build(choices, /*slots=*/true);
  Plan plan = makePlan(c, a, s);
  if (!plan.faults.empty())
    return kNone;
  for (int32_t g : space.groups())
    if (groupNeedBytes(plan, g) > space.capacity())
      return kNone;
  CostReport report = evaluator.evaluate(s, plan);
  collect(s, report);
  ++evaluated;
  it->second = costOf(report);
  if (layPieces(s, report)) {
    plan = makePlan(c, a, s);
    report = evaluator.evaluate(s, plan);
    collect(s, report);
    it->second = costOf(report);
  }
  if (it->second < bestCost) {
    bestCost = it->second;
    bestAt = choices;
    bestSizes = s;
  }
  keep(s, it->second);
  if (report.faults.empty() && mayMove(report)) {
    Schedule moved = s;
    bool any = false;
    for (int32_t g : space.groups())
      any |= moveTransfers(c, a, moved, g, plan, report, space.capacity());
    if (any)
      keep(moved, costIfFits(moved));
  }
  if (objective == Objective::Latency && report.faults.empty()) {
    double compute = 0;
    for (int32_t g : space.groups())
      for (const PhaseCost &p : report.groups[g].phases)
        compute += p.computeCycles;
    bounds.insert({boundKey(choices), compute});
  }
  return it->second;
}

/// Pieces that reside in between, where they make the best of it: they change
/// no compute time.
bool SpaceSearch::layPieces(Schedule &s, const CostReport &r) {
  if (!hasBetween || objective == Objective::PeakMemory || !r.faults.empty())
    return false;
  const double cost = costOf(r);
  if (objective == Objective::Latency) {
    double compute = 0;
    for (int32_t g : space.groups())
      for (const PhaseCost &p : r.groups[g].phases)
        compute += p.computeCycles;
    if (compute >= std::min(cost, foundCost))
      return false;
  }
  return choosePieces(
      c, a, s, space.groups(), evaluator,
      [&](const CostReport &other) { return costOf(other); }, cost);
}

void SpaceSearch::keep(const Schedule &s, double cost) {
  if (cost >= foundCost)
    return;
  foundCost = cost;
  bestFound = s;
}

double SpaceSearch::costIfFits(const Schedule &s) {
  Plan plan = makePlan(c, a, s);
  if (!plan.faults.empty() || !residentsFit(a, plan))
    return kNone;
  for (int32_t g : space.groups())
    if (groupNeedBytes(plan, g) > space.capacity())
      return kNone;
  const CostReport report = evaluator.evaluate(s, plan);
  collect(s, report);
  return costOf(report);
}

void SpaceSearch::collect(const Schedule &s, const CostReport &r) {
  if (!collects || !r.faults.empty())
    return;
  Trade trade;
  for (int32_t g : space.groups())
    trade.cycles += r.groups[g].latencyCycles;
  trade.dynamicPj = r.energyPj - r.leakagePj;
  auto covers = [](const Trade &x, const Trade &y) {
    return x.cycles <= y.cycles && x.dynamicPj <= y.dynamicPj;
  };
  for (const Trade &known : collected)
    if (covers(known, trade))
      return;
  collected.erase(
      std::remove_if(collected.begin(), collected.end(),
                     [&](const Trade &known) { return covers(trade, known); }),
      collected.end());
  for (int32_t g : space.groups())
    trade.groups.push_back(s.groups[g]);
  collected.push_back(std::move(trade));
}

/// Transfers in other phases may make it the best: they change neither compute
/// time nor the time that the memories take, each of which is a bound.
bool SpaceSearch::mayMove(const CostReport &r) const {
  if (objective == Objective::Edp)
    return true;
  if (objective != Objective::Latency)
    return false; // they cost capacity and save time only
  double bound = 0;
  for (int32_t g : space.groups()) {
    double compute = 0, memory = r.groups[g].loadCycles;
    for (const PhaseCost &p : r.groups[g].phases) {
      compute += p.computeCycles;
      memory += p.memoryCycles;
    }
    bound += std::max(compute, memory);
  }
  return bound < foundCost;
}

void SpaceSearch::offer(const Schedule &s) {
  double cost = costIfFits(s);
  if (cost < kNone)
    ++evaluated;
  if (cost < bestCost) {
    bestCost = cost;
    bestAt.clear();
    bestSizes = s;
  }
  keep(s, cost);
}

//===----------------------------------------------------------------------===//
// Completing a prefix
//===----------------------------------------------------------------------===//

/// Appends the first of `order` that may fit. Long lists of falling sizes are
/// halved until it is found: what is smaller needs less.
bool SpaceSearch::push(Choices &prefix, std::vector<int64_t> order) {
  auto fits = [&](int64_t v) {
    prefix.push_back(v);
    if (mayFit(prefix))
      return true;
    prefix.pop_back();
    return false;
  };
  constexpr size_t kLong = 16;
  size_t i = 0;
  if (order.size() > kLong &&
      std::is_sorted(order.begin() + 1, order.end(), std::greater<>())) {
    if (fits(order.front()))
      return true;
    size_t last = order.size() - 1;
    for (i = 1; i < last;) {
      const size_t middle = i + (last - i) / 2;
      if (fits(order[middle])) {
        prefix.pop_back();
        last = middle;
      } else {
        i = middle + 1;
      }
    }
  }
  for (; i < order.size(); ++i)
    if (fits(order[i]))
      return true;
  return false;
}

/// Greedy, with some chance; `likeBest`: what the best known does, mostly.
/// Shorter than the space when nothing fits.
Choices SpaceSearch::complete(Choices prefix, bool likeBest) {
  likeBest = likeBest && bestAt.size() == space.size();
  const int64_t margins[] = {0, space.capacity() / 32, space.capacity() / 8};
  const int64_t spare = margins[std::min<uint64_t>(rng.below(6), 2)];
  const Choices given = prefix;
  while (prefix.size() < space.size()) {
    const size_t i = prefix.size();
    const Decision &d = space.decision(i);
    std::vector<int64_t> order = space.candidates(prefix);
    const size_t n = order.size();
    auto prefer = [&](size_t k) {
      std::rotate(order.begin(), order.begin() + k, order.begin() + k + 1);
    };
    if (d.kind == DecisionKind::Block) {
      if (rng.below(16) == 0) {
        prefer(rng.below(n));
        if (!push(prefix, order))
          return prefix;
        continue;
      }
      for (int64_t v : chooser.choose(prefix, spare))
        prefix.push_back(v);
      continue;
    }
    auto asBest = std::find(order.begin(), order.end(),
                            i < bestAt.size() ? bestAt[i] : -1);
    if (likeBest && asBest != order.end() && rng.below(8) != 0) {
      prefer(static_cast<size_t>(asBest - order.begin()));
    } else if (d.kind == DecisionKind::Tile) {
      prefer(rng.below(n)); // no size is right for all machines
    } else if (rng.below(4) == 0) {
      prefer(rng.below(n));
    }
    if (!push(prefix, order))
      return prefix;
  }
  return prefix;
}

/// Of a few completions that are not known yet the one that promises most.
Choices SpaceSearch::rollout(const Choices &prefix) {
  Choices best;
  double least = kNone;
  for (int i = 0; i < kRollouts; ++i) {
    Choices leaf = complete(prefix, /*likeBest=*/rng.below(2) == 0);
    if (leaf.size() != space.size() || costs.count(leaf)) {
      if (best.empty())
        best = leaf;
      continue;
    }
    auto [it, fresh] = estimates.insert({leaf, 0});
    if (fresh)
      it->second = chooser.estimate(leaf);
    if (it->second < least) {
      least = it->second;
      best = leaf;
    }
    if (leaf == prefix)
      break;
  }
  return best;
}

} // namespace transfusion::core
