//===- SimulateFileTest.cpp - Schedule files, written, read and run -------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Core/RandomCases.h"
#include "TargetCase.h"
#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Sim/Simulate.h"
#include "transfusion/Target/ScheduleFile/ReadProgram.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::test;

namespace {

sim::Program programOf(const Cascade &c, const Arch &a, const Schedule &s,
                       const Plan &p, const CostReport &cost) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeScheduleJson({"layer", c, a, s, p, {"p", "s", "o", 1, 1}}, cost, os);
  sim::Program program;
  for (const FileError &e : readProgram(text, program))
    ADD_FAILURE() << e.path << " " << e.message;
  return program;
}

/// A schedule of a BERT layer with a few hundred epochs, on a machine whose
/// memories limit it in one of several ways.
core::test::RandomCase layerCase(Rng &rng) {
  auto between = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(rng.below(most - least + 1));
  };
  core::test::RandomCase r;
  r.family = "layer";
  core::test::BertShape shape;
  shape.b = between(1, 9);
  shape.h = between(1, 4);
  shape.e = between(1, 8);
  shape.p = between(8, 60);
  shape.s = between(8, 80);
  shape.m0 = between(1, 4) * 2;
  r.c = core::test::bertLayer(shape);
  r.a = core::test::machine(rng.below(2) ? "edge" : "tiny");
  r.a.memories[1].capacityBytes = 1 << 20;
  Memory &outer = r.a.memories[0], &inner = r.a.memories[1];
  outer.readBytesPerS = r.a.clockHz * double(between(1, 64)) / 3;
  outer.writeBytesPerS = outer.readBytesPerS;
  if (rng.below(2)) {
    outer.sharedPort = false;
    outer.writeBytesPerS = r.a.clockHz * double(between(1, 64)) / 7;
  }
  if (rng.below(3) == 0) {
    inner.readBytesPerS = inner.writeBytesPerS =
        r.a.clockHz * double(between(16, 512));
    inner.sharedPort = rng.below(2);
  }
  core::test::BertTiles tiles;
  tiles.b = rng.below(2) ? 1 : between(1, shape.b);
  tiles.p = between(1, shape.p);
  tiles.kvM = between(1, shape.p);
  tiles.innerP = between(1, tiles.p);
  tiles.innerM = between(1, tiles.kvM);
  tiles.innerS = between(1, shape.s);
  tiles.headsPerEpoch = between(1, shape.h);
  tiles.blockKeys = rng.below(2) ? between(1, 4) : 0;
  tiles.blockS = rng.below(2) ? tiles.innerS * between(1, 3) : 0;
  r.s = core::test::bertSchedule(r.c, r.a, tiles);
  if (rng.below(2))
    for (Group &g : r.s.groups)
      for (Phase &phase : g.phases)
        for (Run &run : phase.runs)
          for (Slot &slot : run.slots)
            for (const char *late : {"SLNV", "SPNV", "RNV", "FFN2"})
              if (!slot.finishOnly && r.c.einsums[slot.einsum].name == late)
                slot.stage = 1;
  return r;
}

/// What the checker allows, the simulator runs; and skipping what repeats
/// changes nothing.
TEST(SimulateFileProperty, SkippingChangesNothing) {
  Rng rng(20261201);
  int legal = 0, skipped = 0, tries = 0;
  std::vector<double> narrow; // where the buffer has narrow ports: off by
  for (; legal < 200 && tries < 4000; ++tries) {
    const core::test::RandomCase r =
        tries % 2 ? core::test::randomCase(rng) : layerCase(rng);
    if (!checkSchedule(r.c, r.a, r.s).empty())
      continue;
    const Plan plan = makePlan(r.c, r.a, r.s);
    const CostReport cost = evaluate(r.c, r.a, r.s, plan);
    if (!cost.faults.empty())
      continue;
    ++legal;
    SCOPED_TRACE("try " + std::to_string(tries) + ", " + r.family);
    const sim::Program p = programOf(r.c, r.a, r.s, plan, cost);
    sim::SimOptions all;
    all.skip = false;
    const sim::SimReport fast = simulate(p), slow = simulate(p, all);
    for (const sim::Refusal &f : slow.refusals)
      FAIL() << f.where << ": " << f.what;
    ASSERT_TRUE(fast.refusals.empty());
    ASSERT_EQ(fast.cycles, slow.cycles);
    ASSERT_EQ(fast.steps, slow.steps);
    ASSERT_EQ(fast.portBusyCycles, slow.portBusyCycles);
    ASSERT_EQ(fast.phases.size(), slow.phases.size());
    for (size_t i = 0; i < fast.phases.size(); ++i) {
      ASSERT_EQ(fast.phases[i].cycles, slow.phases[i].cycles);
      ASSERT_EQ(fast.phases[i].firstStart, slow.phases[i].firstStart);
      for (size_t u = 0; u < fast.units.size(); ++u) {
        ASSERT_EQ(fast.phases[i].units[u].busyCycles,
                  slow.phases[i].units[u].busyCycles);
        ASSERT_EQ(fast.phases[i].units[u].stallCycles,
                  slow.phases[i].units[u].stallCycles);
      }
    }
    skipped += fast.stepsRun < slow.stepsRun;
    if (r.a.memories[1].readBytesPerS > 0)
      narrow.push_back(std::abs(slow.cycles / cost.latencyCycles - 1));
    for (size_t u = 0; u < slow.units.size(); ++u)
      ASSERT_EQ(slow.units[u].busyCycles, double(cost.unitBusyCycles[u]));
  }
  EXPECT_EQ(legal, 200);
  EXPECT_GT(skipped, 60);
  ASSERT_GT(narrow.size(), 40u);
  std::nth_element(narrow.begin(), narrow.begin() + narrow.size() / 2,
                   narrow.end());
  EXPECT_LT(narrow[narrow.size() / 2], 0.005);
}

TEST(SimulateFile, BusyCyclesAndBytesAreThoseOfTheCostModel) {
  TargetCase t;
  const sim::SimReport r = simulate(programOf(t.c, t.a, t.s, t.p, t.cost));
  ASSERT_TRUE(r.refusals.empty());
  for (size_t u = 0; u < r.units.size(); ++u)
    EXPECT_EQ(r.units[u].busyCycles, double(t.cost.unitBusyCycles[u]));
  const double perCycle = t.a.memories[0].readBytesPerS / t.a.clockHz;
  EXPECT_NEAR(r.portBusyCycles[0] * perCycle,
              double(t.cost.readBytes[0] + t.cost.writeBytes[0]), 1);
}

} // namespace
