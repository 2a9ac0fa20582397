//===- TransferPortsTest.cpp - Ports that transfers pass ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Evaluate.h"

#include "../RandomCases.h"
#include "../TestCascades.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

TEST(TransferPortsPropertyTest, AMemoryThatHoldsNothingChangesNothing) {
  Rng rng(77);
  int compared = 0;
  for (int n = 0; n < 2000 && compared < 60; ++n) {
    RandomCase r = randomCase(rng);
    if (!(r.a.memories[1].readBytesPerS > 0))
      continue;
    const CostReport without = evaluate(r.c, r.a, r.s);
    if (!without.faults.empty())
      continue;
    Memory unused = r.a.memories[0];
    unused.name = "unused";
    unused.capacityBytes = 1 << 20;
    r.a.memories.insert(r.a.memories.begin() + 1, unused);
    for (Unit &u : r.a.units)
      u.memory = 2;
    const CostReport with = evaluate(r.c, r.a, r.s);
    ASSERT_TRUE(with.faults.empty()) << with.faults.front();
    ASSERT_EQ(with.latencyCycles, without.latencyCycles) << "case " << n;
    ++compared;
  }
  EXPECT_EQ(compared, 60);
}

/// One slot on the array, i along rows and k along columns, in steps of so many
/// points of `rank` (0: one step).
static Schedule onRowsAndColumns(const Cascade &c, const char *rank,
                                 int64_t points) {
  Schedule s;
  s.groups.resize(1);
  s.groups[0].tile.assign(c.ranks.size(), 0);
  Phase p;
  p.block = p.inner = s.groups[0].tile;
  p.block[rankId(c, rank)] = p.inner[rankId(c, rank)] = points;
  p.order = {rankId(c, rank)};
  p.runs = {{0, {{0, false, 0, {rankId(c, "i")}, {rankId(c, "k")}}}}};
  s.groups[0].phases = {p};
  return s;
}

TEST(TransferPortsTest, ExposedTransfersPassBothPorts) {
  // T[i,k] = sum_j A[i,j]*B[j,k] of 10 x 3 x 6 in one step.
  const Cascade c = matmul();
  Arch a = machine("tiny");
  a.memories[0].readBytesPerS = 16 * a.clockHz;
  const Schedule s = onRowsAndColumns(c, "i", 0);
  // A of 120 bytes and B of 72, then 3 cycles of each of 3 x 2 folds, then 240.
  EXPECT_DOUBLE_EQ(evaluate(c, a, s).latencyCycles,
                   192 / 16.0 + 18 + 240 / 16.0);
  // A buffer of 8 bytes a cycle: these take twice as long, and neither is
  // beside the slot, which wants 192 + 240 bytes in its 18 cycles.
  a.memories[1].readBytesPerS = 8 * a.clockHz;
  EXPECT_DOUBLE_EQ(evaluate(c, a, s).latencyCycles,
                   192 / 8.0 + (192 + 240) / 8.0 + 240 / 8.0);
}

TEST(TransferPortsTest, AShortPhaseWaitsStepByStep) {
  // T[i,k] = sum_j A[i,j]*B[j,k], four columns of B at a time. At 10 bytes a
  // cycle A takes 16 cycles, and of each step B 16 and T 6.4. A step takes 10.
  const Cascade c = matmul(4, 10, 16);
  Arch a = machine("tiny");
  a.memories[0].readBytesPerS = 10 * a.clockHz;
  const Schedule s = onRowsAndColumns(c, "k", 4);
  // Step 0 from 32 to 42; of B 1 six cycles are left. Step 1 from 48; B 2 and
  // T 0, whose place step 2 wants, take 22.4, of which 10 pass beside it. Step
  // 2 from 70.4, so step 3 from 92.8. T 2 leaves beside it, T 3 after it.
  EXPECT_DOUBLE_EQ(evaluate(c, a, s).latencyCycles, 92.8 + 10 + 6.4);
  // What is due is never in the way of what is due later: two steps more are
  // two times 22.4 cycles more, of a block and a result each.
  EXPECT_DOUBLE_EQ(evaluate(matmul(4, 10, 24), a, s).latencyCycles,
                   92.8 + 10 + 6.4 + 2 * 22.4);
}
