//===- RandomCases.cpp - Small cascades with schedules, by seed -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCases.h"

#include "transfusion/Core/Cost/Timing.h"
#include "transfusion/Core/Model/Plan.h"

#include <algorithm>

namespace transfusion::core::test {

namespace {

class Generator {
public:
  explicit Generator(Rng &rng) : rng(rng) {}

  RandomCase run() {
    r.a = randomMachine();
    switch (rng.below(4)) {
    case 0:
      r.family = "attention";
      makeAttention();
      break;
    case 1:
      r.family = "bert";
      makeBert();
      break;
    default:
      r.family = "dag";
      makeDag();
      break;
    }
    randomMoves();
    randomInstances();
    return std::move(r);
  }

private:
  int64_t between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(rng.below(hi - lo + 1));
  }
  bool chance(int n) { return rng.below(n) == 0; }
  template <typename T> void shuffle(std::vector<T> &v) {
    for (size_t i = v.size(); i > 1; --i)
      std::swap(v[i - 1], v[rng.below(i)]);
  }

  Arch randomMachine() {
    Arch a = machine("tiny");
    a.units[0].rows = between(1, 4);
    a.units[0].cols = between(1, 4);
    a.units[1].cols = between(1, 8);
    if (chance(2))
      std::swap(a.units[0], a.units[1]);
    Memory &dram = a.memories[0];
    dram.readBytesPerS = dram.writeBytesPerS =
        a.clockHz * double(between(1, 9));
    if (chance(3)) {
      dram.sharedPort = false;
      dram.writeBytesPerS = a.clockHz * double(between(0, 4));
    }
    if (chance(4))
      a.memories[1].readBytesPerS = a.clockHz * double(between(4, 40));
    return a;
  }

  //===--------------------------------------------------------------------===//
  // Cascades
  //===--------------------------------------------------------------------===//

  /// i, j are kept by every result, k, l may be reduced.
  void makeDag() {
    CascadeBuilder b("dag");
    const std::vector<std::string> names = {"i", "j", "k", "l"};
    std::vector<int64_t> extent;
    for (const std::string &n : names) {
      extent.push_back(between(1, 7));
      b.rank(n, extent.back());
    }
    struct Made {
      std::string name;
      std::vector<int> ranks;
      std::string access;
    };
    std::vector<Made> made;
    const int count = static_cast<int>(between(2, 6));
    for (int n = 0; n < count; ++n) {
      std::vector<std::string> reads;
      std::vector<bool> has(4, false);
      auto readMade = [&](const Made &m) {
        reads.push_back(m.name + "[" + m.access + "]");
        for (int x : m.ranks)
          has[x] = true;
      };
      if (!made.empty() && !chance(4))
        readMade(made[chance(2) ? made.size() - 1 : rng.below(made.size())]);
      if (!made.empty() && chance(3))
        readMade(made[rng.below(made.size())]);
      if (reads.empty() || chance(2))
        reads.push_back(
            newInput(b, extent, names, "I" + std::to_string(n), has));
      // The result keeps i and j where it has them, and what is not reduced.
      Made m;
      m.name = "T" + std::to_string(n);
      bool reduces = false;
      for (int x = 0; x < 4; ++x) {
        if (!has[x])
          continue;
        if (x >= 2 && chance(2)) {
          reduces = true;
          continue;
        }
        m.ranks.push_back(x);
      }
      shuffle(m.ranks);
      for (int x : m.ranks)
        m.access += (m.access.empty() ? "" : ",") + names[x];
      const EinsumId e = b.einsum(
          m.name + "[" + m.access + "]", reads,
          reduces ? ReduceKind::Add : ReduceKind::None,
          {{chance(4) ? OpClass::Max : OpClass::Mac, int(between(1, 2))}},
          chance(3) ? 16 : 32);
      if (chance(3)) {
        std::vector<std::string> bias;
        if (!m.ranks.empty() && chance(2)) {
          const int x = m.ranks[rng.below(m.ranks.size())];
          b.input("B" + std::to_string(n), {extent[x]});
          bias.push_back("B" + std::to_string(n) + "[" + names[x] + "]");
        }
        b.finish(e, {{OpClass::Add, 1}}, bias);
      }
      if (has[0] && has[2] && chance(6))
        b.domain(e, "i-k+" + std::to_string(between(0, 3)));
      if (chance(4) || n + 1 == count)
        b.output(m.name);
      made.push_back(m);
    }
    r.c = b.take();
    randomSchedule();
  }

