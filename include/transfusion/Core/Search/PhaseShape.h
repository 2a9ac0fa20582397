//===- PhaseShape.h - What the epochs of a phase iterate over ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. Of the ranks of a phase, those that every Einsum has and that nothing
// in the phase needs whole are *looped*: its epochs iterate over them. The rest
// is *held*: an epoch contains it. A reduction over a looped rank *spans* the
// epochs.
//
// Toy example, {QK .. RNV}: b, h, p and m1 are looped; m0 is held, since LM
// reduces what QK made; e and f are held, since only some Einsums have them.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_PHASESHAPE_H
#define TRANSFUSION_CORE_SEARCH_PHASESHAPE_H

#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/Structure.h"

namespace transfusion::core {

struct PhaseShape {
  bool legal = false; ///< the members can share epochs
  RankId row = -1, head = -1;
  std::vector<RankId> iterative; ///< innermost loops
  std::vector<RankId> columns;   ///< made and reduced inside the phase
  std::vector<RankId> looped;    ///< by rank id; without the iterative ones
  std::vector<EinsumId> spanning;
  /// Operands of contractions that come from outside, have no row rank, and
  /// that each epoch needs whole.
  std::vector<TensorId> wholeWeights;
};

/// `spanning`: members whose reduction may run through the epochs.
PhaseShape shapeOf(const Cascade &c, const Structure &s,
                   const PhaseMembers &members,
                   const std::vector<EinsumId> &spanning);

/// The grid that tiles are cut for: the first 2D unit, or the squarest view of
/// the widest 1D one.
struct GridSize {
  int64_t rows = 1, cols = 1;
  int64_t instances = 1;
};
GridSize gridOf(const Arch &a);

/// Extents of an epoch by RankId: grid rows for the row rank, grid columns for
/// looped columns, min(4, H) heads, 1 for batches and iterative ranks; the
/// rest whole. Of several instances each has a head, or as many rows.
Extents defaultInner(const Cascade &c, const Arch &a, const PhaseMembers &m,
                     const PhaseShape &shape);

/// True for a rank that streams with the rows, as a batch does: every operand
/// of the phase that has rows has it, and it stands before them.
bool isBatch(const Cascade &c, const PhaseMembers &m, RankId row, RankId r);

/// Loop order of a phase: columns and heads, batches, rows, iterative ranks.
/// `tiled`: ranks that the group tiles.
std::vector<RankId> loopOrder(const Cascade &c, const PhaseMembers &m,
                              const PhaseShape &shape,
                              const std::vector<RankId> &tiled);

/// Ranks that every Einsum of the group keeps, slice for slice, and that
/// stream: the group may be tiled by them. Outermost first, rows last.
std::vector<RankId> tiledRanks(const Cascade &c, const Structure &s,
                               const GroupMembers &g);

/// Bytes of one operand (or result) in an epoch.
int64_t footprintBytes(const Cascade &c, const Operand &o,
                       const Extents &inner);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_PHASESHAPE_H
