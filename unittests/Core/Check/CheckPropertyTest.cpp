//===- CheckPropertyTest.cpp - Random schedules, legal and broken ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legal by construction: sizes are drawn so that they nest, stages follow the
// dependences, slots stand in dependence order. The checker has to accept all
// of them, and their plans, and to refuse every mutation that makes one wrong.
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include "transfusion/Core/Search/Rng.h"

#include <algorithm>
#include <set>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

struct RandomCase : BertCase {
  Rng rng;
  int64_t draw(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(rng.below(hi - lo + 1));
  }
  explicit RandomCase(uint64_t seed) : rng(seed) {
    BertShape shape;
    shape.b = draw(1, 3);
    shape.h = draw(1, 4);
    shape.e = draw(1, 6);
    shape.p = draw(2, 31);
    shape.s = draw(2, 40);
    shape.m0 = draw(1, shape.p);
    c = bertLayer(shape);
    BertTiles t;
    t.b = draw(1, shape.b);
    t.p = draw(1, shape.p);
    t.kvM = draw(1, shape.p);
    t.innerP = draw(1, t.p);
    t.innerM = draw(1, t.kvM);
    t.innerS = draw(1, shape.s);
    t.headsPerEpoch = draw(1, shape.h);
    int64_t m1 = (shape.p + shape.m0 - 1) / shape.m0;
    t.blockKeys = draw(0, m1);
    t.blockS = std::min(draw(0, 3) * t.innerS, shape.s);
    s = bertSchedule(c, a, t);
    // With s in one piece FFN2 ends within its epoch.
    if (t.innerS == shape.s)
      remove("FFN2", true);
    if (draw(0, 1))
      stages();
    for (TensorId x = 0; x < static_cast<TensorId>(c.tensors.size()); ++x)
      if (c.tensors[x].isInput && draw(0, 3) == 0)
        retain(x);
    if (draw(0, 1))
      moves();
  }

  /// What the Einsums of `p` read and write, by number.
  std::set<TensorId> touched(const Phase &p) const {
    std::set<TensorId> result;
    for (const auto &run : p.runs)
      for (const Slot &slot : run.slots) {
        const Einsum &e = c.einsums[slot.einsum];
        result.insert(e.result.tensor);
        for (const auto *list : {&e.inputs, &e.finishInputs})
          for (const Operand &o : *list)
            result.insert(o.tensor);
      }
    return result;
  }

  /// Loads ahead and deferred stores, wherever the plan allows.
  void moves() {
    for (Group &g : s.groups)
      for (Phase &p : g.phases)
        for (TensorId x : touched(p)) {
          const int32_t distance = static_cast<int32_t>(
              draw(1, static_cast<int64_t>(g.phases.size())));
          p.prefetch.push_back({x, distance});
          if (!makePlan(c, a, s).faults.empty())
            p.prefetch.pop_back();
          p.defer.push_back({x, distance});
          if (!makePlan(c, a, s).faults.empty())
            p.defer.pop_back();
        }
  }

  /// The second half of each phase one stage later: attention where the
  /// recurrences stay within a stage.
  void stages() {
    for (const char *n : {"SLNV", "SPNV", "RNV"})
      slot(n).stage = 1;
    slot("FFN2").stage = 1;
    for (const char *n : {"DAV", "QAV", "SQAV", "MQAV", "SR", "NR"})
      slot(n).stage = 1;
  }

  void retain(TensorId x) {
    RetainLevel level = draw(0, 1) ? RetainLevel::Tile : RetainLevel::Group;
    for (Group &g : s.groups)
      for (Phase &p : g.phases)
        for (auto &run : p.runs)
          for (Slot &slot : run.slots) {
            const Einsum &e = c.einsums[slot.einsum];
            auto reads = [&](const std::vector<Operand> &list) {
              for (const Operand &o : list)
                if (o.tensor == x)
                  return true;
              return false;
            };
            if ((!slot.finishOnly && reads(e.inputs)) ||
                reads(e.finishInputs)) {
              if (g.retain.empty() || g.retain.back().tensor != x)
                g.retain.push_back({x, level});
            }
          }
  }
};

std::string caseText(const RandomCase &t, uint64_t seed) {
  std::string text = "seed " + std::to_string(seed) + ":";
  for (const Rank &r : t.c.ranks)
    text += " " + r.name + "=" + std::to_string(r.extent);
  return text;
}

