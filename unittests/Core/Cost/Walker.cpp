//===- Walker.cpp - The loops of Plan.h, run literally --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walker.h"

#include "transfusion/Core/Model/Footprint.h"
#include "transfusion/Core/Model/Points.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace transfusion::core::test {

namespace {

using Box = std::vector<Span>; ///< by RankId

/// The epochs of a phase in one outer tile.
struct Loops {
  std::vector<int64_t> inner, trips; ///< by position of the order
  int64_t epochs = 1;                ///< of the whole nest
  /// What runs, one pipeline after another: epochs by their number in the nest.
  std::vector<std::vector<int64_t>> pipelines;
  std::vector<bool> hasPoints; ///< by epoch; of a phase that skips
};

/// Calls `visit(values)` for every point of `ranks` in the box.
void forEachPoint(const std::vector<RankId> &ranks, const Box &box,
                  const std::function<void(const std::vector<int64_t> &)> &f) {
  std::vector<int64_t> value(box.size(), 0);
  std::function<void(size_t)> walk = [&](size_t i) {
    if (i == ranks.size())
      return f(value);
    for (int64_t v = 0; v < box[ranks[i]].extent; ++v) {
      value[ranks[i]] = box[ranks[i]].begin + v;
      walk(i + 1);
    }
  };
  walk(0);
}

int64_t valueOf(const LinearExpr &x, const std::vector<int64_t> &value) {
  int64_t v = x.constant;
  for (const auto &t : x.terms)
    v += t.second * value[t.first];
  return v;
}

class Walker {
public:
  Walker(const Cascade &c, const Arch &a, const Schedule &s, const Plan &p)
      : c(c), a(a), s(s), p(p) {
    out.readBytes.assign(a.memories.size(), 0);
    out.writeBytes.assign(a.memories.size(), 0);
    out.unitBusyCycles.assign(a.units.size(), 0);
    out.laneCycles.assign(a.units.size(), 0);
  }

  Walked run() {
    for (g = 0; g < int32_t(s.groups.size()); ++g)
      runGroup();
    return std::move(out);
  }

private:
  /// Coordinates that a dense piece holds, clipped to the tensor.
  int64_t bytesOf(const Access &access, TensorId t, int32_t bits,
                  const Box &box) {
    int64_t values = 1;
    for (size_t d = 0; d < access.size(); ++d) {
      std::vector<RankId> ranks;
      for (const auto &term : access[d].terms)
        ranks.push_back(term.first);
      std::set<int64_t> coordinates;
      forEachPoint(ranks, box, [&](const std::vector<int64_t> &v) {
        coordinates.insert(valueOf(access[d], v));
      });
      if (!isDigits(c, access[d])) // a halo is held without gaps
        for (int64_t x = *coordinates.begin(); x < *coordinates.rbegin(); ++x)
          coordinates.insert(x);
      int64_t inside = 0;
      for (int64_t x : coordinates)
        inside += x >= 0 && x < c.tensors[t].shape[d];
      values *= inside;
    }
    return values * ((bits + 7) / 8);
  }

  double cycles(const Memory &m, int64_t read, int64_t written) {
    const double perCycleRead = m.readBytesPerS / a.clockHz;
    const double perCycleWrite = m.writeBytesPerS / a.clockHz;
    if (m.sharedPort)
      return perCycleRead > 0 ? double(read + written) / perCycleRead : 0;
    return std::max(perCycleRead > 0 ? double(read) / perCycleRead : 0,
                    perCycleWrite > 0 ? double(written) / perCycleWrite : 0);
  }

