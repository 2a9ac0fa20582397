//===- PhaseTraffic.cpp - Bytes that a phase moves ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseLoads.h"
#include "SlotTouches.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>
#include <limits>

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
        scratchSpans(scratch.spans),
        loads(tile, runs, tally, byTensor, scratch, result), t(result) {
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
        loads.add(b);
    }
    for (const PlannedSlot &slot : tile.planned().slots)
      visit(slot);
    // What is loaded is written here, what is stored is read.
    t.bufferWrite = tally.add(t.bufferWrite, t.outerRead);
    t.bufferRead = tally.add(t.bufferRead, t.outerWrite);
    for (const auto &[memory, between] : t.between) {
      t.bufferWrite = tally.add(t.bufferWrite, between.outerRead);
      t.bufferRead = tally.add(t.bufferRead, between.outerWrite);
    }
  }

private:
  TrafficByTensor *byTensor;

  int64_t bytes(int64_t values, int32_t bits) {
    return tally.mul(tally.count(values), bytesPerValue(bits));
  }

  void store(const Buffer &b, EinsumId e, int32_t stage, int64_t results) {
    const bool later = b.storeDelay > 0;
    const int64_t all = bytes(later ? touches.resultIn(e, tile.spans)
                              : b.storesLastSliceOnly ? touches.lastSlice(e)
                                                      : results,
                              b.bitsPerValue);
    if (byTensor)
      byTensor->store(b.tensor, all, b.outer);
    if (later) {
      t.moved.push_back({b.storeDelay, 0, all});
      return;
    }
    t.pieces.push_back({&b, e, stage});
    OuterTraffic &outer = t.at(b.outer);
    outer.storeStage =
        outer.storeStage < 0 ? stage : std::min(outer.storeStage, stage);
    outer.outerWrite = tally.add(outer.outerWrite, all);
    std::vector<Span> &last = scratchSpans;
    last = tile.spans;
    for (size_t r = 0; r < innerCuts.size(); ++r) {
      const int64_t skipped = (pieces[r] - 1) * innerCuts[r].piece;
      last[r] = {innerCuts[r].begin + skipped, innerCuts[r].total - skipped};
    }
    outer.lastWrite = tally.add(
        outer.lastWrite, bytes(touches.resultIn(e, last), b.bitsPerValue));
    if (b.storesLastSliceOnly && b.role != BufferRole::Carried)
      noteRowStore(b, all);
  }

  /// Last slices leave at the end of a row, and nothing else of it: their place
  /// is wanted again after as many steps as there are others.
  void noteRowStore(const Buffer &b, int64_t bytes) {
    const RankId along = c.tensors[b.tensor].iterativeRank;
    if (order.empty() || order.back() != along)
      return;
    t.rows = 0;
    if (runs) {
      for (const RowSet &set : runs->sets)
        t.rows = tally.add(t.rows, set.count);
    } else {
      t.rows = 1;
    }
    int64_t least = runs ? std::numeric_limits<int64_t>::max() : pieces[along];
    for (size_t k = 0; k + 1 < order.size(); ++k)
      if (!runs || !runs->isRow(order[k]))
        t.rows = tally.mul(t.rows, pieces[order[k]]);
    for (size_t i = 0; runs && i < runs->sets.size(); ++i)
      least = std::min(least, runs->sets[i].steps);
    if (least >= b.slots)
      t.rowStores.push_back({b.slots, bytes});
  }

  void visit(const PlannedSlot &slot) {
    const EinsumId id = slot.einsum;
    const Einsum &e = c.einsums[id];
    touches.of(tile.decision().runs[slot.run].slots[slot.index]);
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
  std::vector<Span> &scratchSpans;
  LoadCounter loads;
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

void TrafficByTensor::load(TensorId t, int64_t bytes, MemoryId outer) {
  add(tensors[t].readBytes[outer], bytes);
  add(tensors[t].writeBytes[buffer], bytes);
}

void TrafficByTensor::store(TensorId t, int64_t bytes, MemoryId outer) {
  add(tensors[t].readBytes[buffer], bytes);
  add(tensors[t].writeBytes[outer], bytes);
}

void TrafficByTensor::copy(TensorId t, int64_t bytes, MemoryId to) {
  add(tensors[t].readBytes[0], bytes);
  add(tensors[t].writeBytes[to], bytes);
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

/// Bytes of a piece that is copied anew whenever loop r.copyPosition, or one
/// outside, advances.
static int64_t pieceCopyBytes(const Cascade &c, const Plan &plan,
                              const PlannedResident &r,
                              const std::vector<RankId> &tileOrder,
                              Tally &tally) {
  std::vector<PieceCut> cuts;
  for (const Rank &rank : c.ranks)
    cuts.push_back({0, rank.extent, rank.extent});
  int64_t repeats = 1; // of loops outside that change nothing
  for (int32_t k = 0; k <= r.copyPosition; ++k) {
    PieceCut &cut = cuts[tileOrder[k]];
    cut.piece = plan.groups[r.group].phases.front().cuts[tileOrder[k]].tile;
    if (!usesRank(r.access, tileOrder[k]))
      repeats = tally.mul(repeats, cut.pieces());
  }
  const Tensor &t = c.tensors[r.tensor];
  const int64_t values =
      tally.count(valuesInAllPieces(c, r.access, t.shape, cuts));
  return tally.mul(tally.mul(values, repeats), bytesPerValue(t.bitsPerValue));
}

int64_t groupCopyBytes(const Cascade &c, const Plan &plan, int32_t group,
                       const std::vector<RankId> &tileOrder, MemoryId memory,
                       Tally &tally, TrafficByTensor *byTensor) {
  int64_t sum = 0;
  for (const PlannedResident &r : plan.residents) {
    if (!r.isCopied || r.firstGroup != group || r.memory != memory)
      continue;
    const int64_t n = r.isPiece()
                          ? pieceCopyBytes(c, plan, r, tileOrder, tally)
                          : tally.count(tensorBytes(c.tensors[r.tensor]));
    sum = tally.add(sum, n);
    if (byTensor)
      byTensor->copy(r.tensor, n, memory);
  }
  return sum;
}

int64_t groupLoadBytes(const Cascade &c, const Plan &plan, int32_t group,
                       MemoryId outer, const std::vector<Span> &whole,
                       Tally &tally, TrafficByTensor *byTensor) {
  int64_t sum = 0;
  for (int32_t id : plan.groups[group].buffers) {
    const Buffer &b = plan.buffers[id];
    if (b.role != BufferRole::Input || b.level != RetainLevel::Group ||
        b.outer != outer)
      continue;
    const int64_t values = tally.count(
        valuesInPiece(c, b.access, c.tensors[b.tensor].shape, whole));
    const int64_t n = tally.mul(values, bytesPerValue(b.bitsPerValue));
    sum = tally.add(sum, n);
    if (byTensor)
      byTensor->load(b.tensor, n, outer);
  }
  return sum;
}

} // namespace transfusion::core
