//===- PolicyTest.cpp - Baselines on our own model ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Search/PolicyRules.h"

#include "../TestCascades.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Cost/FuseMaxTile.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Core/Search/TileSeek.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// Projection, attention in three passes, output projection.
Cascade threePasses(int64_t tokens) {
  CascadeBuilder b("three_passes");
  b.rank("b", 2), b.rank("h", 4), b.rank("e", 8), b.rank("f", 8);
  b.rank("d", 32), b.rank("p", tokens), b.rank("m0", tokens), b.rank("o", 32);
  b.input("X", {2, tokens, 32}), b.input("WQ", {32, 4, 8});
  b.input("K", {2, 4, tokens, 8}), b.input("V", {2, 4, tokens, 8});
  b.input("WO", {4, 8, 32});
  const auto add = ReduceKind::Add;
  b.einsum("Q[b,h,p,e]", {"X[b,p,d]", "WQ[d,h,e]"}, add, {{OpClass::Mac, 1}});
  b.einsum("QK[b,h,m0,p]", {"Q[b,h,p,e]", "K[b,h,m0,e]"}, add,
           {{OpClass::Mac, 1}});
  b.einsum("GM[b,h,p]", {"QK[b,h,m0,p]"}, ReduceKind::Max, {{OpClass::Max, 1}});
  b.einsum("SN[b,h,m0,p]", {"QK[b,h,m0,p]", "GM[b,h,p]"}, ReduceKind::None,
           {{OpClass::Add, 1}, {OpClass::Exp, 1}});
  b.einsum("SD[b,h,p]", {"SN[b,h,m0,p]"}, add, {{OpClass::Add, 1}});
  b.einsum("A[b,h,m0,p]", {"SN[b,h,m0,p]", "SD[b,h,p]"}, ReduceKind::None,
           {{OpClass::Div, 1}});
  b.einsum("AV[b,h,p,f]", {"A[b,h,m0,p]", "V[b,h,m0,f]"}, add,
           {{OpClass::Mac, 1}});
  b.einsum("O[b,p,o]", {"AV[b,h,p,f]", "WO[h,f,o]"}, add, {{OpClass::Mac, 1}});
  b.output("O");
  return b.take();
}

const Policy kAll[] = {Policy::TransFusion,      Policy::TransFusionPaper,
                       Policy::FuseMaxLayerFuse, Policy::FuseMax,
                       Policy::FuseMaxModelled,  Policy::Flat,
                       Policy::Unfused};

void expectLegal(const Cascade &c, const Arch &a, const Schedule &s,
                 const std::string &what) {
  for (const Violation &v : checkSchedule(c, a, s))
    ADD_FAILURE() << what << ": " << v.rule << " " << v.what;
  const CostReport cost = evaluate(c, a, s);
  EXPECT_TRUE(cost.faults.empty()) << what << ": " << cost.faults[0];
  EXPECT_GE(cost.latencyCycles, lowerBound(c, a).cycles) << what;
}

/// Cycles of a step of attention.
int64_t attentionIi(const std::string &name, int64_t width, Policy policy) {
  const Arch a = machine(name);
  AttentionShape s;
  s.e = s.f = width;
  s.m0 = a.units[0].cols;
  const Cascade c = attention(s);
  const CostReport r = evaluate(c, a, dpipe(c, a, policy).schedule);
  return r.groups.empty() ? -1 : r.groups[0].phases[0].iiCycles;
}

} // namespace

TEST(PolicyTest, NamesAreTheirOwn) {
  for (Policy p : kAll)
    for (Policy q : kAll)
      EXPECT_EQ(std::string(policyName(p)) == policyName(q), p == q);
}

TEST(PolicyTest, AttentionIsFound) {
  const Cascade c = bertLayer({});
  const std::vector<int32_t> attention = attentionComponents(c, analyse(c));
  std::vector<std::string> names;
  for (size_t e = 0; e < c.einsums.size(); ++e)
    if (attention[e] == 0)
      names.push_back(c.einsums[e].name);
    else
      EXPECT_EQ(attention[e], -1);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"AV", "LM", "PRM", "QK", "RD",
                                             "RM", "RNV", "SLD", "SLN", "SLNV",
                                             "SPD", "SPNV"}));
}

