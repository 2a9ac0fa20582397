//===- LawsTest.cpp - What holds for every cost, whatever the schedule ----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 400 random cases each time, all 10,000 by
//
//     LAW_CASES=10000 TFCoreTests --gtest_filter='LawsProperty*'
//
// A case that breaks a law is made small before it is printed.
//
//===----------------------------------------------------------------------===//

#include "Shrink.h"

#include "../Search/Permute.h"
#include "../Search/SmallCases.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/TileSeek.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

constexpr double kRounding = 1e-12; ///< of sums of a few hundred terms

/// Why a case breaks a law; empty: it does not.
using Law = std::string (*)(const RandomCase &, const CostReport &);

std::string difference(const char *what, double x, double y) {
  return std::string(what) + ": " + std::to_string(x) + " and " +
         std::to_string(y);
}

std::string isNotBelowTheBound(const RandomCase &r, const CostReport &cost) {
  const LowerBound b = lowerBound(r.c, r.a);
  return cost.latencyCycles * (1 + kRounding) < b.cycles
             ? difference("latency below its bound", cost.latencyCycles,
                          b.cycles)
             : "";
}

std::string countsArePlausible(const RandomCase &, const CostReport &cost) {
  for (const std::vector<int64_t> *counts :
       {&cost.readBytes, &cost.writeBytes, &cost.unitBusyCycles})
    for (int64_t n : *counts)
      if (n < 0)
        return "a count is " + std::to_string(n);
  for (const EinsumCost &e : cost.einsums)
    if (e.points < 0 || e.busyCycles < 0 || e.energyPj < 0)
      return "a count of an Einsum is negative";
  for (double share : cost.unitLanes)
    if (share < 0 || share > 1 + kRounding)
      return "lanes are used at " + std::to_string(share);
  for (double share : cost.unitBusy)
    if (share < 0 || share > 1 + kRounding)
      return "a unit is busy at " + std::to_string(share);
  return "";
}

std::string isNotWorse(const RandomCase &more, const CostReport &before) {
  const CostReport after = evaluate(more.c, more.a, more.s);
  if (!after.faults.empty())
    return after.faults.front();
  if (after.latencyCycles > before.latencyCycles * (1 + kRounding))
    return difference("latency", before.latencyCycles, after.latencyCycles);
  return after.readBytes != before.readBytes ||
                 after.writeBytes != before.writeBytes
             ? "bytes differ"
             : "";
}

std::string moreBandwidthIsNotWorse(const RandomCase &r,
                                    const CostReport &cost) {
  for (size_t m = 0; m < r.a.memories.size(); ++m)
    for (bool writes : {false, true}) {
      RandomCase more = r;
      Memory &memory = more.a.memories[m];
      (writes ? memory.writeBytesPerS : memory.readBytesPerS) *= 1.3;
      if (std::string why = isNotWorse(more, cost); !why.empty())
        return memory.name + (writes ? " writes: " : " reads: ") + why;
    }
  return "";
}

std::string moreCapacityIsNotWorse(const RandomCase &r,
                                   const CostReport &cost) {
  RandomCase more = r;
  for (Memory &m : more.a.memories)
    m.capacityBytes *= 2;
  return isNotWorse(more, cost);
}

std::string moreLanesAreNotWorse(const RandomCase &r, const CostReport &cost) {
  // Where slots share a narrow port, a faster one takes it from the others.
  if (r.a.memories[1].readBytesPerS > 0)
    return "";
  for (size_t u = 0; u < r.a.units.size(); ++u)
    for (bool rows : {false, true}) {
      RandomCase more = r;
      Unit &unit = more.a.units[u];
      if (rows && !unit.isGrid)
        continue;
      (rows ? unit.rows : unit.cols) += 1;
      if (std::string why = isNotWorse(more, cost); !why.empty())
        return unit.name + (rows ? " rows: " : " columns: ") + why;
    }
  return "";
}

