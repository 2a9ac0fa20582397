//===- PolicySlots.cpp - Units and order of each policy -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DPipe searches; the other policies say where an Einsum runs. A phase is then
// one stage in topological order, but for FuseMax's waterfall: there RD and
// RNV, which only the next epoch reads, run beside the scores of that epoch,
//
//   2D   QK (LM)             |      SLN SLD         | SLNV
//   1D   RD RNV of the last  | (LM) RM    PRM  SPD  | SPNV
//
// which gives max(QK + LM, RD + RNV) + RM + max(SLN + SLD, PRM + SPD)
// + max(SLNV, SPNV) a step, as FuseMaxTile.h has it.
//
//===----------------------------------------------------------------------===//
#include "PhaseProblem.h"
#include "SplitInstances.h"

#include "transfusion/Core/Search/PolicyRules.h"
#include "transfusion/Core/Search/SolveSlots.h"

#include <algorithm>

namespace transfusion::core {

namespace {

class FixedBinding {
public:
  FixedBinding(Policy policy, const Cascade &c, const Arch &a,
               const Structure &s, const std::vector<int32_t> &attention,
               const PhaseMembers &members,
               const std::vector<bool> &accumulating, const Extents &inner)
      : policy(policy), c(c), a(a), s(s), attention(attention),
        members(members), inner(inner),
        problem(makePhaseProblem(c, a, s, members, accumulating, inner)) {}
  PhasePipeline run();

private:
  enum class Where : uint8_t { Anywhere, Grid, Lanes };
  Where whereTo(const PhaseNode &n) const;
  UnitId choose(int32_t v, Where where, int64_t ready) const;
  bool onlyNextEpochReads(int32_t v) const;
  int64_t start(int32_t v) const;
  void spreadAlone();

