//===- CheckScheduleTest.cpp - Broken parts and sizes of schedules --------===//
// schedules------------===//
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

TEST(CheckSchedule, S42Instances) {
  auto split = [](const char *einsum, const char *rank, int64_t points) {
    return [=](BertCase &t) {
      for (Unit &u : t.a.units)
        u.instances = 2;
      t.slot(einsum).instances.push_back({t.rank(rank), points});
    };
  };
  BertCase legal;
  split("QK", "h", 1)(legal); // of 2 heads in an epoch
  EXPECT_EQ(describe(legal.check()), "");
  breaks("S42", "'QK' is split into 4 parts, but there are 2 of unit",
         split("QK", "p", 1));
  breaks("S42", "'LM' is split over instances along rank 'm0', over which",
         split("LM", "m0", 1 << 20));
  breaks("S42", "'LM' is split over instances along rank 'e', which it does",
         split("LM", "e", 1));
  breaks("S42", "along rank 'h' in parts of 0 points", split("QK", "h", 0));
  breaks("S42", "along rank 'h' twice", [&](BertCase &t) {
    split("QK", "h", 4)(t);
    split("QK", "h", 4)(t);
  });
  breaks("S42", "split into 2 parts, but there is one", [&](BertCase &t) {
    split("QK", "h", 1)(t);
    for (Unit &u : t.a.units)
      u.instances = 1;
  });
  breaks("S01", "names rank 99",
         [](BertCase &t) { t.slot("QK").instances.push_back({99, 1}); });
}

TEST(CheckSchedule, S20Stages) {
  breaks("S20", "uses stage 2, but nothing runs in stage 1",
         [](BertCase &t) { t.slot("FFN2").stage = 2; });
  breaks("S20", "uses stage -1",
         [](BertCase &t) { t.slot("FFN1").stage = -1; });
  breaks("S20", "uses stage 1, but nothing runs in stage 0",
         [](BertCase &t) { t.slot("Q").stage = 1; });
}

} // namespace
