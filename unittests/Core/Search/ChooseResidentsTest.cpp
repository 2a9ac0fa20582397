//===- ChooseResidentsTest.cpp - Tensors that stay in between -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TestCascades.h"
#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Cost/Limits.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/TileSeek.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// A memory of `capacity` bytes at four times the bandwidth of DRAM, before the
/// buffer.
Arch withMiddle(Arch a, int64_t capacity) {
  Memory middle = a.memories[0];
  middle.name = "l2";
  middle.capacityBytes = capacity;
  middle.readBytesPerS *= 4;
  middle.writeBytesPerS *= 4;
  middle.readPjPerByte *= .5;
  middle.writePjPerByte *= .5;
  a.memories.insert(a.memories.begin() + 1, middle);
  for (Unit &u : a.units)
    u.memory = 2;
  return a;
}

/// Y = A * B, Z = Y * C, each alone: X crosses groups.
Cascade twoProducts(int64_t n) {
  CascadeBuilder b("two");
  for (const char *r : {"i", "j", "k", "l"})
    b.rank(r, n);
  b.input("A", {n, n});
  b.input("B", {n, n});
  b.input("C", {n, n});
  b.einsum("Y[i,k]", {"A[i,j]", "B[j,k]"}, ReduceKind::Add,
           {{OpClass::Mac, 1}});
  b.einsum("Z[i,l]", {"Y[i,k]", "C[k,l]"}, ReduceKind::Add,
           {{OpClass::Mac, 1}});
  b.output("Z");
  return b.take();
}

/// Each Einsum its own group, everything in one epoch.
Schedule apart(const Cascade &c) {
  Schedule s;
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    Phase p;
    Slot slot;
    slot.einsum = e;
    p.runs = {{0, {slot}}};
    s.groups.push_back({{}, {}, {}, {p}, {}});
  }
  return s;
}

/// By hand: 16 x 16 values of 4 bytes are 1024 bytes; loads are exposed, then
/// the array computes, then stores are exposed.
TEST(Residents, BytesAndCyclesByHand) {
  const Cascade c = twoProducts(16);
  Arch a = withMiddle(machine("tiny"), 1 << 20);
  a.memories[0].readBytesPerS = a.clockHz * 2; // bytes a cycle
  a.memories[1].readBytesPerS = a.clockHz * 8;
  Schedule s = apart(c);
  const double compute = 16 * 16 * 16 / 16; // on 4 x 4 lanes, no rank mapped
  const CostReport without = evaluate(c, a, s);
  s.residents = {{tensorId(c, "Y"), 1}};
  ASSERT_TRUE(checkSchedule(c, a, s).empty());
  const CostReport made = evaluate(c, a, s);
  s.residents = {{tensorId(c, "C"), 1}};
  ASSERT_TRUE(checkSchedule(c, a, s).empty());
  const CostReport copied = evaluate(c, a, s);

  EXPECT_EQ(without.readBytes, (std::vector<int64_t>{4096, 0, 4096 + 2048}));
  EXPECT_EQ(made.readBytes[0], 3072); // A, B, C
  EXPECT_EQ(made.writeBytes[0], 1024);
  EXPECT_EQ(made.readBytes[1], 1024); // Y
  EXPECT_EQ(made.writeBytes[1], 1024);
  EXPECT_EQ(made.readBytes[2], without.readBytes[2]);
  EXPECT_EQ(copied.readBytes[0], 4096);
  EXPECT_EQ(copied.readBytes[1], 1024);
  EXPECT_EQ(copied.writeBytes[1], 1024);

  const double ownCompute = without.groups[0].phases[0].computeCycles;
  EXPECT_GE(ownCompute, compute);
  // A and B in, Y out; Y and C in, Z out; at two bytes a cycle.
  EXPECT_DOUBLE_EQ(without.latencyCycles,
                   2 * ownCompute + (2048 + 1024 + 2048 + 1024) / 2.0);
  // Y leaves over the faster port, and comes back beside C.
  EXPECT_DOUBLE_EQ(made.latencyCycles, 2 * ownCompute + 2048 / 2.0 +
                                           1024 / 8.0 + 1024 / 2.0 +
                                           1024 / 2.0);
  // C is copied before its group, then comes beside Y.
  EXPECT_DOUBLE_EQ(copied.latencyCycles, 2 * ownCompute +
                                             (2048 + 1024 + 1024) / 2.0 +
                                             1024 / 2.0 + 1024 / 2.0);
}