/// Other ids and names of everything, in the cascade and in the schedule.
RandomCase renamed(const RandomCase &r) {
  Rng rng(7);
  const Renaming ids(r.c, rng);
  auto mapSizes = [&](std::vector<int64_t> &sizes) {
    std::vector<int64_t> old = sizes;
    old.resize(ids.rank.size(), 0);
    sizes.assign(ids.rank.size(), 0);
    for (size_t i = 0; i < ids.rank.size(); ++i)
      sizes[ids.rank[i]] = old[i];
  };
  auto byTensor = [](auto &list) {
    std::sort(list.begin(), list.end(),
              [](const auto &x, const auto &y) { return x.tensor < y.tensor; });
  };
  RandomCase d = r;
  d.c = ids.apply(r.c);
  for (Group &g : d.s.groups) {
    ids.map(g.tileOrder);
    mapSizes(g.tile);
    for (Retain &x : g.retain)
      x.tensor = ids.tensor[x.tensor];
    byTensor(g.retain);
    for (Phase &p : g.phases) {
      ids.map(p.order);
      mapSizes(p.block);
      mapSizes(p.inner);
      for (Run &run : p.runs)
        for (Slot &s : run.slots) {
          s.einsum = ids.einsum[s.einsum];
          ids.map(s.rows);
          ids.map(s.cols);
          for (InstancePart &part : s.instances)
            part.rank = ids.rank[part.rank];
        }
      for (Prefetch &x : p.prefetch)
        x.tensor = ids.tensor[x.tensor];
      byTensor(p.prefetch);
      for (Defer &x : p.defer)
        x.tensor = ids.tensor[x.tensor];
      byTensor(p.defer);
    }
  }
  return d;
}

std::string namesAndOrderChangeNothing(const RandomCase &r,
                                       const CostReport &cost) {
  const RandomCase other = renamed(r);
  const CostReport after = evaluate(other.c, other.a, other.s);
  if (!after.faults.empty())
    return after.faults.front();
  // Sums are added up in another order.
  if (std::abs(after.latencyCycles - cost.latencyCycles) >
      kRounding * cost.latencyCycles)
    return difference("latency", cost.latencyCycles, after.latencyCycles);
  if (std::abs(after.energyPj - cost.energyPj) > kRounding * cost.energyPj)
    return difference("energy", cost.energyPj, after.energyPj);
  const double bound = lowerBound(r.c, r.a).cycles,
               otherBound = lowerBound(other.c, other.a).cycles;
  if (std::abs(otherBound - bound) > kRounding * bound)
    return difference("bound", bound, otherBound);
  return after.readBytes != cost.readBytes ||
                 after.writeBytes != cost.writeBytes
             ? "bytes differ"
             : "";
}

/// Each Einsum in a group of its own, whole: what it costs in a cascade of its
/// own.
std::string unfusedIsTheSumOfItsEinsums(const RandomCase &r,
                                        const CostReport &) {
  RandomCase all = r;
  all.s.groups.clear();
  double latency = 0, energy = 0;
  std::vector<int64_t> read(r.a.memories.size(), 0);
  auto alone = [&](EinsumId e, UnitId unit) {
    Group g;
    g.tile.assign(r.c.ranks.size(), 0);
    Phase p;
    p.inner = p.block = g.tile;
    p.runs = {{unit, {{e, false, 0, {}, {}}}}};
    g.phases = {p};
    return g;
  };
  for (EinsumId e = 0; e < static_cast<EinsumId>(r.c.einsums.size()); ++e) {
    const Einsum &einsum = r.c.einsums[e];
    if (r.c.tensors[einsum.result.tensor].iterativeDim >= 0)
      return ""; // what is kept of a history depends on its readers
    UnitId unit = 0;
    while (unit + 1 < static_cast<UnitId>(r.a.units.size()) &&
           (cyclesPerPoint(r.a.units[unit], einsum.pointOps) < 0 ||
            cyclesPerPoint(r.a.units[unit], einsum.finishOps) < 0))
      ++unit;
    all.s.groups.push_back(alone(e, unit));
    Cascade one = r.c;
    one.einsums = {einsum};
    for (Tensor &t : one.tensors) {
      t.producer = -1;
      t.isInput = true;
      t.isOutput = false;
    }
    Tensor &result = one.tensors[einsum.result.tensor];
    result.producer = 0;
    result.isInput = false;
    result.isOutput = true;
    Schedule s;
    s.groups = {alone(0, unit)};
    const CostReport cost = evaluate(one, r.a, s);
    if (!cost.faults.empty())
      return "";
    latency += cost.latencyCycles;
    energy += cost.energyPj;
    for (size_t m = 0; m < read.size(); ++m)
      read[m] += cost.readBytes[m];
  }
  // A result that nobody reads and nobody wants stays in the buffer.
  for (Tensor &t : all.c.tensors)
    t.isOutput = t.producer >= 0;
  const CostReport cost = evaluate(all.c, all.a, all.s);
  if (!cost.faults.empty())
    return "";
  if (std::abs(cost.latencyCycles - latency) > kRounding * latency)
    return difference("latency", cost.latencyCycles, latency);
  if (std::abs(cost.energyPj - energy) > kRounding * energy)
    return difference("energy", cost.energyPj, energy);
  return cost.readBytes != read ? "bytes read differ" : "";
}

