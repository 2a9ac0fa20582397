//===- TileSeekTest.cpp - Tile sizes --------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Search/TileSeek.h"
#include "Permute.h"
#include "SmallCases.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Core/Search/DPipe.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

TileSeekResult search(const Cascade &c, const Arch &a, SearchMode mode,
                      int64_t evaluations, uint64_t seed = 1,
                      Objective objective = Objective::Latency) {
  TileSeekOptions o;
  o.mode = mode;
  o.evaluations = evaluations;
  o.seed = seed;
  o.objective = objective;
  return tileseek(c, a, dpipe(c, a).schedule, o);
}

/// All decisions of a schedule, in words.
std::string text(const Schedule &s) {
  std::string out;
  auto add = [&](const auto &numbers) {
    for (auto n : numbers)
      out += std::to_string(n) + ",";
    out += ";";
  };
  for (const Group &g : s.groups) {
    add(g.tileOrder);
    add(g.tile);
    for (const Retain &r : g.retain)
      out += std::to_string(r.tensor) + "@" +
             std::to_string(static_cast<int>(r.level)) + ",";
    for (const Phase &p : g.phases) {
      add(p.order);
      add(p.block);
      add(p.inner);
      for (const auto &run : p.runs)
        for (const Slot &slot : run.slots) {
          out += std::to_string(run.unit) + ":" + std::to_string(slot.einsum) +
                 "/" + std::to_string(slot.stage) + ",";
          add(slot.rows);
          add(slot.cols);
        }
    }
  }
  return out;
}

void expectLegal(const Cascade &c, const Arch &a, const TileSeekResult &r) {
  ASSERT_TRUE(r.infeasible.empty()) << r.infeasible[0].what;
  for (const Violation &v : checkSchedule(c, a, r.schedule))
    ADD_FAILURE() << c.name << ": " << v.rule << " " << v.what;
}

Cascade smallBert(const Arch &a) {
  BertShape s;
  s.b = 3, s.h = 3, s.e = 5, s.p = 31, s.s = 29, s.m0 = a.units[0].cols;
  return bertLayer(s);
}

} // namespace

/// The budget covers the space: the optimum. A fifth of it: within 2 %.
TEST(TileSeekPropertyTest, TreeSearchFindsTheOptimumOfFiftyCases) {
  int64_t spaces = 0;
  for (int n = 0; n < 50; ++n) {
    SmallCase s = smallCase(n);
    TileSeekResult all = search(s.c, s.a, SearchMode::Exhaustive, 0);
    expectLegal(s.c, s.a, all);
    TileSeekResult tree =
        search(s.c, s.a, SearchMode::Mcts, 2 * all.evaluations + 10);
    EXPECT_EQ(tree.sizesCost, all.sizesCost) << "case " << n;
    EXPECT_LE(all.cost, all.sizesCost) << "case " << n;
    EXPECT_GE(all.cost, lowerBound(s.c, s.a).cycles) << "case " << n;
    // Finished before its budget: it proved the optimum.
    EXPECT_LT(tree.evaluations, 2 * all.evaluations + 10) << "case " << n;
    TileSeekResult some =
        search(s.c, s.a, SearchMode::Mcts, all.evaluations / 5);
    if (all.evaluations >= 10)
      EXPECT_LE(some.sizesCost, all.sizesCost * 1.02) << "case " << n;
    EXPECT_LE(some.evaluations, std::max<int64_t>(all.evaluations / 5, 1));
    spaces += all.evaluations;
  }
  EXPECT_GT(spaces, 50 * 100); // not all of them are trivial
}

TEST(TileSeekPropertyTest, NeverWorseThanRandomInGeometricMean) {
  for (int64_t evaluations : {16, 64}) {
    double sum = 0;
    for (int n = 0; n < 50; ++n) {
      SmallCase s = smallCase(n);
      double tree = search(s.c, s.a, SearchMode::Mcts, evaluations).cost;
      double random = search(s.c, s.a, SearchMode::Random, evaluations).cost;
      ASSERT_GT(tree, 0);
      ASSERT_GT(random, 0);
      sum += std::log(tree / random);
    }
    EXPECT_LE(std::exp(sum / 50), 1.0) << evaluations << " evaluations";
  }
}

TEST(TileSeekPropertyTest, OtherObjectives) {
  for (Objective o : {Objective::Energy, Objective::Edp, Objective::PeakMemory})
    for (int n : {0, 2, 3, 5, 6, 8}) {
      SmallCase s = smallCase(n);
      TileSeekResult all = search(s.c, s.a, SearchMode::Exhaustive, 0, 1, o);
      expectLegal(s.c, s.a, all);
      TileSeekResult tree =
          search(s.c, s.a, SearchMode::Mcts, 2 * all.evaluations + 10, 1, o);
      EXPECT_EQ(tree.cost, all.cost)
          << "case " << n << " objective " << static_cast<int>(o);
      // No worse by its own measure than what another objective finds.
      TileSeekResult other = search(s.c, s.a, SearchMode::Exhaustive, 0);
      CostReport r = evaluate(s.c, s.a, other.schedule);
      double cost = o == Objective::Energy ? r.energyPj
                    : o == Objective::Edp  ? r.energyPj * r.latencyCycles
                                           : double(r.peakBytes[1]);
      EXPECT_LE(all.cost, cost * (1 + 1e-9)) << "case " << n;
    }
}

