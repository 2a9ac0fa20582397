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
};

class Classifier {
public:
  Classifier(const Cascade &c, const GroupPlan &plan) : c(c) {
    for (const Rank &r : c.ranks)
      whole.push_back({0, r.extent});
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
  std::vector<Span> whole;
  std::vector<Dim> ending;
};
} // namespace

OuterTiles outerTiles(const Cascade &c, const Schedule &s, const Plan &p,
                      int32_t g) {
  const Group &group = s.groups[g];
  const Classifier classifier(c, p.groups[g]);
  TileClass start;
  for (const Rank &r : c.ranks)
    start.spans.push_back({0, r.extent});
  OuterTiles result;
  std::vector<TileClass> &classes = result.classes;
  classes = {start};
  for (RankId r : group.tileOrder) {
    const int64_t tile =
        static_cast<size_t>(r) < group.tile.size() ? group.tile[r] : 0;
    if (tile <= 0 || tile >= c.ranks[r].extent)
      continue;
    const std::vector<RankTiles> kinds = classifier.tilesOf(r, tile);
    result.runs.emplace_back();
    for (const RankTiles &tiles : kinds)
      result.runs.back().push_back(tiles.count);
    std::vector<TileClass> refined;
    for (const TileClass &cls : classes)
      for (const RankTiles &tiles : kinds) {
        refined.push_back(cls);
        refined.back().spans[r] = tiles.span;
        // A product that overflows saturates; -1 says so.
        if (cls.count < 0 || __builtin_mul_overflow(cls.count, tiles.count,
                                                    &refined.back().count))
          refined.back().count = -1;
      }
    classes = std::move(refined);
  }
  return result;
}

} // namespace transfusion::core
