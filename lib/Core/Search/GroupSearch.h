//===- GroupSearch.h - Where to part the groups -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. The fixed rule fuses what can be fused. What is
// fused shares one outer tile, and what a phase holds whole leaves the other
// phases less room: a group in parts moves more through the outer memory and
// may fetch weights less often.
//
// Terms. The *steps* of a group are the Einsums of its phases, phase by phase;
// a *part* is a run of consecutive steps as a group of its own, its phases
// formed anew. Groups exchange data through the outer memory only, so that what
// a part costs does not depend on how the rest is parted, and the best way to
// part a group is a shortest path over its steps: every part is searched once.
//
// Toy example: steps Q | QK .. RNV | O. Six parts; {Q, QK .. RNV} {O} costs
// what those two cost.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_GROUPSEARCH_H
#define TRANSFUSION_LIB_CORE_SEARCH_GROUPSEARCH_H

#include "GroupBuilder.h"
#include "SpaceSearch.h"

namespace transfusion::core {

/// Which Einsums share a phase, phases in order: twice the EinsumId, one more
/// for a finish alone.
using PhaseMemberIds = std::vector<std::vector<int64_t>>;
PhaseMemberIds phaseMembers(const Group &g);

struct Grouping {
  /// The best sizes found, every transfer in its own phase; and the best of all
  /// schedules seen.
  Schedule sized, best;
};

class GroupSearch {
public:
  /// `epochBytes`: what an epoch of the groups given may hold.
  GroupSearch(const Cascade &c, const Arch &a, const TileSeekOptions &o,
              SlotSolver &solver, Evaluator &evaluator, int64_t epochBytes)
      : c(c), a(a), solver(solver), evaluator(evaluator), builder(c, a, solver),
        epochBytes(epochBytes),
        // A product of sums is no sum over groups.
        objective(o.objective == Objective::Edp ? Objective::Latency
                                                : o.objective),
        seeds(o.seed) {}

  /// Parts the groups of `start` with at most `budget` evaluations. Nothing
  /// when that is too little, or no group has more than one step.
  std::optional<Grouping> run(const Schedule &start, int64_t budget);

  int64_t evaluations() const { return evaluated; }

private:
  using Steps = std::vector<std::vector<EinsumId>>;
  struct Part {
    double cost = std::numeric_limits<double>::infinity();
    Group sized, best;
  };

  Steps stepsOf(const Group &g) const;
  bool place(Schedule &s, int32_t g, const std::vector<EinsumId> &einsums,
             LoneSum lone);
  Part searchPart(const Schedule &s, int32_t g, int64_t budget);
  Part bestPart(const Schedule &apart, int32_t g, const Steps &steps,
                size_t from, size_t to, int64_t budget);
  void partGroup(const Schedule &start, int32_t g, int64_t budget,
                 Grouping &result);

  const Cascade &c;
  const Arch &a;
  SlotSolver &solver;
  Evaluator &evaluator;
  GroupBuilder builder;
  const int64_t epochBytes;
  const Objective objective;
  Rng seeds;
  int64_t evaluated = 0;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_GROUPSEARCH_H