  const Policy policy;
  const Cascade &c;
  const Arch &a;
  const Structure &s;
  const std::vector<int32_t> &attention;
  const PhaseMembers &members;
  const Extents &inner;
  PhaseProblem problem;
  PipelineSolution solution;
  std::vector<int64_t> unitFree, finish;
  bool waterfall = false;
  std::vector<RankId> columns;            ///< of the waterfall: m0
  std::vector<std::vector<RankId>> alone; ///< by UnitId: columns when alone
};

} // namespace

FixedBinding::Where FixedBinding::whereTo(const PhaseNode &n) const {
  const Einsum &e = c.einsums[n.slot.einsum];
  if (waterfall) {
    if (policy == Policy::FuseMaxModelled &&
        (e.reduce == ReduceKind::Max || e.pointOps[OpClass::Max] > 0))
      return Where::Lanes;
    for (RankId r : columns)
      if (e.hasRank(r))
        return Where::Grid;
    return Where::Lanes;
  }
  const bool bound = policy == Policy::Flat || policy == Policy::Unfused;
  if (bound && attention[n.slot.einsum] >= 0)
    return s.contraction[n.slot.einsum] ? Where::Grid : Where::Lanes;
  return Where::Anywhere;
}

/// Of the units that the binding allows and that can, the one that finishes
/// first; of all that can when it allows none.
UnitId FixedBinding::choose(int32_t v, Where where, int64_t ready) const {
  for (bool strict : {true, false}) {
    UnitId best = -1;
    int64_t end = 0;
    for (UnitId u = 0; u < static_cast<UnitId>(a.units.size()); ++u) {
      const int64_t cycles = problem.pipeline.cycles[v][u];
      if (cycles < 0 || (strict && where != Where::Anywhere &&
                         a.units[u].isGrid != (where == Where::Grid)))
        continue;
      const int64_t at = std::max(ready, unitFree[u]) + cycles;
      if (best < 0 || at < end) {
        best = u;
        end = at;
      }
    }
    if (best >= 0)
      return best;
  }
  return -1;
}

bool FixedBinding::onlyNextEpochReads(int32_t v) const {
  bool read = false;
  for (const PipelineEdge &e : problem.pipeline.edges) {
    if (e.from != v)
      continue;
    if (e.distance == 0)
      return false;
    read = true;
  }
  return read;
}

int64_t FixedBinding::start(int32_t v) const {
  int64_t ready = 0;
  for (const PipelineEdge &e : problem.pipeline.edges) {
    if (e.to != v || finish[e.from] < 0)
      continue;
    const int32_t from = solution.stage[e.from], to = solution.stage[v];
    // Within a step: of the same epoch, or the last epoch's second stage.
    if (e.distance == 0 ? from == to : from == to + 1)
      ready = std::max(ready, finish[e.from]);
  }
  return ready;
}

/// An Einsum alone need not share columns with others: of its ranks, one or two
/// are laid out over the columns such that it takes the fewest cycles (m0 in
/// QK, heads and features in AV).
void FixedBinding::spreadAlone() {
  PhaseNode &node = problem.nodes.front();
  std::vector<RankId> ranks;
  for (RankId r : c.einsums[node.slot.einsum].ranks)
    if (!c.ranks[r].iterative && inner[r] > 1 &&
        std::find(node.slot.rows.begin(), node.slot.rows.end(), r) ==
            node.slot.rows.end())
      ranks.push_back(r);
  std::vector<std::vector<RankId>> choices;
  for (size_t i = 0; i < ranks.size(); ++i) {
    choices.push_back({ranks[i]});
    for (size_t k = 0; k < i; ++k)
      choices.push_back(
          {std::min(ranks[i], ranks[k]), std::max(ranks[i], ranks[k])});
  }
  for (size_t u = 0; u < a.units.size(); ++u) {
    alone.push_back(node.slot.cols);
    int64_t &least = problem.pipeline.cycles[0][u];
    for (const std::vector<RankId> &cols : choices) {
      PhaseNode spread = node;
      spread.slot.cols = cols;
      const int64_t cycles =
          cyclesOn(c, a.units[u], spread, problem.head, inner);
      if (cycles >= 0 && cycles < least) {
        least = cycles;
        alone[u] = cols;
      }
    }
  }
}

PhasePipeline FixedBinding::run() {
  const size_t n = problem.nodes.size();
  PhaseShape shape = shapeOf(c, s, members, members.einsums);
  waterfall = oneHeadPerEpoch(policy, shape);
  columns = shape.columns;
  solution.unit.assign(n, -1);
  solution.stage.assign(n, 0);
  solution.stages = n > 0 ? 1 : 0;
  for (size_t v = 0; v < n; ++v)
    if (waterfall && onlyNextEpochReads(static_cast<int32_t>(v))) {
      solution.stage[v] = 1;
      solution.stages = 2;
    }
  if (n == 1 && !waterfall && !problem.nodes.front().slot.finishOnly)
    spreadAlone();
  unitFree.assign(a.units.size(), 0);
  finish.assign(n, -1);
  for (int32_t stage = solution.stages - 1; stage >= 0; --stage)
    for (size_t i = 0; i < n; ++i) {
      const int32_t v = static_cast<int32_t>(i);
      if (solution.stage[v] != stage)
        continue;
      PhaseNode &node = problem.nodes[v];
      const UnitId u = choose(v, whereTo(node), start(v));
      if (u < 0)
        return {};
      if (waterfall && !a.units[u].isGrid) {
        node.slot.cols.clear(); // one lane per query
        problem.pipeline.cycles[v][u] =
            cyclesOn(c, a.units[u], node, problem.head, inner);
      }
      if (!alone.empty())
        node.slot.cols = alone[u];
      solution.unit[v] = u;
      solution.order.push_back(v);
      unitFree[u] = finish[v] =
          std::max(start(v), unitFree[u]) + problem.pipeline.cycles[v][u];
      solution.ii = std::max(solution.ii, finish[v]);
    }
  return makeRuns(c, a, problem, solution, inner);
}

PhasePipeline solveByPolicy(Policy policy, const Cascade &c, const Arch &a,
                            const Structure &s,
                            const std::vector<int32_t> &attention,
                            const PhaseMembers &members,
                            const std::vector<bool> &accumulating,
                            const Extents &inner) {
  if (policy == Policy::TransFusion || policy == Policy::TransFusionPaper)
    return solvePhase(c, a, s, members, accumulating, inner);
  return FixedBinding(policy, c, a, s, attention, members, accumulating, inner)
      .run();
}

} // namespace transfusion::core
