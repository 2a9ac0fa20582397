//===- PlanTest.cpp - Buffers, lifetimes, addresses -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Footprint.h"

#include "../RandomCases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

using namespace transfusion::core;
using namespace transfusion::core::test;

static const Buffer *find(const Plan &p, const std::string &name) {
  for (const Buffer &b : p.buffers)
    if (b.name == name)
      return &b;
  return nullptr;
}

static std::vector<int64_t> extents(const Buffer &b) {
  std::vector<int64_t> e;
  for (const BufferDim &d : b.dims)
    e.push_back(d.extent);
  return e;
}

/// Attention of 2 heads, 8 queries, 16 keys in tiles of 4; e = f = 3, 32 bits.
static Cascade smallAttention() {
  AttentionShape s;
  s.h = 2, s.e = 3, s.f = 3, s.p = 8, s.m = 16, s.m0 = 4;
  s.storageBits = s.accumulatorBits = 32;
  return attention(s);
}

/// QK ... RNV then AV; SLN and what follows it in stage 1.
static Schedule smallSchedule(const Cascade &c) {
  Group g;
  g.tile.assign(c.ranks.size(), 0);
  g.tileOrder = {rankId(c, "p")};
  g.tile[rankId(c, "p")] = 4;
  Phase keys;
  keys.block.assign(c.ranks.size(), 0);
  keys.inner.assign(c.ranks.size(), 0);
  keys.order = {rankId(c, "h"), rankId(c, "p"), rankId(c, "m1")};
  keys.inner[rankId(c, "h")] = 1;
  keys.inner[rankId(c, "p")] = 2;
  keys.inner[rankId(c, "m1")] = 1;
  keys.runs = {{0, {}}, {1, {}}};
  const char *stage1[] = {"SLD", "SLNV", "PRM", "SPD", "RD", "SPNV", "RNV"};
  const char *stage0[] = {"QK", "LM", "RM", "SLN"};
  for (const char *n : stage1)
    keys.runs[1].slots.push_back({einsumId(c, n), false, 1, {}, {}});
  for (const char *n : stage0)
    keys.runs[1].slots.push_back({einsumId(c, n), false, 0, {}, {}});
  Phase last;
  last.block = last.inner = std::vector<int64_t>(c.ranks.size(), 0);
  last.order = {rankId(c, "p")};
  last.inner[rankId(c, "p")] = 2;
  last.runs = {{1, {{einsumId(c, "AV"), false, 0, {}, {}}}}};
  g.phases = {keys, last};
  Schedule s;
  s.groups = {g};
  return s;
}

TEST(PlanTest, WindowsOfAttention) {
  const Cascade c = smallAttention();
  const Plan p = makePlan(c, machine("tiny"), smallSchedule(c));
  ASSERT_TRUE(p.faults.empty()) << p.faults.front();

  // Read in the stage that makes it: one inner tile [b,h,m1,m0,p].
  const Buffer *qk = find(p, "g1.p1.QK");
  ASSERT_TRUE(qk);
  EXPECT_EQ(qk->role, BufferRole::Window);
  EXPECT_EQ(extents(*qk), (std::vector<int64_t>{1, 1, 1, 4, 2}));
  EXPECT_EQ(qk->slots, 1);
  EXPECT_EQ(qk->bytesPerSlot, 32);
  EXPECT_EQ(qk->bytes, 64);
  // One stage later: two.
  EXPECT_EQ(find(p, "g1.p1.SLN")->slots, 2);
  // RM is read by PRM in stage 1 at distance 1, made in stage 0: three.
  EXPECT_EQ(find(p, "g1.p1.RM")->slots, 3);
  EXPECT_EQ(find(p, "g1.p1.RD")->slots, 2);
  EXPECT_FALSE(find(p, "g1.p1.RM.last"));

  // AV reads the last slices of RNV and RD: one slice of the whole tile.
  const Buffer *rnv = find(p, "g1.p1.RNV.last");
  ASSERT_TRUE(rnv);
  EXPECT_EQ(rnv->role, BufferRole::Carried);
  EXPECT_EQ(extents(*rnv), (std::vector<int64_t>{1, 2, 3, 1, 4}));
  EXPECT_EQ(rnv->firstPhase, 0);
  EXPECT_EQ(rnv->lastPhase, 1);

  const Buffer *av = find(p, "g1.p2.AV");
  ASSERT_TRUE(av);
  EXPECT_EQ(av->role, BufferRole::Output);
  EXPECT_TRUE(av->storeToOuter);
  EXPECT_EQ(av->slots, 2);
  EXPECT_EQ(extents(*av), (std::vector<int64_t>{1, 2, 3, 2}));

  // Keys, not cut: all of them, once per outer tile, as digits.
  const Buffer *bk = find(p, "g1.p1.BK");
  ASSERT_TRUE(bk);
  EXPECT_EQ(extents(*bk), (std::vector<int64_t>{1, 2, 4, 4, 3}));
  EXPECT_EQ(bk->slots, 1);
  EXPECT_EQ(bk->fetchPosition, -1);

  const PlannedSlot &prm = p.groups[0].phases[0].slots[2];
  EXPECT_EQ(c.einsums[prm.einsum].name, "PRM");
  EXPECT_EQ(prm.inputs[0].distance, 1);
  EXPECT_EQ(prm.inputs[1].distance, 0);
  EXPECT_EQ(p.groups[0].phases[0].stages, 2);
}

