//===- TimingTest.cpp - Cycles of a phase's pipeline ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Timing.h"
#include "../TestCascades.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

struct Attention {
  Arch a;
  Cascade c;
  Extents inner;
  explicit Attention(const std::string &machineName) : a(machine(machineName)) {
    AttentionShape s;
    s.m0 = a.units[0].cols;
    c = attention(s);
    for (const Rank &r : c.ranks)
      inner.push_back(r.extent);
    inner[rankId(c, "h")] = 4;
    inner[rankId(c, "b")] = inner[rankId(c, "m1")] = 1;
    inner[rankId(c, "p")] = a.units[0].rows;
  }
  int64_t cycles(int unit, const std::string &einsum, const char *col) const {
    Slot s{einsumId(c, einsum), false, 0, {rankId(c, "p")}, {rankId(c, col)}};
    return slotCycles(c, a.units[unit], s, false, inner);
  }
};

/// X, then Y reading X: one run per unit, stages as given.
struct Pair {
  Arch a = machine("tiny");
  Cascade c;
  Phase p;
  Pair(int stageX, int stageY, bool sameUnit, bool recurs = false) {
    c = pair(recurs);
    Slot x{0, false, stageX, {rankId(c, "p")}, {}};
    Slot y{1, false, stageY, {rankId(c, "p")}, {}};
    p.order = {rankId(c, "p"), rankId(c, "m")};
    p.inner = {4, 1};
    if (sameUnit)
      p.runs = {{0, {x, y}}};
    else
      p.runs = {{0, {x}}, {1, {y}}};
  }
  PhaseTiming time(int stages) const {
    return timePhase(c, a, p, std::vector<Extents>(stages, {4, 1}));
  }
};

} // namespace

TEST(SlotCyclesTest, GridFoldsRowsAndColumns) {
  Attention edge("edge");
  EXPECT_EQ(edge.cycles(0, "QK", "m0"), 4 * 64); // one fold, per head and e
  EXPECT_EQ(edge.cycles(0, "SLN", "m0"), 4 * 7); // exp is six macs
  EXPECT_EQ(edge.cycles(0, "RNV", "h"), 64);     // four heads on the columns
  EXPECT_EQ(edge.cycles(0, "LM", "m0"), -1);     // no max there
  edge.inner[rankId(edge.c, "p")] = 17;          // a ragged fold is a fold
  EXPECT_EQ(edge.cycles(0, "QK", "m0"), 2 * 4 * 64);
  edge.inner[rankId(edge.c, "h")] = 3;
  EXPECT_EQ(edge.cycles(0, "RNV", "h"), 2 * 64);
}

TEST(SlotCyclesTest, LanesTakeRowsFirst) {
  Attention edge("edge"), edge32("edge-32"), cloud("cloud");
  EXPECT_EQ(edge.cycles(1, "QK", "m0"), 4 * 64);   // 16 rows x 16 columns
  EXPECT_EQ(edge32.cycles(1, "SLD", "m0"), 4 * 4); // 8 columns beside 32 rows
  EXPECT_EQ(edge32.cycles(1, "RNV", "h"), 64);     // 8 >= 4 heads
  EXPECT_EQ(cloud.cycles(1, "RNV", "h"), 4 * 64);  // rows fill the lanes
  EXPECT_EQ(cloud.cycles(1, "LM", "m0"), 4 * 256);
}

