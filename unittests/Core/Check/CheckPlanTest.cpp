//===- CheckPlanTest.cpp - One broken plan per rule -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include <functional>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

struct PlanCase : BertCase {
  Plan p;
  PlanCase() { replan(); }
  void replan() { p = makePlan(c, a, s); }
  std::vector<Violation> check() const { return checkPlan(c, a, s, p); }

  Buffer &buffer(const std::string &tensor, BufferRole role) {
    for (Buffer &b : p.buffers)
      if (c.tensors[b.tensor].name == tensor && b.role == role)
        return b;
    ADD_FAILURE() << "no buffer for " << tensor;
    return p.buffers[0];
  }
  int32_t id(const Buffer &b) const {
    return static_cast<int32_t>(&b - p.buffers.data());
  }
  PlannedSlot &planned(const std::string &name, bool finishOnly = false) {
    for (GroupPlan &g : p.groups)
      for (PhasePlan &q : g.phases)
        for (PlannedSlot &x : q.slots)
          if (x.einsum == einsum(name) && x.finishOnly == finishOnly)
            return x;
    ADD_FAILURE() << "no slot for " << name;
    return p.groups[0].phases[0].slots[0];
  }
};

void breaks(const char *rule, const char *text,
            const std::function<void(PlanCase &)> &mutate) {
  PlanCase t;
  auto before = t.check();
  ASSERT_TRUE(before.empty()) << describe(before);
  mutate(t);
  expectRule(t.check(), rule, text);
}

TEST(CheckPlan, P01Mirror) {
  breaks("P01", "phase 5 of group 2 of the plan runs other slots",
         [](PlanCase &t) { t.planned("ln2.SR").stage = 1; });
  breaks("P01", "another number of phases",
         [](PlanCase &t) { t.p.groups[1].phases.pop_back(); });
  breaks("P01", "another number of groups",
         [](PlanCase &t) { t.p.groups.pop_back(); });
  breaks("P01", "there is no plan: because",
         [](PlanCase &t) { t.p.faults.push_back("because"); });
  // Finishing a sum before it is complete.
  breaks("P01", "runs other slots",
         [](PlanCase &t) { t.planned("FFN2").accumulates = false; });
}

TEST(CheckPlan, P02Buffers) {
  breaks("P02", "is not in the memory that feeds the units",
         [](PlanCase &t) { t.p.buffers[0].memory = 0; });
  breaks("P02", "0 slots", [](PlanCase &t) { t.p.buffers[0].slots = 0; });
  breaks("P02", "bytes for 1000 slots",
         [](PlanCase &t) { t.p.buffers[0].slots = 1000; });
  breaks("P02", "is at address 1",
         [](PlanCase &t) { t.p.buffers[0].address = 1; });
  breaks("P02", "holds no tensor",
         [](PlanCase &t) { t.p.buffers[0].tensor = 999; });
}

TEST(CheckPlan, P03Sources) {
  breaks("P03", "'LM' reads 'QK' from no buffer",
         [](PlanCase &t) { t.planned("LM").inputs[0].buffer = -1; });
  breaks("P03", "'LM' reads 'QK' from buffer", [](PlanCase &t) {
    t.planned("LM").inputs[0].buffer =
        t.id(t.buffer("SLN", BufferRole::Window));
  });
  // RM of this epoch instead of the one before.
  breaks("P03", "'SPD' reads 'RD' of 0 epochs before instead of 1",
         [](PlanCase &t) { t.planned("SPD").inputs[0].distance = 0; });
  // The window of RNV holds the last slice of one inner tile only.
  breaks("P03", "'AV' reads 'RNV' from buffer", [](PlanCase &t) {
    t.planned("AV").inputs[0].buffer =
        t.id(t.buffer("RNV", BufferRole::Window));
  });
  breaks("P03", "'Q' reads 'bq' from no buffer",
         [](PlanCase &t) { t.planned("Q").finishInputs.clear(); });
}

TEST(CheckPlan, P04Results) {
  breaks("P04", "'FFN2' has no accumulator",
         [](PlanCase &t) { t.planned("FFN2").accumulator = -1; });
  breaks("P04", "'FFN2' has no accumulator",
         [](PlanCase &t) { t.planned("FFN2", true).accumulator = -1; });
  breaks("P04", "'LM' has no window",
         [](PlanCase &t) { t.planned("LM").window = -1; });
  breaks("P04", "'RNV' has no buffer that later phases read",
         [](PlanCase &t) { t.planned("RNV").carried = -1; });
  breaks("P04", "'ln2.NR' leaves the group, but its result is not stored",
         [](PlanCase &t) {
           t.buffer("ln2.NR", BufferRole::Output).storeToOuter = false;
         });
}

