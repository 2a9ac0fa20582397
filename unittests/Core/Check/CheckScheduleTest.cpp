//===- CheckScheduleTest.cpp - One broken schedule per rule ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include <algorithm>
#include <functional>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// Breaks one thing of a legal schedule of a BERT layer.
void breaks(const char *rule, const char *text,
            const std::function<void(BertCase &)> &mutate) {
  BertCase t;
  auto before = t.check();
  ASSERT_TRUE(before.empty()) << describe(before);
  mutate(t);
  expectRule(t.check(), rule, text);
}

/// The same for a mutation that is legal.
void keeps(const std::function<void(BertCase &)> &mutate) {
  BertCase t;
  mutate(t);
  auto found = t.check();
  EXPECT_TRUE(found.empty()) << describe(found);
}

TEST(CheckSchedule, S01Ids) {
  breaks("S01", "names rank 99",
         [](BertCase &t) { t.ffn().order.push_back(99); });
  breaks("S01", "names Einsum -1",
         [](BertCase &t) { t.slot("QK").einsum = -1; });
  breaks("S01", "names unit 5", [](BertCase &t) { t.ffn().runs[0].unit = 5; });
  breaks("S01", "phase 4 of group 2 names rank -1",
         [](BertCase &t) { t.slot("AR").rows = {-1}; });
  breaks("S01", "names tensor 1000", [](BertCase &t) {
    t.s.groups[0].retain.push_back({1000, RetainLevel::Tile});
  });
  breaks("S01", "has 3 sizes of inner",
         [](BertCase &t) { t.ffn().inner.resize(3); });
}

TEST(CheckSchedule, S02Complete) {
  breaks("S02", "'SAV' is not scheduled", [](BertCase &t) { t.remove("SAV"); });
}

TEST(CheckSchedule, S03Once) {
  breaks("S03", "'SAV' is scheduled more than once",
         [](BertCase &t) { t.onUnit(t.output(), 0).push_back(t.slot("SAV")); });
  breaks("S03", "'FFN2.finish' is scheduled more than once", [](BertCase &t) {
    t.onUnit(t.norm(), 1).push_back(t.slot("FFN2", true));
  });
}

TEST(CheckSchedule, S04NoEmptyParts) {
  breaks("S04", "group 3 has no phase",
         [](BertCase &t) { t.s.groups.emplace_back(); });
  breaks("S04", "phase 2 of group 1 runs no Einsum",
         [](BertCase &t) { t.s.groups[0].phases.emplace_back(); });
  breaks("S04", "two issue orders for unit 'mac2d'",
         [](BertCase &t) { t.ffn().runs.push_back({0, {t.remove("FFN2")}}); });
}

/// X[i] = sum_j A[i,j] beside Y[k] = B[k], one point at a time: two Einsums
/// that share no rank.
struct TwoCase {
  Cascade c;
  Arch a = machine("edge");
  Schedule s;
  TwoCase(int64_t i, int64_t j, int64_t k) {
    CascadeBuilder b("two");
    b.rank("i", i);
    b.rank("j", j);
    b.rank("k", k);
    b.input("A", {i, j});
    b.input("B", {k});
    b.einsum("X[i]", {"A[i,j]"}, ReduceKind::Add, {{OpClass::Add, 1}});
    b.einsum("Y[k]", {"B[k]"}, ReduceKind::None, {{OpClass::Add, 1}});
    b.output("X");
    b.output("Y");
    c = b.take();
    Phase sum, finish;
    sum.order = {0, 1};
    sum.inner = {1, 1, 0};
    sum.runs = {{0, {{0, false, 0, {0}, {}}, {1, false, 0, {2}, {}}}}};
    finish.runs = {{0, {{0, true, 0, {0}, {}}}}};
    s.groups.resize(1);
    s.groups[0].phases = {sum, finish};
  }
};

