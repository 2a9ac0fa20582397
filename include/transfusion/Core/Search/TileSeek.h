//===- TileSeek.h - Tile sizes by Monte Carlo Tree Search -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides group tiles, blocks and retention: one tree level per decision, any
// tile size (divisors are only candidates among others), capacity and bound
// pruning that never cut a feasible optimum, UCT on normalised cost (Kocsis and
// Szepesvari, ECML 2006), rollouts completed greedily, a transposition table.
// The budget counts evaluations; the same input gives the same output.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_TILESEEK_H
#define TRANSFUSION_CORE_SEARCH_TILESEEK_H

#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Search/Policy.h"

#include <functional>

namespace transfusion::core {

enum class Objective : uint8_t { Latency, Energy, Edp, PeakMemory };
enum class SearchMode : uint8_t { Mcts, Exhaustive, Random };

struct TileSeekOptions {
  /// That `start` was made for: its bindings are kept.
  Policy policy = Policy::TransFusion;
  Objective objective = Objective::Latency;
  SearchMode mode = SearchMode::Mcts;
  uint64_t seed = 1;
  int64_t evaluations = 4096;
  /// Also part the groups, and try those that DPipe forms for a smaller buffer,
  /// where `start` has those that it forms for the machine's.
  bool regroup = false;
  /// Called now and then with evaluations done and the best cost so far.
  std::function<void(int64_t, double)> progress;
};

struct TileSeekResult {
  Schedule schedule; ///< the best found
  double cost = 0;
  /// Of the best sizes alone, every transfer in its own phase: what the search
  /// minimises, and what a finished search proves the least.
  double sizesCost = 0;
  int64_t evaluations = 0;
  std::vector<Violation> infeasible; ///< not empty: nothing fits
};

/// `start` fixes groups, phases and orders, but for `regroup`.
TileSeekResult tileseek(const Cascade &c, const Arch &a, const Schedule &start,
                        const TileSeekOptions &o);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_TILESEEK_H
