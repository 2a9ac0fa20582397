//===- Walker.cpp - The loops of Plan.h, run literally --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Walker.h"

#include "WalkedPorts.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace transfusion::core::test {

namespace {

class Walker : StepWalker {
public:
  Walker(const Cascade &c, const Arch &a, const Schedule &s, const Plan &p)
      : StepWalker(c, a, s, p) {
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

  int64_t wholeResult(const Buffer &b, const Box &tile) {
    const EinsumId e = c.tensors[b.tensor].producer;
    return e < 0 ? 0
                 : touchedBytes(e, c.einsums[e].result, b.bitsPerValue, tile,
                                /*inFinish=*/true, /*constantFirst=*/false);
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
    slowed = left = 0;
    first = last = 0;
    lastDue = storeStage = -1;
    waits = Waits();
    lastStore.clear();
    fetched.clear();
    errands.clear();
    fetchSteps.clear();
    std::vector<double> stepCycles;
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
        errands.push_back({n, false, -1, 0});
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
        if (!phase.wrap || step < length) {
          const int64_t cycles = timePhase(c, a, phase, perStage).ii;
          stepCycles.push_back(double(cycles));
          compute += cycles;
          if (phase.wrap && a.memories[1].readBytesPerS > 0)
            addWithWrap(tile, pipeline, step, cycles);
          if (step < stages - 1)
            w.fillCycles += cycles;
          else if (step >= length)
            w.drainCycles += cycles;
        }
        if (!phase.wrap && a.memories[1].readBytesPerS > 0) {
          const double before1 = slowed;
          addAtPort(tile, pipeline, step);
          stepCycles.back() = std::max(stepCycles.back(), slowed - before1);
        }
        for (const PlannedSlot &slot : plan.slots) {
          const int64_t i = step - slot.stage;
          if (i < 0 || i >= length)
            continue;
          loadFor(slot, tile, before0 + i, steps + i);
          runSlot(slot, tile, pipeline[i], i == 0, i + 1 == length, i, w);
        }
      }
      if (phase.wrap) {
        const int64_t cycles =
            timePhase(c, a, phase,
                      std::vector<Extents>(
                          stages, extentsOf(innerBox(tile, pipeline.back()))))
                .drain;
        compute += cycles;
        slowed += a.memories[1].readBytesPerS > 0 ? double(cycles) : 0;
        w.drainCycles += cycles;
      }
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
    double exposed = between(first, 0) + between(0, last);
    // What the phase moves for itself, around what it computes.
    const double perStep = std::max(double(compute), slowed) / double(steps);
    double around = 0;
    if (lastDue >= 0)
      around = between(read - first - movedRead, 0) +
               perStep * double(steps - lastDue);
    if (storeStage >= 0)
      around = std::max(around, between(0, written - last - movedWritten) +
                                    perStep * double(storeStage + 1));
    around = std::max(
        around, waits.latency(a, std::max(double(compute), slowed), steps));
    out.waitsForRows |= !waits.rowStores.empty();
    const double ports = std::max(
        {slowed, left + cycles(a.memories[1], written - last, read - first),
         cycles(a.memories[1], bufferRead - last, bufferWritten - first)});
    double latency =
        std::max({double(compute), ports, around,
                  cycles(a.memories[0], read - first, written - last)}) +
        exposed;
    const bool isShort =
        !phase.wrap && !phase.skip && stages <= 2 && steps <= kWalkedSteps;
    if (isShort) {
      const Timeline line = timelineOf(a, stepCycles, errands);
      exposed = line.firstStart + line.end - line.lastEnd;
      const double tail =
          storeStage < 0 || storeStage == stages - 1 ? between(0, last) : 0;
      latency = std::max({line.end, between(first, 0) + ports + tail,
                          cycles(a.memories[0], read, written),
                          cycles(a.memories[1], bufferRead, bufferWritten)});
    }
    ++(isShort ? out.shortPhases : out.longPhases);
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
      std::vector<int64_t> &begun = fetchSteps[from.buffer];
      begun.push_back(step);
      if (at == 0 && b.prefetchAhead > 0)
        continue; // is there
      const int64_t n = fetchBytes(b, loops, running, at, tile);
      // Its slot is that of the fetch `slots` before it, which epochs read
      // until the next fetch begins, in stages up to the last one.
      const int64_t before = int64_t(begun.size()) - b.slots;
      errands.push_back(
          {n, false, before > 0 ? begun[before] - 1 + b.maxStage : int64_t(-1),
           b.fetchPosition < 0 ? 0 : step + b.minStage});
      read += n;
      if (b.fetchPosition >= 0 && (at > 0 || b.minStage > 0))
        lastDue = std::max(lastDue, step + b.minStage);
      const bool later = b.fetchPosition >= 0 && b.minStage > 0;
      if (at == 0 && later)
        waits.firsts.push_back({b.minStage, n});
      else if (at == 0)
        first += n;
      out.refetched |= at > 0;
    }
  }

