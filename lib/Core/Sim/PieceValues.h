//===- PieceValues.h - How many values a piece holds ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_PIECEVALUES_H
#define TRANSFUSION_LIB_CORE_SIM_PIECEVALUES_H

#include "transfusion/Core/Sim/Program.h"

namespace transfusion::core::sim {

/// begin <= value < begin + extent.
struct Range {
  int64_t begin = 0, extent = 1;
};
using Box = std::vector<Range>; ///< by rank

/// Values of `tensor` that the access meets over the box: coordinates that
/// ranks write as digits count once each, a sum of ranks (a halo) counts
/// without gaps, and what lies outside the tensor does not exist. Saturates at
/// 2^62.
int64_t valuesIn(const Program &p, int32_t tensor, const Coordinates &access,
                 const Box &box);

/// The same of each part, when the box is cut into parts of so many points of
/// some ranks.
int64_t valuesInParts(const Program &p, int32_t tensor,
                      const Coordinates &access, Box box,
                      const std::vector<std::pair<int32_t, int64_t>> &parts);

/// Some coordinate over the box lies outside the tensor.
bool reachesOutside(const Program &p, int32_t tensor, const Coordinates &access,
                    const Box &box);

bool usesRank(const Coordinates &access, int32_t rank);

/// All of every rank.
Box wholeBox(const Program &p);

/// Nothing that the phase reads, writes or moves along the rank ends at the end
/// of a tensor in the box.
bool staysInside(const Program &p, const Phase &phase, int32_t rank,
                 const Box &box);

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_PIECEVALUES_H
