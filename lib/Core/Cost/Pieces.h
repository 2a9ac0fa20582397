//===- Pieces.h - Values moved, summed over the pieces of a tile -*- C++ -*-==//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is walked in pieces, the last one of a rank ragged. Each piece moves
// the part of its footprint (Footprint.h) that lies within the tensor. Pieces
// of a dimension written in digits never overlap, so their sum is what the
// whole tile holds; those of a halo are summed in closed form. Nothing here
// depends on the number of pieces, except for halos that reach out of their
// tensor.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_PIECES_H
#define TRANSFUSION_LIB_CORE_COST_PIECES_H

#include "transfusion/Core/Model/Points.h"

namespace transfusion::core {

/// One rank's part of a tile, and the pieces it is walked in.
struct PieceCut {
  int64_t begin = 0, total = 1, piece = 1;
  int64_t pieces() const { return (total + piece - 1) / piece; }
};

/// The ranks of an access, to ask for one after another.
struct RankSet {
  uint64_t low = 0; ///< those below 64
  bool has(const Access &access, RankId r) const {
    return r < 64 ? low >> r & 1 : usesRank(access, r);
  }
};
inline RankSet rankSet(const Access &access) {
  RankSet set;
  for (const LinearExpr &expr : access)
    for (const auto &t : expr.terms)
      if (t.first < 64)
        set.low |= uint64_t(1) << t.first;
  return set;
}

/// Values of `shape` in the footprint of `access` over `box` (by RankId); -1
/// when they exceed 2^63 - 1.
int64_t valuesInPiece(const Cascade &c, const Access &access,
                      const std::vector<int64_t> &shape,
                      const std::vector<Span> &box);

/// Sum of valuesInPiece over all combinations of the pieces of the ranks that
/// `access` uses; `cuts` by RankId. -1 on overflow.
int64_t valuesInAllPieces(const Cascade &c, const Access &access,
                          const std::vector<int64_t> &shape,
                          const std::vector<PieceCut> &cuts);

/// True when no two points of the ranks of `access` have the same coordinates.
bool namesEveryValue(const Cascade &c, const Access &access);

/// As valuesInAllPieces, of the values that points of the pieces read: without
/// the gaps of a halo, and only the diagonal of [k, k].
int64_t touchedInAllPieces(const Cascade &c, const Access &access,
                           const std::vector<int64_t> &shape,
                           const std::vector<PieceCut> &cuts);

/// True when some coordinate of `expr` over `box` is outside [0, size).
bool reachesOut(const LinearExpr &expr, int64_t size,
                const std::vector<Span> &box);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_PIECES_H
