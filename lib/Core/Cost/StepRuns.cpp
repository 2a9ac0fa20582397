//===- StepRuns.cpp - Epochs of a phase that skips, counted ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepRuns.h"

#include <algorithm>
#include <map>

namespace transfusion::core {

bool StepRuns::isRow(RankId r) const {
  return std::find(rows.begin(), rows.end(), r) != rows.end();
}

StepRuns stepRuns(const ActiveSteps &active, const std::vector<PieceCut> &cuts,
                  bool idle) {
  StepRuns runs;
  std::vector<Span> box;
  for (const PieceCut &cut : cuts)
    box.push_back({cut.begin, cut.total});
  for (RankId r = 0; r < static_cast<RankId>(cuts.size()); ++r)
    if (r != active.rank && active.dependsOn(r) && cuts[r].pieces() > 1)
      runs.rows.push_back(r);
  const size_t n = runs.rows.size();
  const PieceCut &steps = cuts[active.rank];
  const int64_t end = steps.begin + steps.total;

  std::map<std::pair<uint32_t, int64_t>, int64_t> sets;
  // By which ranks are ragged: steps before the last there is, and that one.
  std::vector<int64_t> before(size_t(1) << n, 0), last(size_t(1) << n, 0);
  std::vector<int64_t> rowsBefore(before), rowsAtLast(last); // that start there
  std::vector<int64_t> index(n, 0);
  uint32_t ragged = 0;
  auto place = [&](size_t i) {
    const PieceCut &cut = cuts[runs.rows[i]];
    const int64_t offset = index[i] * cut.piece;
    box[runs.rows[i]] = {cut.begin + offset,
                         std::min(cut.piece, cut.total - offset)};
    const uint32_t bit = uint32_t(1) << i;
    ragged = index[i] + 1 == cut.pieces() ? ragged | bit : ragged & ~bit;
  };
  for (size_t i = 0; i < n; ++i)
    place(i);
  while (true) {
    const StepRun run = idle ? runOf(active, box) : activeRun(active, box);
    if (run.steps() > 0) {
      ++sets[{ragged, run.steps()}];
      const int64_t atEnd = run.last == end;
      before[ragged] += run.steps() - atEnd;
      last[ragged] += atEnd;
      ++(atEnd && run.steps() == 1 ? rowsAtLast : rowsBefore)[ragged];
    }
    size_t i = n;
    while (i > 0 && ++index[i - 1] == cuts[runs.rows[i - 1]].pieces()) {
      index[--i] = 0;
      place(i);
    }
    if (i == 0)
      break;
    place(i - 1);
  }

  for (const auto &[key, count] : sets)
    runs.sets.push_back({key.first, key.second, count});
  for (uint32_t mask = 0; mask < before.size(); ++mask)
    for (bool atEnd : {false, true}) {
      const int64_t times = atEnd ? last[mask] : before[mask];
      if (times == 0)
        continue;
      EpochSet set{cuts, times, (atEnd ? rowsAtLast : rowsBefore)[mask]};
      for (size_t i = 0; i < n; ++i) {
        PieceCut &cut = set.cuts[runs.rows[i]];
        if (mask >> i & 1)
          cut.begin += (cut.pieces() - 1) * cut.piece;
        cut.total =
            std::min(cut.piece, cuts[runs.rows[i]].begin +
                                    cuts[runs.rows[i]].total - cut.begin);
        cut.piece = cut.total;
      }
      set.cuts[active.rank] = {atEnd ? end - 1 : steps.begin, 1, 1};
      runs.epochs.push_back(std::move(set));
    }
  return runs;
}

} // namespace transfusion::core