/// Before a group starts, what takes longest is named: DRAM or the memory in
/// between while C is copied, then whichever of the three the piece of C that
/// the group keeps has to pass.
TEST(Residents, GroupLoadsWaitForTheSlowestPort) {
  const Cascade c = twoProducts(16);
  Arch a = withMiddle(machine("tiny"), 1 << 20);
  a.memories[0].readBytesPerS = a.clockHz * 4; // bytes a cycle
  Memory &middle = a.memories[1], &buffer = a.memories[2];
  middle.sharedPort = buffer.sharedPort = false;
  middle.readBytesPerS = a.clockHz * 8;
  middle.writeBytesPerS = a.clockHz * 8;
  buffer.readBytesPerS = 0;
  buffer.writeBytesPerS = a.clockHz * 16;
  Schedule s = apart(c);
  s.groups[1].retain = {{tensorId(c, "C"), RetainLevel::Group}};
  s.residents = {{tensorId(c, "C"), 1}};
  ASSERT_TRUE(checkSchedule(c, a, s).empty());
  auto expectLoad = [&](double cycles, const char *by) {
    const Plan plan = makePlan(c, a, s);
    CostDetail detail;
    const CostReport cost = Evaluator(c, a).evaluate(s, plan, detail);
    const LimitedCycles load =
        limitsOf(c, a, s, plan, cost, detail).groups[1].load;
    EXPECT_DOUBLE_EQ(load.cycles, cycles);
    EXPECT_EQ(load.limit.by, by);
  };
  expectLoad(1024 / 4.0 + 1024 / 8.0, "dram port");
  middle.writeBytesPerS = a.clockHz * 2;
  expectLoad(1024 / 2.0 + 1024 / 8.0, "l2 write port");
  middle.readBytesPerS = a.clockHz;
  expectLoad(1024 / 2.0 + 1024 / 1.0, "l2 read port");
  buffer.writeBytesPerS = a.clockHz / 2;
  expectLoad(1024 / 2.0 + 1024 / 0.5, "buffer write port");
}

TEST(Residents, GroupBoundsLeaveThemOut) {
  const Cascade c = twoProducts(16);
  const Arch a = withMiddle(machine("tiny"), 1 << 20);
  Schedule s = apart(c);
  const std::vector<LowerBound> without = groupBounds(c, a, s);
  s.residents = {{tensorId(c, "Y"), 1}};
  const std::vector<LowerBound> with = groupBounds(c, a, s);
  EXPECT_EQ(without[0].compulsoryWriteBytes, 1024);
  EXPECT_EQ(with[0].compulsoryWriteBytes, 0);
  EXPECT_EQ(without[1].compulsoryReadBytes, 2048);
  EXPECT_EQ(with[1].compulsoryReadBytes, 1024);
}

/// What is found is legal, spares DRAM and is never slower; more room never
/// hurts.
TEST(Residents, SearchesUseThem) {
  const Cascade c = bertLayer({1, 4, 16, 64, 256, 16, 16, 16});
  Arch small = machine("tiny");
  small.memories[1].capacityBytes = 64 << 10;
  small.memories[0].readBytesPerS /= 8;
  const DPipeResult two = dpipe(c, small);
  ASSERT_TRUE(two.infeasible.empty());
  const CostReport before = evaluate(c, small, two.schedule);
  double last = before.latencyCycles;
  for (int64_t capacity : {0, 1 << 14, 1 << 17, 1 << 20}) {
    const Arch a = withMiddle(small, std::max<int64_t>(capacity, 64));
    const DPipeResult three = dpipe(c, a);
    ASSERT_TRUE(three.infeasible.empty());
    const std::vector<Violation> found =
        checkPlan(c, a, three.schedule, makePlan(c, a, three.schedule));
    ASSERT_TRUE(found.empty()) << found.front().what;
    const CostReport cost = evaluate(c, a, three.schedule);
    ASSERT_TRUE(cost.faults.empty());
    EXPECT_LE(cost.latencyCycles, last * (1 + 1e-12)) << capacity;
    last = cost.latencyCycles;
    if (capacity == 1 << 20) {
      EXPECT_FALSE(three.schedule.residents.empty());
      EXPECT_LT(cost.readBytes[0], before.readBytes[0]);
      TileSeekOptions o;
      o.evaluations = 64;
      const TileSeekResult best = tileseek(c, a, three.schedule, o);
      ASSERT_TRUE(best.infeasible.empty());
      EXPECT_LE(best.cost, cost.latencyCycles * (1 + 1e-12));
      EXPECT_TRUE(checkPlan(c, a, best.schedule, makePlan(c, a, best.schedule))
                      .empty());
    }
  }
}

TEST(Residents, OnTwoMemoriesThereAreNone) {
  const Cascade c = chain(20, 12, 16);
  EXPECT_TRUE(dpipe(c, machine("tiny")).schedule.residents.empty());
}

} // namespace