/// The policy's step is the published waterfall, on our own model.
TEST(PolicyOracleTest, WaterfallTakesThePublishedCycles) {
  for (const char *base : {"cloud", "edge", "edge-32", "edge-64"})
    for (int64_t width : {64, 128}) {
      const std::string max2d = std::string(base) + "-max2d";
      const FuseMaxTile t{width, width, machine(base).units[0].rows};
      EXPECT_EQ(attentionIi(max2d, width, Policy::FuseMax),
                fuseMaxCyclesPublished(t))
          << max2d << " " << width;
      EXPECT_EQ(attentionIi(base, width, Policy::FuseMax),
                fuseMaxCyclesInTransFusion(t))
          << base << " " << width;
      EXPECT_EQ(attentionIi(max2d, width, Policy::FuseMaxModelled),
                fuseMaxCyclesInTransFusion(t))
          << max2d << " " << width;
    }
}

TEST(PolicyTest, LegalOnPublishedMachines) {
  for (const char *name : {"edge", "cloud", "cloud-max2d"}) {
    const Arch a = machine(name);
    BertShape shape;
    shape.m0 = a.units[0].cols;
    const Cascade one = bertLayer(shape), three = threePasses(300);
    for (Policy p : kAll) {
      const Cascade &c = attentionPasses(p) == 1 ? one : three;
      const DPipeResult r = dpipe(c, a, p);
      const std::string what = std::string(policyName(p)) + " on " + name;
      ASSERT_TRUE(r.infeasible.empty()) << what << r.infeasible[0].what;
      expectLegal(c, a, r.schedule, what);
    }
  }
}

TEST(PolicyTest, WhatIsFused) {
  const Arch a = machine("edge");
  const Cascade three = threePasses(300);
  const Schedule unfused = dpipe(three, a, Policy::Unfused).schedule;
  EXPECT_EQ(unfused.groups.size(), three.einsums.size());
  const Schedule flat = dpipe(three, a, Policy::Flat).schedule;
  ASSERT_EQ(flat.groups.size(), 3u); // Q, attention, O
  EXPECT_EQ(flat.groups[1].phases.size(), 6u);
  BertShape shape;
  const Cascade one = bertLayer(shape);
  const Schedule fusemax = dpipe(one, a, Policy::FuseMax).schedule;
  // Twelve of the Einsums are one group.
  EXPECT_EQ(fusemax.groups.size(), one.einsums.size() - 11);
  // A recurrence cannot be taken apart: RM .. RNV stay together.
  const Schedule apart = dpipe(one, a, Policy::Unfused).schedule;
  expectLegal(one, a, apart, "unfused, one pass");
}

TEST(PolicyTest, SoftmaxOfUnfusedRunsOnLanes) {
  const Arch a = machine("cloud-max2d"); // where 2D could do exp and max
  const Cascade c = threePasses(300);
  for (Policy p : {Policy::Unfused, Policy::Flat}) {
    const CostReport r = evaluate(c, a, dpipe(c, a, p).schedule);
    for (const char *name : {"GM", "SN", "SD", "A"})
      EXPECT_EQ(r.einsums[einsumId(c, name)].unit, 1) << name;
    for (const char *name : {"Q", "QK", "AV", "O"})
      EXPECT_EQ(r.einsums[einsumId(c, name)].unit, 0) << name;
  }
}

