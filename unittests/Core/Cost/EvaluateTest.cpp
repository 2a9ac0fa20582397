//===- EvaluateTest.cpp - The cost model against a literal walk -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Evaluate.h"

#include "../RandomCases.h"
#include "Walker.h"
#include "transfusion/Core/Cost/EnergyAccount.h"
#include "transfusion/Core/Cost/Limits.h"
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
    expectNear(r.unitLanes[u] * double(a.units[u].allLanes()) * r.latencyCycles,
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

/// Parts of the sums, and that they add up to them.
static void expectParts(const RandomCase &r, const Plan &plan,
                        const CostReport &cost, const CostDetail &detail,
                        const Walked &w) {
  for (size_t g = 0; g < w.phases.size(); ++g)
    for (size_t p = 0; p < w.phases[g].size(); ++p) {
      const PhaseDetail &x = detail.groups[g].phases[p];
      const WalkedPhase &y = w.phases[g][p];
      expectNear(x.loadCycles + x.storeCycles, y.exposedCycles, "exposed");
      expectNear(x.loadCycles + x.fillCycles + x.steadyCycles + x.drainCycles +
                     x.storeCycles,
                 y.latencyCycles, "parts of a phase");
      double bound = x.computeBound;
      for (double cycles : x.memoryBound)
        bound += cycles;
      expectNear(bound, x.steadyCycles, "parts of the steady part");
      // With wrap and more stages, filling is counted in full steps.
      if (r.s.groups[g].phases[p].wrap && plan.groups[g].phases[p].stages > 2)
        continue;
      EXPECT_EQ(x.fillCycles, double(y.fillCycles));
      EXPECT_EQ(x.drainCycles, double(y.drainCycles));
    }
  const LayerLimits limits = limitsOf(r.c, r.a, r.s, plan, cost, detail);
  double sum = 0;
  for (const LimitedCycles &part : limits.ranked) {
    sum += part.cycles;
    EXPECT_GT(part.cycles, 0);
    EXPECT_NE(part.limit.by, "");
  }
  expectNear(sum, cost.latencyCycles, "limits");
  const EnergyAccount account = accountEnergy(r.a, cost, detail);
  EXPECT_TRUE(account.faults.empty());
}

TEST(EvaluatePropertyTest, EqualsTheLiteralWalk) {
  Rng rng(2025);
  std::map<std::string, int> seen;
  int compared = 0;
  for (int n = 0; n < 20000 && compared < 900; ++n) {
    const RandomCase r = randomCase(rng);
    const Plan plan = makePlan(r.c, r.a, r.s);
    CostDetail detail;
    const CostReport cost = Evaluator(r.c, r.a).evaluate(r.s, plan, detail);
    if (!cost.faults.empty())
      continue;
    const Walked walked = walk(r.c, r.a, r.s, plan);
    SCOPED_TRACE("case " + std::to_string(n) + " " + r.family);
    expectSame(cost, walked, r.a);
    expectParts(r, plan, cost, detail, walked);
    for (size_t m = 0; m < r.a.memories.size(); ++m) {
      int64_t read = 0, written = 0;
      for (const TensorTraffic &t : detail.byTensor) {
        read += t.readBytes[m];
        written += t.writeBytes[m];
      }
      EXPECT_EQ(read, cost.readBytes[m]);
      EXPECT_EQ(written, cost.writeBytes[m]);
    }
    if (HasFailure())
      return;
    ++compared;
    ++seen[r.family];
    seen["ragged"] += walked.ragged;
    seen["refetched"] += walked.refetched;
    seen["accumulated"] += walked.accumulated;
    seen["skipped"] += walked.skipped;
    seen["results of rows"] += walked.waitsForRows;
    seen["short phase"] += walked.shortPhases > 0;
    seen["long phase"] += walked.longPhases > 0;
    seen["split"] += walked.split;
    seen["narrow port"] += r.a.memories[1].readBytesPerS > 0;
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
      const bool severalTiles = cost.groups[b.group].outerTiles > 1;
      const int32_t phases =
          static_cast<int32_t>(r.s.groups[b.group].phases.size());
      seen["prefetch"] += b.prefetchAhead > 0;
      seen["prefetch for the next tile"] +=
          severalTiles && b.prefetchAhead > b.phase;
      seen["prefetch of a block"] +=
          b.prefetchAhead > 0 && b.fetchPosition >= 0;
      seen["deferred"] += b.storeDelay > 0;
      seen["deferred into the next tile"] +=
          severalTiles && b.phase + b.storeDelay >= phases;
    }
  }
  EXPECT_GE(compared, 500);
  for (const char *what : {"dag",
                           "attention",
                           "bert",
                           "ragged",
                           "refetched",
                           "accumulated",
                           "skipped",
                           "results of rows",
                           "short phase",
                           "long phase",
                           "split",
                           "narrow port",
                           "several groups",
                           "several phases",
                           "wrap",
                           "stages",
                           "tile",
                           "group",
                           "carried",
                           "last slice",
                           "tiled digits or halo",
                           "prefetch",
                           "prefetch for the next tile",
                           "prefetch of a block",
                           "deferred",
                           "deferred into the next tile"})
    EXPECT_GE(seen[what], 20) << what;
}

