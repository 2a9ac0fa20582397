//===- LowerBoundTest.cpp - What no schedule can beat ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/LowerBound.h"

#include "../RandomCases.h"
#include "transfusion/Core/Cost/Evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace transfusion::core;
using namespace transfusion::core::test;

/// Work bound per inner tile of one head: side queries by side keys.
static double perTile(const std::string &name, int64_t e) {
  const Arch a = machine(name);
  AttentionShape s;
  s.e = s.f = e;
  s.p = s.m = 16384;
  s.m0 = a.units[0].rows;
  const double tiles = double(s.h) * double(s.p / s.m0) * double(s.m / s.m0);
  return lowerBound(attention(s), a).workCycles / tiles;
}

TEST(LowerBoundOracleTest, WorkBoundOverAllLanes) {
  // Where every op of the loop may run on every lane. AV, which may not, falls
  // outside the epoch and is what the tolerance is for.
  const struct {
    const char *machine;
    int64_t e;
    double cycles;
  } rows[] = {
      {"cloud-max2d", 64, 137.0},   {"cloud-max2d", 128, 265.0},
      {"edge-max2d", 64, 72.8},     {"edge-max2d", 128, 140.8},
      {"edge-32-max2d", 64, 113.0}, {"edge-32-max2d", 128, 218.7},
      {"edge-64-max2d", 64, 131.0}, {"edge-64-max2d", 128, 253.3},
  };
  for (const auto &row : rows)
    EXPECT_NEAR(perTile(row.machine, row.e), row.cycles, .005 * row.cycles)
        << row.machine << " " << row.e;
}

TEST(LowerBoundOracleTest, MaximaOnlyOn1D) {
  // LM and RM keep 256 lanes busy for 65536 + 256 points: 257 cycles.
  EXPECT_NEAR(perTile("cloud", 64), 257, .005 * 257);
  // On edge there is other work for the 1D array and the bound is as before.
  EXPECT_NEAR(perTile("edge", 64), 72.8, .005 * 72.8);
}

TEST(LowerBoundTest, ChainByHand) {
  // T1: 6*5*4 macs anywhere, T2: 24 max and T3: 24 adds; 2D 16 lanes, 1D 8.
  const Cascade c = chain(6, 5, 4);
  const Arch a = machine("tiny");
  const LowerBound b = lowerBound(c, a);
  EXPECT_DOUBLE_EQ(b.workCycles, (120.0 + 24 + 24) / 24);
  EXPECT_EQ(b.compulsoryReadBytes, (6 * 5 + 5 * 4) * 4);
  EXPECT_EQ(b.compulsoryWriteBytes, 6 * 4);
  EXPECT_DOUBLE_EQ(b.memoryCycles,
                   (200 + 24) * a.clockHz / a.memories[0].readBytesPerS);
  EXPECT_EQ(b.limitedBy, "work");
  EXPECT_EQ(b.cycles, b.workCycles);
  // Without macs on the 1D array the 2D array is the bottleneck.
  Arch narrow = a;
  narrow.units[1].ops[static_cast<int>(OpClass::Mac)].supported = false;
  EXPECT_DOUBLE_EQ(lowerBound(c, narrow).workCycles, 120.0 / 16);
}

TEST(LowerBoundTest, CausalHalvesTheWork) {
  AttentionShape s;
  s.p = s.m = 1024;
  s.m0 = 16;
  const double full = lowerBound(attention(s), machine("edge")).workCycles;
  s.causal = true;
  const double half = lowerBound(attention(s), machine("edge")).workCycles;
  EXPECT_LT(half, full * .62); // the recurrences run for all keys
  EXPECT_GT(half, full * .5);
}

TEST(LowerBoundTest, WeightsAreReadOnce) {
  const Cascade c = bertLayer({});
  const LowerBound b = lowerBound(c, machine("edge"));
  const int64_t d = 768, s = 3072;
  EXPECT_EQ(b.compulsoryReadBytes,
            4 * (64 * 1024 * d + 4 * d * d + 2 * d * s + 9 * d + s));
  EXPECT_EQ(b.compulsoryWriteBytes, 4 * 64 * 1024 * d);
  EXPECT_EQ(b.limitedBy, "work");
}