  void runGroup() {
    out.phases.emplace_back(s.groups[g].phases.size());
    for (WalkedPhase &ph : out.phases.back())
      ph.unitBusyCycles.assign(a.units.size(), 0);
    Box tile;
    for (const Rank &r : c.ranks)
      tile.push_back({0, r.extent});
    int64_t loaded = 0;
    for (int32_t id : p.groups[g].buffers) {
      const Buffer &b = p.buffers[id];
      if (b.role == BufferRole::Input && b.level == RetainLevel::Group)
        loaded += bytesOf(b.access, b.tensor, b.bitsPerValue, tile);
    }
    out.readBytes[0] += loaded;
    out.writeBytes[1] += loaded;
    std::vector<Box> tiles;
    std::function<void(size_t)> loop = [&](size_t i) {
      if (i == s.groups[g].tileOrder.size()) {
        tiles.push_back(tile);
        return;
      }
      const RankId r = s.groups[g].tileOrder[i];
      const int64_t extent = c.ranks[r].extent;
      int64_t size = s.groups[g].tile[r];
      if (size == 0 || size > extent)
        size = extent;
      for (int64_t at = 0; at < extent; at += size) {
        tile[r] = {at, std::min(size, extent - at)};
        loop(i + 1);
      }
      tile[r] = {0, extent};
    };
    loop(0);
    const int32_t phases = int32_t(s.groups[g].phases.size());
    // What the tile before the first one would have loaded.
    int64_t early = 0, late = 0;
    for (int32_t id : p.groups[g].buffers) {
      const Buffer &b = p.buffers[id];
      if (b.phase < b.prefetchAhead)
        early += firstPiece(b, tiles.front());
      if (b.phase + b.storeDelay >= phases)
        late += wholeResult(b, tiles.back());
    }
    out.readBytes[0] += early;
    out.writeBytes[1] += early;
    out.writeBytes[0] += late;
    out.readBytes[1] += late;
    out.latencyCycles += std::max(cycles(a.memories[0], loaded + early, 0),
                                  cycles(a.memories[1], 0, loaded + early)) +
                         std::max(cycles(a.memories[0], 0, late),
                                  cycles(a.memories[1], late, 0));
    for (size_t i = 0; i < tiles.size(); ++i)
      for (ph = 0; ph < phases; ++ph)
        runPhase(tiles[i], i > 0 ? &tiles[i - 1] : nullptr,
                 i + 1 < tiles.size() ? &tiles[i + 1] : nullptr);
  }

  /// Of a Block buffer: what tells one piece from another.
  std::vector<int64_t> pieceOf(const Buffer &b, const Loops &loops,
                               int64_t epoch) const {
    const Phase &phase = s.groups[g].phases[b.phase];
    const PhasePlan &plan = p.groups[g].phases[b.phase];
    std::vector<int64_t> index = indexOf(loops, epoch);
    index.resize(b.fetchPosition + 1);
    if (b.fetchPosition >= 0) {
      const RankCut &cut = plan.cuts[phase.order[b.fetchPosition]];
      index.back() /= cut.block / cut.inner;
    }
    return index;
  }

  /// Bytes of the piece that is fetched for the `at`-th epoch that runs, and
  /// for those after it that need no other one.
  int64_t fetchBytes(const Buffer &b, const Loops &loops,
                     const std::vector<int64_t> &running, size_t at,
                     const Box &tile) {
    const Phase &phase = s.groups[g].phases[b.phase];
    const PhasePlan &plan = p.groups[g].phases[b.phase];
    const int32_t j = b.fetchPosition;
    Box piece = innerBox(b.phase, loops, tile, running[at]);
    for (RankId r = 0; r < RankId(piece.size()); ++r) {
      const RankCut &cut = plan.cuts[r];
      const int64_t end = tile[r].begin + tile[r].extent;
      if (cut.position < 0 || cut.position > j)
        piece[r] = tile[r];
      else if (cut.position == j)
        piece[r] = {tile[r].begin + pieceOf(b, loops, running[at])[j] *
                                        std::min(cut.block, tile[r].extent),
                    0},
        piece[r].extent = std::min(cut.block, end - piece[r].begin);
    }
    if (phase.skip) // only steps that have points read anything
      for (RankId r : phase.order) {
        if (!c.ranks[r].iterative)
          continue;
        int64_t least = -1, most = -1;
        for (size_t i = at; i < running.size(); ++i) {
          if (pieceOf(b, loops, running[i]) != pieceOf(b, loops, running[at]))
            break;
          if (!loops.hasPoints[running[i]])
            continue;
          const int64_t step =
              innerBox(b.phase, loops, tile, running[i])[r].begin;
          least = least < 0 ? step : std::min(least, step);
          most = std::max(most, step);
        }
        bool uses = false;
        for (const LinearExpr &x : b.access)
          uses |= x.uses(r);
        if (uses && least < 0)
          return 0;
        if (uses)
          piece[r] = {least, most - least + 1};
      }
    return bytesOf(b.access, b.tensor, b.bitsPerValue, piece);
  }

