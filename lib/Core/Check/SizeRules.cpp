//===- SizeRules.cpp - Rules S01 to S13: numbers, sizes, loops ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRules.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {
Violation &at(Violation &v, int32_t group, int32_t phase = -1) {
  v.group = group;
  v.phase = phase;
  return v;
}
} // namespace

/// S01
void check::checkIds(const Cascade &c, const Arch &a, const Schedule &s,
                     Sink &sink) {
  auto has = [](const auto &list, int32_t id) {
    return id >= 0 && id < static_cast<int64_t>(list.size());
  };
  std::vector<Resident> residents = s.residents;
  for (const Group &g : s.groups)
    residents.insert(residents.end(), g.residents.begin(), g.residents.end());
  for (const Resident &r : residents) {
    if (!has(c.tensors, r.tensor))
      sink.add("S01",
               "a resident names tensor " + num(r.tensor) +
                   ", which does not exist",
               "name one that exists");
    if (!has(a.memories, r.memory))
      sink.add("S01",
               "a resident names memory " + num(r.memory) +
                   ", which does not exist",
               "name one that exists");
  }
  for (int32_t g = 0; g < static_cast<int32_t>(s.groups.size()); ++g) {
    const Group &group = s.groups[g];
    int32_t p = -1;
    auto dangling = [&](const std::string &what, int32_t id) {
      at(sink.add("S01",
                  (p < 0 ? groupText(g) : phaseText(g, p)) + " names " + what +
                      " " + num(id) + ", which does not exist",
                  "name one that exists"),
         g, p);
    };
    auto ranks = [&](const std::vector<RankId> &list) {
      for (RankId r : list)
        if (!has(c.ranks, r))
          dangling("rank", r);
    };
    auto sizes = [&](const char *what, const std::vector<int64_t> &list) {
      if (!list.empty() && list.size() != c.ranks.size())
        at(sink.add("S01",
                    (p < 0 ? groupText(g) : phaseText(g, p)) + " has " +
                        num(static_cast<int64_t>(list.size())) + " sizes of " +
                        what + " for " +
                        num(static_cast<int64_t>(c.ranks.size())) + " ranks",
                    "give one size per rank, or none"),
           g, p);
    };
    ranks(group.tileOrder);
    sizes("tile", group.tile);
    for (const Retain &r : group.retain)
      if (!has(c.tensors, r.tensor))
        dangling("tensor", r.tensor);
    for (p = 0; p < static_cast<int32_t>(group.phases.size()); ++p) {
      const Phase &phase = group.phases[p];
      ranks(phase.order);
      sizes("block", phase.block);
      sizes("inner", phase.inner);
      for (const Prefetch &f : phase.prefetch)
        if (!has(c.tensors, f.tensor))
          dangling("tensor", f.tensor);
      for (const Defer &d : phase.defer)
        if (!has(c.tensors, d.tensor))
          dangling("tensor", d.tensor);
      for (const Run &run : phase.runs) {
        if (!has(a.units, run.unit))
          dangling("unit", run.unit);
        for (const Slot &slot : run.slots) {
          if (!has(c.einsums, slot.einsum))
            dangling("Einsum", slot.einsum);
          ranks(slot.rows);
          ranks(slot.cols);
          for (const InstancePart &part : slot.instances)
            ranks({part.rank});
        }
      }
    }
  }
}

namespace {
struct SizeChecker {
  const Cascade &c;
  Sink &sink;
  int32_t g = -1, p = -1;

  Violation &wrong(const char *rule, RankId r, const std::string &text,
                   const std::string &fix, int64_t demand, int64_t bound) {
    Violation &v = at(sink.add(rule,
                               "rank " + quoted(c.ranks[r].name) + " of " +
                                   (p < 0 ? groupText(g) : phaseText(g, p)) +
                                   " has " + text,
                               fix),
                      g, p);
    v.demand = demand;
    v.bound = bound;
    v.unit = "points";
    return v;
  }
  void notNegative(const char *what, RankId r, int64_t size) {
    if (size < 0)
      wrong("S06", r, std::string(what) + " " + num(size),
            "give a size above 0, or 0 for all of it", size, 0);
  }
};
} // namespace

