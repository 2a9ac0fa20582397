//===- TileOverlap.cpp - Transfers beside a phase that is not theirs ------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOverlap.h"

#include "EpochCount.h"

namespace transfusion::core {

void TileOverlap::start(const OuterTiles &ofGroup, int32_t phaseCount) {
  tiles = &ofGroup;
  phases = phaseCount;
  crosses = false;
  for (Table *table : {&same, &after, &before})
    table->assign(tiles->classes.size() * static_cast<size_t>(phases),
                  TransferBytes());
}

void TileOverlap::add(int32_t phase, int32_t cls,
                      const std::vector<MovedTransfer> &moved) {
  for (const MovedTransfer &m : moved) {
    int32_t there = phase + m.distance;
    // A load for a tile runs in the tile before: seen from there, "after".
    Table &table = there < 0 ? after : there >= phases ? before : same;
    crosses |= there < 0 || there >= phases;
    there += there < 0 ? phases : there >= phases ? -phases : 0;
    TransferBytes &sum = table[at(there, cls)];
    sum.read = tally.add(sum.read, m.read);
    sum.write = tally.add(sum.write, m.write);
  }
}

void TileOverlap::neighbours(std::vector<TileNeighbours> &all) const {
  all.clear();
  if (!crosses) {
    for (size_t i = 0; i < tiles->classes.size(); ++i)
      all.push_back({-1, static_cast<int32_t>(i), -1,
                     tally.count(tiles->classes[i].count)});
    return;
  }
  const EpochCounts counts = countWindows(tiles->runs(), 3);
  tally.overflow |= counts.overflow;
  auto number = [](char16_t c) {
    return c == kIdle ? -1 : static_cast<int32_t>(c);
  };
  for (const auto &[window, count] : counts.windows)
    if (window[1] != kIdle)
      all.push_back(
          {number(window[0]), number(window[1]), number(window[2]), count});
}

TransferBytes TileOverlap::beside(int32_t phase,
                                  const TileNeighbours &n) const {
  TransferBytes sum = same[at(phase, n.at)];
  auto add = [&](const Table &table, int32_t cls) {
    if (cls < 0)
      return;
    sum.read = tally.add(sum.read, table[at(phase, cls)].read);
    sum.write = tally.add(sum.write, table[at(phase, cls)].write);
  };
  add(after, n.after);
  add(before, n.before);
  return sum;
}

TransferBytes TileOverlap::ends() const {
  TransferBytes sum;
  for (int32_t p = 0; p < phases; ++p) {
    const int32_t last = static_cast<int32_t>(tiles->classes.size()) - 1;
    sum.read = tally.add(sum.read, after[at(p, 0)].read);
    sum.write = tally.add(sum.write, before[at(p, last)].write);
  }
  return sum;
}

} // namespace transfusion::core
