//===- MappedCostTest.cpp - Small mappings, by hand -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/AccelForgeModel.h"

#include "../TestCascades.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// C[i,k] = sum_j A[i,j] * B[j,k] of 2 bytes a value, on two buffers of lanes.
struct Small {
  explicit Small(int64_t i = 4, int64_t j = 8, int64_t k = 5) {
    CascadeBuilder b("small");
    b.rank("i", i), b.rank("j", j), b.rank("k", k);
    b.input("A", {i, j}, 16);
    b.input("B", {j, k}, 16);
    b.einsum("C[i,k]", {"A[i,j]", "B[j,k]"}, ReduceKind::Add,
             Ops{{OpClass::Mac, 1}}, 16);
    b.einsum("D[i,k]", {"C[i,k]"}, ReduceKind::None, {{OpClass::Max, 1}}, 16);
    b.output("D");
    c = b.take();
    a = tpuV4i();
    a.memories.resize(3);
    a.memories.erase(a.memories.begin() + 1);
    a.memories[1].instances = 2;
    a.memories[1].keeps = {true, true, true};
    a.units.erase(a.units.begin());
    a.units[0].memory = 1;
    a.units[0].instances = 2;
  }
  MappedCost cost(const std::string &text) {
    Mapping m;
    MappedCost cost;
    MappingFault fault;
    if (!parseMapping(text, c, a, m, fault)) {
      cost.faults = {fault};
      return cost;
    }
    return accelForgeCost(c, a, m);
  }
  /// Text that is wrong at one place.
  void faults(const std::string &text, int line, int column,
              const std::string &what) {
    const MappedCost cost = this->cost(text);
    ASSERT_FALSE(cost.faults.empty()) << text;
    const MappingFault &f = cost.faults.front();
    EXPECT_NE(f.what.find(what), std::string::npos) << f.what;
    EXPECT_EQ(f.place.line, line) << f.what;
    EXPECT_EQ(f.place.column, column) << f.what;
    EXPECT_FALSE(f.fix.empty());
    EXPECT_TRUE(cost.einsums.empty());
  }
  Cascade c;
  Arch a;
};

const std::string kD = "einsum D on vec1d {\n}\n";
const std::string kAll = "keep dram: A, B, C, D\n";

} // namespace

TEST(MappedCostTest, TheToyExample) {
  const MappedCost cost = Small().cost(kAll +
                                       "einsum C on vec1d {\n"
                                       "  split i by 2 over lbuf\n"
                                       "  keep lbuf: A, C\n"
                                       "  for j by 1\n"
                                       "}\n" +
                                       kD);
  ASSERT_TRUE(cost.faults.empty()) << cost.faults[0].what;
  const MappedEinsum &e = cost.einsums[0];
  // C: dram, lbuf; A: dram, lbuf; B: dram.
  const double expected[5][2] = {
      {0, 20}, {140 + 20, 160}, {32, 0}, {160, 32}, {160, 0}};
  ASSERT_EQ(e.traffic.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(e.traffic[i].readBytes / 2, expected[i][0]) << i;
    EXPECT_EQ(e.traffic[i].writeBytes / 2, expected[i][1]) << i;
  }
  EXPECT_EQ(e.traffic[1].heldBytes, 2 * 2 * 5); // of one buffer
  EXPECT_EQ(cost.peakBytes[1], 2 * (2 * 5 + 2 * 8));
  EXPECT_DOUBLE_EQ(e.unitS, 160 / (2 * 128.) / 1.05e9);
}

TEST(MappedCostTest, LeakageLastsAsLongAsTheEinsum) {
  Small s;
  const std::string text = kAll + "einsum C on vec1d {\n}\n" + kD;
  const double before = s.cost(text).energyPj;
  s.a.memories[1].leakageW = .5; // two of them
  s.a.units[0].leakageW = .25;   // two of them
  const MappedCost cost = s.cost(text);
  EXPECT_DOUBLE_EQ(cost.energyPj, before + 1.5 * cost.latencyS * 1e12);
}

TEST(MappedCostTest, TextThatIsNoMapping) {
  Small s;
  s.faults("keep drum: A\n", 1, 6, "no memory is called 'drum'");
  s.faults("keep dram A\n", 1, 11, "expected ':', found 'A'");
  s.faults("keep dram: A, X\n", 1, 15, "no tensor is called 'X'");
  s.faults("\nwalk\n", 2, 1, "expected a scope, found 'walk'");
  s.faults("einsum E on vec1d {}", 1, 8, "no Einsum is called 'E'");
  s.faults("einsum C on vec2d {}", 1, 13, "no unit is called 'vec2d'");
  s.faults("einsum C on vec1d {", 1, 20, "expected '}', found the end");
  s.faults("einsum C on vec1d { for q by 2 }", 1, 25, "no rank is called 'q'");
  s.faults("einsum C on vec1d { for i by 0 }", 1, 30, "'0' is no size");
  s.faults("einsum C on vec1d { for i by 99999999999999999999 }", 1, 30,
           "is no size");
  s.faults("einsum C on vec1d { split i by 1 over vec1d.rows }", 1, 39,
           "unit 'vec1d' is no grid");
  std::string deep;
  for (int i = 0; i < 100; ++i)
    deep += "fuse {";
  s.faults(deep, 1, 391, "nested more than 64 deep");
}