  /// An input over a few ranks: plain, a halo, or digits beyond its end.
  std::string newInput(CascadeBuilder &b, const std::vector<int64_t> &extent,
                       const std::vector<std::string> &names,
                       const std::string &name, std::vector<bool> &has) {
    std::vector<int64_t> shape;
    std::string access;
    auto add = [&](const std::string &expr, int64_t size) {
      access += (access.empty() ? "" : ",") + expr;
      shape.push_back(size);
    };
    for (int x = 0; x < 2; ++x)
      if (!chance(3)) {
        has[x] = true;
        add(names[x], extent[x]);
      }
    has[2] = true;
    switch (rng.below(5)) {
    case 0: { // halo, sometimes cut off at the end of the tensor
      has[3] = true;
      add("k+l", std::max<int64_t>(1, extent[2] + extent[3] - 1 -
                                          (chance(2) ? between(0, 2) : 0)));
      break;
    }
    case 1: { // digits, the last ones do not exist
      has[3] = true;
      add("k*" + std::to_string(extent[3]) + "+l",
          std::max<int64_t>(1, extent[2] * extent[3] - between(0, extent[3])));
      break;
    }
    case 2: // the same rank twice
      add("k", extent[2]);
      add("k", extent[2]);
      break;
    case 3: // a stride and an offset
      add("k*2+1", 2 * extent[2]);
      break;
    default:
      add("k", extent[2]);
      if (chance(2)) {
        has[3] = true;
        add("l", extent[3]);
      }
    }
    b.input(name, shape, chance(3) ? 16 : 32);
    return name + "[" + access + "]";
  }

  void makeAttention() {
    AttentionShape shape;
    shape.b = between(1, 2);
    shape.h = between(1, 3);
    shape.e = between(1, 2);
    shape.f = between(1, 2);
    shape.p = between(1, 7);
    shape.m = between(1, 9);
    shape.m0 = between(1, 4);
    shape.causal = chance(2);
    shape.scale = chance(2);
    if (chance(3))
      shape.window = between(1, 5);
    if (shape.m > 1 && chance(4))
      shape.padded = between(1, shape.m - 1);
    shape.accumulatorBits = chance(2) ? 32 : 16;
    r.c = attention(shape);
    const bool together = !chance(3);
    Group g = randomGroup({"b", "h", "p"});
    std::vector<EinsumId> loop;
    for (EinsumId e = 0; e + 1 < static_cast<EinsumId>(r.c.einsums.size()); ++e)
      loop.push_back(e);
    const EinsumId av = einsumId(r.c, "AV");
    Phase keys = emptyPhase({"h", "b", "p"});
    keys.order.push_back(rankId(r.c, "m1"));
    keys.inner[rankId(r.c, "m1")] = 1;
    if (chance(2))
      keys.block[rankId(r.c, "m1")] = between(1, 3);
    fill(keys, loop);
    keys.skip = !chance(3) && skips(keys, r.c);
    Phase last = emptyPhase({"b", "h", "p"});
    fill(last, {av});
    g.phases.push_back(keys);
    if (together) {
      g.phases.push_back(last);
      r.s.groups.push_back(g);
    } else {
      r.s.groups.push_back(g);
      g = randomGroup({"b", "p", "h"});
      g.phases.push_back(last);
      r.s.groups.push_back(g);
    }
    for (Group &group : r.s.groups)
      randomRetention(group);
  }

