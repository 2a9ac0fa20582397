//===- StepWalk.cpp - Transfers beside the steps of a short phase ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepWalk.h"

#include "SlotTouches.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

namespace {

class StepWalk {
public:
  StepWalk(const PhaseTile &tile, const Arch &a, int64_t epochs, int64_t steps,
           Tally &tally, TileScratch &scratch)
      : tile(tile), c(tile.c), a(a), order(tile.decision().order),
        stages(tile.planned().stages), epochs(epochs), steps(steps),
        tally(tally), scratch(scratch), walk(scratch.walk),
        touches(tile, nullptr, scratch, tally) {}

  WalkedSteps run(const std::vector<PieceMove> &moves) {
    start(moves);
    WalkedSteps ends;
    ends.done = true;
    for (const PieceMove &m : moves)
      ends.storesAtEnd &= m.einsum < 0 || m.stage == stages - 1;
    double now = 0;
    for (int64_t k = 0; k < steps; ++k) {
      const double wait = pass(k);
      now += wait;
      if (k == 0)
        ends.firstStep = now;
      const double length = lengthOf(k);
      now += length;
      passFor(length);
      release(k);
      walk.older = walk.newer;
      if (k + 1 < epochs)
        advance();
    }
    ends.lastStepEnd = now;
    ends.end = now + pass(steps);
    return ends;
  }

private:
  using Move = WalkScratch::Move;
  using Port = WalkScratch::Port;

  void start(const std::vector<PieceMove> &moves) {
    walk.trips.clear();
    plain = true;
    for (size_t l = 0; l < order.size(); ++l) {
      walk.trips.push_back(tile.trips(order[l]));
      plain &= !scratch.loops[l].lastApart && !scratch.loops[l].firstApart;
    }
    walk.newer.assign(order.size(), 0);
    walk.older = walk.newer;
    walk.ports.clear();
    walk.moves.clear();
    walk.due.clear();
    for (const PieceMove &m : moves)
      addMove(m);
    walk.due.assign(walk.ports.size() * size_t(steps + 1), 0.0);
    for (Move &m : walk.moves)
      if (m.of.einsum < 0) {
        // The first ones have slots.
        for (int64_t n = m.of.buffer->slots - m.of.isThere; n > 0 && m.left > 0;
             --n)
          fetch(m);
        next(m, m.freed);
        m.after = m.freed.epoch - 1 + m.of.buffer->maxStage;
      }
  }

  int64_t trips(size_t k) const { return walk.trips[k]; }

  void addMove(const PieceMove &of) {
    const Buffer &b = *of.buffer;
    Move m;
    m.of = of;
    const MemoryId inner = a.units.front().memory;
    const bool load = of.einsum < 0;
    m.ports[0] = portOf(b.outer, load);
    m.ports[1] = portOf(inner, !load);
    if (m.ports[0] < 0 && m.ports[1] < 0)
      return; // nothing limits it
    const int32_t j = load ? b.fetchPosition : int32_t(order.size()) - 1;
    if (load && j >= 0) {
      const RankCut &cut = tile.planned().cuts[order[j]];
      m.every = std::max<int64_t>(cut.block / cut.inner, 1);
      m.perTurn = (trips(j) - 1) / m.every + 1;
      int64_t inside = 1;
      for (size_t k = j + 1; k < order.size(); ++k)
        inside *= trips(k);
      m.left = m.perTurn;
      for (int32_t k = 0; k < j; ++k)
        m.left *= trips(k);
      m.perPiece = m.every * inside;
      m.turnEpochs = trips(j) * inside;
      if (of.isThere) {
        --m.left;
        next(m, m.next);
      }
    }
    // Where pieces are unlike the first one.
    const Access &access = load ? b.access : c.einsums[of.einsum].result.access;
    for (int32_t k = 0; k <= j; ++k) {
      const RankId r = order[k];
      const int64_t piece =
          load && k == j ? tile.planned().cuts[r].block : tile.inner(r);
      if (trips(k) > 1 && tile.spans[r].extent % piece != 0 &&
          usesRank(access, r))
        m.ragged |= uint64_t(1) << k;
    }
    if (!load)
      m.unlike = !c.einsums[of.einsum].domain.empty();
    for (size_t d = 0; load && d < access.size(); ++d)
      m.unlike |=
          reachesOut(access[d], c.tensors[b.tensor].shape[d], tile.spans);
    walk.moves.push_back(m);
    Move &own = walk.moves.back();
    own.bytes = bytesOf(own, walk.newer);
  }

