//===- BlockChooser.h - Good blocks for given tiles -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. Once tiles, epochs and retention are chosen, the
// blocks of one phase do not change what another one costs. A few lines of
// arithmetic about fetches are enough to pick those of each phase; the result
// only completes a rollout and is then costed by evaluate() like any other.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_BLOCKCHOOSER_H
#define TRANSFUSION_LIB_CORE_SEARCH_BLOCKCHOOSER_H

#include "TileSpace.h"

#include <map>

namespace transfusion::core {

class BlockChooser {
public:
  BlockChooser(const Cascade &c, const Arch &a, const TileSpace &space,
               SlotSolver &solver, Objective objective)
      : c(c), a(a), space(space), solver(solver), objective(objective) {}

  /// Values for the run of block decisions that starts at prefix.size(), all
  /// of one phase. `spareBytes` are left free.
  std::vector<int64_t> choose(const Choices &prefix, int64_t spareBytes);

  /// What a complete choice may cost, by the same arithmetic; infinite when it
  /// does not fit. Good for ranking, no substitute for evaluate().
  double estimate(const Choices &choices) const;

private:
  struct Piece {
    std::vector<std::vector<std::pair<RankId, int64_t>>> dims;
    int64_t bits = 32, slots = 2;
  };
  struct Problem {
    std::vector<Piece> pieces;
    std::vector<RankId> order;
    std::vector<int64_t> tile, inner; ///< by RankId
    int64_t otherBytes = 0;           ///< live in the phase whatever the blocks
    double computeCycles = 0, storedBytes = 0, bytesPerCycle = 0;
    double loadedBytes = 0; ///< for the tile, here first
  };
  Problem describe(const Schedule &s, const Plan &plan, int32_t g,
                   int32_t p) const;
  double cost(const Problem &p, const std::vector<int64_t> &block,
              int64_t room) const;

  const Cascade &c;
  const Arch &a;
  const TileSpace &space;
  SlotSolver &solver;
  Objective objective;
  std::map<std::pair<Choices, int64_t>, std::vector<int64_t>> known;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_BLOCKCHOOSER_H