/// S06, S07, S08
void check::checkSizes(const Cascade &c, const Schedule &s, Sink &sink) {
  SizeChecker k{c, sink};
  auto size = [](const std::vector<int64_t> &list, RankId r) {
    return list.empty() ? int64_t{0} : list[r];
  };
  for (k.g = 0; k.g < static_cast<int32_t>(s.groups.size()); ++k.g) {
    const Group &group = s.groups[k.g];
    for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
      k.p = -1;
      int64_t extent = c.ranks[r].extent, tile = size(group.tile, r);
      k.notNegative("tile", r, tile);
      if (tile > extent)
        k.wrong("S06", r,
                "tile " + num(tile) + " of an extent of " + num(extent),
                "use a tile of at most " + num(extent), tile, extent);
      if (tile < 0)
        continue;
      if (tile == 0)
        tile = extent;
      for (k.p = 0; k.p < static_cast<int32_t>(group.phases.size()); ++k.p) {
        int64_t block = size(group.phases[k.p].block, r);
        int64_t inner = size(group.phases[k.p].inner, r);
        k.notNegative("block", r, block);
        k.notNegative("inner", r, inner);
        if (block > tile)
          k.wrong("S07", r,
                  "block " + num(block) + " of a tile of " + num(tile),
                  "use a block of at most " + num(tile), block, tile);
        if (block == 0)
          block = tile;
        if (inner > block)
          k.wrong("S07", r,
                  "inner " + num(inner) + " of a block of " + num(block),
                  "use an inner tile of at most " + num(block), inner, block);
        else if (inner > 0 && block > 0 && block < tile && block % inner != 0)
          k.wrong("S08", r,
                  "block " + num(block) +
                      ", which is not a multiple of inner " + num(inner),
                  "use a block of " + num(ceilDiv(block, inner) * inner) +
                      ", or of the whole tile",
                  block, inner);
      }
    }
  }
}

namespace {
struct LoopChecker {
  const View &v;
  Sink &sink;
  int32_t g, p;