TEST(PlanTest, BlocksAndRetention) {
  const Cascade c = smallAttention();
  Schedule s = smallSchedule(c);
  Phase &keys = s.groups[0].phases[0];
  keys.block[rankId(c, "m1")] = 2;
  Plan p = makePlan(c, machine("tiny"), s);
  ASSERT_TRUE(p.faults.empty()) << p.faults.front();
  // Two key tiles of one head at a time, fetched ahead; QK is in stage 0 only.
  const Buffer *bk = find(p, "g1.p1.BK");
  EXPECT_EQ(extents(*bk), (std::vector<int64_t>{1, 1, 2, 4, 3}));
  EXPECT_EQ(bk->fetchPosition, 2);
  EXPECT_EQ(bk->slots, 2);
  // Q does not depend on m1: held for the tile.
  EXPECT_EQ(find(p, "g1.p1.Q")->fetchPosition, -1);

  s.groups[0].retain = {{tensorId(c, "BK"), RetainLevel::Group},
                        {tensorId(c, "BV"), RetainLevel::Tile}};
  p = makePlan(c, machine("tiny"), s);
  bk = find(p, "g1.p1.BK");
  EXPECT_EQ(extents(*bk), (std::vector<int64_t>{1, 2, 4, 4, 3}));
  EXPECT_EQ(bk->firstPhase, 0);
  EXPECT_EQ(bk->lastPhase, 1);
  const Buffer *bv = find(p, "g1.p1.BV");
  EXPECT_EQ(extents(*bv), (std::vector<int64_t>{1, 2, 4, 4, 3}));
  EXPECT_EQ(bv->lastPhase, 0);
}

TEST(PlanTest, SumsThatSpanEpochs) {
  const Cascade c = bertLayer({1, 2, 4, 8, 12, 4});
  BertTiles t;
  t.p = 4, t.kvM = 4, t.innerP = 2, t.innerM = 2, t.innerS = 3;
  t.headsPerEpoch = 1, t.blockS = 6;
  const Arch a = machine("tiny");
  const Plan p = makePlan(c, a, bertSchedule(c, a, t));
  ASSERT_TRUE(p.faults.empty()) << p.faults.front();
  const Buffer *sums = find(p, "g2.p4.FFN2.acc");
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->role, BufferRole::Accumulator);
  EXPECT_EQ(extents(*sums), (std::vector<int64_t>{1, 4, 8}));
  EXPECT_EQ(sums->lastPhase, 4);
  // W1[d,s]: two blocks of s, each fetched ahead.
  EXPECT_EQ(extents(*find(p, "g2.p4.W1")), (std::vector<int64_t>{8, 6}));
  EXPECT_EQ(find(p, "g2.p4.W1")->slots, 2);
  // NR is read by FFN1 and by the second residual: carried, and no window.
  EXPECT_EQ(find(p, "g2.p3.NR")->role, BufferRole::Carried);
  EXPECT_EQ(find(p, "g2.p3.NR")->lastPhase, 4);
  // X is read by Q as [b,p,d] and by the residual alike, block by block: two
  // buffers, since they are fetched apart.
  EXPECT_TRUE(find(p, "g2.p1.X"));
  EXPECT_TRUE(find(p, "g2.p3.X"));
  // K and V cross groups.
  EXPECT_EQ(find(p, "g1.p1.BK")->role, BufferRole::Output);
  EXPECT_EQ(find(p, "g2.p2.BK")->role, BufferRole::Input);
}

