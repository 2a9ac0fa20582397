//===- EvaluateLatency.cpp - Phases and their transfers -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include <algorithm>

namespace transfusion::core {

namespace {

/// Cycles that `memory` takes for these bytes; 0 when it is no limit.
double transferCycles(const Memory &memory, double clockHz, double readBytes,
                      double writeBytes) {
  auto cycles = [&](double bytes, double bytesPerS) {
    return bytesPerS > 0 ? bytes * clockHz / bytesPerS : 0.0;
  };
  if (memory.sharedPort)
    return cycles(readBytes + writeBytes, memory.readBytesPerS);
  return std::max(cycles(readBytes, memory.readBytesPerS),
                  cycles(writeBytes, memory.writeBytesPerS));
}

} // namespace

/// Cycles of a transfer that nothing else passes beside: of the memory outside
/// or of the buffer, whichever is the slower.
double Evaluator::Impl::moveCycles(const Memory &outer, double loaded,
                                   double stored) const {
  return std::max(
      transferCycles(outer, a.clockHz, loaded, stored),
      transferCycles(a.memories[bufferMemory()], a.clockHz, stored, loaded));
}

/// Even where a memory outside is the limit, computing does not overlap with
/// all that a phase moves there for itself: nothing is stored before it is
/// made, and what is loaded last is computed on after that.
double Evaluator::Impl::aroundTransfers(const TileCost &tile,
                                        const OuterTraffic &t,
                                        const Memory &outer) {
  const double perStep = tile.stepCycles() / double(tile.steps);
  double cycles = 0;
  if (t.stepsAfterLoads > 0)
    cycles = moveCycles(outer, double(t.outerRead - t.firstRead), 0) +
             perStep * double(t.stepsAfterLoads);
  if (t.storeStage >= 0)
    cycles = std::max(cycles,
                      moveCycles(outer, 0, double(t.outerWrite - t.lastWrite)) +
                          perStep * double(t.storeStage + 1));
  for (const auto &[stage, bytes] : t.stageFirsts) {
    double due = 0;
    for (const auto &[other, more] : t.stageFirsts)
      due += other <= stage ? double(more) : 0;
    cycles = std::max(cycles, moveCycles(outer, due, 0) +
                                  perStep * double(tile.steps - stage));
  }
  // Where a row ends its results leave, while no more steps run than there are
  // other places for results.
  for (const auto &[places, bytes] : t.rowStores) {
    double leaving = 0;
    for (const auto &[other, more] : t.rowStores)
      leaving += other <= places ? double(more) : 0;
    const double wait = moveCycles(outer, 0, leaving / double(t.rows)) -
                        perStep * double(places - 1);
    cycles = std::max(cycles, tile.stepCycles() + double(t.rows - 1) * wait);
  }
  return cycles;
}

/// Transfers of so many bytes pass the ports that slow the slots: what that
/// takes, where they share them.
double Evaluator::Impl::besideTransfers(const TileCost &tile, double loaded,
                                        double stored) {
  const BufferPorts &ports = times.bufferPorts();
  if (ports.shared)
    return ports.cycles(0, loaded + stored) + tile.limits.beside[0];
  return std::max(ports.cycles(0, stored) + tile.limits.beside[0],
                  ports.cycles(1, loaded) + tile.limits.beside[1]);
}

/// `count` outer tiles in which these bytes move beside the phase for others.
void Evaluator::Impl::addLatency(const TileCost &tile,
                                 const TransferBytes &beside, int64_t count,
                                 PhaseCost &cost, PhaseDetail *parts) {
  const PhaseTraffic &t = tile.traffic;
  const Memory &dram = a.memories.front();
  const MemoryId inner = bufferMemory();
  double loaded = double(t.outerRead - t.firstRead) + double(beside.read);
  double stored = double(t.outerWrite - t.lastWrite) + double(beside.write);
  const double overlapped = transferCycles(dram, a.clockHz, loaded, stored);
  double first = transferCycles(dram, a.clockHz, double(t.firstRead), 0);
  double last = transferCycles(dram, a.clockHz, 0, double(t.lastWrite));
  double around = tile.walk.done ? 0 : aroundTransfers(tile, t, dram);
  phaseMemoryCycles[0] += double(count) * (overlapped + first + last);
  // Residents pass other ports than those of memory 0, at the same time, but
  // the same ones of the buffer.
  double between = 0;
  double firstBytes = double(t.firstRead), lastBytes = double(t.lastWrite);
  MemoryId betweenAt = 0, loadFrom = 0, storeTo = 0; // what is waited for
  for (const auto &[memory, b] : t.between) {
    const Memory &m = a.memories[memory];
    const double in = double(b.outerRead - b.firstRead);
    const double out = double(b.outerWrite - b.lastWrite);
    const double here = transferCycles(m, a.clockHz, in, out);
    const double firstHere =
        transferCycles(m, a.clockHz, double(b.firstRead), 0);
    const double lastHere =
        transferCycles(m, a.clockHz, 0, double(b.lastWrite));
    if (firstHere > first)
      loadFrom = memory;
    if (lastHere > last)
      storeTo = memory;
    if (here > between)
      betweenAt = memory;
    loaded += in;
    stored += out;
    firstBytes += double(b.firstRead);
    lastBytes += double(b.lastWrite);
    first = std::max(first, firstHere);
    last = std::max(last, lastHere);
    between = std::max(between, here);
    if (!tile.walk.done)
      around = std::max(around, aroundTransfers(tile, b, m));
    phaseMemoryCycles[memory] += double(count) * (here + firstHere + lastHere);
  }
  const Memory &own = a.memories[inner];
  const double firstIn = transferCycles(own, a.clockHz, 0, firstBytes);
  const double lastOut = transferCycles(own, a.clockHz, lastBytes, 0);
  if (firstIn > first)
    loadFrom = inner;
  if (lastOut > last)
    storeTo = inner;
  first = std::max(first, firstIn);
  last = std::max(last, lastOut);
  // What is exposed passes the buffer's ports before or after the rest does.
  const double buffer = transferCycles(
      own, a.clockHz, double(t.bufferRead) - lastBytes + double(beside.write),
      double(t.bufferWrite) - firstBytes + double(beside.read));
  const double ports = std::max(
      {buffer, tile.limits.slowed, besideTransfers(tile, loaded, stored)});
  const double n = double(count);
  phaseMemoryCycles[inner] += n * (ports + firstIn + lastOut);
  const double compute = double(tile.computeCycles);
  double latency =
      std::max({compute, overlapped, ports, between, around}) + first + last;
  if (const WalkedSteps &walk = tile.walk; walk.done) {
    // What the slots and what others move at these ports is not in the walk.
    latency = std::max({walk.end, allAtPorts(t, beside),
                        first + ports + (walk.storesAtEnd ? last : 0)});
    first = walk.firstStep;
    last = walk.end - walk.lastStepEnd;
  }
  cost.exposedCycles += n * (first + last);
  cost.latencyCycles += n * latency;
  if (parts)
    addParts({n, latency - first - last, compute, overlapped, ports,
              double(tile.fillCycles), double(tile.drainCycles), first, last,
              between, betweenAt, loadFrom, storeTo},
             *parts);
}

/// Cycles of all bytes that a phase, and others beside it, move at the port
/// that is busy for longest.
double Evaluator::Impl::allAtPorts(const PhaseTraffic &t,
                                   const TransferBytes &beside) const {
  const double in = double(beside.read), out = double(beside.write);
  double longest = std::max(
      transferCycles(a.memories.front(), a.clockHz, double(t.outerRead) + in,
                     double(t.outerWrite) + out),
      transferCycles(a.memories[bufferMemory()], a.clockHz,
                     double(t.bufferRead) + out, double(t.bufferWrite) + in));
  for (const auto &[memory, b] : t.between)
    longest = std::max(longest, transferCycles(a.memories[memory], a.clockHz,
                                               double(b.outerRead),
                                               double(b.outerWrite)));
  return longest;
}

/// These bytes pass memory `m`, and nothing runs beside them.
void Evaluator::Impl::passAlone(MemoryId m, int64_t read, int64_t written,
                                Alone &longest) {
  const double cycles =
      transferCycles(a.memories[m], a.clockHz, double(read), double(written));
  memoryCycles[m] += cycles;
  longest.atLeast(cycles, m, written > 0);
}

/// Storing, after the last outer tile, what was deferred.
Evaluator::Impl::Alone Evaluator::Impl::addGroupStores(int64_t bytes) {
  Alone longest;
  passAlone(0, 0, bytes, longest);
  passAlone(bufferMemory(), bytes, 0, longest);
  return longest;
}

/// Copying what becomes a resident before group `g` or its outer tiles: all
/// copies together, as if each waited for the port that takes longest in all.
Evaluator::Impl::Alone Evaluator::Impl::addCopies(const Schedule &s,
                                                  const Plan &p, int32_t g) {
  Alone longest;
  if (p.residents.empty())
    return longest;
  int64_t all = 0;
  for (MemoryId m = 1; m < bufferMemory(); ++m) {
    const int64_t bytes =
        groupCopyBytes(c, p, g, s.groups[g].tileOrder, m, tally, byTensor);
    all = tally.add(all, bytes);
    reportOf->writeBytes[m] = tally.add(reportOf->writeBytes[m], bytes);
    passAlone(m, 0, bytes, longest);
  }
  reportOf->readBytes[0] = tally.add(reportOf->readBytes[0], all);
  passAlone(0, all, 0, longest);
  return longest;
}

/// Loading what group `g` retains, and of memory 0 what else its first outer
/// tile needs: `ofOuter` bytes, which are counted elsewhere.
Evaluator::Impl::Alone Evaluator::Impl::addGroupLoads(const Plan &p, int32_t g,
                                                      int64_t ofOuter) {
  Alone longest;
  const MemoryId inner = bufferMemory();
  int64_t all = 0;
  for (MemoryId m = 0; m < inner; ++m) {
    int64_t bytes = ofOuter;
    if (m > 0) {
      if (p.residents.empty())
        break;
      bytes = groupLoadBytes(c, p, g, m, whole, tally, byTensor);
      reportOf->readBytes[m] = tally.add(reportOf->readBytes[m], bytes);
      reportOf->writeBytes[inner] =
          tally.add(reportOf->writeBytes[inner], bytes);
    }
    all = tally.add(all, bytes);
    passAlone(m, bytes, 0, longest);
  }
  passAlone(inner, 0, all, longest);
  return longest;
}

} // namespace transfusion::core