constexpr std::pair<const char *, Law> kLaws[] = {
    {"no latency below its bound", isNotBelowTheBound},
    {"counts are counts", countsArePlausible},
    {"more bandwidth is not worse", moreBandwidthIsNotWorse},
    {"more capacity is not worse", moreCapacityIsNotWorse},
    {"more lanes are not worse", moreLanesAreNotWorse},
    {"names and order change nothing", namesAndOrderChangeNothing},
    {"unfused is the sum of its Einsums", unfusedIsTheSumOfItsEinsums},
};

/// Of a law, what is wrong with a case that has a cost.
std::string brokenBy(Law law, const RandomCase &r) {
  const CostReport cost = evaluate(r.c, r.a, r.s);
  return cost.faults.empty() ? law(r, cost) : "";
}

void expectLaw(const char *name, Law law, const RandomCase &r, int number) {
  const std::string why = brokenBy(law, r);
  if (why.empty())
    return;
  const RandomCase small =
      shrink(r, [&](const RandomCase &x) { return !brokenBy(law, x).empty(); });
  ADD_FAILURE() << name << ": case " << number << ", " << why
                << "\nmade small, " << brokenBy(law, small) << "\n"
                << print(small);
}

int lawCases() {
  const char *asked = std::getenv("LAW_CASES");
  return asked ? std::atoi(asked) : 400;
}

} // namespace

TEST(LawsPropertyTest, EveryScheduleKeepsThem) {
  Rng rng(31);
  int compared = 0, sums = 0;
  for (int n = 0; compared < lawCases(); ++n) {
    const RandomCase r = randomCase(rng);
    if (!evaluate(r.c, r.a, r.s).faults.empty())
      continue;
    ++compared;
    sums += r.family == "dag";
    for (const auto &[name, law] : kLaws)
      expectLaw(name, law, r, n);
    if (HasFailure())
      return; // one is enough to read
  }
  EXPECT_GT(sums, lawCases() / 8);
}

/// A "law" that every case with points breaks: what is left is one Einsum of
/// one point.
TEST(LawsPropertyTest, AFailingCaseIsMadeSmall) {
  Rng rng(5);
  const Law takesNoTime = [](const RandomCase &, const CostReport &cost) {
    return std::string(cost.latencyCycles > 0 ? "takes time" : "");
  };
  for (int n = 0; n < 10; ++n) {
    const RandomCase r = randomCase(rng);
    if (brokenBy(takesNoTime, r).empty())
      continue;
    const RandomCase small = shrink(r, [&](const RandomCase &x) {
      return !brokenBy(takesNoTime, x).empty();
    });
    EXPECT_EQ(small.c.einsums.size(), 1u) << print(small);
    for (const Rank &rank : small.c.ranks)
      EXPECT_EQ(rank.extent, 1) << print(small);
    EXPECT_EQ(small.s.groups.size(), 1u);
    EXPECT_EQ(small.s.groups[0].phases.size(), 1u);
    EXPECT_NE(print(small).find("phase inner"), std::string::npos);
  }
}

/// The best of all sizes of a tiny case.
static TileSeekResult bestOf(const Cascade &c, const Arch &a) {
  TileSeekOptions o;
  o.mode = SearchMode::Exhaustive;
  return tileseek(c, a, dpipe(c, a).schedule, o);
}
static double optimum(const Cascade &c, const Arch &a) {
  const TileSeekResult r = bestOf(c, a);
  return r.infeasible.empty() ? r.sizesCost : -1;
}

TEST(LawsPropertyTest, TheOptimumIsMonotone) {
  for (int n = 0; n < 6; ++n) {
    const SmallCase s = smallCase(n);
    const TileSeekResult found = bestOf(s.c, s.a);
    ASSERT_TRUE(found.infeasible.empty()) << "case " << n;
    const double best = found.sizesCost;
    Arch more = s.a;
    for (Memory &m : more.memories) {
      m.readBytesPerS *= 2;
      m.writeBytesPerS *= 2;
    }
    EXPECT_LE(optimum(s.c, more), best) << "bandwidth, case " << n;
    more = s.a;
    more.memories[1].capacityBytes *= 2;
    EXPECT_LE(optimum(s.c, more), best) << "capacity, case " << n;
    more = s.a;
    for (Unit &u : more.units)
      u.cols *= 2;
    // Tiles are tried with one pipeline each, that of the least interval, and
    // twice the lanes make it another one, which may suit the transfers of a
    // phase of a few steps worse. The schedule from before stays possible.
    const double again = optimum(s.c, more);
    EXPECT_LE(again, best * 1.01) << "lanes, case " << n;
    const CostReport before = evaluate(s.c, more, found.schedule);
    EXPECT_LE(std::min(again, before.latencyCycles), best)
        << "lanes, case " << n;
    more = s.a;
    for (Unit &u : more.units)
      u.instances = 2 + n % 2;
    EXPECT_LE(optimum(s.c, more), best) << "instances, case " << n;
  }
}