  static std::vector<int64_t> allOf(const Loops &loops) {
    std::vector<int64_t> running;
    for (const std::vector<int64_t> &pipeline : loops.pipelines)
      running.insert(running.end(), pipeline.begin(), pipeline.end());
    return running;
  }

  /// What a phase loads first of an Input in an outer tile.
  int64_t firstPiece(const Buffer &b, const Box &tile) {
    if (b.level != RetainLevel::Block)
      return bytesOf(b.access, b.tensor, b.bitsPerValue, tile);
    const Loops loops = loopsOf(b.phase, tile);
    return fetchBytes(b, loops, allOf(loops), 0, tile);
  }

  int64_t wholeResult(const Buffer &b, const Box &tile) {
    return bytesOf(b.access, b.tensor, b.bitsPerValue, tile);
  }

  /// What moves during this phase for another one, of this outer tile or of a
  /// neighbour.
  void moveForOthers(const Box &tile, const Box *before, const Box *after) {
    const int32_t phases = int32_t(s.groups[g].phases.size());
    for (int32_t id : p.groups[g].buffers) {
      const Buffer &b = p.buffers[id];
      if (b.prefetchAhead > 0) {
        const int32_t at = b.phase - b.prefetchAhead;
        if (at == ph)
          read += firstPiece(b, tile);
        else if (at + phases == ph && after)
          read += firstPiece(b, *after);
      }
      if (b.storeDelay > 0) {
        const int32_t at = b.phase + b.storeDelay;
        if (at == ph)
          written += wholeResult(b, tile);
        else if (at - phases == ph && before)
          written += wholeResult(b, *before);
      }
    }
  }

  /// Index of epoch `i` along each position of the order.
  static std::vector<int64_t> indexOf(const Loops &loops, int64_t i) {
    std::vector<int64_t> index(loops.trips.size());
    for (size_t k = loops.trips.size(); k-- > 0;) {
      index[k] = i % loops.trips[k];
      i /= loops.trips[k];
    }
    return index;
  }

  Box innerBox(int32_t phase, const Loops &loops, const Box &tile,
               int64_t epoch) const {
    const std::vector<RankId> &order = s.groups[g].phases[phase].order;
    const std::vector<int64_t> index = indexOf(loops, epoch);
    Box box = tile;
    for (size_t k = 0; k < order.size(); ++k) {
      const int64_t offset = index[k] * loops.inner[k];
      box[order[k]].begin += offset;
      box[order[k]].extent =
          std::min(loops.inner[k], tile[order[k]].extent - offset);
    }
    return box;
  }
  Box innerBox(const Box &tile, int64_t epoch) const {
    return innerBox(ph, loops, tile, epoch);
  }

  /// Some Einsum of the phase that has a domain has a point in the box.
  bool hasPoint(int32_t phase, const Box &box) const {
    for (const PlannedSlot &slot : p.groups[g].phases[phase].slots) {
      const Einsum &e = c.einsums[slot.einsum];
      std::vector<RankId> ranks;
      for (RankId r : e.ranks)
        for (const Constraint &k : e.domain)
          if (k.expr.uses(r) && (ranks.empty() || ranks.back() != r))
            ranks.push_back(r);
      bool found = false;
      if (!ranks.empty())
        forEachPoint(ranks, box, [&](const std::vector<int64_t> &v) {
          found |= std::all_of(
              e.domain.begin(), e.domain.end(),
              [&](const Constraint &k) { return valueOf(k.expr, v) >= 0; });
        });
      if (found)
        return true;
    }
    return false;
  }