TEST(CheckPlan, P05Footprints) {
  breaks("P05", "holds",
         [](PlanCase &t) { --t.buffer("W1", BufferRole::Input).bytesPerSlot; });
  PlanCase t;
  // NR is carried: 10 rows of the tile, 24 columns, f32.
  EXPECT_EQ(t.buffer("NR", BufferRole::Carried).bytesPerSlot, 10 * 24 * 4);
  breaks("P05", "group 1 has no buffer for the input of 'WK'",
         [](PlanCase &u) { u.p.groups[0].buffers.clear(); });
}

TEST(CheckPlan, P06Slots) {
  // Blocks of keys are loaded ahead: two of them.
  PlanCase t;
  t.attention().block[t.rank("m1")] = 2;
  t.replan();
  ASSERT_TRUE(t.check().empty()) << describe(t.check());
  t.buffer("BK", BufferRole::Input).slots = 1;
  expectRule(t.check(), "P06", "has 1 slots, but 2 pieces are live at once");
  // A recurrence needs this slice and the one before.
  breaks("P06", "slots, but 2 pieces are live at once",
         [](PlanCase &u) { u.buffer("RNV", BufferRole::Window).slots = 1; });
}

TEST(CheckPlan, P06SlotsAcrossStages) {
  PlanCase t;
  // SLNV reads SLN two stages later: three inner tiles are live.
  for (const char *n : {"SLD", "RD", "RNV", "SLNV", "SPNV", "SPD"})
    t.slot(n).stage = 2;
  t.slot("PRM").stage = 1;
  t.replan();
  ASSERT_TRUE(t.check().empty()) << describe(t.check());
  EXPECT_EQ(t.buffer("SLN", BufferRole::Window).slots, 3);
  t.buffer("SLN", BufferRole::Window).slots = 2;
  expectRule(t.check(), "P06", "has 2 slots, but 3 pieces are live at once");
}

TEST(CheckPlan, P07Lifetimes) {
  breaks("P07", "lives from phase 1 to 1, but is used from 1 to 2",
         [](PlanCase &t) { t.buffer("Q", BufferRole::Carried).lastPhase = 0; });
}

TEST(CheckPlan, P08Overlap) {
  PlanCase t;
  Buffer &x = t.buffer("QK", BufferRole::Window);
  Buffer &y = t.buffer("SLN", BufferRole::Window);
  y.address = x.address;
  auto found = t.check();
  EXPECT_NE(brokenRules(found).find("P08"), std::string::npos)
      << describe(found);
  // Not hidden by a lifetime that the plan itself gets wrong.
  PlanCase u;
  Buffer &q = u.buffer("Q", BufferRole::Carried);
  Buffer &late = u.buffer("SLN", BufferRole::Window);
  ASSERT_LT(q.firstPhase, late.firstPhase);
  late.address = q.address;
  q.lastPhase = q.firstPhase;
  EXPECT_NE(brokenRules(u.check()).find("P07"), std::string::npos);
  EXPECT_NE(brokenRules(u.check()).find("P08"), std::string::npos);
}

TEST(CheckPlan, P09Placement) {
  breaks("P09", "of 'buffer', which has", [](PlanCase &t) {
    Buffer &b = t.p.buffers[0];
    b.address = t.a.memories[1].capacityBytes - kBufferAlignment;
    b.address -= b.address % kBufferAlignment;
    t.p.allocationBytes[1] = b.address + b.bytes;
  });
}

TEST(CheckPlan, P10Allocation) {
  breaks("P10", "the allocation of 'buffer' is not",
         [](PlanCase &t) { ++t.p.allocationBytes[1]; });
}

TEST(CheckPlan, NeedsALegalSchedule) {
  PlanCase t;
  t.slot("FFN1").stage = -1;
  EXPECT_EQ(brokenRules(t.check()), "S20");
}

TEST(CheckPlan, P11Moves) {
  auto prefetch = [](PlanCase &t) {
    t.queries().prefetch = {{tensorId(t.c, "WQ"), 2}};
    t.replan();
  };
  PlanCase t;
  prefetch(t);
  EXPECT_TRUE(t.check().empty()) << describe(t.check());
  breaks("P11", "is loaded 1 and stored 0 phases away instead of 2 and 0",
         [&](PlanCase &t) {
           prefetch(t);
           t.buffer("WQ", BufferRole::Input).prefetchAhead = 1;
         });
  // The lifetime reaches into the outer tile before.
  breaks("P07", "lives from phase 1 to 1, but is used from -1 to 1",
         [&](PlanCase &t) {
           prefetch(t);
           t.buffer("WQ", BufferRole::Input).firstPhase = 0;
         });
}

} // namespace