TEST(CheckProperty, LegalSchedulesPass) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    RandomCase t(seed);
    auto found = t.check();
    ASSERT_TRUE(found.empty()) << caseText(t, seed) << "\n" << describe(found);
    found = checkPlan(t.c, t.a, t.s, makePlan(t.c, t.a, t.s));
    ASSERT_TRUE(found.empty()) << caseText(t, seed) << "\n" << describe(found);
  }
}

/// One random mutation; false when it would change nothing or nothing wrong.
bool mutate(RandomCase &t, std::string *what) {
  Group &g = t.s.groups[t.draw(0, 1)];
  Phase &p = g.phases[t.draw(0, static_cast<int64_t>(g.phases.size()) - 1)];
  std::vector<size_t> used;
  for (size_t u = 0; u < p.runs.size(); ++u)
    if (!p.runs[u].slots.empty())
      used.push_back(u);
  auto &slots = p.runs[used[t.rng.below(used.size())]].slots;
  size_t i = t.rng.below(slots.size());
  switch (t.draw(0, 7)) {
  case 0:
    *what = "dropped Einsum";
    slots.erase(slots.begin() + i);
    return true;
  case 1:
    *what = "doubled Einsum";
    slots.push_back(slots[i]);
    return true;
  case 2: {
    // Two Einsums of which the second reads the first in the same step.
    *what = "swapped Einsums";
    if (i + 1 == slots.size() || slots[i].stage != slots[i + 1].stage)
      return false;
    for (const Operand &o : t.c.einsums[slots[i + 1].einsum].inputs)
      if (!slots[i + 1].finishOnly &&
          t.c.tensors[o.tensor].producer == slots[i].einsum) {
        std::swap(slots[i], slots[i + 1]);
        return true;
      }
    return false;
  }
  case 3: {
    *what = "shifted stage";
    // Two stages later than a reader in the same phase allows.
    for (const auto &run : p.runs)
      for (const Slot &reader : run.slots)
        for (const Operand &o : t.c.einsums[reader.einsum].inputs)
          if (!reader.finishOnly &&
              t.c.tensors[o.tensor].producer == slots[i].einsum &&
              reader.einsum != slots[i].einsum) {
            slots[i].stage = reader.stage + 2;
            return true;
          }
    return false;
  }
  case 4: {
    *what = "inner beyond its tile";
    RankId r = p.order[t.rng.below(p.order.size())];
    p.inner[r] = t.c.ranks[r].extent + 1;
    return true;
  }
  case 5: {
    *what = "outer loop left out";
    RankId r = g.tileOrder.back();
    if (g.tile[r] == t.c.ranks[r].extent)
      return false;
    g.tileOrder.pop_back();
    return true;
  }
  case 6: {
    *what = "inner loop left out";
    RankId r = p.order.back();
    int64_t tile = g.tile[r] ? g.tile[r] : t.c.ranks[r].extent;
    if (p.inner[r] == 0 || p.inner[r] == tile)
      return false;
    p.order.pop_back();
    return true;
  }
  default:
    *what = "group moved";
    std::swap(t.s.groups[0], t.s.groups[1]);
    return true;
  }
}

TEST(CheckProperty, MutationsAreCaught) {
  int caught = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    RandomCase t(seed);
    std::string what;
    if (!mutate(t, &what))
      continue;
    ++caught;
    auto found = t.check();
    ASSERT_FALSE(found.empty()) << what << ", " << caseText(t, seed);
    for (const Violation &v : found) {
      EXPECT_FALSE(v.what.empty());
      EXPECT_FALSE(v.notes.empty());
    }
  }
  EXPECT_GT(caught, 700);
}

/// Numbers that nobody checked before: no crash, and no silence.
TEST(CheckProperty, GarbageIsRefused) {
  const int64_t odd[] = {INT64_MIN, -1, INT64_MAX, int64_t{1} << 62};
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    RandomCase t(seed);
    Group &g = t.s.groups[t.draw(0, 1)];
    Phase &p = g.phases[0];
    int64_t x = odd[t.draw(0, 3)];
    RankId r = p.order[0];
    switch (t.draw(0, 5)) {
    case 0:
      g.tile[r] = x;
      break;
    case 1:
      p.inner[r] = x;
      break;
    case 2:
      p.block[r] = x;
      break;
    case 3:
      p.runs[0].slots[0].stage = static_cast<int32_t>(x) | 1 << 20;
      break;
    case 4:
      p.runs[0].slots[0].einsum = static_cast<EinsumId>(x) | 1 << 20;
      break;
    default:
      t.c.tensors[t.draw(0, 5)].shape[0] = x;
    }
    EXPECT_FALSE(t.check().empty()) << "seed " << seed;
  }
}

} // namespace