/// Alone, a contraction fills the array: an epoch of QK (256 queries and keys,
/// 4 heads) takes e cycles a head, one of AV (4 heads of 64 features) all keys.
TEST(PolicyTest, AloneAnEinsumFillsTheArray) {
  const Arch a = machine("cloud");
  CascadeBuilder b("attention_products");
  b.rank("h", 4), b.rank("e", 64), b.rank("f", 64), b.rank("p", 1024);
  b.rank("m0", 1024);
  b.input("Q", {4, 1024, 64}), b.input("K", {4, 1024, 64});
  b.input("V", {4, 1024, 64});
  b.einsum("QK[h,m0,p]", {"Q[h,p,e]", "K[h,m0,e]"}, ReduceKind::Add,
           {{OpClass::Mac, 1}});
  b.einsum("AV[h,p,f]", {"QK[h,m0,p]", "V[h,m0,f]"}, ReduceKind::Add,
           {{OpClass::Mac, 1}});
  b.output("AV");
  const Cascade c = b.take();
  const CostReport r = evaluate(c, a, dpipe(c, a, Policy::Unfused).schedule);
  EXPECT_EQ(r.groups[0].phases[0].iiCycles, 4 * 64);
  EXPECT_EQ(r.groups[1].phases[0].iiCycles, 1024);
}

TEST(PolicyTest, AloneALongSumAddsUpOverEpochs) {
  // 256 rows of 64K keys are more than the 16 MiB of cloud: in one epoch AV had
  // a row of the array to itself. At 1K they fit.
  const Arch a = machine("cloud");
  for (int64_t tokens : {1024, 65536}) {
    const Cascade c = threePasses(tokens);
    const DPipeResult r = dpipe(c, a, Policy::Unfused);
    expectLegal(c, a, r.schedule, "unfused");
    const EinsumId av = einsumId(c, "AV");
    int32_t phases = 0;
    for (const Group &g : r.schedule.groups)
      if (g.phases[0].runs[0].slots[0].einsum == av ||
          g.phases[0].runs.back().slots[0].einsum == av) {
        phases = static_cast<int32_t>(g.phases.size());
        EXPECT_EQ(g.phases[0].inner[rankId(c, "p")], 256);
      }
    EXPECT_EQ(phases, tokens == 1024 ? 1 : 2) << "its finish is the second";
  }
}

TEST(PolicyTest, UnfusedCostsTheSumOfItsEinsums) {
  const Arch a = machine("edge");
  const Cascade c = threePasses(100);
  const CostReport r = evaluate(c, a, dpipe(c, a, Policy::Unfused).schedule);
  double sum = 0;
  for (const GroupCost &g : r.groups)
    sum += g.latencyCycles;
  EXPECT_DOUBLE_EQ(sum, r.latencyCycles);
  // What is made crosses once, what is read once at least.
  int64_t made = 0;
  for (const Einsum &e : c.einsums) {
    int64_t values = 1;
    for (int64_t extent : c.tensors[e.result.tensor].shape)
      values *= extent;
    made += 4 * values;
  }
  EXPECT_EQ(r.writeBytes[0], made);
}

/// Searching tiles keeps the policy: same groups, same bindings, legal.
TEST(PolicyTest, TileSeekStaysWithinThePolicy) {
  const Arch a = machine("edge-max2d");
  AttentionShape shape;
  shape.p = shape.m = 512;
  shape.m0 = 16;
  const Cascade one = attention(shape), three = threePasses(200);
  for (Policy p : kAll) {
    const Cascade &c = attentionPasses(p) == 1 ? one : three;
    const Schedule start = dpipe(c, a, p).schedule;
    TileSeekOptions o;
    o.policy = p;
    o.evaluations = 60;
    o.regroup = true;
    const TileSeekResult r = tileseek(c, a, start, o);
    ASSERT_TRUE(r.infeasible.empty()) << policyName(p);
    expectLegal(c, a, r.schedule, policyName(p));
    EXPECT_LE(r.cost, evaluate(c, a, start).latencyCycles) << policyName(p);
    if (p == Policy::TransFusion)
      continue; // it may regroup
    ASSERT_EQ(r.schedule.groups.size(), start.groups.size());
    const CostReport x = evaluate(c, a, start), y = evaluate(c, a, r.schedule);
    if (p == Policy::TransFusionPaper)
      continue; // DPipe binds anew
    for (size_t e = 0; e < c.einsums.size(); ++e)
      EXPECT_EQ(x.einsums[e].unit, y.einsums[e].unit)
          << policyName(p) << " " << c.einsums[e].name;
  }
}
