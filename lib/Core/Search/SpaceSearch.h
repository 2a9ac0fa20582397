//===- SpaceSearch.h - Search of one tile space -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. Three ways through one TileSpace, one evaluation
// a step: Monte Carlo tree search, exhaustive, random.
//
// A node of the tree is a prefix of choices. A node is *closed* when nothing
// below it can be better than the best known: its leaf is costed, what it needs
// at least does not fit, its bound is no better, or all its children are
// closed. A closed root proves the optimum.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_SPACESEARCH_H
#define TRANSFUSION_LIB_CORE_SEARCH_SPACESEARCH_H

#include "BlockChooser.h"

#include "transfusion/Core/Search/Rng.h"

#include <limits>

namespace transfusion::core {

/// What a whole schedule of that cost is judged by.
double objectiveOf(Objective objective, const CostReport &r);

class SpaceSearch {
public:
  SpaceSearch(const Cascade &c, const Arch &a, TileSpace space,
              SlotSolver &solver, Evaluator &evaluator, Objective objective,
              uint64_t seed);

  /// One way down the tree: an evaluation, unless what it leads to is known or
  /// does not fit. False: finished.
  bool stepMcts();
  /// One evaluation, or the discovery that none is left. False: finished.
  bool stepRandom();
  void exhaust();

  bool found() const { return bestCost < kNone; }
  double best() const { return bestCost; }
  /// In the groups of this space: the best sizes, every transfer in its own
  /// phase; and the best of all schedules seen, transfers moved where it helps.
  const Schedule &bestSized() const { return bestSizes; }
  const Schedule &bestSchedule() const { return bestFound; }
  double bestScheduleCost() const { return foundCost; }
  const TileSpace &tiles() const { return space; }
  int64_t evaluations() const { return evaluated; }
  /// What has been spent on it: many steps that led to nothing new count as an
  /// evaluation, so that no search goes on for ever among what it knows.
  int64_t effort() const { return evaluated + taken / 8; }
  bool finished() const { return done; }

  /// Part of the objective that this space's groups account for.
  double costOf(const CostReport &r) const;
  /// Costs a given schedule and keeps it when it is the best.
  void offer(const Schedule &s);

  /// What has been seen and is neither slower nor takes more energy than
  /// something else, of which the other groups are the same.
  struct Trade {
    double cycles = 0;    ///< of this space's groups
    double dynamicPj = 0; ///< of the whole schedule, without leakage
    std::vector<Group> groups;
  };
  /// From now on; costs a copy of a group now and then.
  void collectTrades() { collects = true; }
  const std::vector<Trade> &trades() const { return collected; }

private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  struct Node {
    Choices prefix;
    std::vector<int64_t> values;   ///< children, in order of preference
    std::vector<int32_t> children; ///< of the first values
    int32_t parent = -1;
    int64_t visits = 0;
    double rewards = 0;
    double best = kNone;
    bool closed = false, opened = false;
  };

  double evaluateLeaf(const Choices &choices);
  void keep(const Schedule &s, double cost);
  void collect(const Schedule &s, const CostReport &r);
  double costIfFits(const Schedule &s);
  bool layPieces(Schedule &s, const CostReport &r);
  bool mayMove(const CostReport &r) const;
  bool mayFit(const Choices &prefix);
  double bound(const Choices &prefix) const;
  Choices boundKey(const Choices &prefix) const;
  Choices complete(Choices prefix, bool likeBest);
  Choices rollout(const Choices &prefix);
  bool push(Choices &prefix, std::vector<int64_t> order);
  void open(Node &n);
  int32_t select(int32_t node);
  void close(int32_t node);
  void enumerate(Choices &prefix);

  const Cascade &c;
  const Arch &a;
  TileSpace space;
  Evaluator &evaluator;
  Objective objective;
  const bool hasBetween; ///< a memory for residents
  Rng rng;
  BlockChooser chooser;
  std::vector<Node> nodes;
  std::map<Choices, double> costs;     ///< of complete choices
  std::map<Choices, double> estimates; ///< of complete choices
  std::map<Choices, bool> fits;        ///< of prefixes
  std::map<Choices, double> bounds;    ///< by tiles and epochs
  Choices bestAt;                      ///< empty: what was offered
  Schedule bestSizes, bestFound;
  double bestCost = kNone, foundCost = kNone;
  bool collects = false;
  std::vector<Trade> collected;
  int64_t evaluated = 0, taken = 0;
  bool done = false;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_SPACESEARCH_H
