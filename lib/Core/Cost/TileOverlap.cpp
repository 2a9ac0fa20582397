//===- TileOverlap.cpp - Transfers beside a phase that is not theirs ------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOverlap.h"

#include "EpochCount.h"

namespace transfusion::core {

TileOverlap::TileOverlap(const OuterTiles &tiles, int32_t phases, Tally &tally)
    : tiles(tiles), phases(phases), tally(tally) {
  const std::vector<TransferBytes> none(tiles.classes.size());
  same.assign(phases, none);
  after.assign(phases, none);
  before.assign(phases, none);
}

void TileOverlap::add(int32_t phase, int32_t cls,
                      const std::vector<MovedTransfer> &moved) {
  for (const MovedTransfer &m : moved) {
    int32_t at = phase + m.distance;
    // A load for a tile runs in the tile before: seen from there, "after".
    Table &table = at < 0 ? after : at >= phases ? before : same;
    crosses |= at < 0 || at >= phases;
    at += at < 0 ? phases : at >= phases ? -phases : 0;
    TransferBytes &sum = table[at][cls];
    sum.read = tally.add(sum.read, m.read);
    sum.write = tally.add(sum.write, m.write);
  }
}

std::vector<TileNeighbours> TileOverlap::neighbours() const {
  std::vector<TileNeighbours> all;
  if (!crosses) {
    for (size_t i = 0; i < tiles.classes.size(); ++i)
      all.push_back({-1, static_cast<int32_t>(i), -1,
                     tally.count(tiles.classes[i].count)});
    return all;
  }
  const EpochCounts counts = countWindows(tiles.runs, 3);
  tally.overflow |= counts.overflow;
  auto number = [](char16_t c) {
    return c == kIdle ? -1 : static_cast<int32_t>(c);
  };
  for (const auto &[window, count] : counts.windows)
    if (window[1] != kIdle)
      all.push_back(
          {number(window[0]), number(window[1]), number(window[2]), count});
  return all;
}

TransferBytes TileOverlap::beside(int32_t phase,
                                  const TileNeighbours &n) const {
  TransferBytes sum = same[phase][n.at];
  auto add = [&](const Table &table, int32_t cls) {
    if (cls < 0)
      return;
    sum.read = tally.add(sum.read, table[phase][cls].read);
    sum.write = tally.add(sum.write, table[phase][cls].write);
  };
  add(after, n.after);
  add(before, n.before);
  return sum;
}

TransferBytes TileOverlap::ends() const {
  TransferBytes sum;
  for (int32_t p = 0; p < phases; ++p) {
    sum.read = tally.add(sum.read, after[p].front().read);
    sum.write = tally.add(sum.write, before[p].back().write);
  }
  return sum;
}

} // namespace transfusion::core
