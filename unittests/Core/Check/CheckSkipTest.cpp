//===- CheckSkipTest.cpp - Rules S35 and P12 ------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Model/Plan.h"

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// Causal attention over 16 keys in steps of 4, rows of 4 queries; the phase
/// over the keys skips, AV follows in another one.
struct CausalCase {
  Cascade c;
  Arch a = machine("edge");
  Schedule s;

  explicit CausalCase(int64_t window = 0) {
    AttentionShape shape;
    shape.p = shape.m = 16;
    shape.m0 = 4;
    shape.e = shape.f = 2;
    shape.causal = true;
    shape.window = window;
    c = attention(shape);
    s.groups.resize(1);
    Group &g = s.groups[0];
    g.tileOrder = {rankId(c, "p")};
    g.tile.assign(c.ranks.size(), 0);
    g.tile[rankId(c, "p")] = 8;
    g.phases.resize(2);
    for (Phase &p : g.phases) {
      p.block.assign(c.ranks.size(), 0);
      p.inner.assign(c.ranks.size(), 0);
      p.order = {rankId(c, "h"), rankId(c, "p")};
      p.inner[rankId(c, "p")] = 4;
      p.inner[rankId(c, "h")] = 2;
      p.runs = {{0, {}}, {1, {}}};
    }
    g.phases[0].order.push_back(rankId(c, "m1"));
    g.phases[0].inner[rankId(c, "m1")] = 1;
    g.phases[0].skip = true;
    for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
      Phase &p = g.phases[c.einsums[e].name == "AV"];
      const bool onFirst =
          cyclesPerPoint(a.units[0], c.einsums[e].pointOps) >= 0;
      p.runs[!onFirst].slots.push_back({e, false, 0, {}, {}});
    }
    g.phases[1].runs.erase(g.phases[1].runs.begin());
  }

  Tensor &tensor(const char *name) { return c.tensors[tensorId(c, name)]; }
  std::vector<Violation> check() const { return checkSchedule(c, a, s); }
};

void breaks(const char *text, const std::function<void(CausalCase &)> &mutate) {
  CausalCase t;
  ASSERT_TRUE(t.check().empty()) << describe(t.check());
  mutate(t);
  expectRule(t.check(), "S35", text);
  // The plan refuses too, by code of its own.
  EXPECT_FALSE(makePlan(t.c, t.a, t.s).faults.empty());
}

TEST(CheckSkip, S35SkippedSteps) {
  breaks("a step without points may change 'RD': because", [](CausalCase &t) {
    t.tensor("RD").emptySteps = EmptySteps::Counts;
    t.tensor("RD").whyTheyCount = "because";
  });
  breaks("phase 2 of group 1 skips steps, but its Einsums do not recur",
         [](CausalCase &t) { t.s.groups[0].phases[1].skip = true; });
  breaks("none of its Einsums has a domain", [](CausalCase &t) {
    for (Einsum &e : t.c.einsums)
      e.domain.clear();
  });
  breaks("'SLN' has another domain", [](CausalCase &t) {
    t.c.einsums[einsumId(t.c, "SLN")].domain[0].expr.constant = 1;
  });
  breaks("'PRM' makes an output",
         [](CausalCase &t) { t.tensor("PRM").isOutput = true; });
  breaks("'RM' makes an output",
         [](CausalCase &t) { t.tensor("RM").isOutput = true; });
  breaks("'PRM' reads 'BIAS' in every step", [](CausalCase &t) {
    Tensor bias;
    bias.name = "BIAS";
    bias.shape = {4};
    bias.isInput = true;
    Operand read;
    read.tensor = static_cast<TensorId>(t.c.tensors.size());
    read.access.resize(1);
    read.access[0].terms = {{rankId(t.c, "m1"), 1}};
    t.c.tensors.push_back(bias);
    t.c.einsums[einsumId(t.c, "PRM")].inputs.push_back(read);
  });
}

struct PlanOfCase : CausalCase {
  Plan p;
  explicit PlanOfCase(int64_t window = 0) : CausalCase(window) {
    p = makePlan(c, a, s);
  }
  ActiveSteps &active() { return p.groups[0].phases[0].active; }
  std::vector<Violation> check() const { return checkPlan(c, a, s, p); }
};

TEST(CheckSkip, P12ActiveSteps) {
  auto broken = [](int64_t window, const char *text,
                   const std::function<void(PlanOfCase &)> &mutate) {
    PlanOfCase t(window);
    ASSERT_TRUE(t.check().empty()) << describe(t.check());
    mutate(t);
    expectRule(t.check(), "P12", text);
  };
  // One step too many is left out, and one too few, at either end.
  broken(0, "only, but others have points",
         [](PlanOfCase &t) { t.active().where[0].expr.constant -= 4; });
  broken(0, "runs step 1 of rank 'm1', which has no points",
         [](PlanOfCase &t) { t.active().where[0].expr.constant += 4; });
  broken(4, "only, but others have points",
         [](PlanOfCase &t) { t.active().where[1].expr.constant -= 4; });
  broken(4, "which has no points",
         [](PlanOfCase &t) { t.active().where[1].expr.constant += 4; });
  broken(0, "of the plan skips nothing",
         [](PlanOfCase &t) { t.active() = ActiveSteps(); });
  broken(0, "but the schedule does not",
         [](PlanOfCase &t) { t.s.groups[0].phases[0].skip = false; });
}

TEST(CheckSkip, WhatSkippingSaves) {
  CausalCase t;
  const CostReport some = evaluate(t.c, t.a, t.s);
  t.s.groups[0].phases[0].skip = false;
  const CostReport all = evaluate(t.c, t.a, t.s);
  ASSERT_TRUE(some.faults.empty() && all.faults.empty());
  // Rows run 1, 2, 3 and 4 of 4 steps, for two pairs of heads; one stage.
  EXPECT_EQ(all.groups[0].phases[0].epochs, 32);
  EXPECT_EQ(some.groups[0].phases[0].epochs, 20);
  EXPECT_EQ(some.groups[0].phases[0].computeCycles * 32,
            all.groups[0].phases[0].computeCycles * 20);
  // The first outer tile reads the keys and values of its queries only.
  const int64_t row = 4 * (2 + 2) * 2; // of all heads, in bytes
  EXPECT_EQ(all.readBytes[0] - some.readBytes[0], 8 * row);
  // Every key that exists is computed either way; the recurrences are not.
  EXPECT_EQ(some.einsums[einsumId(t.c, "QK")].energyPj,
            all.einsums[einsumId(t.c, "QK")].energyPj);
  EXPECT_DOUBLE_EQ(some.einsums[einsumId(t.c, "SPNV")].energyPj * 32,
                   all.einsums[einsumId(t.c, "SPNV")].energyPj * 20);
}

} // namespace
