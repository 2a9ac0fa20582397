//===- PhaseLoads.cpp - What a phase loads, and when it waits -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseLoads.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

/// Times that a piece that depends on `access` recurs: loops of the order up
/// to position `end` that it does not depend on.
int64_t LoadCounter::repeats(const Access &access, int32_t end) {
  int64_t n = 1;
  const RankSet own = rankSet(access);
  for (int32_t k = 0; k < end; ++k)
    if (!own.has(access, order[k]))
      n = tally.mul(n, pieces[order[k]]);
  return n;
}

/// Bytes of pieces that are counted set by set; `end` as in repeats().
int64_t LoadCounter::perEpoch(const Access &access,
                              const std::vector<int64_t> &shape, int32_t bits,
                              const StepRuns &runs, int32_t end) {
  int64_t values = 0;
  for (const EpochSet &set : runs.epochs)
    values = tally.add(
        values,
        tally.mul(tally.count(valuesInAllPieces(c, access, shape, set.cuts)),
                  set.times));
  int64_t n = 1;
  for (int32_t k = 0; k < end; ++k)
    if (!usesRank(access, order[k]) && !runs.isRow(order[k]) &&
        order[k] != tile.planned().active.rank)
      n = tally.mul(n, tile.trips(order[k]));
  return tally.mul(bytes(values, bits), n);
}

void LoadCounter::add(const Buffer &b) {
  if (b.level == RetainLevel::Group)
    return;
  const std::vector<int64_t> &shape = c.tensors[b.tensor].shape;
  const std::vector<RankCut> &planned = tile.planned().cuts;
  std::vector<PieceCut> &cuts = scratchCuts;
  std::vector<Span> &first = scratchSpans;
  cuts = innerCuts;
  first = tile.spans;
  for (RankId r = 0; r < static_cast<RankId>(cuts.size()); ++r) {
    const int32_t at = planned[r].position;
    if (at < 0 || at > b.fetchPosition)
      cuts[r].piece = cuts[r].total;
    else if (at == b.fetchPosition)
      cuts[r].piece = std::min(planned[r].block, cuts[r].total);
    first[r].extent = std::min(cuts[r].piece, cuts[r].total);
  }
  const ActiveSteps &active = tile.planned().active;
  const bool partly =
      runs && b.level == RetainLevel::Block && usesRank(b.access, active.rank);
  const int64_t all =
      partly ? fetchedSteps(b, cuts)
             : tally.mul(bytes(valuesInAllPieces(c, b.access, shape, cuts),
                               b.bitsPerValue),
                         repeats(b.access, b.fetchPosition));
  if (partly)
    keepActive(b, first);
  const int64_t one =
      bytes(valuesInPiece(c, b.access, shape, first), b.bitsPerValue);
  if (byTensor)
    byTensor->load(b.tensor, all, b.outer);
  if (b.prefetchAhead > 0) { // of memory 0
    t.outerRead = tally.add(t.outerRead, all - one);
    t.moved.push_back({-b.prefetchAhead, one, 0});
    if (b.fetchPosition >= 0)
      t.pieces.push_back({&b, -1, 0, /*isThere=*/true});
    if (fetches(b) > 1)
      noteLastLoad(b);
    return;
  }
  t.pieces.push_back({&b});
  OuterTraffic &outer = t.at(b.outer);
  outer.outerRead = tally.add(outer.outerRead, all);
  const bool later = b.fetchPosition >= 0 && b.minStage > 0;
  if (later) // the phase starts without it
    outer.stageFirsts.push_back({b.minStage, one});
  else
    outer.firstRead = tally.add(outer.firstRead, one);
  if (later || fetches(b) > 1)
    noteLastLoad(b);
}

/// Bytes of an Input along the iterative rank: of every fetch, the steps that
/// read it. Pieces along that rank never overlap (PlanSkip.cpp).
int64_t LoadCounter::fetchedSteps(const Buffer &b, std::vector<PieceCut> cuts) {
  const RankId steps = tile.planned().active.rank;
  cuts[steps].piece = 1;
  const StepRuns fetched =
      stepRuns(tile.planned().active, cuts, /*idle=*/false);
  const int32_t end =
      std::min<int32_t>(b.fetchPosition, tile.planned().cuts[steps].position);
  return perEpoch(b.access, c.tensors[b.tensor].shape, b.bitsPerValue, fetched,
                  end);
}