TEST(MappedCostTest, MappingsThatCannotBe) {
  Small s;
  auto c = [](const std::string &steps) {
    return kAll + "einsum C on vec1d {\n" + steps + "\n}\n" + kD;
  };
  s.faults(c("for i by 3"), 3, 1, "do not divide the 4 points of rank 'i'");
  s.faults(c("split k by 1 over lbuf"), 3, 1,
           "5 pieces of rank 'k' do not fit the 2 instances of 'lbuf'");
  s.faults(c("keep lbuf: D"), 3, 1, "'C' does not use 'D'");
  s.faults(c("keep dram: A"), 3, 1, "'A' is in 'dram' or further in already");
  s.faults(c("keep lbuf: A\nsplit i by 2 over lbuf"), 3, 1,
           "is inside of the split of rank 'i', which is below");
  s.faults("keep dram: A, C, D\neinsum C on vec1d {\n}\n" + kD, 2, 1,
           "'C' uses 'B', which is kept nowhere");
  s.faults(kAll + kD + "einsum C on vec1d {\n}\n", 2, 1,
           "'D' reads 'C' before it is made");
  s.faults(kAll + "einsum C on vec1d {\n}\n" + "einsum C on vec1d {\n}\n" + kD,
           4, 1, "'C' is in the mapping twice");
  s.faults(kAll + "einsum C on vec1d {\n}\n", 1, 1,
           "'D' is not in the mapping");
  s.faults(kAll + "fuse {\nfor j by 2\neinsum C on vec1d {\n}\n" + kD + "}", 3,
           1, "'D' would run again for each of 'j', which it lacks");
  s.faults("keep dram: A, B, D\neinsum C on vec1d {\nkeep lbuf: C\n}\n"
           "einsum D on vec1d {\nkeep lbuf: C\n}\n",
           5, 1, "'D' does not find 'C' where 'C' leaves it");
  s.a.memories[1].keeps = {true, false, true};
  s.faults(c("keep lbuf: B"), 3, 1,
           "memory 'lbuf' keeps no weights, which 'B' is to 'C'");
  s.a.memories[1].capacityBytes = 20;
  s.faults(c("keep lbuf: A, C"), 2, 1,
           "'C' needs 104 bytes of 'lbuf', which has 20, 84 too few");
  s.a.units[0].ops[int(OpClass::Mac)].supported = false;
  s.faults(c(""), 2, 1, "unit 'vec1d' does not do the mac of 'C'");
}

TEST(MappedCostTest, WhatItIsNotFor) {
  Small s;
  s.c.einsums[0].domain.push_back({});
  s.faults(kAll + "einsum C on vec1d {\n}\n" + kD, 2, 1, "has a domain");
  Small split;
  split.c.einsums[0].inputs[0].access[0].constant = 1;
  split.faults(kAll + "einsum C on vec1d {\n}\n" + kD, 2, 1,
               "at sums of ranks");
}

TEST(MappedCostTest, CountsBeyondAllBoundsAreAFault) {
  const int64_t large = int64_t(1) << 30;
  Small most(large, large, 16);
  most.faults(kAll + "einsum C on vec1d {\n}\n" + kD, 2, 1,
              "moves 2^63 values or more");
}

TEST(MappedCostTest, AnyTextIsAMappingOrAFault) {
  // Words of a mapping in any order, and letters lost.
  const char *const words[] = {"keep", "dram",   "lbuf", ":",   "A", "B",
                               "C",    "D",      ",",    "for", "i", "j",
                               "by",   "1",      "2",    "4",   "8", "split",
                               "over", "einsum", "on",   "{",   "}", "vec1d",
                               "fuse", "#",      "\n",   "k",   "-", "%"};
  Small s;
  const std::string good = kAll +
                           "einsum C on vec1d {\n  split i by 2 over "
                           "lbuf\n  keep lbuf: A, C\n  for j by 1\n}\n" +
                           kD;
  uint64_t state = 1;
  auto below = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  int fine = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = good;
    for (uint64_t change = 0; change <= below(3); ++change) {
      const size_t at = below(text.size());
      if (below(2))
        text.erase(at, 1 + below(3));
      else
        text.insert(at, std::string(" ") + words[below(30)] + " ");
    }
    const MappedCost cost = s.cost(text);
    fine += cost.faults.empty();
    EXPECT_EQ(cost.faults.empty(), !cost.einsums.empty()) << text;
    for (const MappingFault &f : cost.faults) {
      EXPECT_GE(f.place.line, 1) << text;
      EXPECT_FALSE(f.what.empty() || f.fix.empty()) << text;
    }
  }
  EXPECT_GT(fine, 50);
}