  std::string name(RankId r) const { return quoted(v.c.ranks[r].name); }
  std::string where() const { return p < 0 ? groupText(g) : phaseText(g, p); }
  bool phaseUses(int32_t phase, RankId r) const {
    for (const Run &run : v.s.groups[g].phases[phase].runs)
      for (const Slot &slot : run.slots)
        if (v.slotHasRank(slot, r))
          return true;
    return false;
  }
  bool groupUses(RankId r) const {
    for (int32_t q = 0; q < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++q)
      if (phaseUses(q, r))
        return true;
    return false;
  }
  void list(const char *rule, const std::vector<RankId> &order) {
    for (size_t i = 0; i < order.size(); ++i) {
      RankId r = order[i];
      if (std::find(order.begin(), order.begin() + i, r) != order.begin() + i)
        at(sink.add(rule, where() + " loops over rank " + name(r) + " twice",
                    "list each rank once"),
           g, p);
      else if (!(p < 0 ? groupUses(r) : phaseUses(p, r)))
        at(sink.add(rule,
                    where() + " loops over rank " + name(r) +
                        ", which none of its Einsums has",
                    "leave the rank out"),
           g, p);
    }
  }
  void groupLoops();
  void phaseLoops();
  void slotLoops(const Slot &slot);
};

/// S09, S10: the loops; S11: they reach every point.
void LoopChecker::groupLoops() {
  const Group &group = v.s.groups[g];
  list("S10", group.tileOrder);
  for (RankId r = 0; r < static_cast<RankId>(v.c.ranks.size()); ++r)
    if (v.tiled(g, r) && groupUses(r) &&
        std::find(group.tileOrder.begin(), group.tileOrder.end(), r) ==
            group.tileOrder.end()) {
      Violation &x =
          at(sink.add("S11",
                      groupText(g) + " works on " + num(v.tile(g, r)) + " of " +
                          num(v.c.ranks[r].extent) + " points of rank " +
                          name(r) + " and does not loop over it",
                      "add the rank to the outer loops, or tile all of it"),
             g);
      x.demand = v.c.ranks[r].extent;
      x.bound = v.tile(g, r);
      x.unit = "points";
    }
}

void LoopChecker::phaseLoops() {
  const Phase &phase = v.s.groups[g].phases[p];
  list("S09", phase.order);
  int64_t epochs = 1;
  for (RankId r = 0; r < static_cast<RankId>(v.c.ranks.size()); ++r) {
    const Cut &cut = v.cuts[g][p][r];
    if (cut.position >= 0)
      epochs = mulSat(epochs, cut.trips);
    if (cut.trips > 1 && cut.position < 0 && phaseUses(p, r)) {
      Violation &x =
          at(sink.add("S11",
                      where() + " works on " + num(cut.inner) + " of " +
                          num(cut.tile) + " points of rank " + name(r) +
                          " and does not loop over it",
                      "add the rank to the order, or let inner be all of it"),
             g, p);
      x.demand = cut.tile;
      x.bound = cut.inner;
      x.unit = "points";
    }
  }
  for (RankId r : v.s.groups[g].tileOrder)
    epochs = mulSat(epochs, ceilDiv(v.c.ranks[r].extent, v.tile(g, r)));
  if (epochs == kTooMuch)
    at(sink.add("S05", where() + " has more than 2^63 epochs",
                "use larger inner tiles"),
       g, p);
}

/// S12: outer tiles do not cut what an Einsum must see whole.
/// S13: recurrences.
void LoopChecker::slotLoops(const Slot &slot) {
  const Einsum &e = v.c.einsums[slot.einsum];
  const Tensor &t = v.c.tensors[e.result.tensor];
  if (slot.finishOnly)
    return;
  for (RankId r : e.ranks) {
    bool reduced = !v.resultHasRank(slot.einsum, r);
    bool recurs = t.iterativeDim >= 0 && t.iterativeRank == r;
    const Cut &cut = v.cuts[g][p][r];
    if ((reduced || recurs) && v.tiled(g, r))
      at(sink.add("S12",
                  quoted(e.name) +
                      (reduced ? " reduces over" : " recurs along") + " rank " +
                      name(r) + ", of which " + groupText(g) + " works on " +
                      num(cut.tile) + " of " + num(v.c.ranks[r].extent) +
                      " points",
                  "tile all of the rank"),
         g, p)
          .einsum = slot.einsum;
    if (reduced && v.c.ranks[r].iterative && cut.trips > 1)
      at(sink.add("S12",
                  quoted(e.name) + " reduces over the iterative rank " +
                      name(r) + " across epochs, which is not supported yet",
                  "let inner be all of the rank"),
         g, p)
          .einsum = slot.einsum;
    if (!recurs)
      continue;
    const Phase &phase = v.s.groups[g].phases[p];
    bool innermost = true;
    for (size_t i = cut.position + 1;
         cut.position >= 0 && i < phase.order.size(); ++i)
      innermost &= v.cuts[g][p][phase.order[i]].trips == 1;
    if (cut.inner != 1) {
      Violation &x = at(sink.add("S13",
                                 quoted(e.name) + " recurs along rank " +
                                     name(r) + ", of which an epoch holds " +
                                     num(cut.inner) + " points",
                                 "let inner be 1 for this rank"),
                        g, p);
      x.einsum = slot.einsum;
      x.demand = cut.inner;
      x.bound = 1;
      x.unit = "points";
    } else if (!innermost) {
      at(sink.add("S13",
                  quoted(e.name) + " recurs along rank " + name(r) +
                      ", which is not the innermost loop of " + where(),
                  "put the rank last in the order"),
         g, p)
          .einsum = slot.einsum;
    }
  }
}
} // namespace

void check::checkLoops(const View &v, Sink &sink) {
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g) {
    LoopChecker group{v, sink, g, -1};
    group.groupLoops();
    for (int32_t p = 0; p < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++p) {
      LoopChecker phase{v, sink, g, p};
      phase.phaseLoops();
      for (const Run &run : v.s.groups[g].phases[p].runs)
        for (const Slot &slot : run.slots)
          phase.slotLoops(slot);
    }
  }
}