  void makeBert() {
    BertShape shape;
    shape.b = between(1, 2);
    shape.h = between(1, 2);
    shape.e = between(1, 2);
    shape.p = between(1, 5);
    shape.s = between(1, 5);
    shape.m0 = between(1, 3);
    r.c = bertLayer(shape);
    BertTiles t;
    t.b = between(1, 2);
    t.p = between(1, 5);
    t.kvM = between(1, 5);
    t.innerP = between(1, 3);
    t.innerM = between(1, 3);
    t.innerS = std::min(between(1, 3), shape.s);
    t.headsPerEpoch = between(1, 2);
    t.blockS = chance(2) ? t.innerS * between(1, 2) : 0;
    t.blockKeys = chance(2) ? between(1, 2) : 0;
    r.s = bertSchedule(r.c, r.a, t);
    if (t.innerS == shape.s) // FFN2 is complete in its own phase
      for (Phase &p : r.s.groups[1].phases)
        for (Run &run : p.runs)
          run.slots.erase(
              std::remove_if(run.slots.begin(), run.slots.end(),
                             [](const Slot &s) { return s.finishOnly; }),
              run.slots.end());
    for (Group &g : r.s.groups) {
      randomRetention(g);
      for (Phase &p : g.phases)
        restage(p);
    }
  }

  //===--------------------------------------------------------------------===//
  // Schedules
  //===--------------------------------------------------------------------===//

  Group randomGroup(std::vector<std::string> tiled) {
    Group g;
    g.tile.assign(r.c.ranks.size(), 0);
    shuffle(tiled);
    for (const std::string &name : tiled)
      if (chance(2)) {
        const RankId x = rankId(r.c, name);
        g.tileOrder.push_back(x);
        g.tile[x] = between(1, r.c.ranks[x].extent);
      }
    return g;
  }

  Phase emptyPhase(std::vector<std::string> order) {
    Phase p;
    p.block.assign(r.c.ranks.size(), 0);
    p.inner.assign(r.c.ranks.size(), 0);
    shuffle(order);
    for (const std::string &name : order)
      if (!chance(4)) {
        const RankId x = rankId(r.c, name);
        p.order.push_back(x);
        p.inner[x] = between(1, std::min<int64_t>(r.c.ranks[x].extent, 4));
        if (chance(3))
          p.block[x] = p.inner[x] * between(1, 3);
      }
    for (size_t u = 0; u < r.a.units.size(); ++u)
      p.runs.push_back({static_cast<UnitId>(u), {}});
    p.wrap = chance(8);
    return p;
  }

  /// Some step can be left out: keys are cut by a domain.
  static bool skips(const Phase &p, const Cascade &c) {
    std::vector<EinsumId> einsums;
    for (const Run &run : p.runs)
      for (const Slot &slot : run.slots)
        einsums.push_back(slot.einsum);
    std::string why;
    return activeSteps(c, einsums, rankId(c, "m1"), why).skips();
  }

  Slot slotOf(EinsumId e, bool finishOnly) {
    Slot slot;
    slot.einsum = e;
    slot.finishOnly = finishOnly;
    std::vector<RankId> ranks = r.c.einsums[e].ranks;
    shuffle(ranks);
    if (!ranks.empty())
      slot.rows.push_back(ranks[0]);
    if (ranks.size() > 1)
      slot.cols.push_back(ranks[1]);
    return slot;
  }

  void place(Phase &p, const Slot &slot) {
    const Einsum &e = r.c.einsums[slot.einsum];
    std::vector<size_t> can;
    for (size_t u = 0; u < r.a.units.size(); ++u)
      if (cyclesPerPoint(r.a.units[u], e.pointOps) >= 0 &&
          cyclesPerPoint(r.a.units[u], e.finishOps) >= 0)
        can.push_back(u);
    if (!can.empty())
      p.runs[can[rng.below(can.size())]].slots.push_back(slot);
  }

  void fill(Phase &p, const std::vector<EinsumId> &einsums) {
    for (EinsumId e : einsums)
      place(p, slotOf(e, false));
    restage(p);
  }

  /// The Einsums from a random one on move to the second stage, or the second
  /// and third; later stages are issued first.
  void restage(Phase &p) {
    if (chance(3))
      return;
    const EinsumId cut = static_cast<EinsumId>(rng.below(r.c.einsums.size()));
    const EinsumId cut2 =
        chance(3) ? static_cast<EinsumId>(rng.below(r.c.einsums.size()))
                  : static_cast<EinsumId>(r.c.einsums.size());
    bool first = false; // some slot must be in stage 0
    for (Run &run : p.runs)
      for (Slot &s : run.slots) {
        s.stage = (s.einsum >= cut) + (s.einsum >= cut2);
        first |= s.stage == 0;
      }
    for (Run &run : p.runs) {
      if (!first)
        for (Slot &s : run.slots)
          s.stage = 0;
      std::vector<Slot> slots;
      for (int32_t stage : {2, 1, 0})
        for (const Slot &s : run.slots)
          if (s.stage == stage)
            slots.push_back(s);
      run.slots = std::move(slots);
    }
  }

