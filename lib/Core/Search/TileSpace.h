//===- TileSpace.h - The decisions of a tile search -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. A space is a list of decisions in a fixed order:
// tiles, extents of epochs, retention, then blocks, innermost rank first. A
// prefix of choices stands for all its completions; with everything else at
// its smallest it gives a schedule that needs no more than any of them.
//
// Candidates of a size are multiples of a unit, one for each number of pieces:
// of the sizes that cut a rank into n pieces the smallest is the most even and
// needs the least room, so that the others cannot be better.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_TILESPACE_H
#define TRANSFUSION_LIB_CORE_SEARCH_TILESPACE_H

#include "transfusion/Core/Search/SolveSlots.h"
#include "transfusion/Core/Search/TileSeek.h"

#include "transfusion/Core/Search/PhaseShape.h"

namespace transfusion::core {

enum class DecisionKind : uint8_t { Tile, Inner, Retain, Block };

struct Decision {
  DecisionKind kind = DecisionKind::Tile;
  int32_t group = -1, phase = -1;
  RankId rank = -1;
  /// Retain: decided together (all that is small), as RetainLevel values.
  std::vector<TensorId> tensors;
  /// First the one to prefer; empty for blocks, which depend on the tile.
  std::vector<int64_t> values;
};

using Choices = std::vector<int64_t>; ///< one per decision taken so far

class TileSpace {
public:
  /// Decisions about the given groups of `start`.
  TileSpace(const Cascade &c, const Arch &a, const Schedule &start,
            std::vector<int32_t> groups, Objective objective,
            SlotSolver &solver);

  size_t size() const { return decisions.size(); }
  const Decision &decision(size_t i) const { return decisions[i]; }
  const std::vector<int32_t> &groups() const { return covered; }

  /// What may be chosen next; never empty.
  std::vector<int64_t> candidates(const Choices &prefix) const;

  /// The start with the space's groups as chosen, the rest at its smallest.
  /// Slots are solved when `slots` is set (of a complete choice, to be costed).
  Schedule build(const Choices &prefix, bool slots) const;

  /// Least bytes of any completion, over the space's groups; -1 on a fault.
  int64_t leastBytes(const Choices &prefix) const;

  int64_t capacity() const { return capacityBytes; }

private:
  void addGroup(int32_t g, Objective objective);
  void addRetention(int32_t g);
  struct Fetched {
    TensorId tensor = -1;
    std::vector<RankId> ranks;
  };
  std::vector<Fetched> fetchedInputs(int32_t g, const Phase &p) const;
  bool affectsFetches(int32_t g, size_t phase, RankId r) const;
  bool streamsTooMuch(int32_t g, size_t phase, const PhaseShape &shape) const;

  const Cascade &c;
  const Arch &a;
  const Schedule &start;
  std::vector<int32_t> covered;
  SlotSolver &solver;
  int64_t capacityBytes;
  std::vector<Decision> decisions;
  std::vector<std::vector<std::vector<Fetched>>> fetched; ///< group, phase
};

/// Sizes that cut `extent` into 1, 2, 3, ... pieces, each a multiple of `unit`
/// (but for the whole), largest first.
std::vector<int64_t> evenSizes(int64_t extent, int64_t unit);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_TILESPACE_H