TEST(PlanTest, DifferentAccessesAreDifferentBuffers) {
  CascadeBuilder b("shift");
  b.rank("i", 4);
  b.input("A", {5});
  b.einsum("T[i]", {"A[i]", "A[i+1]"}, ReduceKind::None, {{OpClass::Add, 1}});
  b.output("T");
  const Cascade c = b.take();
  Schedule s;
  s.groups.resize(1);
  s.groups[0].phases.resize(1);
  s.groups[0].phases[0].runs = {{0, {{0, false, 0, {}, {}}}}};
  const Plan p = makePlan(c, machine("tiny"), s);
  ASSERT_TRUE(p.faults.empty());
  EXPECT_TRUE(find(p, "g1.p1.A"));
  EXPECT_TRUE(find(p, "g1.p1.A#2"));
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static std::string firstFault(const Cascade &c, const Schedule &s) {
  const Plan p = makePlan(c, machine("tiny"), s);
  return p.faults.empty() ? "" : p.faults.front();
}

TEST(PlanFaultTest, Sentences) {
  const Cascade c = smallAttention();
  const Schedule good = smallSchedule(c);
  EXPECT_EQ(firstFault(c, good), "");

  Schedule s = good;
  s.groups[0].phases[0].runs[1].slots.erase(
      s.groups[0].phases[0].runs[1].slots.begin());
  EXPECT_EQ(firstFault(c, s),
            "RD in phase 1 of group 1 reads SLD, which nobody makes");

  s = good;
  std::swap(s.groups[0].phases[0], s.groups[0].phases[1]);
  EXPECT_EQ(firstFault(c, s),
            "AV in phase 1 of group 1 reads RNV, which is made only later");

  s = good;
  s.groups[0].phases[0].runs[1].slots.push_back(
      s.groups[0].phases[1].runs[0].slots[0]);
  s.groups[0].phases.pop_back();
  EXPECT_EQ(firstFault(c, s), "AV reads the last slice of RNV in the phase "
                              "that still makes it, phase 1 of group 1");

  s = good;
  s.groups[0].phases[0].inner[rankId(c, "m0")] = 2;
  EXPECT_EQ(firstFault(c, s), "rank m0 is cut to 2 of 4 in phase 1 of group 1, "
                              "whose order does not list it");

  s = good;
  s.groups[0].phases[0].block[rankId(c, "p")] = 3;
  EXPECT_EQ(firstFault(c, s), "block 3 of rank p is not a multiple of its "
                              "inner tile 2 in phase 1 of group 1");

  s = good;
  s.groups[0].tile[rankId(c, "h")] = 1;
  EXPECT_EQ(firstFault(c, s), "rank h is tiled in group 1, whose tile order "
                              "does not list it");

  s = good;
  s.groups[0].tileOrder.push_back(rankId(c, "m1"));
  s.groups[0].tile[rankId(c, "m1")] = 2;
  EXPECT_EQ(firstFault(c, s),
            "RM is a recurrence along rank m1, which group 1 tiles");

  s = good;
  s.groups[0].phases[1].runs[0].slots.push_back(
      s.groups[0].phases[1].runs[0].slots[0]);
  EXPECT_EQ(firstFault(c, s), "AV is scheduled twice");

  s = good;
  s.groups[0].phases[1].runs[0].slots[0].finishOnly = true;
  EXPECT_EQ(firstFault(c, s), "AV.finish in phase 2 of group 1 has no sums: no "
                              "earlier phase of its group accumulates AV");

  s = good;
  s.groups[0].phases[0].order.push_back(rankId(c, "e"));
  s.groups[0].phases[0].inner[rankId(c, "e")] = 1;
  EXPECT_EQ(firstFault(c, s), "QK reduces over several epochs of phase 1 of "
                              "group 1 and has no finish after it");
  s.groups[0].phases[0].order.back() = rankId(c, "h");
  EXPECT_EQ(firstFault(c, s), "order of phase 1 of group 1 lists rank h twice");
}

TEST(PlanFaultTest, ReaderNeedsMoreThanItsTile) {
  // Y reads all of T as n while the group tiles T along i.
  CascadeBuilder b("gather");
  b.rank("i", 6);
  b.rank("n", 6);
  b.input("A", {6});
  b.einsum("T[i]", {"A[i]"}, ReduceKind::None, {{OpClass::Add, 1}});
  b.einsum("Y[i]", {"T[i]", "T[n]"}, ReduceKind::Add, {{OpClass::Mac, 1}});
  b.output("Y");
  const Cascade c = b.take();
  Schedule s;
  s.groups.resize(1);
  Group &g = s.groups[0];
  g.phases.resize(2);
  for (EinsumId e : {0, 1})
    g.phases[e].runs = {{0, {{e, false, 0, {}, {}}}}};
  EXPECT_EQ(firstFault(c, s), "");
  g.tileOrder = {0};
  g.tile = {3, 0};
  EXPECT_EQ(firstFault(c, s), "Y in phase 2 of group 1 reads more of T than "
                              "the tile that its group makes");
  // In one phase the epoch is the limit.
  g.tileOrder.clear();
  g.tile.clear();
  g.phases[0].runs[0].slots.push_back(g.phases[1].runs[0].slots[0]);
  g.phases.pop_back();
  EXPECT_EQ(firstFault(c, s), "");
  g.phases[0].order = {0};
  g.phases[0].inner = {2, 0};
  EXPECT_EQ(firstFault(c, s), "Y reads more of T than one epoch makes in phase "
                              "1 of group 1");
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

TEST(PlanPropertyTest, LiveBuffersNeverOverlap) {
  Rng rng(5);
  int checked = 0, shared = 0;
  for (int n = 0; n < 4000 && checked < 1000; ++n) {
    const RandomCase r = randomCase(rng);
    const Plan p = makePlan(r.c, r.a, r.s);
    if (!p.faults.empty())
      continue;
    ++checked;
    std::set<std::string> names;
    int64_t greatest = 0;
    for (const Buffer &b : p.buffers) {
      ASSERT_TRUE(names.insert(b.name).second) << b.name;
      ASSERT_GE(b.address, 0);
      ASSERT_EQ(b.address % kBufferAlignment, 0);
      ASSERT_GE(b.bytes, b.slots * b.bytesPerSlot);
      ASSERT_LE(0, b.firstPhase + b.prefetchAhead);
      ASSERT_LE(b.firstPhase, b.lastPhase);
      ASSERT_LT(b.lastPhase - b.storeDelay,
                int(p.groups[b.group].phases.size()));
      greatest = std::max(greatest, b.address + b.bytes);
    }
    ASSERT_EQ(p.allocationBytes[1], greatest);
    // Sweep phase by phase over every group, byte ranges sorted by address.
    for (size_t g = 0; g < p.groups.size(); ++g)
      for (int ph = 0; ph < int(p.groups[g].phases.size()); ++ph) {
        std::vector<std::pair<int64_t, int64_t>> live;
        for (int32_t id : p.groups[g].buffers) {
          const Buffer &b = p.buffers[id];
          if (livesIn(b, ph, int(p.groups[g].phases.size())))
            live.push_back({b.address, b.address + b.bytes});
        }
        std::sort(live.begin(), live.end());
        for (size_t i = 1; i < live.size(); ++i)
          ASSERT_GE(live[i].first, live[i - 1].second) << "case " << n;
      }
    for (const Buffer &x : p.buffers)
      for (const Buffer &y : p.buffers)
        shared += x.group == y.group && x.lastPhase < y.firstPhase &&
                  x.address < y.address + y.bytes &&
                  y.address < x.address + x.bytes;
    // Every buffer that a slot names is alive in its phase.
    for (size_t g = 0; g < p.groups.size(); ++g)
      for (int ph = 0; ph < int(p.groups[g].phases.size()); ++ph)
        for (const PlannedSlot &slot : p.groups[g].phases[ph].slots) {
          auto alive = [&](int32_t id) {
            return id < 0 || (p.buffers[id].group == int(g) &&
                              p.buffers[id].firstPhase <= ph &&
                              ph <= p.buffers[id].lastPhase);
          };
          for (const OperandSource &from : slot.inputs)
            ASSERT_TRUE(from.buffer >= 0 && alive(from.buffer));
          for (const OperandSource &from : slot.finishInputs)
            ASSERT_TRUE(from.buffer >= 0 && alive(from.buffer));
          ASSERT_TRUE(alive(slot.accumulator));
          ASSERT_TRUE(alive(slot.window));
          ASSERT_TRUE(alive(slot.carried));
          ASSERT_TRUE(slot.accumulates || slot.window >= 0 ||
                      slot.carried >= 0);
        }
  }
  EXPECT_GE(checked, 500);
  EXPECT_GE(shared, 100) << "buffers reuse each other's bytes";
}

TEST(PlanPropertyTest, WindowsKeepWhatIsStillRead) {
  // Ring buffers, written and read as Plan.h says, in the worst order within a
  // step (writers first), never lose a value.
  Rng rng(17);
  int reads = 0;
  for (int n = 0; n < 2000; ++n) {
    const RandomCase r = randomCase(rng);
    const Plan p = makePlan(r.c, r.a, r.s);
    if (!p.faults.empty())
      continue;
    for (const GroupPlan &g : p.groups)
      for (const PhasePlan &ph : g.phases)
        for (const PlannedSlot &reader : ph.slots)
          for (const OperandSource &from : reader.inputs) {
            const Buffer &b = p.buffers[from.buffer];
            if (b.role != BufferRole::Window && b.role != BufferRole::Output)
              continue;
            for (const PlannedSlot &writer : ph.slots) {
              if (writer.window != from.buffer)
                continue;
              const int64_t step = 20,
                            read = step - reader.stage - from.distance;
              const int64_t written = step - writer.stage;
              if (read > written)
                continue; // illegal order, for the checker
              ++reads;
              EXPECT_GT(b.slots, written - read) << b.name;
            }
          }
  }
  EXPECT_GE(reads, 1000);
}

TEST(FootprintPropertyTest, DigitsNeverCollide) {
  Rng rng(3);
  int digits = 0;
  for (int n = 0; n < 3000; ++n) {
    Cascade c;
    LinearExpr expr;
    const int count = 1 + int(rng.below(3));
    for (int r = 0; r < count; ++r) {
      c.ranks.push_back({"r", 1 + int64_t(rng.below(5)), false});
      int64_t a = int64_t(rng.below(25)) - 12;
      if (a)
        expr.terms.push_back({r, a});
    }
    if (!isDigits(c, expr))
      continue;
    ++digits;
    std::set<int64_t> seen;
    std::function<void(size_t, int64_t)> walk = [&](size_t i, int64_t v) {
      if (i == expr.terms.size()) {
        ASSERT_TRUE(seen.insert(v).second);
        return;
      }
      for (int64_t x = 0; x < c.ranks[expr.terms[i].first].extent; ++x)
        walk(i + 1, v + x * expr.terms[i].second);
    };
    walk(0, expr.constant);
  }
  EXPECT_GE(digits, 500);
}
