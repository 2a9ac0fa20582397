//===- OrderWalk.h - Topological orders of one pipeline step ----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. A depth-first walk over topological orders, in
// lexicographic order. What keeps it short, and loses nothing: two prefixes
// that leave the same nodes and the same times have the same future, and a
// prefix whose bound is no better than the best known is dropped.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_ORDERWALK_H
#define TRANSFUSION_LIB_CORE_SEARCH_ORDERWALK_H

#include "transfusion/Core/Search/Pipeline.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace transfusion::core {

inline constexpr int64_t kNoBound = std::numeric_limits<int64_t>::max();

inline uint64_t bit(int32_t i) { return uint64_t(1) << i; }

/// Times of a prefix of an order: of the whole step and of the parts alone.
struct Clock {
  std::vector<int64_t> unitFree, finish;
  Clock(int32_t units, int32_t nodes) : unitFree(units, 0), finish(nodes, 0) {}
  int64_t makespan() const {
    return *std::max_element(unitFree.begin(), unitFree.end());
  }
};

struct State {
  uint64_t done = 0;
  Clock step, alone; ///< `alone` keeps both parts: they share no node
  std::vector<int64_t> aloneFree2; ///< units of the second part alone
  State(int32_t units, int32_t nodes)
      : step(units, nodes), alone(units, nodes), aloneFree2(units, 0) {}
  int64_t fillDrain() const {
    return alone.makespan() +
           *std::max_element(aloneFree2.begin(), aloneFree2.end());
  }
};

struct VectorHash {
  size_t operator()(const std::vector<int64_t> &v) const {
    uint64_t h = 0x9E3779B97F4A7C15ull;
    for (int64_t x : v) {
      h ^= static_cast<uint64_t>(x);
      h *= 0xff51afd7ed558ccdull;
      h ^= h >> 32;
    }
    return static_cast<size_t>(h);
  }
};

/// States walked for one cut.
inline constexpr size_t kMaxStatesPerCut = size_t(1) << 16;

/// Walks the orders of the step that one cut makes.
class OrderWalk {
public:
  OrderWalk(const PipelineProblem &p, uint64_t firstPart, bool oneStage,
            size_t maxStates)
      : p(p), n(static_cast<int32_t>(p.cycles.size())), firstPart(firstPart),
        oneStage(oneStage), maxStates(std::min(maxStates, kMaxStatesPerCut)) {
    before.assign(n, 0);
    after.assign(n, 0);
    for (const PipelineEdge &e : p.edges) {
      bool fromFirst = firstPart & bit(e.from), toFirst = firstPart & bit(e.to);
      if (e.distance == 0
              ? fromFirst == toFirst
              : !oneStage && e.distance == 1 && !fromFirst && toFirst) {
        before[e.to] |= bit(e.from);
        after[e.from] |= bit(e.to);
      }
    }
    computeTails();
  }

  /// Least II below `bound`; `bound` when there is none.
  int64_t leastIi(int64_t bound) {
    minimiseIi = true;
    bestIi = bound;
    State root(p.units, n);
    if (this->bound(root) >= bestIi)
      return bestIi;
    listSchedule();
    if (this->bound(root) < bestIi)
      start();
    return bestIi;
  }

  /// An order of makespan `ii` whose fill + drain is below `bound`.
  bool leastFillDrain(int64_t ii, int64_t bound) {
    minimiseIi = false;
    bestIi = ii;
    bestFillDrain = bound;
    found = false;
    State root(p.units, n);
    if (this->bound(root) <= bestIi && leastFillDrainOf(root) < bestFillDrain)
      start();
    return found;
  }

  /// Fill and drain of a given order (that of the best, when it is known).
  void replay(const std::vector<int32_t> &given);

  size_t states() const { return seen.size(); }

  std::vector<int32_t> order, unit; ///< of the best
  int64_t fill = 0, drain = 0;
  int64_t leaves = 0;
  bool complete = true;

private:
  void start() {
    seen.clear();
    prefix.clear();
    prefixUnit.assign(n, -1);
    walk(State(p.units, n));
  }
  void computeTails();
  /// What has the longest way to go first: a good order to be measured by.
  void listSchedule();
  /// No completion of `s` fills and drains in less.
  int64_t leastFillDrainOf(const State &s) const;
  void walk(const State &s);
  int64_t bound(const State &s) const;
  bool remember(const State &s);
  State issue(const State &s, int32_t v, int32_t &unit) const;

  const PipelineProblem &p;
  int32_t n;
  uint64_t firstPart;
  bool oneStage;
  size_t maxStates;
  std::vector<uint64_t> before, after;
  std::vector<int32_t> topological;
  std::vector<int64_t> least, tail; ///< cycles on the best unit; to the end
  std::vector<int32_t> onlyUnit;    ///< -1: several can
  bool minimiseIi = true, found = false;
  int64_t bestIi = kNoBound, bestFillDrain = kNoBound;
  std::vector<int32_t> prefix, prefixUnit;
  std::unordered_set<std::vector<int64_t>, VectorHash> seen;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_ORDERWALK_H