TEST(TileSeekPropertyTest, ForTheProductNeverBehindTheSearchForLatency) {
  auto edp = [](const SmallCase &s, const TileSeekResult &r) {
    const CostReport cost = evaluate(s.c, s.a, r.schedule);
    return cost.energyPj * cost.latencyCycles;
  };
  int better = 0;
  for (int n = 0; n < 24; ++n) {
    SmallCase s = smallCase(n);
    if (n % 2) // leakage makes energy of time
      s.a.memories[1].leakageW = 1e-3;
    for (int64_t evaluations : {8, 40}) {
      const TileSeekResult fast =
          search(s.c, s.a, SearchMode::Mcts, evaluations, 1);
      const TileSeekResult both =
          search(s.c, s.a, SearchMode::Mcts, evaluations, 1, Objective::Edp);
      ASSERT_TRUE(both.infeasible.empty());
      EXPECT_LE(edp(s, both), edp(s, fast)) << "case " << n;
      EXPECT_EQ(both.cost, edp(s, both));
      EXPECT_LE(both.evaluations, evaluations);
      better += edp(s, both) < edp(s, fast);
    }
  }
  EXPECT_GT(better, 4);
}

TEST(TileSeekTest, TheSameBytesTwice) {
  Arch a = machine("tiny");
  Cascade c = smallBert(a);
  TileSeekResult x = search(c, a, SearchMode::Mcts, 60, 5);
  TileSeekResult y = search(c, a, SearchMode::Mcts, 60, 5);
  expectLegal(c, a, x);
  EXPECT_EQ(text(x.schedule), text(y.schedule));
  EXPECT_EQ(x.cost, y.cost);
  EXPECT_EQ(x.evaluations, 60);
}

TEST(TileSeekTest, CostIsWhatEvaluateSays) {
  Arch a = machine("tiny");
  Cascade c = smallBert(a);
  TileSeekResult r = search(c, a, SearchMode::Mcts, 40);
  EXPECT_EQ(r.cost, evaluate(c, a, r.schedule).latencyCycles);
  EXPECT_LE(r.cost, evaluate(c, a, dpipe(c, a).schedule).latencyCycles);
  EXPECT_GE(r.cost, lowerBound(c, a).cycles);
}

TEST(TileSeekPropertyTest, NamesAndOrderChangeNothing) {
  Rng rng(21);
  for (int n : {3, 4, 5, 16}) {
    SmallCase s = smallCase(n);
    double cost = search(s.c, s.a, SearchMode::Exhaustive, 0).cost;
    Cascade d = shuffled(s.c, rng);
    EXPECT_EQ(cost, search(d, s.a, SearchMode::Exhaustive, 0).cost) << n;
  }
}

TEST(TileSeekTest, OddSizesAndEveryMode) {
  for (const char *name : {"tiny", "edge"}) {
    Arch a = machine(name);
    for (SearchMode mode : {SearchMode::Mcts, SearchMode::Random})
      for (Objective o : {Objective::Latency, Objective::Energy, Objective::Edp,
                          Objective::PeakMemory}) {
        Cascade c = smallBert(a);
        expectLegal(c, a, search(c, a, mode, 12, 3, o));
      }
  }
}

TEST(TileSeekTest, ProgressIsReported) {
  Arch a = machine("tiny");
  Cascade c = smallBert(a);
  TileSeekOptions o;
  o.evaluations = 300;
  std::vector<int64_t> seen;
  double last = 0;
  o.progress = [&](int64_t evaluations, double best) {
    seen.push_back(evaluations);
    last = best;
  };
  TileSeekResult r = tileseek(c, a, dpipe(c, a).schedule, o);
  ASSERT_GE(seen.size(), 2u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_GE(last, r.cost);
}

TEST(TileSeekTest, InfeasibleSaysWhatIsMissing) {
  Arch big = machine("tiny");
  Cascade c = smallBert(big);
  Schedule start = dpipe(c, big).schedule;
  Arch a = big;
  a.memories[1].capacityBytes = 512;
  for (SearchMode mode :
       {SearchMode::Mcts, SearchMode::Random, SearchMode::Exhaustive}) {
    TileSeekOptions o;
    o.mode = mode;
    o.evaluations = 5;
    TileSeekResult r = tileseek(c, a, start, o);
    ASSERT_FALSE(r.infeasible.empty());
    EXPECT_NE(r.infeasible[0].what.find("bytes short"), std::string::npos);
    EXPECT_NE(r.infeasible[0].notes.back().find("capacity_bytes >="),
              std::string::npos);
    EXPECT_TRUE(r.schedule.groups.empty());
  }
}
