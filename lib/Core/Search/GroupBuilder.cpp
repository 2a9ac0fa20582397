//===- GroupBuilder.cpp - A group that fits the buffer --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GroupBuilder.h"

#include "transfusion/Core/Search/Feasible.h"

#include <algorithm>

namespace transfusion::core {

Group GroupBuilder::build(const GroupMembers &members,
                          const Halvings &h) const {
  const Structure &s = solver.analysis();
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
    Extents inner = defaultInner(c, cutFor, m, shape);
    if (shape.head >= 0 && oneHeadPerEpoch(solver.policyOf(), shape))
      inner[shape.head] = std::min(inner[shape.head], gridOf(cutFor).instances);
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

std::optional<Violation> GroupBuilder::fit(Schedule &schedule, int32_t g,
                                           const GroupMembers &members) const {
  const int64_t capacity = unitMemoryBytes(a);
  Halvings halvings;
  while (true) {
    Plan plan = makePlan(c, a, schedule);
    if (!plan.faults.empty()) {
      Violation v;
      v.rule = "infeasible";
      v.group = g;
      v.what = plan.faults.front();
      v.notes = {"change the cascade so that a tile of it can be computed"};
      return v;
    }
    const int64_t need = groupNeedBytes(plan, g);
    if (need <= capacity)
      return std::nullopt;
    // Halve what frees most.
    int64_t least = need;
    Group best;
    Halvings bestHalvings;
    for (int kind = 0; kind < Halvings::Kinds; ++kind) {
      Halvings h = halvings;
      ++h.count[kind];
      Schedule candidate = schedule;
      candidate.groups[g] = build(members, h);
      Plan smaller = makePlan(c, a, candidate);
      if (!smaller.faults.empty())
        continue;
      int64_t bytes = groupNeedBytes(smaller, g);
      if (bytes < least) {
        least = bytes;
        best = candidate.groups[g];
        bestHalvings = h;
      }
    }
    if (least == need)
      return explainMisfit(c, a, plan, g);
    schedule.groups[g] = best;
    halvings = bestHalvings;
  }
}

} // namespace transfusion::core
