//===- OuterTiles.cpp - Outer tiles of a group, by class ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OuterTiles.h"

#include "Pieces.h"

#include <algorithm>

namespace transfusion::core {

TileClassifier::TileClassifier(const Cascade &c)
    : c(c), whole(wholeSpans(c)), ending(c.einsums.size()) {
  for (size_t i = 0; i < c.einsums.size(); ++i) {
    const Einsum &e = c.einsums[i];
    auto note = [&](const Operand &o) {
      const Tensor &t = c.tensors[o.tensor];
      for (size_t d = 0; d < o.access.size(); ++d)
        if (reachesOut(o.access[d], t.shape[d], whole))
          ending[i].push_back({&o.access[d], t.shape[d]});
    };
    for (const Operand &o : e.inputs)
      note(o);
    for (const Operand &o : e.finishInputs)
      note(o);
    note(e.result);
  }
}

void TileClassifier::tilesOf(const GroupPlan &group, RankId r, int64_t tile,
                             std::vector<RankTiles> &kinds) {
  kinds.clear();
  const int64_t extent = c.ranks[r].extent;
  const int64_t n = (extent + tile - 1) / tile;
  const int64_t lastBegin = (n - 1) * tile;
  const RankTiles last{{lastBegin, extent - lastBegin}, 1};
  if (n == 1) {
    kinds.push_back(last);
    return;
  }
  bool anyEnds = false, othersEnd = false;
  for (const PhasePlan &phase : group.phases)
    for (const PlannedSlot &slot : phase.slots)
      for (const Dim &dim : ending[slot.einsum])
        if (dim.expr->uses(r)) {
          anyEnds = true;
          box = whole;
          box[r] = {0, lastBegin};
          othersEnd |= reachesOut(*dim.expr, dim.size, box);
        }
  if (othersEnd) {
    for (int64_t i = 0; i < n; ++i)
      kinds.push_back({{i * tile, std::min(tile, extent - i * tile)}, 1});
    return;
  }
  if (!anyEnds && extent % tile == 0) {
    kinds.push_back({{0, tile}, n});
    return;
  }
  kinds.push_back({{0, tile}, n - 1});
  kinds.push_back(last);
}

/// The same tiles, each on its own.
void TileClassifier::apart(RankId r, int64_t tile,
                           std::vector<RankTiles> &kinds) {
  each.clear();
  int64_t at = 0;
  for (size_t k = 0; k < kinds.size(); ++k)
    for (int64_t i = 0; i < kinds[k].count; ++i, at += tile)
      each.push_back({{at, std::min(tile, c.ranks[r].extent - at)},
                      1,
                      static_cast<int32_t>(k)});
  kinds.swap(each);
}

void TileClassifier::combine(const Reused<OuterTiles::Loop> &loops, bool coarse,
                             Reused<TileClass> &classes) const {
  auto kindsOf = [&](const OuterTiles::Loop &loop) {
    return coarse ? loop.coarseKinds : static_cast<int32_t>(loop.kinds.size());
  };
  classes.clear();
  int64_t n = 1;
  for (const OuterTiles::Loop &loop : loops)
    n *= kindsOf(loop);
  for (int64_t i = 0; i < n; ++i) {
    TileClass &cls = classes.add();
    cls.spans = whole;
    cls.count = 1;
    cls.coarse = 0;
    int64_t inside = n, at = i;
    for (const OuterTiles::Loop &loop : loops) {
      inside /= kindsOf(loop);
      RankTiles tiles;
      int64_t k = at / inside;
      at %= inside;
      if (!coarse ||
          loop.coarseKinds == static_cast<int32_t>(loop.kinds.size()))
        tiles = loop.kinds[k];
      else { // of tiles that stand apart, the first of the kind and their
             // number
        bool found = false;
        for (const RankTiles &one : loop.kinds)
          if (one.coarse == k) {
            tiles.count = found ? tiles.count + 1 : 1;
            tiles.span = found ? tiles.span : one.span;
            found = true;
          }
      }
      cls.spans[loop.rank] = tiles.span;
      cls.coarse = cls.coarse * loop.coarseKinds + tiles.coarse;
      // A product that overflows saturates; -1 says so.
      if (cls.count < 0 ||
          __builtin_mul_overflow(cls.count, tiles.count, &cls.count))
        cls.count = -1;
    }
  }
}

std::vector<std::vector<int64_t>> OuterTiles::runs() const {
  std::vector<std::vector<int64_t>> all;
  for (const Loop &loop : loops) {
    all.emplace_back();
    for (const RankTiles &tiles : loop.kinds)
      all.back().push_back(tiles.count);
  }
  return all;
}

bool differsAlong(const Cascade &c, const PhasePlan &phase, RankId r) {
  if (phase.active.skips() && phase.active.dependsOn(r))
    return true;
  for (const PlannedSlot &slot : phase.slots)
    for (const Constraint &k : c.einsums[slot.einsum].domain)
      if (k.expr.uses(r))
        return true;
  return false;
}

void TileClassifier::classify(const Schedule &s, const Plan &p, int32_t g,
                              OuterTiles &result) {
  const Group &group = s.groups[g];
  auto differ = [&](RankId r) {
    for (const PhasePlan &phase : p.groups[g].phases)
      if (differsAlong(c, phase, r))
        return true;
    return false;
  };
  bool finer = false;
  result.loops.clear();
  for (RankId r : group.tileOrder) {
    const bool cut = differ(r);
    finer |= cut;
    const int64_t tile =
        static_cast<size_t>(r) < group.tile.size() ? group.tile[r] : 0;
    if (tile <= 0 || tile >= c.ranks[r].extent)
      continue;
    OuterTiles::Loop &loop = result.loops.add();
    loop.rank = r;
    tilesOf(p.groups[g], r, tile, loop.kinds);
    loop.coarseKinds = static_cast<int32_t>(loop.kinds.size());
    for (int32_t k = 0; k < loop.coarseKinds; ++k)
      loop.kinds[k].coarse = k;
    if (cut)
      apart(r, tile, loop.kinds);
  }
  combine(result.loops, /*coarse=*/false, result.classes);
  result.coarse.clear();
  if (finer)
    combine(result.loops, /*coarse=*/true, result.coarse);
}

} // namespace transfusion::core