  Loops loopsOf(int32_t phaseId, const Box &tile) const {
    const Phase &phase = s.groups[g].phases[phaseId];
    Loops loops;
    for (RankId r : phase.order) {
      int64_t size = phase.inner[r] == 0 ? tile[r].extent : phase.inner[r];
      size = std::min(size, tile[r].extent);
      loops.inner.push_back(size);
      loops.trips.push_back((tile[r].extent + size - 1) / size);
      loops.epochs *= loops.trips.back();
    }
    if (!phase.skip) {
      loops.pipelines.emplace_back();
      for (int64_t i = 0; i < loops.epochs; ++i)
        loops.pipelines.back().push_back(i);
      return loops;
    }
    // The recurrence is innermost, whatever of one trip may stand inside.
    int64_t steps = 1;
    for (RankId r : phase.order)
      if (c.ranks[r].iterative)
        steps =
            loops.trips[std::find(phase.order.begin(), phase.order.end(), r) -
                        phase.order.begin()];
    for (int64_t i = 0; i < loops.epochs; ++i)
      loops.hasPoints.push_back(
          hasPoint(phaseId, innerBox(phaseId, loops, tile, i)));
    for (int64_t row = 0; row < loops.epochs; row += steps) {
      int64_t first = row, last = row; // inclusive
      while (first < row + steps && !loops.hasPoints[first])
        ++first;
      if (first == row + steps)
        first = row; // none: the first one
      for (int64_t i = first; i < row + steps; ++i)
        last = loops.hasPoints[i] ? i : std::max(last, first);
      loops.pipelines.emplace_back();
      for (int64_t i = first; i <= last; ++i)
        loops.pipelines.back().push_back(i);
    }
    return loops;
  }

  Extents extentsOf(const Box &box) const {
    Extents e;
    for (const Span &span : box)
      e.push_back(span.extent);
    return e;
  }

  void runPhase(const Box &tile, const Box *before, const Box *after) {
    const Phase &phase = s.groups[g].phases[ph];
    const PhasePlan &plan = p.groups[g].phases[ph];
    WalkedPhase &w = out.phases[g][ph];
    loops = loopsOf(ph, tile);
    running = allOf(loops);
    for (RankId r : phase.order)
      out.ragged |= tile[r].extent % loops.inner[plan.cuts[r].position] != 0;
    out.skipped |= int64_t(running.size()) < loops.epochs;
    int32_t stages = 1;
    for (const PlannedSlot &slot : plan.slots)
      stages = std::max(stages, slot.stage + 1);
    read = written = bufferRead = bufferWritten = 0;
    first = last = 0;
    lastDue = storeStage = -1;
    stageFirsts.clear();
    lastStore.clear();
    fetched.clear();
    const int64_t epochs = int64_t(running.size());
    moveForOthers(tile, before, after);
    const int64_t movedRead = read, movedWritten = written;
    for (int32_t id : p.groups[g].buffers) {
      const Buffer &b = p.buffers[id];
      if (b.role == BufferRole::Input && b.level == RetainLevel::Tile &&
          b.phase == ph && b.prefetchAhead == 0) {
        const int64_t n = bytesOf(b.access, b.tensor, b.bitsPerValue, tile);
        read += n;
        first += n;
      }
    }
    int64_t compute = 0;
    int64_t before0 = 0, steps = 0; // of the pipelines before
    for (const std::vector<int64_t> &pipeline : loops.pipelines) {
      const int64_t length = int64_t(pipeline.size());
      for (int64_t step = 0; step < length + stages - 1; ++step) {
        std::vector<Extents> perStage(stages);
        for (int32_t stage = 0; stage < stages; ++stage) {
          const int64_t i = step - stage;
          if (i >= 0 && i < length)
            perStage[stage] = extentsOf(innerBox(tile, pipeline[i]));
          else if (phase.wrap && i < 0)
            perStage[stage] = extentsOf(innerBox(tile, pipeline[0]));
        }
        if (!phase.wrap || step < length)
          compute += timePhase(c, a, phase, perStage).ii;
        for (const PlannedSlot &slot : plan.slots) {
          const int64_t i = step - slot.stage;
          if (i < 0 || i >= length)
            continue;
          loadFor(slot, tile, before0 + i, steps + i);
          runSlot(slot, tile, pipeline[i], i + 1 == length, w);
        }
      }
      if (phase.wrap)
        compute +=
            timePhase(c, a, phase,
                      std::vector<Extents>(
                          stages, extentsOf(innerBox(tile, pipeline.back()))))
                .drain;
      before0 += length;
      steps += length + stages - 1;
    }
    for (const auto &store : lastStore)
      last += store.second;
    bufferWritten += read;
    bufferRead += written;
    out.readBytes[0] += read;
    out.writeBytes[0] += written;
    out.readBytes[1] += bufferRead;
    out.writeBytes[1] += bufferWritten;
    const double exposed =
        cycles(a.memories[0], first, 0) + cycles(a.memories[0], 0, last);
    // What the phase moves for itself, around what it computes.
    const double perStep = double(compute) / double(steps);
    double around = 0;
    if (lastDue >= 0)
      around = cycles(a.memories[0], read - first - movedRead, 0) +
               perStep * double(steps - lastDue);
    if (storeStage >= 0)
      around = std::max(
          around, cycles(a.memories[0], 0, written - last - movedWritten) +
                      perStep * double(storeStage + 1));
    for (const auto &at : stageFirsts) {
      int64_t due = 0;
      for (const auto &other : stageFirsts)
        due += other.first <= at.first ? other.second : 0;
      around = std::max(around, cycles(a.memories[0], due, 0) +
                                    perStep * double(steps - at.first));
    }
    const double latency =
        std::max({double(compute), around,
                  cycles(a.memories[0], read - first, written - last),
                  cycles(a.memories[1], bufferRead, bufferWritten)}) +
        exposed;
    w.epochs += epochs;
    w.computeCycles += compute;
    w.exposedCycles += exposed;
    w.latencyCycles += latency;
    out.latencyCycles += latency;
  }

