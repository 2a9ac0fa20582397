//===- SearchIsLegalTest.cpp - What the searches find is legal ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/TileSeek.h"

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

void expectLegal(const Cascade &c, const Arch &a, const Schedule &s,
                 const std::string &what) {
  auto found = checkPlan(c, a, s, makePlan(c, a, s));
  EXPECT_TRUE(found.empty()) << what << "\n" << describe(found);
}

void searchAndCheck(const Cascade &c, const std::string &name,
                    int64_t evaluations) {
  Arch a = machine(name);
  DPipeResult piped = dpipe(c, a);
  ASSERT_TRUE(piped.infeasible.empty()) << name << "\n"
                                        << describe(piped.infeasible);
  expectLegal(c, a, piped.schedule, c.name + " on " + name + ", dpipe");
  TileSeekOptions options;
  options.evaluations = evaluations;
  TileSeekResult tiled = tileseek(c, a, piped.schedule, options);
  ASSERT_TRUE(tiled.infeasible.empty()) << name << "\n"
                                        << describe(tiled.infeasible);
  expectLegal(c, a, tiled.schedule, c.name + " on " + name + ", tileseek");
}

TEST(SearchProperty, PublishedLayerIsScheduledLegally) {
  for (const char *name :
       {"edge", "edge-32", "edge-64", "cloud", "cloud-max2d"}) {
    BertShape shape;
    shape.m0 = machine(name).units[0].rows;
    searchAndCheck(bertLayer(shape), name, 50);
  }
}

TEST(SearchProperty, AttentionIsScheduledLegally) {
  AttentionShape ragged;
  ragged.p = 1021;
  ragged.m = 1023;
  ragged.m0 = 16;
  ragged.causal = true;
  for (const AttentionShape &s : {AttentionShape(), ragged})
    for (const char *name : {"edge", "cloud", "cloud-max2d"})
      searchAndCheck(attention(s), name, 20);
}

TEST(SearchProperty, OddSizesAreScheduledLegally) {
  for (int64_t length : {17, 23, 31}) {
    BertShape shape;
    shape.b = 3;
    shape.h = 3;
    shape.e = 5;
    shape.p = length;
    shape.s = 29;
    shape.m0 = 4;
    searchAndCheck(bertLayer(shape), "tiny", 50);
  }
}

} // namespace
