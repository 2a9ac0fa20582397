//===- Nest.h - The loops of a phase in one outer tile ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_NEST_H
#define TRANSFUSION_LIB_CORE_SIM_NEST_H

#include "PieceValues.h"

namespace transfusion::core::sim {

/// One bit per loop.
using LoopSet = uint64_t;

/// An epoch: its index along each loop, and its number. A phase that skips
/// numbers epochs by the step at which they start: with the stages that drain
/// between two turns of the loops outside the skipping rank counted. Windows
/// rotate by that number: neighbours are in different slots, as in the file.
struct Position {
  std::vector<int64_t> index;
  int64_t epoch = 0;
  bool end = false; ///< behind the last one
};

class Nest {
public:
  Nest(const Phase &phase, const Box &tile);

  /// -1: more than 2^62, or than can be walked turn by turn.
  int64_t epochs() const { return count; }
  /// An epoch has this number, which may be none of a phase that skips.
  bool exists(int64_t epoch) const;
  /// Whether the work of an iteration may depend on which one it is.
  bool isRowLoop(size_t loop) const;
  int64_t trips(size_t loop) const { return tripsOf[loop]; }
  size_t depth() const { return tripsOf.size(); }

  Position first() const;
  /// `by` iterations of loop `loop` on, whose inner loops start anew; into the
  /// next iteration of the loops outside it where it ends.
  void advance(Position &at, size_t loop, int64_t by) const;

  /// Epoch by its number.
  Position at(int64_t epoch) const;

  LoopSet all() const {
    return depth() < 64 ? (LoopSet(1) << depth()) - 1 : ~LoopSet(0);
  }
  LoopSet atFirst(const Position &at) const;
  LoopSet atLast(const Position &at) const;
  /// Loops whose piece is a ragged one.
  LoopSet ragged(const Position &at) const;

  /// What the epoch covers, of ranks that are not looped over the whole tile.
  Box boxOf(const Position &at) const;
  /// What a transfer moves at an epoch: the points that it spans of each rank,
  /// from those of the epoch on.
  Box pieceAt(const Position &at, const Transfer &t) const;
  const Box &tile() const { return tileBox; }
  const Phase &phase() const { return phaseOf; }

private:
  /// Steps [first, last) of the skipping rank.
  struct Steps {
    int64_t first = 0, last = 0;
  };
  void findRows();
  size_t rowOf(const Position &at) const;
  Steps activeIn(const Box &box) const;
  void number(Position &at) const;
  int64_t limit(const Position &at, size_t loop) const;

  const Phase &phaseOf;
  Box tileBox;
  std::vector<int64_t> tripsOf;
  int64_t count = 1;
  // Of a phase that skips.
  int32_t stepLoop = -1;
  std::vector<Steps> rows;         ///< what runs in each turn
  std::vector<int64_t> startOfRow; ///< step, and where the last one ends
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_NEST_H