  /// Loads what the `at`-th epoch that runs, which starts at `step`, needs
  /// anew, before the first of the slots that read it.
  void loadFor(const PlannedSlot &slot, const Box &tile, int64_t at,
               int64_t step) {
    std::vector<OperandSource> sources = slot.inputs;
    sources.insert(sources.end(), slot.finishInputs.begin(),
                   slot.finishInputs.end());
    for (const OperandSource &from : sources) {
      const Buffer &b = p.buffers[from.buffer];
      if (b.role != BufferRole::Input || b.level != RetainLevel::Block ||
          !fetched.insert({from.buffer, at}).second)
        continue;
      if (at > 0 &&
          pieceOf(b, loops, running[at]) == pieceOf(b, loops, running[at - 1]))
        continue;
      if (at == 0 && b.prefetchAhead > 0)
        continue; // is there
      const int64_t n = fetchBytes(b, loops, running, at, tile);
      read += n;
      if (b.fetchPosition >= 0 && (at > 0 || b.minStage > 0))
        lastDue = std::max(lastDue, step + b.minStage);
      if (at == 0 && b.fetchPosition >= 0 && b.minStage > 0)
        stageFirsts.push_back({b.minStage, n});
      else if (at == 0)
        first += n;
      out.refetched |= at > 0;
    }
  }

