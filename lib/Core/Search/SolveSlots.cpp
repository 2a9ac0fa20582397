//===- SolveSlots.cpp - Slots of phases, solved once per size -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From sets of Einsums to slots: the spatial mapping, and the pipeline problem
// that solvePipeline works on.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/DPipe.h"

#include "PhaseProblem.h"
#include "SplitInstances.h"

#include "transfusion/Core/Search/PhaseShape.h"
#include "transfusion/Core/Search/SolveSlots.h"

#include <algorithm>

namespace transfusion::core {

/// What `e` is laid out over besides rows: the phase's columns, those of the
/// result before those that it reduces; in a projection what the activation
/// lacks; else heads; else its last rank.
static std::vector<RankId> columnsOf(const Cascade &c, const Structure &s,
                                     const PhaseMembers &m,
                                     const PhaseShape &shape, EinsumId e) {
  const Einsum &einsum = c.einsums[e];
  std::vector<RankId> kept, reduced, features, tail;
  for (RankId r : shape.columns)
    if (einsum.hasRank(r) && r != s.row[e])
      (isReducedRank(c, e, r) ? reduced : kept).push_back(r);
  if (!kept.empty() || !reduced.empty())
    return kept.empty() ? reduced : kept;
  std::vector<RankId> result = accessRanks(einsum.result.access);
  for (RankId r : result) {
    if (r == s.row[e] || c.ranks[r].iterative || r == shape.head)
      continue;
    if (s.contraction[e] && s.activation[e] >= 0) {
      if (!has(accessRanks(einsum.inputs[s.activation[e]].access), r))
        features.push_back(r);
    } else if (shape.head < 0 && !isBatch(c, m, s.row[e], r)) {
      tail.push_back(r);
    }
  }
  if (!features.empty() && shape.head < 0)
    return features;
  if (einsum.hasRank(shape.head))
    return {shape.head};
  if (!tail.empty())
    return {tail.back()};
  return {};
}

static SpatialMapping mappingOf(const Cascade &c, const Structure &s,
                                const PhaseMembers &m, const PhaseShape &shape,
                                EinsumId e) {
  SpatialMapping map;
  if (s.row[e] >= 0 && c.einsums[e].hasRank(s.row[e]))
    map.rows.push_back(s.row[e]);
  map.cols = columnsOf(c, s, m, shape, e);
  std::sort(map.cols.begin(), map.cols.end());
  return map;
}

SpatialMapping defaultMapping(const Cascade &c, const PhaseMembers &members,
                              EinsumId e) {
  Structure s = analyse(c);
  return mappingOf(c, s, members, shapeOf(c, s, members, members.einsums), e);
}

PhaseProblem makePhaseProblem(const Cascade &c, const Arch &a,
                              const Structure &s, const PhaseMembers &members,
                              const std::vector<bool> &accumulating,
                              const Extents &inner) {
  PhaseShape shape = shapeOf(c, s, members, members.einsums);
  // Nodes in canonical order; finishes read sums only and so come first.
  PhaseProblem result;
  result.head = shape.head;
  std::vector<PhaseNode> &nodes = result.nodes;
  std::vector<int32_t> nodeOf(c.einsums.size(), -1);
  auto add = [&](EinsumId e, bool finishOnly, bool accumulates) {
    SpatialMapping map = mappingOf(c, s, members, shape, e);
    nodeOf[e] = static_cast<int32_t>(nodes.size());
    nodes.push_back({{e, finishOnly, 0, map.rows, map.cols, {}}, accumulates});
  };
  for (EinsumId e : members.finishes)
    add(e, true, false);
  for (size_t i = 0; i < members.einsums.size(); ++i)
    add(members.einsums[i], false, i < accumulating.size() && accumulating[i]);

  PipelineProblem &problem = result.pipeline;
  problem.units = static_cast<int32_t>(a.units.size());
  for (PhaseNode &n : nodes) {
    // A column that its result lacks is no column of a finish.
    if (n.slot.finishOnly) {
      auto gone = [&](RankId r) { return isReducedRank(c, n.slot.einsum, r); };
      n.slot.cols.erase(
          std::remove_if(n.slot.cols.begin(), n.slot.cols.end(), gone),
          n.slot.cols.end());
    }
    problem.cycles.emplace_back();
    for (const Unit &u : a.units)
      problem.cycles.back().push_back(cyclesOn(c, u, n, shape.head, inner));
  }
  for (const Dependence &d : s.dependences) {
    int32_t from = nodeOf[d.from], to = nodeOf[d.to];
    if (from < 0 || to < 0 || (from == to && d.distance == 0))
      continue;
    if (nodes[to].slot.finishOnly ? !d.inFinish
                                  : d.inFinish && nodes[to].accumulates)
      continue;
    problem.edges.push_back({from, to, d.distance,
                             footprintBytes(c, c.einsums[d.from].result, inner),
                             d.tensor});
  }
  return result;
}

PhasePipeline makeRuns(const Cascade &c, const Arch &a,
                       const PhaseProblem &problem,
                       const PipelineSolution &solved, const Extents &inner) {
  PhasePipeline p;
  p.stages = solved.stages;
  p.ii = solved.ii;
  p.fill = solved.fill;
  p.drain = solved.drain;
  p.cutBytes = solved.cutBytes;
  p.cutsTried = solved.cutsTried;
  p.ordersTried = solved.ordersTried;
  for (UnitId u = 0; u < static_cast<UnitId>(a.units.size()); ++u) {
    Run run;
    run.unit = u;
    for (int32_t v : solved.order)
      if (solved.unit[v] == u) {
        run.slots.push_back(splitOverInstances(c, a.units[u], problem.nodes[v],
                                               problem.head, inner));
        run.slots.back().stage = solved.stage[v];
      }
    if (!run.slots.empty())
      p.runs.push_back(std::move(run));
  }
  return p;
}

PhasePipeline solvePhase(const Cascade &c, const Arch &a, const Structure &s,
                         const PhaseMembers &members,
                         const std::vector<bool> &accumulating,
                         const Extents &inner) {
  PhaseProblem problem =
      makePhaseProblem(c, a, s, members, accumulating, inner);
  return makeRuns(c, a, problem, solvePipeline(problem.pipeline), inner);
}

PhasePipeline solveBipartition(const Cascade &c, const Arch &a,
                               const PhaseMembers &members,
                               const std::vector<bool> &accumulating,
                               const Extents &inner) {
  return solvePhase(c, a, analyse(c), members, accumulating, inner);
}

PhaseMembers membersOf(const Structure &s, const Phase &p) {
  PhaseMembers m;
  for (const Run &run : p.runs)
    for (const Slot &slot : run.slots)
      (slot.finishOnly ? m.finishes : m.einsums).push_back(slot.einsum);
  auto before = [&](EinsumId x, EinsumId y) {
    return s.position[x] < s.position[y];
  };
  std::sort(m.einsums.begin(), m.einsums.end(), before);
  std::sort(m.finishes.begin(), m.finishes.end(), before);
  return m;
}

Extents innerExtents(const Cascade &c, const Group &g, const Phase &p) {
  Extents inner;
  auto at = [](const std::vector<int64_t> &sizes, RankId r, int64_t whole) {
    int64_t size = static_cast<size_t>(r) < sizes.size() ? sizes[r] : 0;
    return size > 0 ? std::min(size, whole) : whole;
  };
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r)
    inner.push_back(at(p.inner, r, at(g.tile, r, c.ranks[r].extent)));
  return inner;
}

