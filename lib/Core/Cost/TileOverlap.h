//===- TileOverlap.h - Transfers beside a phase that is not theirs -*- C++ -*-//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost. What is prefetched or deferred is moved during
// another phase, perhaps of the outer tile before or after, which may be of
// another class. So the cost of a phase depends on the classes of three
// neighbouring outer tiles, and is summed over how often these occur.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_TILEOVERLAP_H
#define TRANSFUSION_LIB_CORE_COST_TILEOVERLAP_H

#include "PhaseCost.h"

namespace transfusion::core {

struct TransferBytes {
  int64_t read = 0, write = 0;
};

/// Neighbouring outer tiles by class, -1 where there is none (or where it does
/// not matter), and how often they occur.
struct TileNeighbours {
  int32_t before = -1, at = -1, after = -1;
  int64_t count = 0;
};

class TileOverlap {
public:
  explicit TileOverlap(Tally &tally) : tally(tally) {}
  /// For another group.
  void start(const OuterTiles &ofGroup, int32_t phaseCount);

  /// Notes what phase `phase` of a tile of class `cls` has others move for it.
  void add(int32_t phase, int32_t cls, const std::vector<MovedTransfer> &moved);

  /// Every outer tile once, by its neighbours.
  void neighbours(std::vector<TileNeighbours> &all) const;
  /// Moved beside a phase for other phases.
  TransferBytes beside(int32_t phase, const TileNeighbours &n) const;
  /// Loaded before the first outer tile, stored after the last one.
  TransferBytes ends() const;

private:
  /// By phase and class: for the same tile; by the class of the tile after, or
  /// before, whose transfers these are.
  using Table = std::vector<TransferBytes>;
  size_t at(int32_t phase, int32_t cls) const {
    return static_cast<size_t>(phase) * tiles->classes.size() +
           static_cast<size_t>(cls);
  }
  const OuterTiles *tiles = nullptr;
  int32_t phases = 0;
  Tally &tally;
  Table same, after, before;
  bool crosses = false; ///< from one outer tile to the next
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_TILEOVERLAP_H
