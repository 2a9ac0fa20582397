//===- InstancesTest.cpp - One Einsum on several instances of a unit ------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values by hand. Everything is one epoch, in which the array of `tiny`, 4 x 4
// lanes, works alone; values are of 4 bytes.
//
//===----------------------------------------------------------------------===//

#include "../TestCascades.h"
#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Cost/CostDetail.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Core/Cost/Timing.h"
#include "transfusion/Core/Search/DPipe.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

constexpr MemoryId kBuffer = 1;

struct Case {
  Cascade c;
  Arch a = machine("tiny");
  Schedule s;
  CostDetail detail;
  explicit Case(Cascade cascade) : c(std::move(cascade)) {
    for (Unit &u : a.units)
      u.instances = 4;
    Phase p;
    Slot slot;
    slot.einsum = 0;
    p.runs = {{0, {slot}}};
    s.groups.push_back({{}, {}, {}, {p}});
  }
  Slot &slot() { return s.groups[0].phases[0].runs[0].slots[0]; }
  void split(const char *rank, int64_t points) {
    slot().instances.push_back({rankId(c, rank), points});
  }
  CostReport cost() {
    EXPECT_TRUE(checkSchedule(c, a, s).empty());
    return Evaluator(c, a).evaluate(s, makePlan(c, a, s), detail);
  }
  int64_t readOf(const char *tensor) {
    cost();
    return detail.byTensor[tensorId(c, tensor)].readBytes[kBuffer];
  }
};

Case onRowsAndColumns() {
  Case t(matmul(16, 16, 16));
  t.slot().rows = {rankId(t.c, "i")};
  t.slot().cols = {rankId(t.c, "k")};
  return t;
}

} // namespace

TEST(Instances, CyclesByHand) {
  EXPECT_EQ(onRowsAndColumns().cost().unitBusyCycles[0], 4 * 4 * 16);
  struct {
    const char *rank;
    int64_t points, cycles;
  } splits[] = {{"i", 4, 1 * 4 * 16}, // one fold of rows in each
                {"k", 8, 4 * 2 * 16},
                {"i", 5, 2 * 4 * 16}, // 5, 5, 5 and 1: a ragged fold is one
                {"i", 16, 4 * 4 * 16}};
  for (const auto &split : splits) {
    Case t = onRowsAndColumns();
    t.split(split.rank, split.points);
    EXPECT_EQ(t.cost().unitBusyCycles[0], split.cycles)
        << split.rank << " " << split.points;
  }
  Case both = onRowsAndColumns();
  both.split("i", 8);
  both.split("k", 8);
  EXPECT_EQ(both.cost().unitBusyCycles[0], 2 * 2 * 16);
}

/// Who shares an operand reads it for himself; A is 1024 bytes, and so is B.
TEST(Instances, BytesByHand) {
  Case alone = onRowsAndColumns();
  EXPECT_EQ(alone.readOf("A"), 1024);
  EXPECT_EQ(alone.readOf("B"), 1024);
  Case rows = onRowsAndColumns();
  rows.split("i", 4);
  EXPECT_EQ(rows.readOf("A"), 1024);
  EXPECT_EQ(rows.readOf("B"), 4 * 1024);
  Case both = onRowsAndColumns();
  both.split("i", 8);
  both.split("k", 8);
  EXPECT_EQ(both.readOf("A"), 2 * 1024);
  EXPECT_EQ(both.readOf("B"), 2 * 1024);
  // Results are written once, and read once to be stored.
  const TensorTraffic &y = both.detail.byTensor[tensorId(both.c, "T")];
  EXPECT_EQ(y.writeBytes[kBuffer], 1024);
  EXPECT_EQ(y.readBytes[kBuffer], 1024);
  // Every read has its energy.
  const double more = both.cost().energyPj - alone.cost().energyPj;
  EXPECT_NEAR(more, 2 * 1024 * both.a.memories[kBuffer].readPjPerByte,
              1e-9 * more);
}

/// Keys k <= i of 4 queries: the first two see 2 of them, the last two 4.
TEST(Instances, OfADomainEachReadsItsPart) {
  CascadeBuilder b("causal");
  b.rank("i", 4);
  b.rank("k", 4);
  b.input("V", {4});
  b.input("X", {4, 4});
  const EinsumId e = b.einsum("S[i]", {"X[i,k]", "V[k]"}, ReduceKind::Add,
                              {{OpClass::Mac, 1}});
  b.domain(e, "i-k");
  b.output("S");
  Case t(b.take());
  EXPECT_EQ(t.readOf("V"), 4 * 4);
  t.split("i", 2);
  EXPECT_EQ(t.readOf("V"), (2 + 4) * 4);
  EXPECT_EQ(t.readOf("X"), (1 + 2 + 3 + 4) * 4);
}

/// 6 sums of 3 neighbours read 8 values; in parts of 2 sums, 4 each.
TEST(Instances, PartsOfAHaloOverlap) {
  CascadeBuilder b("halo");
  b.rank("i", 6);
  b.rank("l", 3);
  b.input("X", {8});
  b.input("W", {3});
  b.einsum("S[i]", {"X[i+l]", "W[l]"}, ReduceKind::Add, {{OpClass::Mac, 1}});
  b.output("S");
  Case t(b.take());
  EXPECT_EQ(t.readOf("X"), 8 * 4);
  t.split("i", 2);
  EXPECT_EQ(t.readOf("X"), 3 * 4 * 4);
  EXPECT_EQ(t.readOf("W"), 3 * 3 * 4);
}

TEST(Instances, TheBoundCountsAllLanes) {
  Case t = onRowsAndColumns();
  t.a.units.pop_back(); // the array alone
  t.a.memories[0].readBytesPerS = t.a.memories[0].writeBytesPerS = 0;
  EXPECT_DOUBLE_EQ(lowerBound(t.c, t.a).cycles, 16. * 16 * 16 / (4 * 16));
}

/// Heads first, then rows; as it was where there is one.
TEST(Instances, DPipeSplits) {
  BertShape shape;
  shape.p = 64;
  for (const int64_t instances : {1, 2, 4, 6}) {
    Arch a = machine("edge");
    for (Unit &u : a.units)
      u.instances = instances;
    shape.m0 = a.units[0].cols;
    const Cascade c = bertLayer(shape);
    const DPipeResult r = dpipe(c, a);
    ASSERT_TRUE(r.infeasible.empty());
    EXPECT_TRUE(checkSchedule(c, a, r.schedule).empty());
    int split = 0, unsplit = 0;
    for (const Group &g : r.schedule.groups)
      for (const Phase &p : g.phases)
        for (const auto &run : p.runs)
          for (const Slot &slot : run.slots) {
            (slot.instances.empty() ? unsplit : split) += 1;
            if (c.einsums[slot.einsum].name == "QK" && instances > 1) {
              ASSERT_FALSE(slot.instances.empty());
              EXPECT_EQ(slot.instances[0].rank, rankId(c, "h"));
            }
          }
    if (instances == 1)
      EXPECT_EQ(split, 0);
    else
      EXPECT_GT(split, unsplit);
    EXPECT_LE(lowerBound(c, a).cycles,
              evaluate(c, a, r.schedule).latencyCycles);
  }
}
