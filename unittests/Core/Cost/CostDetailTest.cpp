//===- CostDetailTest.cpp - Sums told apart, by hand ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TestCascades.h"
#include "transfusion/Core/Cost/EnergyAccount.h"
#include "transfusion/Core/Cost/Limits.h"
#include "transfusion/Core/Cost/Roofline.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// T = A B of 10 x 3 x 6 on a 4x4 array, rows in outer tiles of 4; 16 bytes a
/// cycle from DRAM. MatmulByHand of EvaluateTest.cpp has the sums.
struct Matmul {
  Cascade c;
  Arch a = machine("tiny");
  Schedule s;
  Plan plan;
  CostDetail detail;
  CostReport cost;

  Matmul() {
    c = matmul();
    a.memories[0].readBytesPerS = 16 * a.clockHz;
    const RankId i = rankId(c, "i"), k = rankId(c, "k");
    Group g;
    g.tile = {4, 0, 0};
    g.tileOrder = {i};
    Phase p;
    p.order = {i, k};
    p.block = {0, 0, 0};
    p.inner = {2, 0, 4};
    p.runs = {{0, {{0, false, 0, {i}, {k}}}}};
    g.phases = {p};
    s.groups = {g};
    run();
  }
  void run() {
    plan = makePlan(c, a, s);
    cost = Evaluator(c, a).evaluate(s, plan, detail);
    ASSERT_TRUE(cost.faults.empty()) << cost.faults.front();
  }
  LayerLimits limits() const { return limitsOf(c, a, s, plan, cost, detail); }
};

/// X on 2D takes 10 cycles, then Y on 1D takes 7, reading X.
struct Pair {
  Arch a = machine("tiny");
  Cascade c;
  Phase p;
  explicit Pair(bool recurs) {
    c = pair(recurs);
    p.order = {rankId(c, "p"), rankId(c, "m")};
    p.inner = {4, 1};
    p.runs = {{0, {{0, false, 0, {rankId(c, "p")}, {}}}},
              {1, {{1, false, 0, {rankId(c, "p")}, {}}}}};
  }
  Limit limit() const { return stepLimit(c, a, p, {{4, 1}}); }
};

} // namespace

TEST(CostDetailTest, PartsOfAMatmul) {
  const Matmul t;
  const PhaseDetail &parts = t.detail.groups[0].phases[0];
  // Tiles of 4, 4, 2 rows load them and all of B first, store 2x2 values last
  // and compute 12, 12, 6 cycles in between.
  EXPECT_EQ(parts.loadCycles, 2 * (48 + 72) / 16.0 + (24 + 72) / 16.0);
  EXPECT_EQ(parts.storeCycles, 3 * 16 / 16.0);
  EXPECT_EQ(parts.steadyCycles, 30);
  EXPECT_EQ(parts.computeBound, 30);
  EXPECT_EQ(parts.fillCycles + parts.drainCycles, 0);
  const LayerLimits limits = t.limits();
  const PhaseLimits &phase = limits.groups[0].phases[0];
  EXPECT_EQ(phase.load.limit, (Limit{LimitKind::Port, "dram port"}));
  EXPECT_EQ(phase.steady.limit, (Limit{LimitKind::Unit, "mac2d"}));
  EXPECT_EQ(phase.fill.limit.kind, LimitKind::None);
  ASSERT_EQ(limits.ranked.size(), 2u);
  EXPECT_EQ(limits.ranked[0].limit.by, "mac2d");
  EXPECT_EQ(limits.ranked[1].cycles, 21 + 3); // loads and stores, one port
}