  void runSlot(const PlannedSlot &slot, const Box &tile, int64_t epoch,
               bool lastOfPipeline, WalkedPhase &w) {
    const Phase &phase = s.groups[g].phases[ph];
    const Einsum &e = c.einsums[slot.einsum];
    const Tensor &t = c.tensors[e.result.tensor];
    const Unit &unit = a.units[slot.unit];
    const Box box = innerBox(tile, epoch);
    const int64_t busy =
        slotCycles(c, unit, phase.runs[slot.run].slots[slot.index],
                   slot.accumulates, extentsOf(box));
    w.unitBusyCycles[slot.unit] += busy;
    out.unitBusyCycles[slot.unit] += busy;

    // Work: points that exist, then results that exist.
    auto work = [&](const OpHistogram &ops) {
      out.arithmeticPj += energyPerPoint(unit, ops);
      out.laneCycles[slot.unit] += double(cyclesPerPoint(unit, ops));
    };
    if (!slot.finishOnly)
      forEachPoint(e.ranks, box, [&](const std::vector<int64_t> &v) {
        for (const Constraint &k : e.domain)
          if (valueOf(k.expr, v) < 0)
            return;
        work(e.pointOps);
      });
    if (!slot.accumulates && (e.hasFinish || slot.finishOnly)) {
      OpHistogram finish = e.finishOps;
      if (!e.hasFinish)
        finish[OpClass::Copy] = 1;
      std::vector<RankId> kept;
      for (RankId r : e.ranks)
        if (!isReducedRank(c, slot.einsum, r))
          kept.push_back(r);
      forEachPoint(kept, box, [&](const std::vector<int64_t> &v) {
        for (const Constraint &k : e.domain) {
          bool onResult = true;
          for (const auto &term : k.expr.terms)
            onResult &= !isReducedRank(c, slot.einsum, term.first);
          if (onResult && valueOf(k.expr, v) < 0)
            return;
        }
        work(finish);
      });
    }

    // Traffic at the buffer, and what leaves the group.
    auto bits = [&](int32_t id) { return p.buffers[id].bitsPerValue; };
    for (size_t i = 0; i < slot.inputs.size(); ++i)
      bufferRead += bytesOf(e.inputs[i].access, e.inputs[i].tensor,
                            bits(slot.inputs[i].buffer), box);
    for (size_t i = 0; i < slot.finishInputs.size(); ++i)
      bufferRead += bytesOf(e.finishInputs[i].access, e.finishInputs[i].tensor,
                            bits(slot.finishInputs[i].buffer), box);
    auto resultBytes = [&](int32_t id) {
      return bytesOf(e.result.access, e.result.tensor, bits(id), box);
    };
    const bool atLast = t.iterativeRank >= 0 &&
                        (phase.skip ? lastOfPipeline
                                    : box[t.iterativeRank].begin +
                                              box[t.iterativeRank].extent ==
                                          c.ranks[t.iterativeRank].extent);
    if (slot.accumulates) {
      bufferRead += resultBytes(slot.accumulator);
      bufferWritten += resultBytes(slot.accumulator);
      out.accumulated = true;
      return;
    }
    if (slot.finishOnly)
      bufferRead += resultBytes(slot.accumulator);
    for (int32_t id : {slot.window, slot.carried}) {
      if (id < 0)
        continue;
      const Buffer &b = p.buffers[id];
      if (id == slot.window || t.iterativeDim < 0 || atLast)
        bufferWritten += resultBytes(id);
      if (b.storeToOuter && b.storeDelay == 0 &&
          (!b.storesLastSliceOnly || atLast)) {
        written += resultBytes(id);
        lastStore[id] = resultBytes(id);
        storeStage = storeStage < 0 ? slot.stage
                                    : std::min<int64_t>(storeStage, slot.stage);
      }
    }
  }

  const Cascade &c;
  const Arch &a;
  const Schedule &s;
  const Plan &p;
  Walked out;
  int32_t g = 0, ph = 0;
  Loops loops;                  ///< of the phase that runs
  std::vector<int64_t> running; ///< epochs in the order in which they run
  int64_t read = 0, written = 0, first = 0, last = 0;
  int64_t bufferRead = 0, bufferWritten = 0;
  int64_t lastDue = -1, storeStage = -1;                ///< step, stage
  std::vector<std::pair<int64_t, int64_t>> stageFirsts; ///< stage, bytes
  std::map<int32_t, int64_t> lastStore;                 ///< by buffer
  std::set<std::pair<int32_t, int64_t>> fetched; ///< buffer, running epoch
};

} // namespace

Walked walk(const Cascade &c, const Arch &a, const Schedule &s, const Plan &p) {
  return Walker(c, a, s, p).run();
}

} // namespace transfusion::core::test