  void randomRetention(Group &g) {
    for (TensorId t = 0; t < static_cast<TensorId>(r.c.tensors.size()); ++t)
      if (chance(4))
        g.retain.push_back(
            {t, chance(2) ? RetainLevel::Tile : RetainLevel::Group});
  }

  /// Several instances of each unit; slots on some of them.
  void randomInstances() {
    if (chance(2))
      return;
    for (Unit &u : r.a.units)
      u.instances = between(1, 6);
    for (Group &g : r.s.groups)
      for (Phase &p : g.phases)
        for (Run &run : p.runs)
          for (Slot &slot : run.slots)
            randomParts(g, p, r.a.units[run.unit].instances, slot);
  }

  void randomParts(const Group &g, const Phase &p, int64_t instances,
                   Slot &slot) {
    std::vector<RankId> ranks = r.c.einsums[slot.einsum].ranks;
    shuffle(ranks);
    for (RankId x : ranks) {
      if (isReducedRank(r.c, slot.einsum, x) || chance(3))
        continue;
      int64_t extent = r.c.ranks[x].extent;
      for (const std::vector<int64_t> *sizes : {&g.tile, &p.inner})
        if ((*sizes)[x] > 0)
          extent = std::min(extent, (*sizes)[x]);
      // No more parts than there are instances.
      const int64_t parts = between(1, std::min(instances, extent));
      slot.instances.push_back({x, (extent + parts - 1) / parts});
      instances /= slot.instances.back().parts(extent);
    }
  }

  /// Loads ahead and deferred stores, wherever the plan allows.
  void randomMoves() {
    if (chance(3) || !makePlan(r.c, r.a, r.s).faults.empty())
      return;
    for (Group &g : r.s.groups)
      for (Phase &p : g.phases)
        for (TensorId t = 0; t < static_cast<TensorId>(r.c.tensors.size());
             ++t) {
          if (g.phases.size() < 2 || chance(3))
            continue;
          const int32_t distance = static_cast<int32_t>(
              between(1, static_cast<int64_t>(g.phases.size()) - 1));
          p.prefetch.push_back({t, distance});
          if (!makePlan(r.c, r.a, r.s).faults.empty())
            p.prefetch.pop_back();
          p.defer.push_back({t, distance});
          if (!makePlan(r.c, r.a, r.s).faults.empty())
            p.defer.pop_back();
        }
  }

  /// Einsums in their order, cut into groups and phases; sums that span epochs
  /// are finished in the phase after.
  void randomSchedule() {
    std::vector<EinsumId> finishes;
    const std::vector<std::string> tiled =
        chance(2) ? std::vector<std::string>{"i", "j"}
                  : std::vector<std::string>{"i", "j", "k", "l"};
    Group g = randomGroup(tiled);
    Phase p = emptyPhase({"i", "j", "k", "l"});
    std::vector<EinsumId> members;
    auto closePhase = [&] {
      for (EinsumId e : finishes)
        place(p, slotOf(e, true));
      finishes.clear();
      for (EinsumId e : members) {
        place(p, slotOf(e, false));
        if (reductionSpansEpochs(r.c, g, p, e))
          finishes.push_back(e);
      }
      if (finishes.empty())
        restage(p);
      members.clear();
      g.phases.push_back(p);
      p = emptyPhase({"i", "j", "k", "l"});
    };
    auto closeGroup = [&] {
      randomRetention(g);
      r.s.groups.push_back(g);
      g = randomGroup(tiled);
    };
    for (EinsumId e = 0; e < static_cast<EinsumId>(r.c.einsums.size()); ++e) {
      if (!members.empty() && chance(2)) {
        closePhase();
        if (finishes.empty() && chance(3))
          closeGroup();
      }
      members.push_back(e);
    }
    closePhase();
    if (!finishes.empty())
      closePhase();
    closeGroup();
  }

  Rng &rng;
  RandomCase r;
};

} // namespace

RandomCase randomCase(Rng &rng) { return Generator(rng).run(); }

} // namespace transfusion::core::test