TEST(CostDetailTest, PortsAreNamedByDirection) {
  // Stores overlap with computing up to the last piece: 96 - 16 of a full tile.
  // At a byte a cycle they take longer than its 12 cycles.
  Matmul t;
  Memory &dram = t.a.memories[0];
  dram.sharedPort = false;
  dram.writeBytesPerS = t.a.clockHz;
  t.run();
  const PhaseDetail &parts = t.detail.groups[0].phases[0];
  // Results of 32, 16, 32, 16 bytes and two places for them: the third epoch
  // starts when the first has left, at 3 + 32, the fourth 16 later, and all
  // have left at 3 + 96. Of the last tile the two epochs wait for nobody.
  EXPECT_DOUBLE_EQ(parts.steadyCycles, 2 * (3 + 32 + 16 + 3) + 6);
  EXPECT_DOUBLE_EQ(parts.storeCycles, 2 * 45 + 3 + 48 - 6);
  EXPECT_DOUBLE_EQ(parts.memoryBound[0], parts.steadyCycles);
  const PhaseLimits phase = t.limits().groups[0].phases[0];
  EXPECT_EQ(phase.load.limit.by, "dram read port");
  EXPECT_EQ(phase.steady.limit.by, "dram write port");
  EXPECT_EQ(phase.store.limit.by, "dram write port");
}

TEST(CostDetailTest, FillAndDrain) {
  // T1 on 2D takes 5 cycles an epoch, T2 and T3 on 1D take 2, one epoch later.
  Matmul t;
  t.c = chain(8, 5, 4);
  t.a.memories[0].readBytesPerS = 0;
  const RankId i = rankId(t.c, "i"), k = rankId(t.c, "k");
  t.s = Schedule();
  t.s.groups.resize(1);
  t.s.groups[0].phases.resize(1);
  Phase &p = t.s.groups[0].phases[0];
  p.inner = p.block = {0, 0, 0};
  p.order = {i};
  p.inner[i] = 2;
  p.runs = {{0, {{0, false, 0, {i}, {k}}}},
            {1, {{1, false, 1, {i}, {k}}, {2, false, 1, {i}, {k}}}}};
  t.run();
  const LayerLimits limits = t.limits();
  const PhaseLimits &phase = limits.groups[0].phases[0];
  EXPECT_EQ(phase.load.cycles + phase.store.cycles, 0);
  EXPECT_EQ(phase.fill.cycles, 5);
  EXPECT_EQ(phase.steady.cycles, 15);
  EXPECT_EQ(phase.drain.cycles, 2);
  EXPECT_EQ(phase.fill.limit.by, "mac2d");
  EXPECT_EQ(phase.steady.limit.by, "mac2d");
  EXPECT_EQ(phase.drain.limit.by, "vec1d");
  ASSERT_EQ(limits.ranked.size(), 2u);
  EXPECT_EQ(limits.ranked[0].cycles, 20);
  EXPECT_EQ(limits.ranked[1].cycles, 2);
}

TEST(CostDetailTest, AStepIsLimitedByAUnitAChainOrARecurrence) {
  Pair pair(/*recurs=*/false);
  EXPECT_EQ(pair.limit(), (Limit{LimitKind::Dependences, "X > Y"}));
  pair.p.runs = {{0, {pair.p.runs[0].slots[0], pair.p.runs[1].slots[0]}}};
  EXPECT_EQ(pair.limit(), (Limit{LimitKind::Unit, "mac2d"}));
  Pair recurrent(/*recurs=*/true);
  EXPECT_EQ(recurrent.limit().kind, LimitKind::Dependences);
  recurrent.p.wrap = true;
  EXPECT_EQ(recurrent.limit(), (Limit{LimitKind::Recurrence, "X > Y"}));
}

