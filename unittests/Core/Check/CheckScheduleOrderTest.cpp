//===- CheckScheduleOrderTest.cpp - Broken order and capacity ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

TEST(CheckSchedule, S21GroupOrder) {
  breaks("S21", "'QK' reads 'BK' of 'BK' in group 1",
         [](BertCase &t) { std::swap(t.s.groups[0], t.s.groups[1]); });
}

TEST(CheckSchedule, S22PhaseOrder) {
  breaks("S22", "'QK' reads 'Q' of 'Q' in phase 1 of group 2",
         [](BertCase &t) { std::swap(t.queries(), t.attention()); });
  // FFN2 is complete only where it is finished.
  breaks(
      "S22", "'ln2.IAV' reads 'FFN2' of 'FFN2' in phase 4 of group 2",
      [](BertCase &t) { t.onUnit(t.ffn(), 0).push_back(t.remove("ln2.IAV")); });
}

TEST(CheckSchedule, S23Slices) {
  breaks("S23", "'AV' reads 'RNV' of 'RNV' after its last slice, in the phase",
         [](BertCase &t) {
           t.onUnit(t.attention(), 1).push_back(t.remove("AV"));
         });
  breaks("S23", "'PRM' reads 'RM' of 'RM' slice by slice in a later phase",
         [](BertCase &t) {
           Phase late = t.attention();
           for (auto &run : late.runs)
             run.slots.clear();
           for (const char *n : {"PRM", "SPD", "RD", "SPNV", "RNV"})
             late.runs[1].slots.push_back(t.remove(n));
           auto &phases = t.s.groups[1].phases;
           phases.insert(phases.begin() + 2, late);
         });
}

TEST(CheckSchedule, S24StageOrder) {
  // A consumer moved before its producer.
  breaks("S24",
         "'AR' reads 'FFN1' of 'FFN1' in stage 0, but it is made in "
         "stage 1",
         [](BertCase &t) {
           t.slot("FFN1").stage = 1;
           t.slot("FFN2").stage = 1;
         });
  // SPNV of the next epoch could still follow RNV in stage 1, not in stage 2.
  breaks("S24",
         "'SPNV' reads 'RNV' of 'RNV' of the epoch before in stage 0, but it "
         "is made in stage 2",
         [](BertCase &t) {
           t.slot("SLNV").stage = 1;
           t.slot("RNV").stage = 2;
         });
}

TEST(CheckSchedule, S25IssueOrder) {
  breaks("S25", "the issue orders of the units wait for each other",
         [](BertCase &t) {
           // FFN1 waits for FFN2 on its unit, FFN2 for AR, AR for FFN1.
           auto &slots = t.onUnit(t.ffn(), 0);
           std::swap(slots[0], slots[1]);
         });
  breaks("S25",
         "'DAV' reads 'MAV' of 'MAV' in the same step, but is issued "
         "before it",
         [](BertCase &t) {
           auto &slots = t.onUnit(t.output(), 0);
           auto find = [&](const char *n) {
             return std::find_if(
                 slots.begin(), slots.end(),
                 [&](const Slot &s) { return s.einsum == t.einsum(n); });
           };
           std::iter_swap(find("MAV"), find("DAV"));
         });
  // A recurrence closes the circle one stage later.
  breaks("S25", "in the same step, but is issued before it", [](BertCase &t) {
    for (const char *n : {"SLNV", "RNV"})
      t.slot(n).stage = 1;
  });
}

TEST(CheckSchedule, S26TileCovers) {
  // Keys in the group of the queries: one outer tile makes 10 of 23 keys, but
  // attention reads them all.
  breaks("S26", "'QK' reads more of 'BK' than the tile", [](BertCase &t) {
    Group &g = t.s.groups[1];
    g.phases.insert(g.phases.begin(), t.keys());
    g.tileOrder.push_back(t.rank("m"));
    g.tile[t.rank("m")] = 10;
    t.s.groups.erase(t.s.groups.begin());
  });
  // All keys are fine.
  keeps([](BertCase &t) {
    Group &g = t.s.groups[1];
    g.phases.insert(g.phases.begin(), t.keys());
    t.s.groups.erase(t.s.groups.begin());
  });
}

