//===- PhaseTraffic.cpp - Bytes that a phase moves ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseCost.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

namespace {

bool usesRank(const Access &access, RankId r) {
  for (const LinearExpr &expr : access)
    if (expr.uses(r))
      return true;
  return false;
}

class TrafficCounter {
public:
  TrafficCounter(const PhaseTile &tile, Tally &tally)
      : tile(tile), c(tile.c), tally(tally), order(tile.decision().order) {
    innerCuts.reserve(tile.spans.size());
    for (RankId r = 0; r < static_cast<RankId>(tile.spans.size()); ++r)
      innerCuts.push_back(
          {tile.spans[r].begin, tile.spans[r].extent, tile.inner(r)});
  }

  PhaseTraffic run() {
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
    return t;
  }

private:
  int64_t bytes(int64_t values, int32_t bits) {
    return tally.mul(tally.count(values), bytesPerValue(bits));
  }

  /// Times that a piece that depends on `access` recurs: loops of the order up
  /// to position `end` that it does not depend on.
  int64_t repeats(const Access &access, int32_t end) {
    int64_t n = 1;
    for (int32_t k = 0; k < end; ++k)
      if (!usesRank(access, order[k]))
        n = tally.mul(n, tile.trips(order[k]));
    return n;
  }
  int64_t repeats(const Access &access) {
    return repeats(access, static_cast<int32_t>(order.size()));
  }

  /// Bytes of the inner footprints of all epochs.
  int64_t perEpoch(const Operand &o, int32_t bits) {
    return perEpoch(o, bits, innerCuts);
  }
  int64_t perEpoch(const Operand &o, int32_t bits,
                   const std::vector<PieceCut> &cuts) {
    return tally.mul(
        bytes(valuesInAllPieces(c, o.access, c.tensors[o.tensor].shape, cuts),
              bits),
        repeats(o.access));
  }