TEST(EvaluatePropertyTest, MoreBandwidthIsNeverWorse) {
  Rng rng(41);
  int compared = 0;
  for (int n = 0; n < 4000 && compared < 500; ++n) {
    RandomCase r = randomCase(rng);
    const CostReport before = evaluate(r.c, r.a, r.s);
    if (!before.faults.empty())
      continue;
    ++compared;
    for (Memory &m : r.a.memories) {
      m.readBytesPerS *= 1.5;
      m.writeBytesPerS *= 1.5;
    }
    const CostReport after = evaluate(r.c, r.a, r.s);
    ASSERT_LE(after.latencyCycles, before.latencyCycles * (1 + 1e-12));
    ASSERT_EQ(after.readBytes, before.readBytes);
  }
  EXPECT_GE(compared, 200);
}

TEST(EvaluatePropertyTest, AnEvaluatorRemembersNothingWrong) {
  // One Evaluator over many schedules of a cascade against fresh ones.
  Rng rng(43);
  const Cascade c = bertLayer({2, 2, 2, 7, 6, 3});
  const Arch a = machine("tiny");
  Evaluator shared(c, a);
  for (int n = 0; n < 300; ++n) {
    BertTiles t;
    t.b = 1 + rng.below(2);
    t.p = 1 + rng.below(7);
    t.kvM = 1 + rng.below(7);
    t.innerP = 1 + rng.below(3);
    t.innerM = 1 + rng.below(4);
    t.innerS = 1 + rng.below(5);
    t.headsPerEpoch = 1 + rng.below(2);
    t.blockKeys = rng.below(3);
    const Schedule s = bertSchedule(c, a, t);
    const CostReport x = shared.evaluate(s), y = evaluate(c, a, s);
    ASSERT_EQ(x.faults, y.faults);
    ASSERT_EQ(x.latencyCycles, y.latencyCycles);
    ASSERT_EQ(x.energyPj, y.energyPj);
    ASSERT_EQ(x.readBytes, y.readBytes);
    ASSERT_EQ(x.peakBytes, y.peakBytes);
    ASSERT_EQ(x.bottleneck, y.bottleneck);
    ASSERT_TRUE(x.faults.empty()) << x.faults.front();
  }
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

/// T[i,k] = sum_j A[i,j]*B[j,k] on a 4x4 array: i = 10 in tiles of 4, inner 2.
static Schedule matmulSchedule(const Cascade &c) {
  Schedule s;
  s.groups.resize(1);
  Group &g = s.groups[0];
  g.tile.assign(c.ranks.size(), 0);
  g.tileOrder = {rankId(c, "i")};
  g.tile[rankId(c, "i")] = 4;
  Phase p;
  p.block = p.inner = std::vector<int64_t>(c.ranks.size(), 0);
  p.order = {rankId(c, "i"), rankId(c, "k")};
  p.inner[rankId(c, "i")] = 2;
  p.inner[rankId(c, "k")] = 4;
  p.runs = {{0, {{0, false, 0, {rankId(c, "i")}, {rankId(c, "k")}}}}};
  g.phases = {p};
  return s;
}

TEST(EvaluateTest, MatmulByHand) {
  const Cascade c = matmul();
  Arch a = machine("tiny");
  a.memories[0].readBytesPerS = 16 * a.clockHz; // 16 bytes a cycle, shared
  const Schedule s = matmulSchedule(c);
  CostReport r = evaluate(c, a, s);
  ASSERT_TRUE(r.faults.empty()) << r.faults.front();
  // Outer tiles of i: 4, 4, 2. Epochs: 2x2, 2x2, 1x2; each 3 cycles (j) in one
  // fold, also the ragged ones of k.
  EXPECT_EQ(r.groups[0].outerTiles, 3);
  EXPECT_EQ(r.groups[0].phases[0].epochs, 10);
  EXPECT_EQ(r.groups[0].phases[0].iiCycles, 3);
  EXPECT_EQ(r.groups[0].phases[0].computeCycles, 30);
  EXPECT_EQ(r.einsums[0].points, 180);
  EXPECT_EQ(r.einsums[0].busyCycles, 30);
  EXPECT_EQ(r.einsums[0].cyclesPerEpoch, 3);
  EXPECT_DOUBLE_EQ(r.arithmeticPj, 180 * 17.16);
  // A once, B (72 bytes) in each of the three tiles, T once.
  EXPECT_EQ(r.readBytes[0], 10 * 3 * 4 + 3 * 72);
  EXPECT_EQ(r.writeBytes[0], 10 * 6 * 4);
  // All loads are exposed, and of the stores the last one: the ragged k, 2x2
  // values. What overlaps, 96 - 16 bytes, takes 5 cycles of 12 computed.
  const double full = 12 + (48 + 72 + 16) / 16.0;
  const double last = 6 + (24 + 72 + 16) / 16.0;
  EXPECT_DOUBLE_EQ(r.latencyCycles, 2 * full + last);
  EXPECT_EQ(r.bottleneck, "dram"); // 36 cycles of transfers, 30 of compute
  EXPECT_DOUBLE_EQ(r.unitBusy[0], 30 / r.latencyCycles);
  EXPECT_DOUBLE_EQ(r.unitLanes[0], 180 / (16 * r.latencyCycles));
  EXPECT_EQ(r.unitBusyCycles[1], 0);
  // Buffer: per epoch A 2x3, B 3x4 or 3x2, result; plus fills and drains.
  EXPECT_EQ(r.readBytes[1], (2 * 10 * 3 + 5 * 3 * 6) * 4 + 240);
  EXPECT_EQ(r.writeBytes[1], 240 + 336);
  // Half a watt of buffer, a quarter of lanes, for as long as it takes.
  a.memories[1].leakageW = .5;
  a.units[1].leakageW = .25;
  const CostReport leaking = evaluate(c, a, s);
  EXPECT_DOUBLE_EQ(leaking.leakagePj, .75e12 * r.latencyS);
  EXPECT_DOUBLE_EQ(leaking.energyPj, r.energyPj + leaking.leakagePj);

  // B held for the group: loaded once, ahead of everything.
  Schedule held = s;
  held.groups[0].retain = {{tensorId(c, "B"), RetainLevel::Group}};
  r = evaluate(c, a, held);
  EXPECT_EQ(r.readBytes[0], 120 + 72);
  EXPECT_DOUBLE_EQ(r.groups[0].loadCycles, 72 / 16.0);
  EXPECT_DOUBLE_EQ(r.latencyCycles, 2 * full + last - 2 * 72 / 16.0);

  // B in blocks of four columns: fetched for each row step, ahead of use.
  Schedule blocked = s;
  blocked.groups[0].phases[0].block = {0, 0, 4};
  r = evaluate(c, a, blocked);
  EXPECT_EQ(r.readBytes[0], 120 + 5 * 72);
  // No number: no limit.
  a.memories[0].readBytesPerS = 0;
  EXPECT_EQ(evaluate(c, a, s).latencyCycles, 30);
}

TEST(EvaluateTest, FillAndDrain) {
  // T1 on 2D (stage 0), T2 on 1D (stage 1): at step k both work, beside each
  // other, except in the first and in the last step.
  const Cascade c = chain(8, 5, 4);
  Arch a = machine("tiny");
  a.memories[0].readBytesPerS = 0;
  const RankId i = rankId(c, "i"), k = rankId(c, "k");
  Schedule s;
  s.groups.resize(1);
  s.groups[0].phases.resize(1);
  Phase &p = s.groups[0].phases[0];
  p.inner = p.block = {0, 0, 0};
  p.order = {i};
  p.inner[i] = 2;
  p.runs = {{0, {{0, false, 0, {i}, {k}}}},
            {1, {{1, false, 1, {i}, {k}}, {2, false, 1, {i}, {k}}}}};
  CostReport r = evaluate(c, a, s);
  ASSERT_TRUE(r.faults.empty()) << r.faults.front();
  const PhaseCost &cost = r.groups[0].phases[0];
  EXPECT_EQ(cost.epochs, 4);
  EXPECT_EQ(cost.stages, 2);
  EXPECT_EQ(cost.iiCycles, 5);
  EXPECT_EQ(cost.fillCycles, 5);
  EXPECT_EQ(cost.drainCycles, 2);
  EXPECT_EQ(r.latencyCycles, 5 + 3 * 5 + 2);
  EXPECT_EQ(r.bottleneck, "mac2d");
}

TEST(EvaluateTest, FaultsInsteadOfNumbers) {
  const Cascade c = chain(8, 5, 4);
  const Arch a = machine("tiny");
  Schedule s;
  s.groups.resize(1);
  s.groups[0].phases.resize(1);
  s.groups[0].phases[0].runs = {
      {0,
       {{0, false, 0, {}, {}}, {1, false, 0, {}, {}}, {2, false, 0, {}, {}}}}};
  CostReport r = evaluate(c, a, s);
  ASSERT_EQ(r.faults.size(), 1u);
  EXPECT_EQ(r.faults[0], "T2 cannot run on mac2d, which does not support max");

  // 2^20 in each rank: points 2^60, bytes and cycles of the result still fit,
  // reads of inner footprints do not.
  const Cascade huge =
      chain(int64_t(1) << 22, int64_t(1) << 22, int64_t(1) << 22);
  s.groups[0].phases[0].runs = {
      {0, {{0, false, 0, {}, {}}}},
      {1, {{1, false, 0, {}, {}}, {2, false, 0, {}, {}}}}};
  r = evaluate(huge, a, s);
  EXPECT_FALSE(r.faults.empty());
  Arch clockless = a;
  clockless.clockHz = 0;
  EXPECT_FALSE(evaluate(c, clockless, s).faults.empty());
  // A machine that breaks A06: no infinite number comes out.
  Arch hot = machine("tiny");
  hot.memories[0].readPjPerByte = 1e308;
  const CostReport infinite = evaluate(matmul(), hot, matmulSchedule(matmul()));
  ASSERT_EQ(infinite.faults.size(), 1u);
  EXPECT_EQ(infinite.faults[0], "latency or energy is not a finite number");
}

TEST(EvaluateTest, ResultsOfRowsAreWaitedFor) {
  // Y of a row of 16 steps: X takes 10 cycles on 2D, then Y 7 on 1D. The last
  // slice leaves, 4 values; the place is wanted two steps later, of which one
  // runs meanwhile.
  CascadeBuilder b("rows");
  b.rank("p", 64);
  b.rank("m", 16, /*iterative=*/true);
  b.einsum("X[m,p]", {"Y[m,p]"}, ReduceKind::None, {{OpClass::Mac, 10}});
  b.einsum("Y[m+1,p]", {"X[m,p]"}, ReduceKind::None, {{OpClass::Mac, 7}});
  b.einsum("Z[p]", {"Y[16,p]"}, ReduceKind::None, {{OpClass::Mac, 1}});
  b.output("Z");
  const Cascade c = b.take();
  Arch a = machine("tiny");
  a.memories[0].readBytesPerS = 0.5 * a.clockHz; // 16 bytes in 32 cycles
  Schedule s;
  s.groups.resize(2);
  for (Group &g : s.groups)
    g.tile.assign(c.ranks.size(), 0);
  Phase p;
  p.block = p.inner = s.groups[0].tile;
  Phase last = p;
  p.order = {rankId(c, "p"), rankId(c, "m")};
  p.inner[rankId(c, "p")] = 4;
  p.inner[rankId(c, "m")] = 1;
  p.runs = {{0, {{0, false, 0, {rankId(c, "p")}, {}}}},
            {1, {{1, false, 0, {rankId(c, "p")}, {}}}}};
  last.runs = {{1, {{2, false, 0, {rankId(c, "p")}, {}}}}};
  s.groups[0].phases = {p};
  s.groups[1].phases = {last};
  const Plan plan = makePlan(c, a, s);
  int64_t places = 0;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.storesLastSliceOnly)
      places = buffer.slots;
  ASSERT_EQ(places, 2);
  const CostReport r = evaluate(c, a, s, plan);
  ASSERT_TRUE(r.faults.empty()) << r.faults.front();
  EXPECT_EQ(r.groups[0].phases[0].computeCycles, 16 * 16 * 17);
  EXPECT_DOUBLE_EQ(r.groups[0].latencyCycles,
                   16 * 16 * 17 + 15 * (32 - 17) + 32);
}

TEST(EvaluateTest, BertLayerOnEdge) {
  // One stage, QK ... on 2D as it comes: what does not depend on the order.
  const Cascade c = bertLayer({});
  const Arch a = machine("edge");
  BertTiles t;
  t.p = t.kvM = 1024;
  const CostReport r = evaluate(c, a, bertSchedule(c, a, t));
  ASSERT_TRUE(r.faults.empty()) << r.faults.front();
  const int64_t tokens = 64 * 1024, d = 768, s = 3072;
  // K, V and the result leave, nothing else does.
  EXPECT_EQ(r.writeBytes[0], 3 * tokens * d * 4);
  const PhaseCost &q = r.groups[1].phases[0];
  EXPECT_EQ(q.epochs, 64 * 12 * 64);
  EXPECT_EQ(q.iiCycles, 768 * 4 + 4); // folds of e over 16 columns; bias
  EXPECT_EQ(r.groups[1].phases[1].epochs, 64 * 3 * 64 * 64);
  EXPECT_EQ(r.einsums[einsumId(c, "FFN1")].points, tokens * d * s);
  EXPECT_GE(r.latencyCycles, lowerBound(c, a).cycles);
}
