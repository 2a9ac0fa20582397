//===- ActiveStepsTest.cpp - Steps that have points, against counting -----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/ActiveSteps.h"

#include "../TestCascades.h"
#include "transfusion/Core/Model/Plan.h"
#include "transfusion/Core/Model/Projection.h"
#include "transfusion/Core/Search/Rng.h"

#include <gtest/gtest.h>

#include <map>

using namespace transfusion::core;
using namespace transfusion::core::test;

static ActiveSteps stepsOf(const Cascade &c, std::string *why = nullptr) {
  std::vector<EinsumId> all;
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
    if (c.einsums[e].hasRank(rankId(c, "m1")))
      all.push_back(e);
  std::string text;
  ActiveSteps active = activeSteps(c, all, rankId(c, "m1"), text);
  if (why)
    *why = text;
  return active;
}

static std::vector<Span> wholeBox(const Cascade &c) {
  std::vector<Span> box;
  for (const Rank &r : c.ranks)
    box.push_back({0, r.extent});
  return box;
}

TEST(ActiveStepsTest, ToyExample) {
  AttentionShape s;
  s.p = s.m = 16;
  s.m0 = 4;
  s.causal = true;
  Cascade c = attention(s);
  std::vector<Span> box = wholeBox(c);
  box[rankId(c, "p")] = {8, 4};
  StepRun run = activeRun(stepsOf(c), box);
  EXPECT_EQ(run.first, 0);
  EXPECT_EQ(run.last, 3);
  s.window = 4;
  c = attention(s);
  run = activeRun(stepsOf(c), box);
  EXPECT_EQ(run.first, 1);
  EXPECT_EQ(run.last, 3);
  // Where the first step may not be left out, none before it is.
  c.tensors[tensorId(c, "RD")].emptySteps = EmptySteps::NeutralAfterFirst;
  run = activeRun(stepsOf(c), box);
  EXPECT_EQ(run.first, 0);
  EXPECT_EQ(run.last, 3);
}

TEST(ActiveStepsTest, Refusals) {
  AttentionShape s;
  s.p = s.m = 16;
  s.m0 = 4;
  std::string why;
  EXPECT_FALSE(stepsOf(attention(s), &why).skips());
  EXPECT_EQ(why, "no Einsum along m1 has a domain");
  s.causal = true;
  Cascade c = attention(s);
  c.tensors[tensorId(c, "RD")].emptySteps = EmptySteps::Counts;
  c.tensors[tensorId(c, "RD")].whyTheyCount = "its body changes it";
  EXPECT_FALSE(stepsOf(c, &why).skips());
  EXPECT_EQ(why, "a step of m1 without points may change RD: its body changes "
                 "it");
  c = attention(s);
  c.einsums[einsumId(c, "SLN")].domain[0].expr.constant += 1;
  EXPECT_FALSE(stepsOf(c, &why).skips());
  EXPECT_EQ(why, "LM and SLN have different domains");
  s.causal = false;
  s.padded = 1;
  c = attention(s);
  for (const char *t : {"RM", "RD", "RNV"})
    c.tensors[tensorId(c, t)].emptySteps = EmptySteps::NeutralAfterFirst;
  EXPECT_FALSE(stepsOf(c, &why).skips());
  EXPECT_EQ(why, "every step of m1 has points");
}

TEST(ActiveStepsTest, ProjectionOfTheToyExample) {
  CascadeBuilder b("toy");
  b.rank("m", 16);
  b.rank("p", 16);
  b.input("X", {16, 16});
  const EinsumId e =
      b.einsum("Y[m,p]", {"X[m,p]"}, ReduceKind::None, {{OpClass::Add, 1}});
  b.domain(e, "p-m");
  b.domain(e, "m-3");
  b.domain(e, "7-p");
  const Cascade c = b.take();
  const RankId m = rankId(c, "m"), p = rankId(c, "p");
  auto range = [&](RankId kept) {
    std::pair<int64_t, int64_t> r{0, c.ranks[kept].extent - 1};
    for (const Constraint &k : project(c, c.einsums[e].domain, {kept}))
      if (coefficientOf(k.expr, kept) > 0)
        r.first = std::max(r.first, -k.expr.constant);
      else
        r.second = std::min(r.second, k.expr.constant);
    return r;
  };
  EXPECT_EQ(range(p), std::make_pair(int64_t(3), int64_t(7)));
  EXPECT_EQ(range(m), std::make_pair(int64_t(3), int64_t(7)));
}

TEST(ActiveStepsPropertyTest, AreTheStepsThatHavePoints) {
  Rng rng(7);
  auto between = [&](int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(rng.below(hi - lo + 1));
  };
  std::map<std::string, int> seen;
  for (int n = 0; n < 3000; ++n) {
    AttentionShape s;
    s.p = between(1, 40);
    s.m = between(2, 40);
    s.m0 = between(1, 12);
    s.causal = rng.below(3) != 0;
    s.window = rng.below(2) ? between(1, 20) : 0;
    s.padded = rng.below(2) ? between(1, s.m - 1) : 0;
    const Cascade c = attention(s);
    const ActiveSteps active = stepsOf(c);
    if (!active.skips())
      continue;
    const RankId p = rankId(c, "p"), m1 = rankId(c, "m1"), m0 = rankId(c, "m0");
    std::vector<Span> box = wholeBox(c);
    box[p].begin = between(0, s.p - 1);
    box[p].extent = between(1, s.p - box[p].begin);
    int64_t first = -1, last = -1;
    for (int64_t step = 0; step < c.ranks[m1].extent; ++step)
      if (countPoints({m1, m0, p}, {{step, 1}, box[m0], box[p]},
                      c.einsums[einsumId(c, "QK")].domain) > 0) {
        first = first < 0 ? step : first;
        last = step + 1;
      }
    const StepRun run = activeRun(active, box);
    SCOPED_TRACE("case " + std::to_string(n));
    if (first < 0) {
      ASSERT_EQ(run.steps(), 0);
      ASSERT_EQ(runOf(active, box).first, 0);
      ASSERT_EQ(runOf(active, box).last, 1);
    } else {
      ASSERT_EQ(run.first, first);
      ASSERT_EQ(run.last, last);
    }
    seen["none"] += first < 0;
    seen["starts later"] += first > 0;
    seen["ends earlier"] += first >= 0 && last < c.ranks[m1].extent;
    seen["several"] += last - first > 1;
  }
  for (const auto &[what, count] : seen)
    EXPECT_GE(count, 50) << what;
  EXPECT_EQ(seen.size(), 4u);
}
