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

namespace {
/// Tiles [first, first + count) of one rank.
struct RankTiles {
  Span span; ///< of the first
  int64_t count = 1;
  int32_t coarse = 0; ///< which of the kinds that are told apart without skips
};

class Classifier {
public:
  Classifier(const Cascade &c, const GroupPlan &plan)
      : c(c), whole(wholeSpans(c)) {
    for (const PhasePlan &phase : plan.phases)
      for (const PlannedSlot &slot : phase.slots) {
        const Einsum &e = c.einsums[slot.einsum];
        for (const Operand &o : e.inputs)
          noteRaggedTensors(o);
        for (const Operand &o : e.finishInputs)
          noteRaggedTensors(o);
        noteRaggedTensors(e.result);
      }
  }

  std::vector<RankTiles> tilesOf(RankId r, int64_t tile) const {
    const int64_t extent = c.ranks[r].extent;
    const int64_t n = (extent + tile - 1) / tile;
    const int64_t lastBegin = (n - 1) * tile;
    const RankTiles last{{lastBegin, extent - lastBegin}, 1};
    if (n == 1)
      return {last};
    bool anyEnds = false, othersEnd = false;
    std::vector<Span> box = whole;
    box[r] = {0, lastBegin};
    for (const auto &dim : ending)
      if (dim.expr->uses(r)) {
        anyEnds = true;
        othersEnd |= reachesOut(*dim.expr, dim.size, box);
      }
    if (othersEnd) {
      std::vector<RankTiles> each;
      for (int64_t i = 0; i < n; ++i)
        each.push_back({{i * tile, std::min(tile, extent - i * tile)}, 1});
      return each;
    }
    if (!anyEnds && extent % tile == 0)
      return {{{0, tile}, n}};
    return {{{0, tile}, n - 1}, last};
  }

  /// The same tiles, each on its own.
  std::vector<RankTiles> apart(RankId r, int64_t tile,
                               const std::vector<RankTiles> &kinds) const {
    std::vector<RankTiles> each;
    int64_t at = 0;
    for (size_t k = 0; k < kinds.size(); ++k)
      for (int64_t i = 0; i < kinds[k].count; ++i, at += tile)
        each.push_back({{at, std::min(tile, c.ranks[r].extent - at)},
                        1,
                        static_cast<int32_t>(k)});
    return each;
  }

private:
  struct Dim {
    const LinearExpr *expr;
    int64_t size;
  };

  /// Remembers dimensions that end before their access does.
  void noteRaggedTensors(const Operand &o) {
    const Tensor &t = c.tensors[o.tensor];
    for (size_t d = 0; d < o.access.size(); ++d)
      if (reachesOut(o.access[d], t.shape[d], whole))
        ending.push_back({&o.access[d], t.shape[d]});
  }

  const Cascade &c;
  const std::vector<Span> whole;
  std::vector<Dim> ending;
};
} // namespace

bool differsAlong(const Cascade &c, const PhasePlan &phase, RankId r) {
  if (phase.active.skips() && phase.active.dependsOn(r))
    return true;
  for (const PlannedSlot &slot : phase.slots)
    for (const Constraint &k : c.einsums[slot.einsum].domain)
      if (k.expr.uses(r))
        return true;
  return false;
}

OuterTiles outerTiles(const Cascade &c, const Schedule &s, const Plan &p,
                      int32_t g) {
  const Group &group = s.groups[g];
  const Classifier classifier(c, p.groups[g]);
  TileClass start;
  start.spans = wholeSpans(c);
  OuterTiles result;
  result.classes = {start};
  result.coarse = {start};
  auto refine = [](std::vector<TileClass> &classes, RankId r,
                   const std::vector<RankTiles> &kinds, size_t coarseKinds) {
    std::vector<TileClass> refined;
    for (const TileClass &cls : classes)
      for (const RankTiles &tiles : kinds) {
        refined.push_back(cls);
        TileClass &fine = refined.back();
        fine.spans[r] = tiles.span;
        fine.coarse =
            cls.coarse * static_cast<int32_t>(coarseKinds) + tiles.coarse;
        // A product that overflows saturates; -1 says so.
        if (cls.count < 0 ||
            __builtin_mul_overflow(cls.count, tiles.count, &fine.count))
          fine.count = -1;
      }
    classes = std::move(refined);
  };
  auto differ = [&](RankId r) {
    for (const PhasePlan &phase : p.groups[g].phases)
      if (differsAlong(c, phase, r))
        return true;
    return false;
  };
  bool finer = false;
  for (RankId r : group.tileOrder)
    finer |= differ(r);
  for (RankId r : group.tileOrder) {
    const int64_t tile =
        static_cast<size_t>(r) < group.tile.size() ? group.tile[r] : 0;
    if (tile <= 0 || tile >= c.ranks[r].extent)
      continue;
    std::vector<RankTiles> kinds = classifier.tilesOf(r, tile);
    const size_t coarseKinds = kinds.size();
    for (size_t k = 0; k < coarseKinds; ++k)
      kinds[k].coarse = static_cast<int32_t>(k);
    if (finer)
      refine(result.coarse, r, kinds, coarseKinds);
    if (differ(r))
      kinds = classifier.apart(r, tile, kinds);
    result.runs.emplace_back();
    for (const RankTiles &tiles : kinds)
      result.runs.back().push_back(tiles.count);
    refine(result.classes, r, kinds, coarseKinds);
  }
  if (!finer)
    result.coarse.clear();
  return result;
}

} // namespace transfusion::core
