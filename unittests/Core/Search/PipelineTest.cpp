//===- PipelineTest.cpp - Cuts and orders against brute force -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Search/Pipeline.h"
#include "transfusion/Core/Search/Rng.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <tuple>

using namespace transfusion::core;

namespace {

/// The definition, word for word: every subset, every permutation.
struct BruteForce {
  explicit BruteForce(const PipelineProblem &p) : p(p) {}
  const PipelineProblem &p;
  int32_t n = static_cast<int32_t>(p.cycles.size());

  using Key =
      std::tuple<int64_t, int64_t, int64_t, uint64_t, std::vector<int32_t>>;
  Key best{INT64_MAX, 0, 0, 0, {}};
  std::vector<int32_t> unit;
  int64_t fill = 0, drain = 0;

  bool connected(uint64_t part) const {
    uint64_t seen = part & -part;
    for (int32_t round = 0; round < n; ++round)
      for (const PipelineEdge &e : p.edges) {
        uint64_t u = uint64_t(1) << e.from, v = uint64_t(1) << e.to;
        if (e.distance == 0 && (part & u) && (part & v) &&
            ((seen & u) || (seen & v)))
          seen |= u | v;
      }
    return seen == part;
  }
  bool legal(uint64_t part) const {
    for (const PipelineEdge &e : p.edges)
      if (e.distance == 0 && (part >> e.to & 1) && !(part >> e.from & 1))
        return false;
    return connected(part) && connected((uint64_t(1) << n) - 1 - part);
  }
  /// Makespan of the nodes in `active` in this order, on given units or, when
  /// there are none, on those that finish them first.
  int64_t issue(const std::vector<int32_t> &order, uint64_t part, bool cut,
                uint64_t active, std::vector<int32_t> &units,
                bool &topological) const {
    std::vector<int64_t> freeAt(p.units, 0), end(n, -1);
    bool choose = units.empty();
    if (choose)
      units.assign(n, -1);
    for (int32_t v : order) {
      if (!(active >> v & 1))
        continue;
      int64_t ready = 0;
      for (const PipelineEdge &e : p.edges) {
        if (e.to != v || !(active >> e.from & 1))
          continue;
        bool first = part >> e.from & 1, second = part >> e.to & 1;
        bool sameEpoch = e.distance == 0 && (!cut || first == second);
        bool before = e.distance == 1 && cut && !first && second;
        if (!sameEpoch && !before)
          continue;
        topological &= end[e.from] >= 0;
        ready = std::max(ready, end[e.from]);
      }
      if (choose)
        for (int32_t u = 0; u < p.units; ++u)
          if (p.cycles[v][u] >= 0 &&
              (units[v] < 0 ||
               std::max(ready, freeAt[u]) + p.cycles[v][u] <
                   std::max(ready, freeAt[units[v]]) + p.cycles[v][units[v]]))
            units[v] = u;
      int32_t u = units[v];
      end[v] = freeAt[u] = std::max(ready, freeAt[u]) + p.cycles[v][u];
    }
    return *std::max_element(freeAt.begin(), freeAt.end());
  }
  void tryPart(uint64_t part, bool cut) {
    uint64_t all = (uint64_t(1) << n) - 1;
    int64_t bytes = 0;
    std::vector<int32_t> tensors;
    for (const PipelineEdge &e : p.edges)
      if (cut && e.distance == 0 && (part >> e.from & 1) &&
          !(part >> e.to & 1) &&
          std::find(tensors.begin(), tensors.end(), e.tensor) ==
              tensors.end()) {
        tensors.push_back(e.tensor);
        bytes += e.bytes;
      }
    std::vector<int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    do {
      std::vector<int32_t> units;
      bool topological = true;
      int64_t ii = issue(order, part, cut, all, units, topological);
      if (!topological)
        continue;
      int64_t f = 0, d = 0;
      if (cut) {
        f = issue(order, part, cut, part, units, topological);
        d = issue(order, part, cut, all & ~part, units, topological);
      }
      Key key{ii, f + d, bytes, cut ? part : 0, order};
      if (key < best) {
        best = key;
        unit = units;
        fill = f;
        drain = d;
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  void run() {
    tryPart(0, false);
    for (uint64_t part = 1; part + 1 < uint64_t(1) << n; ++part)
      if (legal(part))
        tryPart(part, true);
  }
};

PipelineProblem randomProblem(Rng &rng) {
  PipelineProblem p;
  p.units = 1 + static_cast<int32_t>(rng.below(3));
  int32_t n = 1 + static_cast<int32_t>(rng.below(7));
  for (int32_t v = 0; v < n; ++v) {
    std::vector<int64_t> row;
    for (int32_t u = 0; u < p.units; ++u)
      row.push_back(rng.below(4) == 0 ? -1
                                      : static_cast<int64_t>(rng.below(9)));
    row[rng.below(row.size())] = static_cast<int64_t>(rng.below(9));
    p.cycles.push_back(row);
    for (int32_t u = 0; u < v; ++u)
      if (rng.below(5) < 2)
        p.edges.push_back({u, v, 0, static_cast<int64_t>(1 + rng.below(3)), u});
    if (rng.below(4) == 0)
      p.edges.push_back({v, static_cast<int32_t>(rng.below(v + 1)), 1, 1, v});
  }
  for (PipelineEdge &e : p.edges) // one size per tensor
    e.bytes = 1 + e.tensor % 3;
  return p;
}

} // namespace

TEST(PipelinePropertyTest, PruningLosesNothing) {
  Rng rng(7);
  int twoStages = 0;
  for (int i = 0; i < 250; ++i) {
    PipelineProblem p = randomProblem(rng);
    BruteForce brute(p);
    brute.run();
    PipelineSolution s = solvePipeline(p);
    ASSERT_TRUE(s.complete);
    ASSERT_EQ(s.ii, std::get<0>(brute.best)) << "problem " << i;
    ASSERT_EQ(s.fill, brute.fill) << "problem " << i;
    ASSERT_EQ(s.drain, brute.drain) << "problem " << i;
    ASSERT_EQ(s.cutBytes, std::get<2>(brute.best)) << "problem " << i;
    ASSERT_EQ(s.order, std::get<4>(brute.best)) << "problem " << i;
    ASSERT_EQ(s.unit, brute.unit) << "problem " << i;
    uint64_t part = 0;
    for (size_t v = 0; v < s.stage.size(); ++v)
      part |= uint64_t(s.stages == 2 && s.stage[v] == 0) << v;
    ASSERT_EQ(part, std::get<3>(brute.best)) << "problem " << i;
    twoStages += s.stages == 2;
  }
  EXPECT_GT(twoStages, 40); // the cases are not all trivial
}

TEST(PipelineTest, NoUnitNoSolution) {
  PipelineProblem p;
  p.units = 2;
  p.cycles = {{1, 2}, {-1, -1}};
  EXPECT_EQ(solvePipeline(p).stages, 0);
}

TEST(PipelineTest, OneStageWhereNoCutIsLegal) {
  PipelineProblem p;
  p.units = 1;
  p.cycles = {{1}, {2}, {3}}; // three components
  bool complete = true;
  EXPECT_TRUE(legalCuts(p, complete).empty());
  EXPECT_EQ(solvePipeline(p).stages, 1);
  EXPECT_EQ(solvePipeline(p).ii, 6);
}

TEST(PipelineTest, OneStageIsPreferredToACutThatGainsNothing) {
  PipelineProblem p;
  p.units = 1;
  p.cycles = {{4}, {5}};
  p.edges = {{0, 1, 0, 8, 0}};
  PipelineSolution s = solvePipeline(p);
  EXPECT_EQ(s.ii, 9);
  EXPECT_EQ(s.stages, 1);
  EXPECT_EQ(s.fill + s.drain, 0);
}

TEST(PipelineTest, MoreNodesThanASetHasBits) {
  PipelineProblem p;
  p.units = 2;
  for (int v = 0; v < 70; ++v) {
    p.cycles.push_back({1, 1});
    if (v)
      p.edges.push_back({v - 1, v, 0, 1, v - 1});
  }
  PipelineSolution s = solvePipeline(p);
  EXPECT_EQ(s.ii, 70);
  EXPECT_EQ(s.stages, 1);
  EXPECT_FALSE(s.complete);
}

TEST(PipelineTest, ManyIndependentNodesEnd) {
  PipelineProblem p;
  p.units = 2;
  Rng rng(3);
  for (int v = 0; v < 40; ++v)
    p.cycles.push_back({1 + static_cast<int64_t>(rng.below(50)),
                        1 + static_cast<int64_t>(rng.below(50))});
  p.edges.push_back({0, 39, 0, 1, 0});
  PipelineSolution s = solvePipeline(p);
  EXPECT_GT(s.ii, 0);
  EXPECT_EQ(s.order.size(), 40u);
}
