//===- GroupSearch.cpp - Where to part the groups -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GroupSearch.h"

#include "ChooseResidents.h"
#include "SkipSteps.h"

#include <algorithm>

namespace transfusion::core {

/// Evaluations of a part: fewer say nothing, more are better spent on the
/// groups that were chosen.
static constexpr int64_t kLeast = 2, kMost = 32;

PhaseMemberIds phaseMembers(const Group &g) {
  PhaseMemberIds ids;
  for (const Phase &p : g.phases) {
    ids.emplace_back();
    for (const Run &run : p.runs)
      for (const Slot &slot : run.slots)
        ids.back().push_back(2 * slot.einsum + slot.finishOnly);
    std::sort(ids.back().begin(), ids.back().end());
  }
  return ids;
}

/// A phase that only finishes sums belongs to the step that makes them.
GroupSearch::Steps GroupSearch::stepsOf(const Group &g) const {
  Steps steps;
  for (const Phase &p : g.phases) {
    PhaseMembers m = membersOf(solver.analysis(), p);
    if (!m.einsums.empty())
      steps.push_back(std::move(m.einsums));
  }
  return steps;
}

/// Makes group `g` of `s` from these Einsums. False: no tile of them fits.
bool GroupSearch::place(Schedule &s, int32_t g,
                        const std::vector<EinsumId> &einsums, LoneSum lone) {
  const int64_t most =
      lone == LoneSum::Streamed ? unitMemoryBytes(a) : epochBytes;
  for (int64_t bytes = most; bytes > 0; bytes /= 2)
    for (EpochSize size : {EpochSize::Default, EpochSize::Smallest}) {
      const GroupMembers members =
          formPhasesOf(c, a, solver.analysis(), bytes, size, einsums, lone);
      s.groups[g] = builder.build(members);
      if (!builder.fit(s, g, members))
        return true;
    }
  return false;
}

/// Group `g` of `s` as a part.
GroupSearch::Part GroupSearch::searchPart(const Schedule &s, int32_t g,
                                          int64_t budget) {
  Part part;
  SpaceSearch search(c, a, TileSpace(c, a, s, {g}, objective, solver), solver,
                     evaluator, objective, seeds.next());
  search.offer(s);
  while (search.evaluations() < budget && search.effort() < 2 * budget &&
         search.stepMcts())
    ;
  evaluated += search.evaluations();
  if (!search.found())
    return part;
  part.cost = search.bestScheduleCost();
  part.sized = search.bestSized().groups[g];
  part.best = search.bestSchedule().groups[g];
  return part;
}

/// `apart` has every step of the group as a group, from `g` on.
GroupSearch::Part GroupSearch::bestPart(const Schedule &apart, int32_t g,
                                        const Steps &steps, size_t from,
                                        size_t to, int64_t budget) {
  Schedule s = apart;
  const int32_t at = g + static_cast<int32_t>(from);
  s.groups.erase(s.groups.begin() + at + 1,
                 s.groups.begin() + g + static_cast<int32_t>(to));
  std::vector<EinsumId> einsums;
  for (size_t i = from; i < to; ++i)
    einsums.insert(einsums.end(), steps[i].begin(), steps[i].end());
  std::sort(einsums.begin(), einsums.end(), [&](EinsumId x, EinsumId y) {
    return solver.analysis().position[x] < solver.analysis().position[y];
  });
  std::vector<Schedule> ways;
  for (LoneSum lone : {LoneSum::InOneEpoch, LoneSum::Streamed}) {
    if (!place(s, at, einsums, lone) ||
        (!ways.empty() &&
         phaseMembers(ways[0].groups[at]) == phaseMembers(s.groups[at])))
      continue;
    ways.push_back(s);
    chooseSkips(c, a, ways.back());
    chooseResidents(c, a, ways.back(), evaluator, objective);
  }
  Part best;
  for (const Schedule &way : ways) {
    Part part = searchPart(way, at, budget / static_cast<int64_t>(ways.size()));
    if (part.cost < best.cost)
      best = std::move(part);
  }
  return best;
}

void GroupSearch::partGroup(const Schedule &start, int32_t g, int64_t budget,
                            Grouping &result) {
  const Steps steps = stepsOf(start.groups[g]);
  const size_t n = steps.size();
  auto keep = [&](const Group &sized, const Group &best) {
    result.sized.groups.push_back(sized);
    result.best.groups.push_back(best);
  };
  if (n < 2)
    return keep(start.groups[g], start.groups[g]);
  Schedule apart = start;
  apart.groups.insert(apart.groups.begin() + g, n - 1, Group());
  for (size_t i = 0; i < n; ++i) // a plan needs them all
    apart.groups[g + i] = builder.build(formPhasesOf(
        c, a, solver.analysis(), epochBytes, EpochSize::Default, steps[i]));
  for (size_t i = 0; i < n; ++i)
    if (!place(apart, g + static_cast<int32_t>(i), steps[i],
               LoneSum::InOneEpoch))
      return keep(start.groups[g], start.groups[g]);
  chooseSkips(c, a, apart);
  chooseResidents(c, a, apart, evaluator, objective);
  // What all else costs, where the objective is of the whole.
  double others = 0;
  if (objective == Objective::Energy) {
    others = evaluator.evaluate(apart).energyPj;
    ++evaluated;
  }
  std::vector<std::vector<Part>> parts(n, std::vector<Part>(n + 1));
  std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
  std::vector<size_t> before(n + 1, 0);
  least[0] = 0;
  for (size_t to = 1; to <= n; ++to)
    for (size_t from = 0; from < to; ++from) {
      const bool whole = from == 0 && to == n;
      Part &part = parts[from][to];
      part = whole ? searchPart(start, g, budget)
                   : bestPart(apart, g, steps, from, to, budget);
      const double cost = objective == Objective::PeakMemory
                              ? std::max(least[from], part.cost)
                              : least[from] + part.cost - others;
      if (cost < least[to]) {
        least[to] = cost;
        before[to] = from;
      }
    }
  if (least[n] == std::numeric_limits<double>::infinity())
    return keep(start.groups[g], start.groups[g]);
  std::vector<size_t> cuts;
  for (size_t to = n; to > 0; to = before[to])
    cuts.push_back(to);
  size_t from = 0;
  for (size_t i = cuts.size(); i-- > 0; from = cuts[i])
    keep(parts[from][cuts[i]].sized, parts[from][cuts[i]].best);
}

std::optional<Grouping> GroupSearch::run(const Schedule &start,
                                         int64_t budget) {
  if (objective == Objective::Energy) // one of the whole for each group
    budget -= static_cast<int64_t>(start.groups.size());
  int64_t parts = 0;
  for (const Group &g : start.groups) {
    const int64_t n = static_cast<int64_t>(stepsOf(g).size());
    if (n > 1)
      parts += n * (n + 1) / 2;
  }
  if (parts == 0 || budget / kLeast < parts)
    return std::nullopt;
  const int64_t each = std::min(budget / parts, kMost);
  Grouping result;
  for (int32_t g = 0; g < static_cast<int32_t>(start.groups.size()); ++g)
    partGroup(start, g, each, result);
  chooseResidents(c, a, result.sized, evaluator, objective);
  chooseResidents(c, a, result.best, evaluator, objective);
  return result;
}

} // namespace transfusion::core
