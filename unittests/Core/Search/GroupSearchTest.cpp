//===- GroupSearchTest.cpp - Groups are parted where that helps -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestCascades.h"
#include "SmallCases.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/TileSeek.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

TileSeekResult seek(const Cascade &c, const Arch &a, bool regroup,
                    int64_t evaluations) {
  TileSeekOptions o;
  o.evaluations = evaluations;
  o.regroup = regroup;
  TileSeekResult r = tileseek(c, a, dpipe(c, a).schedule, o);
  EXPECT_TRUE(r.infeasible.empty());
  EXPECT_TRUE(checkSchedule(c, a, r.schedule).empty());
  EXPECT_GE(r.cost, lowerBound(c, a).cycles);
  EXPECT_EQ(r.cost, evaluate(c, a, r.schedule).latencyCycles);
  EXPECT_LE(r.evaluations, evaluations);
  return r;
}

/// A layer of width 4096 in 16 MiB: one outer tile for all of it has a quarter
/// of the rows that the array has.
TEST(GroupSearchTest, WideLayersAreParted) {
  BertShape shape;
  shape.b = 1;
  shape.h = 32;
  shape.e = 128;
  shape.p = 2048;
  shape.s = 14336;
  shape.m0 = 256;
  shape.storageBits = 16;
  const Arch a = machine("cloud");
  const Cascade c = bertLayer(shape);
  const TileSeekResult whole = seek(c, a, false, 256);
  const TileSeekResult parted = seek(c, a, true, 512);
  EXPECT_LT(parted.cost, 0.6 * whole.cost);
  EXPECT_GT(parted.schedule.groups.size(), whole.schedule.groups.size());
}

/// Where nothing is gained by parting, nothing is lost by trying.
TEST(GroupSearchTest, BertOnEdge64IsNoWorse) {
  BertShape shape;
  shape.m0 = 64;
  const Arch a = machine("edge-64");
  const Cascade c = bertLayer(shape);
  EXPECT_LT(seek(c, a, true, 512).cost, seek(c, a, false, 256).cost);
}

/// Too little for two evaluations of every part: the groups stay whole.
TEST(GroupSearchTest, SmallBudgetsLeaveGroupsWhole) {
  const Arch a = machine("edge");
  const Cascade c = bertLayer({});
  EXPECT_EQ(seek(c, a, true, 16).schedule.groups.size(),
            dpipe(c, a).schedule.groups.size());
}

TEST(GroupSearchTest, TheSameBytesTwice) {
  const Arch a = machine("edge");
  const Cascade c = bertLayer({});
  EXPECT_EQ(seek(c, a, true, 300).cost, seek(c, a, true, 300).cost);
}

TEST(GroupSearchPropertyTest, NoWorseInGeometricMean) {
  double sum = 0;
  for (int n = 0; n < 50; ++n) {
    SmallCase s = smallCase(n);
    sum += std::log(seek(s.c, s.a, true, 512).cost /
                    seek(s.c, s.a, false, 512).cost);
  }
  EXPECT_LE(std::exp(sum / 50), 1.0);
}

} // namespace