void solveSlots(const Cascade &c, const Arch &a, Schedule &s, Policy policy) {
  SlotSolver solver(c, a, policy);
  for (Group &g : s.groups)
    for (Phase &p : g.phases)
      solver.solve(g, p);
}

const PhasePipeline &SlotSolver::solve(const Group &g, Phase &p) {
  PhaseMembers m = membersOf(structure, p);
  Extents inner = innerExtents(c, g, p);
  std::vector<bool> accumulating;
  Key key;
  key.first = m.einsums;
  key.first.push_back(-1);
  key.first.insert(key.first.end(), m.finishes.begin(), m.finishes.end());
  for (EinsumId e : m.einsums) {
    accumulating.push_back(reductionSpansEpochs(c, g, p, e));
    key.second.push_back(accumulating.back());
  }
  // Ranks that the phase does not have do not matter.
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
    bool used = false;
    for (const std::vector<EinsumId> *part : {&m.einsums, &m.finishes})
      for (EinsumId e : *part)
        used |= c.einsums[e].hasRank(r);
    key.second.push_back(used ? inner[r] : 0);
  }
  auto [it, fresh] = solved.insert({std::move(key), {}});
  if (fresh)
    it->second = solveByPolicy(policy, c, a, structure, attention, m,
                               accumulating, inner);
  p.runs = it->second.runs;
  p.wrap = false;
  return it->second;
}

} // namespace transfusion::core