TEST(CheckSchedule, S05Counts) {
  TwoCase t(int64_t{1} << 40, 1, int64_t{1} << 40);
  t.s.groups[0].phases.pop_back();
  Phase &p = t.s.groups[0].phases[0];
  p.order = {0, 2};
  p.inner = {1, 1, 1};
  expectRule(checkSchedule(t.c, t.a, t.s), "S05",
             "phase 1 of group 1 has more than 2^63 epochs");
  // 2^60 epochs are fine by this rule; what does not fit is the tile.
  p.inner = {1 << 10, 1, 1 << 10};
  EXPECT_EQ(brokenRules(checkSchedule(t.c, t.a, t.s)), "S30");
}

TEST(CheckSchedule, S06Sizes) {
  breaks("S06", "has tile -1",
         [](BertCase &t) { t.s.groups[1].tile[t.rank("p")] = -1; });
  breaks("S06", "tile 24 of an extent of 23",
         [](BertCase &t) { t.s.groups[1].tile[t.rank("p")] = 24; });
  breaks("S06", "has inner -4",
         [](BertCase &t) { t.ffn().inner[t.rank("p")] = -4; });
}

TEST(CheckSchedule, S07Nesting) {
  breaks("S07", "inner 16 of a block of 12", [](BertCase &t) {
    t.ffn().block[t.rank("s")] = 12;
    t.ffn().inner[t.rank("s")] = 16;
  });
  breaks("S07", "block 11 of a tile of 10",
         [](BertCase &t) { t.ffn().block[t.rank("p")] = 11; });
  breaks("S07", "inner 12 of a block of 10",
         [](BertCase &t) { t.ffn().inner[t.rank("p")] = 12; });
}

TEST(CheckSchedule, S08WholeInnerTiles) {
  breaks("S08", "block 20, which is not a multiple of inner 12",
         [](BertCase &t) { t.ffn().block[t.rank("s")] = 20; });
  keeps([](BertCase &t) { t.ffn().block[t.rank("s")] = 24; });
  keeps([](BertCase &t) { t.ffn().block[t.rank("s")] = 40; }); // all of it
}

TEST(CheckSchedule, S09Order) {
  breaks("S09", "loops over rank 'p' twice",
         [](BertCase &t) { t.ffn().order.push_back(t.rank("p")); });
  breaks("S09", "loops over rank 'm1', which none of its Einsums has",
         [](BertCase &t) { t.queries().order.push_back(t.rank("m1")); });
}

TEST(CheckSchedule, S10OuterLoops) {
  breaks("S10", "group 2 loops over rank 'b' twice",
         [](BertCase &t) { t.s.groups[1].tileOrder.push_back(t.rank("b")); });
  breaks("S10", "group 1 loops over rank 'p', which none of its Einsums has",
         [](BertCase &t) { t.s.groups[0].tileOrder.push_back(t.rank("p")); });
}

TEST(CheckSchedule, S11Reach) {
  breaks("S11",
         "group 2 works on 10 of 23 points of rank 'p' and does not loop",
         [](BertCase &t) { t.s.groups[1].tileOrder.pop_back(); });
  breaks("S11", "works on 4 of 8 points of rank 'e' and does not loop",
         [](BertCase &t) { t.keys().inner[t.rank("e")] = 4; });
}

TEST(CheckSchedule, S12WholeRanks) {
  breaks("S12", "'FFN2' reduces over rank 's'", [](BertCase &t) {
    t.s.groups[1].tileOrder.push_back(t.rank("s"));
    t.s.groups[1].tile[t.rank("s")] = 24;
  });
  breaks("S12", "'RM' recurs along rank 'm1'", [](BertCase &t) {
    t.s.groups[1].tileOrder.push_back(t.rank("m1"));
    t.s.groups[1].tile[t.rank("m1")] = 3;
  });
}

TEST(CheckSchedule, S13Recurrence) {
  breaks("S13", "'RM' recurs along rank 'm1', which is not the innermost loop",
         [](BertCase &t) {
           auto &order = t.attention().order;
           std::swap(order[2], order[3]);
         });
  breaks("S13", "of which an epoch holds 2 points",
         [](BertCase &t) { t.attention().inner[t.rank("m1")] = 2; });
}

