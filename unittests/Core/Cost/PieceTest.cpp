//===- PieceTest.cpp - Pieces of tiles that stay in between ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TestCascades.h"
#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Cost/LowerBound.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// T[i,k] = sum over j of A[i,j] * B[j,k], 16 x 16 x 16 values of 4 bytes, on
/// `tiny` with another memory before its buffer: DRAM moves 2 bytes a cycle,
/// the memory in between 8.
struct Product {
  Product() {
    c = matmul(16, 16, 16);
    i = 0, k = 2;
    a = machine("tiny");
    Memory middle = a.memories[0];
    middle.name = "l2";
    middle.capacityBytes = 1 << 16;
    a.memories.insert(a.memories.begin() + 1, middle);
    a.memories[0].readBytesPerS = a.memories[0].writeBytesPerS = a.clockHz * 2;
    a.memories[1].readBytesPerS = a.memories[1].writeBytesPerS = a.clockHz * 8;
    for (Unit &u : a.units)
      u.memory = 2;

    // For every four columns of B, the rows of A one by one.
    Phase p;
    p.order = {k, i};
    p.inner = p.block = {1, 0, 4};
    Slot slot;
    slot.einsum = 0;
    p.runs = {{0, {slot}}};
    Group g;
    g.tileOrder = {i};
    g.tile = {4, 0, 0};
    g.phases = {p};
    s.groups = {g};
  }
  void reside(const char *tensor) {
    s.groups[0].residents.push_back({tensorId(c, tensor), 1});
  }
  CostReport cost() {
    const Plan plan = makePlan(c, a, s);
    const std::vector<Violation> found = checkPlan(c, a, s, plan);
    EXPECT_TRUE(found.empty())
        << found.front().rule << " " << found.front().what;
    return evaluate(c, a, s, plan);
  }

  Cascade c;
  Arch a;
  Schedule s;
  RankId i, k;
};

constexpr int64_t kWhole = 16 * 16 * 4; // bytes of A, B or T

/// A row of A comes anew for every four columns, B for every tile.
TEST(Pieces, BytesByHand) {
  Product t;
  const CostReport none = t.cost();
  EXPECT_EQ(none.readBytes[0], 4 * kWhole + 4 * kWhole);
  EXPECT_EQ(none.readBytes[1], 0);

  t.reside("A"); // changes with every tile
  const CostReport one = t.cost();
  EXPECT_EQ(one.readBytes[0], kWhole + 4 * kWhole);
  EXPECT_EQ(one.writeBytes[1], kWhole);
  EXPECT_EQ(one.readBytes[1], 4 * kWhole);
  EXPECT_EQ(one.peakBytes[1], 4 * 16 * 4); // a tile of rows
  EXPECT_EQ(one.readBytes[2], none.readBytes[2]);
  EXPECT_EQ(one.writeBytes[2], none.writeBytes[2]);
  EXPECT_DOUBLE_EQ(one.groups[0].loadCycles, kWhole / 2.0);

  t.reside("B"); // never changes
  const CostReport both = t.cost();
  EXPECT_EQ(both.readBytes[0], kWhole + kWhole);
  EXPECT_EQ(both.writeBytes[1], 2 * kWhole);
  EXPECT_EQ(both.readBytes[1], 8 * kWhole);
  EXPECT_EQ(both.peakBytes[1], 4 * 16 * 4 + kWhole);
  EXPECT_DOUBLE_EQ(both.groups[0].loadCycles, 2 * kWhole / 2.0);
  EXPECT_GE(both.latencyCycles, lowerBound(t.c, t.a).cycles);

  // Copies that wait for where they go to.
  t.a.memories[1].sharedPort = false;
  t.a.memories[1].writeBytesPerS = t.a.clockHz / 2;
  EXPECT_DOUBLE_EQ(t.cost().groups[0].loadCycles, 2 * kWhole * 2.0);
}

/// The last tile has one row, and copies no more than that.
TEST(Pieces, RaggedTiles) {
  Product t;
  t.s.groups[0].tile[t.i] = 5;
  t.reside("A");
  const CostReport cost = t.cost();
  EXPECT_EQ(cost.readBytes[0], kWhole + 4 * kWhole);
  EXPECT_EQ(cost.writeBytes[1], kWhole);
  EXPECT_EQ(cost.peakBytes[1], 5 * 16 * 4);
}

/// With tiles of columns outside, A comes once for each, B once in all; with
/// these inside, A once in all, B for every tile of rows.
TEST(Pieces, CopiedWhenTheyChange) {
  for (bool columnsOutside : {true, false}) {
    Product t;
    t.s.groups[0].tile[t.k] = 8;
    t.s.groups[0].tileOrder = {t.i, t.k};
    if (columnsOutside)
      std::swap(t.s.groups[0].tileOrder[0], t.s.groups[0].tileOrder[1]);
    t.reside("A");
    t.reside("B");
    const CostReport cost = t.cost();
    const int64_t ofA = columnsOutside ? 2 : 1, ofB = columnsOutside ? 1 : 4;
    EXPECT_EQ(cost.readBytes[0], (ofA + ofB) * kWhole);
    EXPECT_EQ(cost.writeBytes[1], (ofA + ofB) * kWhole);
    EXPECT_EQ(cost.readBytes[1], 8 * kWhole);
  }
}

/// DRAM is read as often as the whole says, and the bound of the group holds.
TEST(Pieces, BoundsHold) {
  Product t;
  t.reside("A");
  t.reside("B");
  const CostReport cost = t.cost();
  const LowerBound bound = groupBounds(t.c, t.a, t.s)[0];
  EXPECT_EQ(bound.compulsoryReadBytes, 2 * kWhole);
  EXPECT_LE(bound.cycles, cost.groups[0].latencyCycles);
}

} // namespace
