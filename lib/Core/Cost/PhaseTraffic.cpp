//===- PhaseTraffic.cpp - Bytes that a phase moves ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseCost.h"
#include "SlotTouches.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

namespace {

class TrafficCounter {
public:
  TrafficCounter(const PhaseTile &tile, const StepRuns *runs, Tally &tally,
                 TrafficByTensor *byTensor, TileScratch &scratch,
                 PhaseTraffic &result)
      : byTensor(byTensor), tile(tile), c(tile.c), tally(tally),
        order(tile.decision().order), innerCuts(scratch.innerCuts),
        pieces(scratch.pieces), runs(runs), touches(tile, runs, scratch, tally),
        scratchCuts(scratch.cuts), scratchSpans(scratch.spans), t(result) {
    core::innerCuts(tile, scratch.innerCuts);
    scratch.pieces.clear();
    for (const PieceCut &cut : innerCuts)
      scratch.pieces.push_back(cut.pieces());
    t.clear();
  }

  void run() {
    for (int32_t id : tile.plan.groups[tile.group].buffers) {
      const Buffer &b = tile.plan.buffers[id];
      if (b.role == BufferRole::Input && b.phase == tile.phase)
        load(b);
    }
    for (const PlannedSlot &slot : tile.planned().slots)
      visit(slot);
    // What is loaded is written here, what is stored is read.
    t.bufferWrite = tally.add(t.bufferWrite, t.outerRead);
    t.bufferRead = tally.add(t.bufferRead, t.outerWrite);
  }

private:
  TrafficByTensor *byTensor;

  int64_t bytes(int64_t values, int32_t bits) {
    return tally.mul(tally.count(values), bytesPerValue(bits));
  }

  /// Times that a piece that depends on `access` recurs: loops of the order up
  /// to position `end` that it does not depend on.
  int64_t repeats(const Access &access, int32_t end) {
    int64_t n = 1;
    const RankSet own = rankSet(access);
    for (int32_t k = 0; k < end; ++k)
      if (!own.has(access, order[k]))
        n = tally.mul(n, pieces[order[k]]);
    return n;
  }