TEST(LowerBoundTest, PartsAreNamed) {
  Arch a = machine("tiny");
  a.memories[1].readBytesPerS = 1e12;
  const LowerBound b = lowerBound(chain(6, 5, 4), a);
  std::vector<std::string> names;
  double greatest = 0;
  for (const BoundPart &part : b.parts) {
    names.push_back(part.name);
    greatest = std::max(greatest, part.cycles);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"work", "recurrence", "dram bandwidth",
                                      "buffer ports"}));
  EXPECT_EQ(b.cycles, greatest);
  // A 30, B 20, T1 24 twice, T2 24 twice, T3 6 values, and 50 + 6 that cross.
  EXPECT_DOUBLE_EQ(b.parts[3].cycles,
                   4 * (30 + 20 + 4 * 24 + 6 + 56) * a.clockHz / 1e12);
}

TEST(LowerBoundTest, RecurrenceByHand) {
  // Slice after slice of RD: one multiplication, one addition.
  AttentionShape s;
  s.b = s.h = s.p = 1;
  s.e = s.f = 1;
  s.m = 4096;
  s.m0 = 16;
  const LowerBound b = lowerBound(attention(s), machine("edge-max2d"));
  EXPECT_DOUBLE_EQ(b.recurrenceCycles, 256 * 2);
  EXPECT_EQ(b.limitedBy, "recurrence"); // one query has no other work
  s.p = 4096;
  EXPECT_EQ(lowerBound(attention(s), machine("edge-max2d")).limitedBy, "work");
  // An exp inside the circle counts for what it takes.
  CascadeBuilder c("decay");
  c.rank("t", 10, /*iterative=*/true);
  c.input("X", {10});
  c.einsum("Y[t]", {"S[t]", "X[t]"}, ReduceKind::None,
           {{OpClass::Exp, 1}, {OpClass::Mac, 1}});
  c.einsum("S[t+1]", {"S[t]", "Y[t]"}, ReduceKind::None, {{OpClass::Add, 1}});
  c.output("S");
  EXPECT_DOUBLE_EQ(lowerBound(c.take(), machine("edge")).recurrenceCycles,
                   10 * 8);
}

/// Every part alone, with the buffer's ports as narrow as the outer memory's.
TEST(LowerBoundPropertyTest, NoScheduleBeatsAPart) {
  Rng rng(2026);
  int compared = 0;
  std::map<std::string, int> limits;
  for (int n = 0; n < 6000 && compared < 1000; ++n) {
    RandomCase r = randomCase(rng);
    Memory &buffer = r.a.memories[1];
    buffer.sharedPort = n % 2;
    buffer.readBytesPerS = r.a.clockHz * double(1 << (n % 8));
    buffer.writeBytesPerS = buffer.readBytesPerS / 2;
    const CostReport cost = evaluate(r.c, r.a, r.s);
    if (!cost.faults.empty())
      continue;
    const LowerBound b = lowerBound(r.c, r.a);
    for (const BoundPart &part : b.parts)
      ASSERT_GE(cost.latencyCycles * (1 + 1e-12), part.cycles)
          << "case " << n << " " << part.name;
    const std::vector<LowerBound> bounds = groupBounds(r.c, r.a, r.s);
    ASSERT_EQ(bounds.size(), cost.groups.size());
    for (size_t g = 0; g < bounds.size(); ++g)
      ASSERT_GE(cost.groups[g].latencyCycles * (1 + 1e-12), bounds[g].cycles)
          << "case " << n << " group " << g << " " << bounds[g].limitedBy;
    ++limits[b.limitedBy];
    ++compared;
  }
  EXPECT_GE(compared, 500);
  EXPECT_GT(limits["work"], 0);
  EXPECT_GT(limits["buffer ports"], 0);
}

TEST(LowerBoundPropertyTest, NoScheduleIsFaster) {
  Rng rng(99);
  int compared = 0;
  for (int n = 0; n < 6000 && compared < 1000; ++n) {
    const RandomCase r = randomCase(rng);
    const CostReport cost = evaluate(r.c, r.a, r.s);
    if (!cost.faults.empty())
      continue;
    const LowerBound b = lowerBound(r.c, r.a);
    ASSERT_GE(cost.latencyCycles * (1 + 1e-12), b.cycles) << "case " << n;
    ASSERT_GE(cost.readBytes[0], b.compulsoryReadBytes) << "case " << n;
    ASSERT_GE(cost.writeBytes[0], b.compulsoryWriteBytes) << "case " << n;
    ++compared;
  }
  EXPECT_GE(compared, 500);
}
