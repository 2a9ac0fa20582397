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

#include "transfusion/Core/Model/Plan.h"
#include "transfusion/Core/Model/Points.h"

namespace transfusion::core {

struct TileClass {
  std::vector<Span> spans; ///< by RankId: of one of them
  int64_t count = 1;       ///< how many there are
  int32_t coarse = 0;      ///< of `OuterTiles::coarse`
};

struct OuterTiles {
  std::vector<TileClass> classes; ///< the full tile first, the last tile last
  std::vector<TileClass> coarse;  ///< as if no domain did; none if so
  /// Per outer loop, how many turns there are of each kind, one after another:
  /// classes are its combinations, row-major.
  std::vector<std::vector<int64_t>> runs;
};

/// Points or steps of the phase depend on which value of `r` is there.
bool differsAlong(const Cascade &c, const PhasePlan &phase, RankId r);

OuterTiles outerTiles(const Cascade &c, const Schedule &s, const Plan &p,
                      int32_t group);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_OUTERTILES_H