TEST(CostDetailTest, Roofline) {
  const Matmul t;
  // 180 multiply-adds, 336 bytes in and 240 out, 54 cycles, 16 + 8 lanes.
  const Roofline r =
      rooflineOf(t.a, t.detail.groups[0].laneCycles, t.cost.readBytes[0],
                 t.cost.writeBytes[0], t.cost.latencyCycles);
  EXPECT_DOUBLE_EQ(r.ops, 180);
  EXPECT_DOUBLE_EQ(r.opsPerByte, 180 / 576.0);
  EXPECT_DOUBLE_EQ(r.ridgeOpsPerByte, 24 / 16.0);
  EXPECT_TRUE(r.ofMemory);
  EXPECT_DOUBLE_EQ(r.roofOpsPerCycle, 180 / 576.0 * 16);
  EXPECT_DOUBLE_EQ(r.attained(), 180 / 54.0 / 5);
  // Right of the ridge the roof is the peak; what does not move has no
  // intensity; two ports move more than one.
  EXPECT_DOUBLE_EQ(rooflineOf(t.a, 180, 60, 59, 10).attained(), 18 / 24.0);
  EXPECT_FALSE(rooflineOf(t.a, 180, 0, 0, 10).moves);
  Arch two = t.a;
  two.memories[0].sharedPort = false;
  two.memories[0].writeBytesPerS = two.memories[0].readBytesPerS;
  EXPECT_DOUBLE_EQ(rooflineOf(two, 1, 1, 1, 1).ridgeOpsPerByte, 24 / 32.0);
  two.memories[0].writeBytesPerS = 0;
  EXPECT_EQ(rooflineOf(two, 1, 1, 1, 1).ridgeOpsPerByte, 0);
}

TEST(CostDetailTest, EnergyOfAMatmul) {
  Matmul t;
  t.a.memories[1].leakageW = .5;
  t.a.units[1].leakageW = .25;
  t.run();
  const EnergyAccount account = accountEnergy(t.a, t.cost, t.detail);
  ASSERT_TRUE(account.faults.empty());
  const double dram = 249.6 / 8, in = 12512.8 / 512, out = 15751.5 / 512;
  // A once, B in each of three tiles, T once; at the buffer A is read for both
  // column steps and B for all five row steps.
  const TensorEnergy &a = account.tensors[tensorId(t.c, "A")];
  EXPECT_DOUBLE_EQ(a.readPj[0], 120 * dram);
  EXPECT_DOUBLE_EQ(a.writePj[1], 120 * out);
  EXPECT_DOUBLE_EQ(a.readPj[1], 2 * 120 * in);
  const TensorEnergy &b = account.tensors[tensorId(t.c, "B")];
  EXPECT_DOUBLE_EQ(b.readPj[0], 216 * dram);
  EXPECT_DOUBLE_EQ(b.readPj[1], 5 * 72 * in);
  const TensorEnergy &r = account.tensors[tensorId(t.c, "T")];
  EXPECT_DOUBLE_EQ(r.writePj[0], 240 * dram);
  EXPECT_DOUBLE_EQ(r.pj(), 240 * (dram + in + out));
  EXPECT_DOUBLE_EQ(account.units[0].opPj[int(OpClass::Mac)], 180 * 17.16);
  EXPECT_DOUBLE_EQ(account.memories[1].leakagePj, .5e12 * t.cost.latencyS);
  EXPECT_DOUBLE_EQ(account.units[1].leakagePj, .25e12 * t.cost.latencyS);
}

TEST(CostDetailTest, PartsAddUpToTheLastBit) {
  double x = .1, y = .2, z = .3;
  EXPECT_NE(x + y + z, .6); // 0.6000000000000001
  EXPECT_TRUE(settle({&x, &y, &z}, {}, .6));
  EXPECT_EQ(static_cast<double>((long double)x + y + z), .6);
  EXPECT_TRUE(settle({&x, &y}, {.4}, .7));
  EXPECT_EQ(static_cast<double>((long double)x + y + .4L), .7);
  EXPECT_FALSE(settle({&x}, {}, .2)); // not rounding
  EXPECT_FALSE(settle({&x}, {}, std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(settle({}, {}, 0));
  // Thirds of one, in hundredths: the first gets what is left.
  EXPECT_EQ(apportion({1 / 3., 1 / 3., 1 / 3.}, 1, .01),
            (std::vector<int64_t>{34, 33, 33}));
  EXPECT_EQ(apportion({.006, .006, .988}, 1, .01),
            (std::vector<int64_t>{1, 0, 99}));
}