TEST(SlotCyclesTest, FinishRunsOverTheResult) {
  Arch a = machine("edge");
  Cascade c = bertLayer({});
  EinsumId ffn2 = einsumId(c, "FFN2");
  Extents inner;
  for (const Rank &r : c.ranks)
    inner.push_back(r.extent);
  inner[rankId(c, "b")] = 1;
  inner[rankId(c, "p")] = inner[rankId(c, "s")] = 16;
  Slot s{ffn2, false, 0, {rankId(c, "p")}, {rankId(c, "s")}};
  EXPECT_EQ(slotCycles(c, a.units[0], s, true, inner), 768);
  EXPECT_EQ(slotCycles(c, a.units[0], s, false, inner), 768 + 768);
  s.finishOnly = true;
  s.cols = {rankId(c, "d")};
  EXPECT_EQ(slotCycles(c, a.units[0], s, false, inner), 768 / 16);
  // No finish: the sums are copied, an add's cycle each.
  c.einsums[ffn2].hasFinish = false;
  c.einsums[ffn2].finishOps = {};
  EXPECT_EQ(slotCycles(c, a.units[0], s, false, inner), 768 / 16);
}

TEST(TimePhaseTest, OneStageIsAMakespan) {
  PhaseTiming t = Pair(0, 0, false).time(1);
  EXPECT_EQ(t.ii, 17);
  EXPECT_EQ(t.fill + t.drain, 0);
  ASSERT_EQ(t.slots.size(), 2u);
  EXPECT_EQ(t.slots[1].start, 10);
  EXPECT_TRUE(t.violations.empty());
}

TEST(TimePhaseTest, TwoStagesRunBesideEachOther) {
  PhaseTiming t = Pair(0, 1, false).time(2);
  EXPECT_EQ(t.ii, 10);
  EXPECT_EQ(t.fill, 10);
  EXPECT_EQ(t.drain, 7);
}

TEST(TimePhaseTest, ARecurrenceOrdersTheStep) {
  // Y of the epoch before, in stage 1, is read by X in stage 0.
  PhaseTiming t = Pair(0, 1, false, /*recurs=*/true).time(2);
  EXPECT_EQ(t.ii, 17);
  EXPECT_TRUE(t.violations.empty());
}

TEST(TimePhaseTest, IdleStagesDoNotRun) {
  Pair pair(0, 1, false);
  PhaseTiming t = timePhase(pair.c, pair.a, pair.p, {{}, {4, 1}});
  EXPECT_EQ(t.ii, 7);
  ASSERT_EQ(t.slots.size(), 1u);
  EXPECT_EQ(t.slots[0].einsum, 1);
  // A ragged epoch beside a full one.
  pair.p.runs[0].slots[0].rows = {};
  t = timePhase(pair.c, pair.a, pair.p, {{2, 1}, {4, 1}});
  EXPECT_EQ(t.slots[0].cycles, 20);
}

TEST(TimePhaseTest, AReaderBeforeItsMakerIsForcedAndReported) {
  Pair pair(0, 0, true);
  std::swap(pair.p.runs[0].slots[0], pair.p.runs[0].slots[1]);
  PhaseTiming t = pair.time(1);
  EXPECT_EQ(t.ii, 17);
  ASSERT_EQ(t.violations.size(), 1u);
  EXPECT_EQ(t.slots[0].einsum, 1);
  EXPECT_EQ(Pair(1, 0, false).time(2).violations.size(), 1u);
}

TEST(TimePhaseTest, WrapFindsTheLeastModuloInterval) {
  // One unit: 17 whatever the stages; two units: the longer slot.
  for (bool sameUnit : {true, false}) {
    Pair pair(0, 1, sameUnit);
    pair.p.wrap = true;
    PhaseTiming t = pair.time(2);
    EXPECT_EQ(t.ii, sameUnit ? 17 : 10);
    // fill + (epochs - 1) * ii + drain is the time of all epochs.
    EXPECT_EQ(t.fill, t.ii);
    EXPECT_GE(t.drain, 0);
    EXPECT_TRUE(t.violations.empty());
  }
  Pair recurrent(0, 0, false, /*recurs=*/true);
  recurrent.p.wrap = true;
  EXPECT_EQ(recurrent.time(1).ii, 17);
  Pair wrong(1, 0, false);
  wrong.p.wrap = true;
  EXPECT_FALSE(wrong.time(2).violations.empty());
}