/// T1[i,k] = A[i,j]*B[j,k]; T2 = max(T1, 0); T3[i] = sum of T2[i+shift,k], in
/// one phase over i, two points at a time.
struct ChainCase {
  Cascade c = chain(9, 3, 4);
  Arch a = machine("edge");
  Schedule s;
  explicit ChainCase(int64_t shift) {
    Einsum &t3 = c.einsums[2];
    t3.inputs[0].access[0].constant = shift;
    t3.domain.push_back({{{{0, -1}}, 8 - shift}});
    Phase p;
    p.order = {0};
    p.inner = {2, 0, 0};
    p.runs = {{0, {{0, false, 0, {0}, {2}}}},
              {1, {{1, false, 0, {0}, {2}}, {2, false, 0, {0}, {2}}}}};
    s.groups.resize(1);
    s.groups[0].phases = {p};
  }
};

TEST(CheckSchedule, S27EpochCovers) {
  ChainCase fine(0), halo(1);
  EXPECT_TRUE(checkSchedule(fine.c, fine.a, fine.s).empty())
      << describe(checkSchedule(fine.c, fine.a, fine.s));
  expectRule(checkSchedule(halo.c, halo.a, halo.s), "S27",
             "'T3' reads more of 'T2' than the epoch made in phase 1 of group "
             "1 holds along dimension 0");
  // An epoch that holds all of i does.
  halo.s.groups[0].phases[0].inner[0] = 0;
  EXPECT_TRUE(checkSchedule(halo.c, halo.a, halo.s).empty());
  // In a later phase the whole tile is there; an outer tile cuts it again.
  ChainCase later(1);
  Group &g = later.s.groups[0];
  g.phases.push_back(g.phases[0]);
  g.phases[0].runs[1].slots.pop_back();
  g.phases[1].runs.erase(g.phases[1].runs.begin());
  g.phases[1].runs[0].slots.erase(g.phases[1].runs[0].slots.begin());
  EXPECT_TRUE(checkSchedule(later.c, later.a, later.s).empty())
      << describe(checkSchedule(later.c, later.a, later.s));
  g.tileOrder = {0};
  g.tile = {4, 0, 0};
  expectRule(checkSchedule(later.c, later.a, later.s), "S26",
             "'T3' reads more of 'T2' than the tile");
}

TEST(CheckSchedule, S28RetainedInputs) {
  breaks("S28", "group 2 retains 'NR', which it makes itself", [](BertCase &t) {
    t.s.groups[1].retain = {{tensorId(t.c, "NR"), RetainLevel::Tile}};
  });
  breaks("S28", "group 1 retains 'WQ', which it does not read",
         [](BertCase &t) {
           t.s.groups[0].retain = {{tensorId(t.c, "WQ"), RetainLevel::Group}};
         });
  keeps([](BertCase &t) {
    t.s.groups[1].retain = {{tensorId(t.c, "WQ"), RetainLevel::Group},
                            {tensorId(t.c, "BK"), RetainLevel::Tile}};
  });
}

TEST(CheckSchedule, S29RetainedOnce) {
  breaks("S29", "out of order", [](BertCase &t) {
    t.s.groups[1].retain = {{tensorId(t.c, "BK"), RetainLevel::Tile},
                            {tensorId(t.c, "WQ"), RetainLevel::Group}};
  });
  breaks("S29", "twice", [](BertCase &t) {
    t.s.groups[1].retain = {{tensorId(t.c, "WQ"), RetainLevel::Tile},
                            {tensorId(t.c, "WQ"), RetainLevel::Group}};
  });
}

TEST(CheckSchedule, S30Capacity) {
  BertCase t;
  // Phase 4: W1 and W2 3840 bytes each, their biases, NR 960 ...
  t.a.memories[1].capacityBytes = 8192;
  auto found = t.check();
  ASSERT_EQ(brokenRules(found), "S30") << describe(found);
  const Violation &v = found.back();
  EXPECT_GT(v.demand, v.bound);
  EXPECT_EQ(v.bound, 8192);
  EXPECT_EQ(v.unit, "bytes");
  // Terms, the largest first; the last note is what would help.
  EXPECT_GE(v.notes.size(), 3u);
  EXPECT_NE(
      v.notes.back().find("capacity_bytes >= " + std::to_string(v.demand)),
      std::string::npos)
      << describe(found);
  // The advice is true.
  int64_t most = 0;
  for (const Violation &x : found)
    most = std::max(most, x.demand);
  t.a.memories[1].capacityBytes = most;
  EXPECT_TRUE(t.check().empty());
  t.a.memories[1].capacityBytes = most - 1;
  EXPECT_EQ(brokenRules(t.check()), "S30");
}