  /// Bytes of pieces that are counted set by set; `end` as in repeats().
  int64_t perEpoch(const Access &access, const std::vector<int64_t> &shape,
                   int32_t bits, const StepRuns &runs, int32_t end) {
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

  void load(const Buffer &b) {
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
    const bool partly = runs && b.level == RetainLevel::Block &&
                        usesRank(b.access, active.rank);
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
      byTensor->load(b.tensor, all);
    if (b.prefetchAhead > 0) {
      t.outerRead = tally.add(t.outerRead, all - one);
      t.moved.push_back({-b.prefetchAhead, one, 0});
      if (fetches(b) > 1)
        noteLastLoad(b);
      return;
    }
    t.outerRead = tally.add(t.outerRead, all);
    const bool later = b.fetchPosition >= 0 && b.minStage > 0;
    if (later) // the phase starts without it
      t.stageFirsts.push_back({b.minStage, one});
    else
      t.firstRead = tally.add(t.firstRead, one);
    if (later || fetches(b) > 1)
      noteLastLoad(b);
  }

  /// Bytes of an Input along the iterative rank: of every fetch, the steps that
  /// read it. Pieces along that rank never overlap (PlanSkip.cpp).
  int64_t fetchedSteps(const Buffer &b, std::vector<PieceCut> cuts) {
    const RankId steps = tile.planned().active.rank;
    cuts[steps].piece = 1;
    const StepRuns fetched =
        stepRuns(tile.planned().active, cuts, /*idle=*/false);
    const int32_t end =
        std::min<int32_t>(b.fetchPosition, tile.planned().cuts[steps].position);
    return perEpoch(b.access, c.tensors[b.tensor].shape, b.bitsPerValue,
                    fetched, end);
  }

  /// Of the first piece, the steps that read it.
  void keepActive(const Buffer &b, std::vector<Span> &piece) {
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
  int64_t fetches(const Buffer &b) {
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
  bool fetchesSteps(const Buffer &b) const {
    return runs && b.fetchPosition ==
                       tile.planned().cuts[tile.planned().active.rank].position;
  }
  /// Steps of the last row that runs.
  StepRun lastRow() const {
    std::vector<Span> box = tile.spans;
    for (RankId r = 0; r < static_cast<RankId>(box.size()); ++r)
      if (r != tile.planned().active.rank) {
        const PieceCut &cut = innerCuts[r];
        const int64_t skipped = (cut.pieces() - 1) * cut.piece;
        box[r] = {cut.begin + skipped, cut.total - skipped};
      }
    return runOf(tile.planned().active, box);
  }
  int64_t blockTrips(RankId r) const {
    const RankCut &cut = tile.planned().cuts[r];
    return std::max<int64_t>(cut.block / cut.inner, 1);
  }

  /// Steps that run when everything has been loaded: the epochs of the last
  /// block, and the stages behind the one that waits for it.
  void noteLastLoad(const Buffer &b) {
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
    t.stepsAfterLoads =
        t.stepsAfterLoads > 0 ? std::min(t.stepsAfterLoads, steps) : steps;
  }

  /// Of the rows for which the last block is fetched.
  int64_t stepsOfRows(const Buffer &b) {
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

  void store(const Buffer &b, EinsumId e, int32_t stage, int64_t results) {
    const bool later = b.storeDelay > 0;
    const int64_t all = bytes(later ? touches.resultIn(e, tile.spans)
                              : b.storesLastSliceOnly ? touches.lastSlice(e)
                                                      : results,
                              b.bitsPerValue);
    if (byTensor)
      byTensor->store(b.tensor, all);
    if (later) {
      t.moved.push_back({b.storeDelay, 0, all});
      return;
    }
    t.storeStage = t.storeStage < 0 ? stage : std::min(t.storeStage, stage);
    t.outerWrite = tally.add(t.outerWrite, all);
    std::vector<Span> &last = scratchSpans;
    last = tile.spans;
    for (size_t r = 0; r < innerCuts.size(); ++r) {
      const int64_t skipped = (pieces[r] - 1) * innerCuts[r].piece;
      last[r] = {innerCuts[r].begin + skipped, innerCuts[r].total - skipped};
    }
    t.lastWrite = tally.add(t.lastWrite,
                            bytes(touches.resultIn(e, last), b.bitsPerValue));
  }

  void visit(const PlannedSlot &slot) {
    const EinsumId id = slot.einsum;
    const Einsum &e = c.einsums[id];
    auto read = [&](int64_t values, int32_t buffer) {
      const Buffer &b = tile.plan.buffers[buffer];
      const int64_t n = bytes(values, b.bitsPerValue);
      t.bufferRead = tally.add(t.bufferRead, n);
      if (byTensor)
        byTensor->read(b.tensor, n);
    };
    auto write = [&](int64_t values, int32_t buffer) {
      const Buffer &b = tile.plan.buffers[buffer];
      const int64_t n = bytes(values, b.bitsPerValue);
      t.bufferWrite = tally.add(t.bufferWrite, n);
      if (byTensor)
        byTensor->write(b.tensor, n);
    };
    auto readAll = [&](const std::vector<Operand> &operands,
                       const std::vector<OperandSource> &from, bool inFinish) {
      for (size_t i = 0; i < from.size(); ++i)
        read(touches.input(id, operands[i], from[i].distance, inFinish),
             from[i].buffer);
    };
    const int64_t results = touches.result(id);
    readAll(e.inputs, slot.inputs, /*inFinish=*/false);
    readAll(e.finishInputs, slot.finishInputs, /*inFinish=*/true);
    if (slot.accumulates) {
      read(touches.sums(id), slot.accumulator);
      write(results, slot.accumulator);
    } else if (slot.accumulator >= 0) {
      read(results, slot.accumulator);
    }
    if (slot.window >= 0)
      write(results, slot.window);
    if (slot.carried >= 0) // of a recurrence the last slice
      write(slot.window >= 0 ? touches.lastSlice(id) : results, slot.carried);
    for (int32_t buffer : {slot.window, slot.carried})
      if (buffer >= 0 && tile.plan.buffers[buffer].storeToOuter)
        store(tile.plan.buffers[buffer], id, slot.stage, results);
  }

  const PhaseTile &tile;
  const Cascade &c;
  Tally &tally;
  const std::vector<RankId> &order;
  const std::vector<PieceCut> &innerCuts; ///< by RankId
  const std::vector<int64_t> &pieces;     ///< of these
  const StepRuns *runs;
  SlotTouches touches;
  std::vector<PieceCut> &scratchCuts;
  std::vector<Span> &scratchSpans;
  PhaseTraffic &t;
};

} // namespace

void innerCuts(const PhaseTile &tile, std::vector<PieceCut> &cuts) {
  cuts.clear();
  for (RankId r = 0; r < static_cast<RankId>(tile.spans.size()); ++r)
    cuts.push_back({tile.spans[r].begin, tile.spans[r].extent, tile.inner(r)});
}

void trafficOf(const PhaseTile &tile, const StepRuns *runs, Tally &tally,
               TrafficByTensor *byTensor, TileScratch &scratch,
               PhaseTraffic &result) {
  TrafficCounter(tile, runs, tally, byTensor, scratch, result).run();
}

TrafficByTensor::TrafficByTensor(size_t tensorCount, size_t memories,
                                 MemoryId buffer, Tally &tally)
    : buffer(buffer), tally(tally) {
  const std::vector<int64_t> none(memories, 0);
  tensors.assign(tensorCount, {none, none});
}

void TrafficByTensor::load(TensorId t, int64_t bytes) {
  add(tensors[t].readBytes[0], bytes);
  add(tensors[t].writeBytes[buffer], bytes);
}

void TrafficByTensor::store(TensorId t, int64_t bytes) {
  add(tensors[t].readBytes[buffer], bytes);
  add(tensors[t].writeBytes[0], bytes);
}

void TrafficByTensor::read(TensorId t, int64_t bytes) {
  add(tensors[t].readBytes[buffer], bytes);
}

void TrafficByTensor::write(TensorId t, int64_t bytes) {
  add(tensors[t].writeBytes[buffer], bytes);
}

int64_t pointsRun(const PhaseTile &tile, const StepRuns &runs, EinsumId e,
                  bool finish, Tally &tally) {
  const Cascade &c = tile.c;
  const ActiveSteps &active = tile.planned().active;
  std::vector<RankId> ranks;
  for (RankId r : c.einsums[e].ranks)
    if (!finish || !isReducedRank(c, e, r))
      ranks.push_back(r);
  int64_t turns = 1; // on which the points do not depend
  for (RankId r : tile.decision().order)
    if (r != active.rank && !runs.isRow(r) && !has(ranks, r))
      turns = tally.mul(turns, tile.trips(r));
  int64_t sum = 0;
  for (const EpochSet &set : runs.epochs) {
    int64_t n = set.times;
    for (RankId r : ranks)
      n = tally.mul(n, set.cuts[r].total);
    sum = tally.add(sum, n);
  }
  return tally.mul(sum, turns);
}

int64_t groupLoadBytes(const Cascade &c, const Plan &plan, int32_t group,
                       const std::vector<Span> &whole, Tally &tally,
                       TrafficByTensor *byTensor) {
  int64_t sum = 0;
  for (int32_t id : plan.groups[group].buffers) {
    const Buffer &b = plan.buffers[id];
    if (b.role != BufferRole::Input || b.level != RetainLevel::Group)
      continue;
    const int64_t values = tally.count(
        valuesInPiece(c, b.access, c.tensors[b.tensor].shape, whole));
    const int64_t n = tally.mul(values, bytesPerValue(b.bitsPerValue));
    sum = tally.add(sum, n);
    if (byTensor)
      byTensor->load(b.tensor, n);
  }
  return sum;
}

} // namespace transfusion::core