TEST(CheckSchedule, S14Finish) {
  breaks("S14",
         "the reduction of 'FFN2' spans the epochs of phase 4 of group 2",
         [](BertCase &t) { t.remove("FFN2", true); });
}

TEST(CheckSchedule, S15NoIdleFinish) {
  breaks("S15", "'O' has a slot for its finish", [](BertCase &t) {
    Slot s = t.slot("O");
    s.finishOnly = true;
    s.cols.clear();
    t.onUnit(t.ffn(), 0).push_back(s);
  });
  // Without s in the order FFN2 is whole in each epoch, and so needs none.
  keeps([](BertCase &t) {
    t.ffn().order.erase(t.ffn().order.begin());
    t.ffn().inner[t.rank("s")] = 0;
    t.remove("FFN2", true);
  });
}

TEST(CheckSchedule, S16FinishLater) {
  // Its readers follow, so that only the finish is where it may not be.
  BertCase t;
  t.onUnit(t.ffn(), 0).push_back(t.remove("FFN2", true));
  auto found = t.check();
  EXPECT_EQ(brokenRules(found), "S16") << describe(found);
  BertCase u;
  u.s.groups.emplace_back();
  u.s.groups[2] = u.s.groups[1];
  u.s.groups[1].phases.pop_back();
  u.s.groups[2].phases.erase(u.s.groups[2].phases.begin(),
                             u.s.groups[2].phases.end() - 1);
  expectRule(u.check(), "S16", "'FFN2' is finished in phase 1 of group 3");
}

TEST(CheckSchedule, S17AddedOnce) {
  TwoCase t(4, 6, 5);
  ASSERT_TRUE(checkSchedule(t.c, t.a, t.s).empty())
      << describe(checkSchedule(t.c, t.a, t.s));
  // Looping over k as well would add every point of A once per k.
  Phase &p = t.s.groups[0].phases[0];
  p.order.push_back(2);
  p.inner[2] = 1;
  expectRule(checkSchedule(t.c, t.a, t.s), "S17",
             "'X' accumulates through the epochs of phase 1 of group 1, which "
             "also loop over rank 'k'");
}

TEST(CheckSchedule, S18Support) {
  breaks("S18", "'LM' has an operation of class 'max', which unit 'mac2d'",
         [](BertCase &t) {
           auto &slots = t.onUnit(t.attention(), 0);
           Slot lm = t.remove("LM");
           slots.insert(slots.begin() + 1, lm);
         });
  breaks("S18", "'AR' has an operation of class 'erf'", [](BertCase &t) {
    auto &slots = t.onUnit(t.ffn(), 0);
    slots.insert(slots.begin() + 1, t.remove("AR"));
  });
  // A lone finish needs only what the finish does.
  breaks("S18", "'FFN2.finish' has an operation of class 'div'",
         [](BertCase &t) {
           t.c.einsums[t.einsum("FFN2")].finishOps[OpClass::Div] = 1;
         });
}

TEST(CheckSchedule, S19Mapping) {
  breaks("S19", "'LM' is mapped along rank 'm'",
         [](BertCase &t) { t.slot("LM").cols = {t.rank("m")}; });
  breaks("S19", "'QK' is mapped along rank 'p' twice",
         [](BertCase &t) { t.slot("QK").cols = {t.rank("p")}; });
  // The finish of FFN2 no longer has the rank that is reduced.
  breaks("S19", "'FFN2.finish' is mapped along rank 's'",
         [](BertCase &t) { t.slot("FFN2", true).cols = {t.rank("s")}; });
}

TEST(CheckSchedule, S20Stages) {
  breaks("S20", "uses stage 2, but nothing runs in stage 1",
         [](BertCase &t) { t.slot("FFN2").stage = 2; });
  breaks("S20", "uses stage -1",
         [](BertCase &t) { t.slot("FFN1").stage = -1; });
  breaks("S20", "uses stage 1, but nothing runs in stage 0",
         [](BertCase &t) { t.slot("Q").stage = 1; });
}

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