TEST(CheckSchedule, S31PrefetchedInputs) {
  auto id = [](BertCase &t, const char *name) { return tensorId(t.c, name); };
  breaks("S31", "phase 1 of group 2 prefetches 'BK', which it is not the first",
         [&](BertCase &t) { t.queries().prefetch = {{id(t, "BK"), 1}}; });
  breaks("S31", "prefetches 'WQ', which it is not the first", [&](BertCase &t) {
    t.s.groups[1].retain = {{id(t, "WQ"), RetainLevel::Group}};
    t.queries().prefetch = {{id(t, "WQ"), 1}};
  });
  breaks("S31", "prefetches 'X', which it is not the first", [&](BertCase &t) {
    t.s.groups[1].retain = {{id(t, "X"), RetainLevel::Tile}};
    t.output().prefetch = {{id(t, "X"), 1}};
  });
  breaks("S31", "prefetches 'NR', which it is not the first",
         [&](BertCase &t) { t.ffn().prefetch = {{id(t, "NR"), 1}}; });
  keeps([&](BertCase &t) {
    t.queries().prefetch = {{id(t, "X"), 2}};
    t.attention().prefetch = {{id(t, "BK"), 4}};
  });
  breaks("S01", "names tensor 999",
         [](BertCase &t) { t.queries().prefetch = {{999, 1}}; });
}

TEST(CheckSchedule, S32DeferredResults) {
  auto last = [](BertCase &t) {
    TensorId output = 0;
    while (!t.c.tensors[output].isOutput)
      ++output;
    return output;
  };
  breaks("S32", "phase 3 of group 2 defers 'NR', which it does not make for",
         [](BertCase &t) { t.output().defer = {{tensorId(t.c, "NR"), 1}}; });
  breaks("S32", "phase 4 of group 2 defers",
         [&](BertCase &t) { t.ffn().defer = {{last(t), 1}}; });
  keeps([&](BertCase &t) { t.norm().defer = {{last(t), 2}}; });
  breaks("S01", "names tensor -1",
         [](BertCase &t) { t.norm().defer = {{-1, 1}}; });
}

TEST(CheckSchedule, S33MovedOnce) {
  breaks("S33", "prefetches 'X' twice", [](BertCase &t) {
    const TensorId x = tensorId(t.c, "X");
    t.queries().prefetch = {{x, 1}, {x, 2}};
  });
  breaks("S33", "out of order", [](BertCase &t) {
    const TensorId x = tensorId(t.c, "X"), w = tensorId(t.c, "WQ");
    t.queries().prefetch = {{std::max(x, w), 1}, {std::min(x, w), 1}};
  });
  breaks("S33", "prefetches 'X' by 0 phases",
         [](BertCase &t) { t.queries().prefetch = {{tensorId(t.c, "X"), 0}}; });
}

TEST(CheckSchedule, S34FreeAgain) {
  breaks(
      "S34", "'WQ' lives for 6 phases of group 2, which has 5",
      [](BertCase &t) { t.queries().prefetch = {{tensorId(t.c, "WQ"), 5}}; });
  // Read from phase 1 to 3: it must not come before phase 4.
  breaks("S34", "'X' lives for 6 phases of group 2", [](BertCase &t) {
    t.s.groups[1].retain = {{tensorId(t.c, "X"), RetainLevel::Tile}};
    t.queries().prefetch = {{tensorId(t.c, "X"), 3}};
  });
}

TEST(CheckSchedule, ChecksItsInputsFirst) {
  BertCase t;
  t.a.clockHz = 0;
  EXPECT_EQ(brokenRules(t.check()), "A01");
  BertCase u;
  u.c.ranks[0].extent = 0;
  EXPECT_EQ(brokenRules(u.check()), "C03");
}

} // namespace
