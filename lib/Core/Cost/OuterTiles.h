//===- OuterTiles.h - Outer tiles of a group, by class ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outer tiles that cost the same are evaluated once: per tiled rank the full
// ones and the ragged last one; where a tensor ends inside a tile (padded key
// tiles), the tiles there are classes of their own. Where a domain depends on a
// tiled rank, points exist and steps run in every tile otherwise: for a group
// with a phase of such Einsums tiles have a finer class, which only that phase
// needs.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_OUTERTILES_H
#define TRANSFUSION_LIB_CORE_COST_OUTERTILES_H

#include "Reused.h"
#include "transfusion/Core/Model/Plan.h"
#include "transfusion/Core/Model/Points.h"

namespace transfusion::core {

struct TileClass {
  std::vector<Span> spans; ///< by RankId: of one of them
  int64_t count = 1;       ///< how many there are
  int32_t coarse = 0;      ///< of `OuterTiles::coarse`
};

/// Tiles of one rank that are alike.
struct RankTiles {
  Span span; ///< of the first
  int64_t count = 1;
  int32_t coarse =
      0; ///< which of the kinds that are told apart without domains
};

struct OuterTiles {
  Reused<TileClass> classes; ///< the full tile first, the last tile last
  Reused<TileClass> coarse;  ///< as if no domain did; none if so
  /// Of the outer loops, what turns they have, one after another: classes are
  /// their combinations, row-major.
  struct Loop {
    RankId rank = -1;
    int32_t coarseKinds = 0;
    std::vector<RankTiles> kinds;
  };
  Reused<Loop> loops;

  /// Per loop, how many turns there are of each kind.
  std::vector<std::vector<int64_t>> runs() const;
};

/// What classes depend on that is the same for all schedules of a cascade.
class TileClassifier {
public:
  explicit TileClassifier(const Cascade &c);
  void classify(const Schedule &s, const Plan &p, int32_t group,
                OuterTiles &result);

private:
  struct Dim {
    const LinearExpr *expr;
    int64_t size;
  };
  void tilesOf(const GroupPlan &group, RankId r, int64_t tile,
               std::vector<RankTiles> &kinds);
  void apart(RankId r, int64_t tile, std::vector<RankTiles> &kinds);
  void combine(const Reused<OuterTiles::Loop> &loops, bool coarse,
               Reused<TileClass> &classes) const;

  const Cascade &c;
  std::vector<Span> whole;
  /// By EinsumId: dimensions that end before their access does.
  std::vector<std::vector<Dim>> ending;
  std::vector<Span> box; ///< scratch
  std::vector<RankTiles> each;
};

/// Points or steps of the phase depend on which value of `r` is there.
bool differsAlong(const Cascade &c, const PhasePlan &phase, RankId r);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_OUTERTILES_H