/// Of the first piece, the steps that read it.
void LoadCounter::keepActive(const Buffer &b, std::vector<Span> &piece) {
  const ActiveSteps &active = tile.planned().active;
  const Span block = piece[active.rank];
  piece[active.rank] = tile.spans[active.rank];
  const StepRun run = activeRun(active, piece);
  int64_t end = run.last;
  if (b.fetchPosition == tile.planned().cuts[active.rank].position)
    end = std::min(end, (run.first / block.extent + 1) * block.extent);
  piece[active.rank] = {run.first, std::max<int64_t>(end - run.first, 0)};
}

/// Of an outer tile.
int64_t LoadCounter::fetches(const Buffer &b) {
  if (b.fetchPosition < 0)
    return 1;
  const RankId r = order[b.fetchPosition];
  int64_t n = (tile.trips(r) - 1) / blockTrips(r) + 1;
  int64_t turns = 1;
  for (int32_t k = 0; k < b.fetchPosition; ++k)
    turns = tally.mul(turns, tile.trips(order[k]));
  if (fetchesSteps(b)) { // more of a row, or several rows
    const StepRun run = lastRow();
    n = (run.last - 1) / blockTrips(r) - run.first / blockTrips(r) + 1;
  }
  return tally.mul(n, turns);
}

bool LoadCounter::fetchesSteps(const Buffer &b) const {
  return runs && b.fetchPosition ==
                     tile.planned().cuts[tile.planned().active.rank].position;
}

/// Steps of the last row that runs.
StepRun LoadCounter::lastRow() const {
  std::vector<Span> box = tile.spans;
  for (RankId r = 0; r < static_cast<RankId>(box.size()); ++r)
    if (r != tile.planned().active.rank) {
      const PieceCut &cut = innerCuts[r];
      const int64_t skipped = (cut.pieces() - 1) * cut.piece;
      box[r] = {cut.begin + skipped, cut.total - skipped};
    }
  return runOf(tile.planned().active, box);
}

int64_t LoadCounter::blockTrips(RankId r) const {
  const RankCut &cut = tile.planned().cuts[r];
  return std::max<int64_t>(cut.block / cut.inner, 1);
}

/// Steps that run when everything has been loaded: the epochs of the last
/// block, and the stages behind the one that waits for it.
void LoadCounter::noteLastLoad(const Buffer &b) {
  const RankId r = order[b.fetchPosition];
  const int32_t behind = tile.planned().stages - 1;
  int64_t steps;
  if (fetchesSteps(b)) {
    const StepRun run = lastRow();
    steps = (run.last - 1) % blockTrips(r) + 1;
    steps = std::min(steps, run.steps()) + behind;
  } else if (runs) {
    steps = stepsOfRows(b);
  } else {
    steps = (tile.trips(r) - 1) % blockTrips(r) + 1;
    for (size_t k = b.fetchPosition + 1; k < order.size(); ++k)
      steps = tally.mul(steps, tile.trips(order[k]));
    steps = tally.add(steps, behind);
  }
  steps -= b.minStage;
  int64_t &least = t.at(b.outer).stepsAfterLoads;
  least = least > 0 ? std::min(least, steps) : steps;
}

/// Of the rows for which the last block is fetched.
int64_t LoadCounter::stepsOfRows(const Buffer &b) {
  const ActiveSteps &active = tile.planned().active;
  std::vector<PieceCut> cuts = innerCuts;
  for (int32_t k = 0; k <= b.fetchPosition; ++k) {
    PieceCut &cut = cuts[order[k]];
    const int64_t trips = k < b.fetchPosition ? 1 : blockTrips(order[k]);
    const int64_t skipped = (cut.pieces() - 1) / trips * trips * cut.piece;
    cut.begin += skipped;
    cut.total -= skipped;
  }
  const StepRuns last = stepRuns(active, cuts, /*idle=*/true);
  int64_t turns = 1; // of loops that do not change what runs
  for (size_t k = b.fetchPosition; k < order.size(); ++k)
    if (order[k] != active.rank && !last.isRow(order[k]))
      turns = tally.mul(turns, cuts[order[k]].pieces());
  int64_t sum = 0;
  for (const RowSet &set : last.sets)
    sum = tally.add(
        sum, tally.mul(set.count, set.steps + tile.planned().stages - 1));
  return tally.mul(sum, turns);
}

} // namespace transfusion::core