  /// -1: no limit.
  int32_t portOf(MemoryId memory, bool read) {
    const Memory &m = a.memories[memory];
    read |= m.sharedPort;
    const double perS = read ? m.readBytesPerS : m.writeBytesPerS;
    if (!(perS > 0))
      return -1;
    for (size_t q = 0; q < walk.ports.size(); ++q)
      if (walk.ports[q].memory == memory && walk.ports[q].reads == read)
        return static_cast<int32_t>(q);
    walk.ports.push_back({memory, read, a.clockHz / perS, 0});
    return static_cast<int32_t>(walk.ports.size()) - 1;
  }

  /// Of the piece that the epoch at `index` wants, or makes.
  int64_t bytesOf(const Move &m, const std::vector<int64_t> &index) {
    const Buffer &b = *m.of.buffer;
    std::vector<Span> &box = scratch.spans;
    box = tile.spans;
    const bool load = m.of.einsum < 0;
    const int32_t j = load ? b.fetchPosition : int32_t(order.size()) - 1;
    for (int32_t k = 0; k <= j; ++k) {
      const RankId r = order[k];
      int64_t piece = tile.inner(r), at = index[k];
      if (load && k == j) {
        piece = tile.planned().cuts[r].block;
        at /= m.every;
      }
      const int64_t skipped = at * piece;
      box[r].begin += skipped;
      box[r].extent = std::min(piece, box[r].extent - skipped);
    }
    const int64_t values =
        load ? valuesInPiece(c, b.access, c.tensors[b.tensor].shape, box)
             : touches.resultIn(m.of.einsum, box);
    return tally.mul(tally.count(values), bytesPerValue(b.bitsPerValue));
  }

  bool atLastPiece(const Move &m, size_t k, int64_t at) const {
    const bool blocks = m.of.einsum < 0 &&
                        static_cast<int32_t>(k) == m.of.buffer->fetchPosition;
    return blocks ? at / m.every == m.perTurn - 1 : at == trips(k) - 1;
  }

  double pieceBytes(const Move &m, const std::vector<int64_t> &index) {
    bool other = m.unlike;
    for (size_t k = 0; m.ragged >> k && !other; ++k)
      other = (m.ragged >> k & 1) && atLastPiece(m, k, index[k]);
    return double(other ? bytesOf(m, index) : m.bytes);
  }

  void send(const Move &m, int64_t due, double bytes) {
    due = std::min(due, steps);
    for (int32_t q : m.ports)
      if (q >= 0) {
        Port &port = walk.ports[q];
        walk.due[size_t(q) * size_t(steps + 1) + size_t(due)] +=
            bytes * port.cyclesPerByte;
        port.first = std::min(port.first, due);
      }
  }

  static void next(const Move &m, WalkScratch::Cursor &at) {
    if (++at.piece < m.perTurn) {
      at.epoch += m.perPiece;
      return;
    }
    at.piece = 0;
    at.epoch = at.turn += m.turnEpochs;
  }

  void fetch(Move &m) {
    const Buffer &b = *m.of.buffer;
    double bytes = double(m.bytes);
    if (m.unlike || m.ragged) {
      int64_t rest = m.next.epoch;
      walk.fetched.assign(order.size(), 0);
      for (size_t l = order.size(); l-- > 0;) {
        walk.fetched[l] = rest % trips(l);
        rest /= trips(l);
      }
      bytes = pieceBytes(m, walk.fetched);
    }
    send(m, b.fetchPosition < 0 ? 0 : m.next.epoch + b.minStage, bytes);
    --m.left;
    next(m, m.next);
  }

  /// Fetches whose slot is free when step `k` has ended: that of the fetch
  /// `slots` before, which is read until the one after it begins.
  void releaseLoads(Move &m, int64_t k) {
    while (m.left > 0 && m.after <= k) {
      fetch(m);
      next(m, m.freed);
      m.after = m.freed.epoch - 1 + m.of.buffer->maxStage;
    }
  }

