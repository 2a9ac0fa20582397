//===- Nest.cpp - The loops of a phase in one outer tile ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nest.h"

#include <algorithm>

namespace transfusion::core::sim {

Nest::Nest(const Phase &phase, const Box &tile)
    : phaseOf(phase), tileBox(tile) {
  for (const Loop &loop : phase.loops) {
    const int64_t extent = tile[loop.rank].extent;
    tripsOf.push_back((extent - 1) / loop.inner + 1);
    if (count < 0 || __builtin_mul_overflow(count, tripsOf.back(), &count) ||
        count > int64_t(1) << 62)
      count = -1;
  }
}

void Nest::advance(Position &at, size_t loop, int64_t by) const {
  at.index[loop] += by;
  while (at.index[loop] >= tripsOf[loop]) {
    at.index[loop] = 0;
    if (loop == 0) {
      at.end = true;
      at.epoch = count;
      return;
    }
    ++at.index[--loop];
  }
  at.epoch = 0;
  for (size_t l = 0; l < tripsOf.size(); ++l)
    at.epoch = at.epoch * tripsOf[l] + at.index[l];
}

Position Nest::at(int64_t epoch) const {
  Position p = first();
  p.epoch = epoch;
  for (size_t l = depth(); l-- > 0;) {
    p.index[l] = epoch % tripsOf[l];
    epoch /= tripsOf[l];
  }
  return p;
}

LoopSet Nest::atFirst(const Position &at) const {
  LoopSet set = 0;
  for (size_t l = 0; l < depth(); ++l)
    set |= LoopSet(at.index[l] == 0) << l;
  return set;
}

LoopSet Nest::atLast(const Position &at) const {
  LoopSet set = 0;
  for (size_t l = 0; l < depth(); ++l)
    set |= LoopSet(at.index[l] == tripsOf[l] - 1) << l;
  return set;
}

LoopSet Nest::ragged(const Position &at) const {
  LoopSet set = 0;
  for (size_t l = 0; l < depth(); ++l)
    set |=
        LoopSet(
            at.index[l] == tripsOf[l] - 1 &&
            tileBox[phaseOf.loops[l].rank].extent % phaseOf.loops[l].inner != 0)
        << l;
  return set;
}

Box Nest::boxOf(const Position &at) const {
  Box box = tileBox;
  for (size_t l = 0; l < depth(); ++l) {
    const Loop &loop = phaseOf.loops[l];
    const int64_t skipped = at.index[l] * loop.inner;
    Range &range = box[loop.rank];
    range.begin += skipped;
    range.extent = std::min(loop.inner, range.extent - skipped);
  }
  return box;
}

Box Nest::pieceAt(const Position &at, const Transfer &t) const {
  Box box = tileBox;
  for (size_t l = 0; l < depth(); ++l) {
    const int64_t skipped = at.index[l] * phaseOf.loops[l].inner;
    Range &range = box[phaseOf.loops[l].rank];
    range.begin += skipped;
    range.extent -= skipped;
  }
  for (const auto &[rank, points] : t.piece)
    box[rank].extent = std::min(points, box[rank].extent);
  return box;
}

} // namespace transfusion::core::sim
