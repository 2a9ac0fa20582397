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
    if (loop.rank == phase.skip.rank)
      stepLoop = static_cast<int32_t>(depth()) - 1;
  }
  if (stepLoop >= 0)
    findRows();
}

//===----------------------------------------------------------------------===//
// Steps that do not run
//===----------------------------------------------------------------------===//

/// Steps at which every sum reaches 0 somewhere in the box; none: [0, 0).
Nest::Steps Nest::activeIn(const Box &box) const {
  const int32_t rank = phaseOf.skip.rank;
  Steps steps{0, 0};
  Box at = box;
  for (int64_t s = 0; s < tripsOf[stepLoop]; ++s) {
    at[rank] = {tileBox[rank].begin + s, 1};
    bool active = true;
    for (const Coordinate &sum : phaseOf.skip.where) {
      __int128 most = sum.constant;
      for (const auto &[r, k] : sum.terms)
        most += __int128(k) *
                (k > 0 ? at[r].begin + at[r].extent - 1 : at[r].begin);
      active &= most >= 0;
    }
    if (active && steps.last == 0)
      steps.first = s;
    if (active)
      steps.last = s + 1;
  }
  return steps;
}

void Nest::findRows() {
  constexpr int64_t most = int64_t(1) << 22;
  int64_t turns = 1;
  for (int32_t l = 0; l < stepLoop; ++l)
    if (__builtin_mul_overflow(turns, tripsOf[l], &turns) || turns > most) {
      count = -1;
      return;
    }
  // Turns that differ in loops that no sum has are alike.
  std::vector<std::pair<std::vector<int64_t>, Steps>> known;
  startOfRow = {0};
  Position at{std::vector<int64_t>(depth(), 0), 0, false};
  for (int64_t row = 0; row < turns; ++row) {
    int64_t rest = row;
    for (int32_t l = stepLoop; l-- > 0;) {
      at.index[l] = rest % tripsOf[l];
      rest /= tripsOf[l];
    }
    std::vector<int64_t> key;
    for (int32_t l = 0; l < stepLoop; ++l)
      if (isRowLoop(l))
        key.push_back(at.index[l]);
    auto found =
        std::lower_bound(known.begin(), known.end(), key,
                         [](const auto &x, const std::vector<int64_t> &k) {
                           return x.first < k;
                         });
    if (found == known.end() || found->first != key) {
      Steps steps = activeIn(boxOf(at));
      if (steps.last == 0)
        steps = {0, 1}; // makes the empty result
      found = known.insert(found, {key, steps});
    }
    rows.push_back(found->second);
    startOfRow.push_back(startOfRow.back() + rows.back().last -
                         rows.back().first + phaseOf.stages - 1);
  }
  count = startOfRow.back() - (phaseOf.stages - 1);
}

bool Nest::isRowLoop(size_t loop) const {
  if (stepLoop < 0)
    return false;
  for (const Coordinate &sum : phaseOf.skip.where)
    for (const auto &t : sum.terms)
      if (t.first == phaseOf.loops[loop].rank)
        return true;
  return static_cast<int32_t>(loop) == stepLoop;
}

size_t Nest::rowOf(const Position &at) const {
  int64_t row = 0;
  for (int32_t l = 0; l < stepLoop; ++l)
    row = row * tripsOf[l] + at.index[l];
  return static_cast<size_t>(row);
}

bool Nest::exists(int64_t epoch) const {
  if (epoch < 0 || epoch >= count)
    return false;
  if (stepLoop < 0)
    return true;
  const size_t row =
      std::upper_bound(startOfRow.begin(), startOfRow.end(), epoch) -
      startOfRow.begin() - 1;
  return epoch - startOfRow[row] < rows[row].last - rows[row].first;
}

//===----------------------------------------------------------------------===//
// Epochs
//===----------------------------------------------------------------------===//

