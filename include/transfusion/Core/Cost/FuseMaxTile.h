//===- FuseMaxTile.h - FuseMax's cycles per inner tile ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FuseMax (Nayak et al., MICRO 2024) binds the twelve Einsums of attention to
// units by hand: QK, SLN, SLD and SLNV to the 2D array, the rest to the 1D
// array, and runs them as a waterfall. An inner tile is N queries by N keys, N
// the side of the 2D array; on the 1D array one lane per query works. So cycles
// per tile do not depend on N, except through LM where that runs on 1D:
//
//   published            max(QK + LM, RD + RNV + AV) + RM
//                        + max(SLN + SLD, PRM + SPD) + max(SLNV, SPNV)
//   as modelled in TransFusion (max only on 1D)
//                        max(QK, RD + RNV + AV) + LM + RM + ... likewise
//
// Toy example, E = F = 64, published: max(64 + 1, 1 + 64 + 0) + 1
// + max(7 + 1, 7 + 1) + max(64, 64) = 138.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_FUSEMAXTILE_H
#define TRANSFUSION_CORE_COST_FUSEMAXTILE_H

#include <cstdint>

namespace transfusion::core {

struct FuseMaxTile {
  int64_t e = 64, f = 64;
  /// Side of the 2D array: queries and keys of a tile.
  int64_t side = 256;
  /// Cycles of exp; a subtraction comes on top.
  int64_t expCycles = 6;
};

/// As published: every lane of the 2D array also does max.
int64_t fuseMaxCyclesPublished(const FuseMaxTile &t);
/// As TransFusion models it: LM on 1D, key by key.
int64_t fuseMaxCyclesInTransFusion(const FuseMaxTile &t);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_FUSEMAXTILE_H