  void release(int64_t k) {
    for (Move &m : walk.moves) {
      if (m.of.einsum < 0) {
        releaseLoads(m, k);
        continue;
      }
      const int64_t epoch = k - m.of.stage;
      if (epoch < 0 || epoch >= epochs)
        continue;
      const std::vector<int64_t> &index =
          m.of.stage == 0 ? walk.newer : walk.older;
      const Buffer &b = *m.of.buffer;
      if (b.storesLastSliceOnly) {
        const RankId along = c.tensors[b.tensor].iterativeRank;
        const int32_t at = tile.planned().cuts[along].position;
        if (at >= 0 && index[at] != trips(at) - 1)
          continue;
      }
      // The next result for this place, or the end of the phase, waits.
      send(m,
           b.role == BufferRole::Carried ? steps : epoch + b.slots + m.of.stage,
           pieceBytes(m, index));
    }
  }

  void advance() {
    for (size_t l = order.size(); l-- > 0;) {
      if (++walk.newer[l] < trips(l))
        return;
      walk.newer[l] = 0;
    }
  }

  /// Cycles until all has passed that is due by step `k`; it has passed then.
  double pass(int64_t k) {
    double longest = 0;
    for (size_t q = 0; q < walk.ports.size(); ++q) {
      const double *due = &walk.due[q * size_t(steps + 1)];
      double sum = 0;
      for (int64_t d = walk.ports[q].first; d <= k; ++d)
        sum += due[d];
      longest = std::max(longest, sum);
    }
    if (longest > 0)
      passFor(longest);
    for (size_t q = 0; q < walk.ports.size(); ++q) {
      // However sums are rounded.
      double *due = &walk.due[q * size_t(steps + 1)];
      for (int64_t &d = walk.ports[q].first; d <= k; ++d)
        due[d] = 0;
    }
    return longest;
  }

  void passFor(double cycles) {
    for (size_t q = 0; q < walk.ports.size(); ++q) {
      double *due = &walk.due[q * size_t(steps + 1)];
      double left = cycles;
      for (int64_t &d = walk.ports[q].first; d <= steps; ++d) {
        if (due[d] > left) {
          due[d] -= left;
          break;
        }
        left -= due[d];
        due[d] = 0;
      }
    }
  }

  EpochEnds endsOf(const std::vector<int64_t> &index) const {
    EpochEnds ends;
    for (size_t l = 0; l < scratch.loops.size(); ++l) {
      const EpochLoop &loop = scratch.loops[l];
      if (loop.lastApart && index[l] == loop.trips - 1)
        ends.last |= uint64_t(1) << l;
      if (loop.firstApart && index[l] == 0)
        ends.first |= uint64_t(1) << l;
    }
    return ends;
  }

  double lengthOf(int64_t k) {
    if (plain && k > stages && k < epochs)
      return steady;
    return steady = lengthOfKind(k);
  }

  double lengthOfKind(int64_t k) const {
    auto same = [](const EpochEnds &x, const EpochEnds &y) {
      return x.first == y.first && x.last == y.last;
    };
    const bool hasNewer = k < epochs, hasOlder = stages == 2 && k > 0;
    const EpochEnds newer = hasNewer ? endsOf(walk.newer) : EpochEnds();
    const EpochEnds older = hasOlder ? endsOf(walk.older) : EpochEnds();
    for (size_t i = 0; i < scratch.kinds.size(); ++i) {
      const StepKind &kind = scratch.kinds[i];
      if (kind.hasNewer != hasNewer || (hasNewer && !same(kind.newer, newer)))
        continue;
      if (stages == 2 &&
          (kind.hasOlder != hasOlder || (hasOlder && !same(kind.older, older))))
        continue;
      return scratch.kindCycles[i];
    }
    return 0; // every step is of a kind
  }

  const PhaseTile &tile;
  const Cascade &c;
  const Arch &a;
  const std::vector<RankId> &order;
  const int32_t stages;
  const int64_t epochs, steps;
  Tally &tally;
  TileScratch &scratch;
  WalkScratch &walk;
  SlotTouches touches;
  bool plain = true; ///< all epochs are alike
  double steady = 0; ///< cycles of the step before
};

} // namespace

WalkedSteps walkSteps(const PhaseTile &tile, const Arch &a,
                      const PhaseCompute &compute, const PhaseTraffic &traffic,
                      Tally &tally, TileScratch &scratch) {
  if (!compute.hasKinds || compute.steps > kWalkedSteps || tally.overflow)
    return {};
  return StepWalk(tile, a, compute.epochs, compute.steps, tally, scratch)
      .run(traffic.pieces);
}

} // namespace transfusion::core