Position Nest::first() const {
  Position at{std::vector<int64_t>(depth(), 0), 0, false};
  if (stepLoop >= 0 && !rows.empty())
    at.index[stepLoop] = rows.front().first;
  return at;
}

int64_t Nest::limit(const Position &at, size_t loop) const {
  return static_cast<int32_t>(loop) == stepLoop ? rows[rowOf(at)].last
                                                : tripsOf[loop];
}

void Nest::number(Position &at) const {
  if (stepLoop >= 0) {
    const size_t row = rowOf(at);
    at.epoch = startOfRow[row] + at.index[stepLoop] - rows[row].first;
    return;
  }
  at.epoch = 0;
  for (size_t l = 0; l < tripsOf.size(); ++l)
    at.epoch = at.epoch * tripsOf[l] + at.index[l];
}

void Nest::advance(Position &at, size_t loop, int64_t by) const {
  // The first step that runs need not begin a block.
  at.index[loop] = (at.index[loop] / by + 1) * by;
  bool sameRow = static_cast<int32_t>(loop) >= stepLoop;
  while (at.index[loop] >= limit(at, loop)) {
    at.index[loop] = 0;
    if (loop == 0) {
      at.end = true;
      at.epoch = count;
      return;
    }
    ++at.index[--loop];
    sameRow &= static_cast<int32_t>(loop) >= stepLoop;
  }
  if (stepLoop >= 0 && !sameRow)
    at.index[stepLoop] = rows[rowOf(at)].first;
  number(at);
}

Position Nest::at(int64_t epoch) const {
  Position p = first();
  p.epoch = epoch;
  if (stepLoop >= 0) {
    int64_t row =
        std::upper_bound(startOfRow.begin(), startOfRow.end(), epoch) -
        startOfRow.begin() - 1;
    p.index[stepLoop] = rows[row].first + epoch - startOfRow[row];
    for (int32_t l = stepLoop; l-- > 0;) {
      p.index[l] = row % tripsOf[l];
      row /= tripsOf[l];
    }
    return p;
  }
  for (size_t l = depth(); l-- > 0;) {
    p.index[l] = epoch % tripsOf[l];
    epoch /= tripsOf[l];
  }
  return p;
}

LoopSet Nest::atFirst(const Position &at) const {
  LoopSet set = 0;
  for (size_t l = 0; l < depth(); ++l)
    set |= LoopSet(at.index[l] == (static_cast<int32_t>(l) == stepLoop
                                       ? rows[rowOf(at)].first
                                       : 0))
           << l;
  return set;
}

LoopSet Nest::atLast(const Position &at) const {
  LoopSet set = 0;
  for (size_t l = 0; l < depth(); ++l)
    set |= LoopSet(at.index[l] == limit(at, l) - 1) << l;
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
  if (!t.activeSteps || stepLoop < 0)
    return box;
  // Loops outside that of the transfer are at one turn, those inside at all.
  Box around = boxOf(at);
  for (size_t l = 0; l < depth(); ++l) {
    const int32_t rank = phaseOf.loops[l].rank;
    if (static_cast<int32_t>(l) > t.loop)
      around[rank] = tileBox[rank];
    else if (static_cast<int32_t>(l) == t.loop)
      around[rank].extent = std::min(
          t.every * phaseOf.loops[l].inner,
          tileBox[rank].begin + tileBox[rank].extent - around[rank].begin);
  }
  Steps steps = activeIn(around);
  if (t.loop == stepLoop && steps.last > 0) { // of the block that begins here
    const int64_t block = at.index[stepLoop] / t.every;
    steps.first = std::max(steps.first, block * t.every);
    steps.last = std::min(steps.last, (block + 1) * t.every);
  }
  Range &range = box[phaseOf.skip.rank];
  range.begin = tileBox[phaseOf.skip.rank].begin + steps.first;
  range.extent = std::max<int64_t>(steps.last - steps.first, 0);
  return box;
}

} // namespace transfusion::core::sim