  /// Sizes with the iterative rank at its last value only.
  const std::vector<PieceCut> &lastSlice(TensorId tensor) {
    std::vector<PieceCut> &cuts = scratchCuts;
    cuts = innerCuts;
    PieceCut &cut = cuts[c.tensors[tensor].iterativeRank];
    cut = {cut.begin + cut.total - 1, 1, 1};
    return cuts;
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
    const int64_t all = tally.mul(
        bytes(valuesInAllPieces(c, b.access, shape, cuts), b.bitsPerValue),
        repeats(b.access, b.fetchPosition));
    const int64_t one =
        bytes(valuesInPiece(c, b.access, shape, first), b.bitsPerValue);
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

  /// Of an outer tile.
  int64_t fetches(const Buffer &b) {
    if (b.fetchPosition < 0)
      return 1;
    const RankId r = order[b.fetchPosition];
    int64_t n = (tile.trips(r) - 1) / blockTrips(r) + 1;
    for (int32_t k = 0; k < b.fetchPosition; ++k)
      n = tally.mul(n, tile.trips(order[k]));
    return n;
  }
  int64_t blockTrips(RankId r) const {
    const RankCut &cut = tile.planned().cuts[r];
    return std::max<int64_t>(cut.block / cut.inner, 1);
  }

  /// Steps that run when everything has been loaded: the epochs of the last
  /// block, and the stages behind the one that waits for it.
  void noteLastLoad(const Buffer &b) {
    const RankId r = order[b.fetchPosition];
    int64_t epochs = (tile.trips(r) - 1) % blockTrips(r) + 1;
    for (size_t k = b.fetchPosition + 1; k < order.size(); ++k)
      epochs = tally.mul(epochs, tile.trips(order[k]));
    const int64_t steps =
        tally.add(epochs, tile.planned().stages - 1 - b.minStage);
    t.stepsAfterLoads =
        t.stepsAfterLoads > 0 ? std::min(t.stepsAfterLoads, steps) : steps;
  }

  void store(const Buffer &b, const Operand &result, int32_t stage) {
    if (b.storeDelay > 0) {
      t.moved.push_back(
          {b.storeDelay, 0,
           bytes(valuesInPiece(c, result.access, c.tensors[result.tensor].shape,
                               tile.spans),
                 b.bitsPerValue)});
      return;
    }
    t.storeStage = t.storeStage < 0 ? stage : std::min(t.storeStage, stage);
    const std::vector<PieceCut> &cuts =
        b.storesLastSliceOnly ? lastSlice(result.tensor) : innerCuts;
    t.outerWrite =
        tally.add(t.outerWrite, perEpoch(result, b.bitsPerValue, cuts));
    std::vector<Span> &last = scratchSpans;
    last = tile.spans;
    for (size_t r = 0; r < cuts.size(); ++r) {
      const int64_t skipped = (cuts[r].pieces() - 1) * cuts[r].piece;
      last[r] = {cuts[r].begin + skipped, cuts[r].total - skipped};
    }
    t.lastWrite = tally.add(
        t.lastWrite, bytes(valuesInPiece(c, result.access,
                                         c.tensors[result.tensor].shape, last),
                           b.bitsPerValue));
  }

  void visit(const PlannedSlot &slot) {
    const Einsum &e = c.einsums[slot.einsum];
    auto bitsOf = [&](int32_t buffer) {
      return tile.plan.buffers[buffer].bitsPerValue;
    };
    auto read = [&](int64_t n) { t.bufferRead = tally.add(t.bufferRead, n); };
    auto write = [&](int64_t n) {
      t.bufferWrite = tally.add(t.bufferWrite, n);
    };
    for (size_t i = 0; i < slot.inputs.size(); ++i)
      read(perEpoch(e.inputs[i], bitsOf(slot.inputs[i].buffer)));
    for (size_t i = 0; i < slot.finishInputs.size(); ++i)
      read(perEpoch(e.finishInputs[i], bitsOf(slot.finishInputs[i].buffer)));
    if (slot.accumulator >= 0) {
      const int64_t sums = perEpoch(e.result, bitsOf(slot.accumulator));
      read(sums);
      if (slot.accumulates)
        write(sums);
    }
    if (slot.window >= 0)
      write(perEpoch(e.result, bitsOf(slot.window)));
    if (slot.carried >= 0)
      write(slot.window >= 0 // a recurrence keeps its last slice
                ? perEpoch(e.result, bitsOf(slot.carried),
                           lastSlice(e.result.tensor))
                : perEpoch(e.result, bitsOf(slot.carried)));
    for (int32_t id : {slot.window, slot.carried})
      if (id >= 0 && tile.plan.buffers[id].storeToOuter)
        store(tile.plan.buffers[id], e.result, slot.stage);
  }

  const PhaseTile &tile;
  const Cascade &c;
  Tally &tally;
  const std::vector<RankId> &order;
  std::vector<PieceCut> innerCuts; ///< by RankId
  std::vector<PieceCut> scratchCuts;
  std::vector<Span> scratchSpans;
  PhaseTraffic t;
};

} // namespace

PhaseTraffic trafficOf(const PhaseTile &tile, Tally &tally) {
  return TrafficCounter(tile, tally).run();
}

int64_t groupLoadBytes(const Cascade &c, const Plan &plan, int32_t group,
                       Tally &tally) {
  std::vector<Span> whole;
  for (const Rank &r : c.ranks)
    whole.push_back({0, r.extent});
  int64_t sum = 0;
  for (int32_t id : plan.groups[group].buffers) {
    const Buffer &b = plan.buffers[id];
    if (b.role != BufferRole::Input || b.level != RetainLevel::Group)
      continue;
    const int64_t values = tally.count(
        valuesInPiece(c, b.access, c.tensors[b.tensor].shape, whole));
    sum = tally.add(sum, tally.mul(values, bytesPerValue(b.bitsPerValue)));
  }
  return sum;
}

} // namespace transfusion::core
