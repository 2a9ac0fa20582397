//===- DPipe.cpp - Groups, phases and pipelines ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A complete schedule: the groups of the fixed rule, one inner tile per tiled
// rank. Where that does not fit, epochs are halved, by what frees most; where
// nothing is left to halve, the groups are formed for a smaller buffer.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/DPipe.h"

#include "SkipSteps.h"

#include "transfusion/Core/Search/Feasible.h"
#include "transfusion/Core/Search/SolveSlots.h"

#include <algorithm>

namespace transfusion::core {

namespace {

/// How often the epochs of a group were halved, by kind of rank.
struct Halvings {
  enum Kind { Heads, Rows, Columns, Kinds };
  int count[Kinds] = {};
};

class Builder {
public:
  Builder(const Cascade &c, const Arch &a, Policy policy)
      : c(c), a(a), policy(policy), s(analyse(c)), solver(c, a, policy) {}
  DPipeResult run();

private:
  Group buildGroup(const GroupMembers &members, const Halvings &h);
  bool tryWithin(int64_t epochBytes, EpochSize size, DPipeResult &result);

  const Cascade &c;
  const Arch &a;
  const Policy policy;
  const Structure s;
  SlotSolver solver;
};

} // namespace

Group Builder::buildGroup(const GroupMembers &members, const Halvings &h) {
  Group g;
  g.tileOrder = tiledRanks(c, s, members);
  g.tile.assign(c.ranks.size(), 0);
  for (size_t i = 0; i < members.phases.size(); ++i) {
    const PhaseMembers &m = members.phases[i];
    std::vector<EinsumId> spanning; // those that finish in a later phase
    for (const PhaseMembers &later : members.phases)
      for (EinsumId e : later.finishes)
        if (has(m.einsums, e))
          spanning.push_back(e);
    PhaseShape shape = shapeOf(c, s, m, spanning);
    Extents inner = defaultInner(c, a, m, shape);
    if (shape.head >= 0 && oneHeadPerEpoch(policy, shape))
      inner[shape.head] = 1;
    Phase p;
    p.order = loopOrder(c, m, shape, g.tileOrder);
    p.block.assign(c.ranks.size(), 0);
    p.inner.assign(c.ranks.size(), 0);
    for (RankId r : p.order) {
      Halvings::Kind kind = r == shape.row    ? Halvings::Rows
                            : r == shape.head ? Halvings::Heads
                                              : Halvings::Columns;
      int64_t size = std::max<int64_t>(1, inner[r] >> h.count[kind]);
      p.inner[r] = size;
      if (has(g.tileOrder, r))
        g.tile[r] = std::max(g.tile[r], size);
      else if (size < c.ranks[r].extent)
        p.block[r] = size;
    }
    for (const std::vector<EinsumId> *part : {&m.finishes, &m.einsums})
      for (EinsumId e : *part) {
        if (p.runs.empty())
          p.runs.push_back({0, {}});
        p.runs[0].slots.push_back({e, part == &m.finishes, 0, {}, {}});
      }
    g.phases.push_back(std::move(p));
  }
  for (Phase &p : g.phases)
    solver.solve(g, p);
  return g;
}

bool Builder::tryWithin(int64_t epochBytes, EpochSize size,
                        DPipeResult &result) {
  std::vector<GroupMembers> members =
      policyGroups(policy, c, a, s, epochBytes, size);
  std::vector<Halvings> halvings(members.size());
  Schedule schedule;
  for (size_t g = 0; g < members.size(); ++g)
    schedule.groups.push_back(buildGroup(members[g], halvings[g]));
  const int64_t capacity = unitMemoryBytes(a);
  for (size_t g = 0; g < members.size();) {
    Plan plan = makePlan(c, a, schedule);
    if (!plan.faults.empty()) {
      Violation v;
      v.rule = "infeasible";
      v.group = static_cast<int32_t>(g);
      v.what = plan.faults.front();
      v.notes = {"change the cascade so that a tile of it can be computed"};
      if (result.infeasible.empty())
        result.infeasible.push_back(v);
      return false;
    }
    int32_t group = static_cast<int32_t>(g);
    int64_t need = groupNeedBytes(plan, group);
    if (need <= capacity) {
      ++g;
      continue;
    }
    // Halve what frees most.
    int64_t least = need;
    Group best;
    Halvings bestHalvings;
    for (int kind = 0; kind < Halvings::Kinds; ++kind) {
      Halvings h = halvings[g];
      ++h.count[kind];
      Schedule candidate = schedule;
      candidate.groups[g] = buildGroup(members[g], h);
      Plan smaller = makePlan(c, a, candidate);
      if (!smaller.faults.empty())
        continue;
      int64_t bytes = groupNeedBytes(smaller, group);
      if (bytes < least) {
        least = bytes;
        best = candidate.groups[g];
        bestHalvings = h;
      }
    }
    if (least == need) {
      Violation v = explainMisfit(c, a, plan, group);
      if (result.infeasible.empty() ||
          v.demand < result.infeasible.front().demand)
        result.infeasible = {v};
      return false;
    }
    schedule.groups[g] = best;
    halvings[g] = bestHalvings;
  }
  chooseSkips(c, a, schedule);
  result.schedule = std::move(schedule);
  result.infeasible.clear();
  return true;
}

DPipeResult Builder::run() {
  DPipeResult result;
  result.infeasible = unsupportedEinsums(c, a);
  if (!result.infeasible.empty())
    return result;
  // Each smaller limit splits phases whose epochs held too much.
  for (int64_t bytes = unitMemoryBytes(a); bytes > 0; bytes /= 2)
    for (EpochSize size : {EpochSize::Default, EpochSize::Smallest})
      if (tryWithin(bytes, size, result))
        return result;
  return result;
}

DPipeResult dpipe(const Cascade &c, const Arch &a, Policy policy) {
  if (c.einsums.empty() || a.units.empty() || a.memories.size() < 2)
    return {}; // what is wrong is for checkCascade and checkArch to say
  return Builder(c, a, policy).run();
}

} // namespace transfusion::core