  void runSlot(const PlannedSlot &slot, const Box &tile, int64_t epoch,
               bool firstOfPipeline, bool lastOfPipeline, int64_t number,
               WalkedPhase &w) {
    const Phase &phase = s.groups[g].phases[ph];
    const Einsum &e = c.einsums[slot.einsum];
    const Tensor &t = c.tensors[e.result.tensor];
    const Unit &unit = a.units[slot.unit];
    const Box box = innerBox(tile, epoch);
    const Slot &decision = phase.runs[slot.run].slots[slot.index];
    const std::vector<Box> parts = partsOf(decision, box);
    Slot alone = decision; // on one instance
    alone.instances.clear();
    int64_t busy = -1;
    for (const Box &part : parts)
      busy = std::max(
          busy, slotCycles(c, unit, alone, slot.accumulates, extentsOf(part)));
    out.split |= parts.size() > 1;
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
    auto read = [&](const std::vector<Operand> &operands,
                    const std::vector<OperandSource> &from, bool inFinish) {
      for (size_t i = 0; i < from.size(); ++i) {
        if (phase.skip && from[i].distance > 0 && firstOfPipeline)
          continue; // a constant
        for (const Box &part : parts)
          bufferRead += touchedBytes(slot.einsum, operands[i],
                                     bits(from[i].buffer), part, inFinish,
                                     /*constantFirst=*/!phase.skip);
      }
    };
    read(e.inputs, slot.inputs, /*inFinish=*/false);
    read(e.finishInputs, slot.finishInputs, /*inFinish=*/true);
    auto resultBytes = [&](int32_t id) {
      return touchedBytes(slot.einsum, e.result, bits(id), box,
                          /*inFinish=*/true, /*constantFirst=*/false);
    };
    const bool atLast = t.iterativeRank >= 0 &&
                        (phase.skip ? lastOfPipeline
                                    : box[t.iterativeRank].begin +
                                              box[t.iterativeRank].extent ==
                                          c.ranks[t.iterativeRank].extent);
    if (slot.accumulates) {
      bool first = true;
      for (RankId r : e.ranks)
        first &=
            !isReducedRank(c, slot.einsum, r) || box[r].begin == tile[r].begin;
      if (!first)
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
        // Its place is wanted `slots` epochs later.
        errands.push_back({resultBytes(id), true, number + slot.stage,
                           id == slot.carried
                               ? std::numeric_limits<int64_t>::max()
                               : number + b.slots + slot.stage});
        lastStore[id] = resultBytes(id);
        if (b.storesLastSliceOnly && id == slot.window &&
            shortestRow() >= b.slots) {
          RowStores &stored = waits.rowStores[b.slots];
          stored.bytes += resultBytes(id);
          stored.rows = rowCount();
        }
        storeStage = storeStage < 0 ? slot.stage
                                    : std::min<int64_t>(storeStage, slot.stage);
      }
    }
  }

  Walked out;
  int64_t read = 0, written = 0, first = 0, last = 0;
  int64_t bufferRead = 0, bufferWritten = 0;
  int64_t lastDue = -1, storeStage = -1; ///< step, stage
  Waits waits;
  std::vector<Errand> errands;
  std::map<int32_t, std::vector<int64_t>> fetchSteps; ///< by buffer: begins
  std::map<int32_t, int64_t> lastStore;               ///< by buffer
  std::set<std::pair<int32_t, int64_t>> fetched;      ///< buffer, running epoch
};

} // namespace

Walked walk(const Cascade &c, const Arch &a, const Schedule &s, const Plan &p) {
  return Walker(c, a, s, p).run();
}

} // namespace transfusion::core::test
