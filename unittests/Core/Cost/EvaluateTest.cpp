//===- EvaluateTest.cpp - The cost model against a literal walk -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Evaluate.h"

#include "../RandomCases.h"
#include "Walker.h"
#include "transfusion/Core/Cost/LowerBound.h"

#include <gtest/gtest.h>

#include <map>

using namespace transfusion::core;
using namespace transfusion::core::test;

static void expectNear(double x, double y, const char *what) {
  EXPECT_NEAR(x, y, 1e-9 * (1 + std::abs(y))) << what;
}

static void expectSame(const CostReport &r, const Walked &w, const Arch &a) {
  expectNear(r.latencyCycles, w.latencyCycles, "latency");
  expectNear(r.arithmeticPj, w.arithmeticPj, "energy");
  EXPECT_EQ(r.readBytes, w.readBytes);
  EXPECT_EQ(r.writeBytes, w.writeBytes);
  EXPECT_EQ(r.unitBusyCycles, w.unitBusyCycles);
  for (size_t u = 0; u < a.units.size(); ++u)
    expectNear(r.unitLanes[u] * double(a.units[u].lanes()) * r.latencyCycles,
               w.laneCycles[u], "lane-cycles");
  ASSERT_EQ(r.groups.size(), w.phases.size());
  for (size_t g = 0; g < w.phases.size(); ++g) {
    ASSERT_EQ(r.groups[g].phases.size(), w.phases[g].size());
    for (size_t p = 0; p < w.phases[g].size(); ++p) {
      const PhaseCost &x = r.groups[g].phases[p];
      const WalkedPhase &y = w.phases[g][p];
      EXPECT_EQ(x.epochs, y.epochs);
      EXPECT_EQ(x.computeCycles, double(y.computeCycles));
      EXPECT_EQ(x.unitBusyCycles, y.unitBusyCycles);
      expectNear(x.exposedCycles, y.exposedCycles, "exposed");
      expectNear(x.latencyCycles, y.latencyCycles, "phase latency");
    }
  }
}

TEST(EvaluatePropertyTest, EqualsTheLiteralWalk) {
  Rng rng(2025);
  std::map<std::string, int> seen;
  int compared = 0;
  for (int n = 0; n < 20000 && compared < 900; ++n) {
    const RandomCase r = randomCase(rng);
    const Plan plan = makePlan(r.c, r.a, r.s);
    const CostReport cost = evaluate(r.c, r.a, r.s, plan);
    if (!cost.faults.empty())
      continue;
    const Walked walked = walk(r.c, r.a, r.s, plan);
    SCOPED_TRACE("case " + std::to_string(n) + " " + r.family);
    expectSame(cost, walked, r.a);
    if (HasFailure())
      return;
    ++compared;
    ++seen[r.family];
    seen["ragged"] += walked.ragged;
    seen["refetched"] += walked.refetched;
    seen["accumulated"] += walked.accumulated;
    seen["several groups"] += r.s.groups.size() > 1;
    for (const Group &g : r.s.groups) {
      for (RankId x : g.tileOrder)
        seen["tiled digits or halo"] +=
            r.family == "dag" && x >= 2 && g.tile[x] < r.c.ranks[x].extent;
      seen["several phases"] += g.phases.size() > 1;
      for (const Phase &p : g.phases)
        seen["wrap"] += p.wrap;
    }
    for (const GroupPlan &g : plan.groups)
      for (const PhasePlan &p : g.phases)
        seen["stages"] += p.stages > 1;
    for (const Buffer &b : plan.buffers) {
      seen["tile"] += b.level == RetainLevel::Tile;
      seen["group"] += b.level == RetainLevel::Group;
      seen["carried"] += b.role == BufferRole::Carried;
      seen["last slice"] += b.storesLastSliceOnly;
    }
  }
  EXPECT_GE(compared, 500);
  for (const char *what :
       {"dag", "attention", "bert", "ragged", "refetched", "accumulated",
        "several groups", "several phases", "wrap", "stages", "tile", "group",
        "carried", "last slice", "tiled digits or halo"})
    EXPECT_GE(seen[what], 20) << what;
}
