//===- TileSeeker.h - Search of the tiles of given groups -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. Groups exchange data through the outer memory
// only, so that latency, energy and peak memory are sums (or the greatest) over
// groups and each group is a search of its own. A product of sums (EDP) is one
// search over all groups.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_TILESEEKER_H
#define TRANSFUSION_LIB_CORE_SEARCH_TILESEEKER_H

#include "SpaceSearch.h"

namespace transfusion::core {

class TileSeeker {
public:
  /// Searches of one cascade share `solver` and `evaluator`, which remember
  /// what they have worked out.
  TileSeeker(const Cascade &c, const Arch &a, const Schedule &start,
             const TileSeekOptions &o, SlotSolver &solver, Evaluator &evaluator)
      : c(c), a(a), start(start), o(o), solver(solver), evaluator(evaluator) {}
  /// False: nothing to search, `result` says why.
  bool begin();
  /// Goes on until so many evaluations have been made in all.
  void searchUntil(int64_t limit);
  /// The best so far; infinite when some group has nothing.
  double bestCost();
  int64_t spent() const;
  TileSeekResult result();
  /// Of what has been seen in each group, what together has the least energy x
  /// delay, or nearly. Requires collectTrades() before begin().
  Schedule leastEdp();
  void collectTrades() { collects = true; }

private:
  /// Of all groups; `moved`: with prefetches and deferred stores.
  Schedule assemble(bool moved) const;
  double total(const CostReport &r) const {
    return objectiveOf(o.objective, r);
  }
  void report();

  const Cascade &c;
  const Arch &a;
  Schedule start;
  const TileSeekOptions &o;
  SlotSolver &solver;
  Evaluator &evaluator;
  std::vector<std::unique_ptr<SpaceSearch>> searches;
  int64_t steps = 0, nextReport = 1;
  bool collects = false;
  std::vector<Violation> unsupported;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_TILESEEKER_H
