//===- Evaluate.cpp - Latency, energy, traffic of a schedule --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Evaluate.h"

#include "Evaluation.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace transfusion::core {

/// The slowest memory when it takes longer than computing, else the unit that
/// is busy for longest; the first of equals.
const std::string &
Evaluator::Impl::bottleneck(const std::vector<double> &memory, double compute,
                            const std::vector<int64_t> &unitBusy) const {
  const auto slowest = std::max_element(memory.begin(), memory.end());
  if (*slowest > compute)
    return a.memories[slowest - memory.begin()].name;
  const auto busiest = std::max_element(unitBusy.begin(), unitBusy.end());
  return a.units[busiest - unitBusy.begin()].name;
}

/// Counts of a phase in all outer tiles of a class.
void Evaluator::Impl::evaluateTile(const PhaseTile &tile, const TileClass &cls,
                                   PhaseTimes &phaseTimes, PhaseCost &cost,
                                   TileCost &result) {
  CostReport &report = *reportOf;
  std::optional<StepRuns> runs;
  if (tile.planned().active.skips()) {
    innerCuts(tile, scratch.cuts);
    runs = stepRuns(tile.planned().active, scratch.cuts, /*idle=*/true);
    addWorkOfTile(tile, *runs, cls.count);
  }
  const StepRuns *some = runs ? &*runs : nullptr;
  computeOf(tile, some, a, phaseTimes, tally, report.faults, scratch, compute);
  if (byTensor)
    byTensor->times = cls.count;
  result.computeCycles = compute.cycles;
  result.fillCycles = compute.fillCycles;
  result.drainCycles = compute.drainCycles;
  result.steps = compute.steps;
  result.limits = compute.limits;
  trafficOf(tile, some, tally, byTensor, scratch, result.traffic);
  const PhaseTraffic &t = result.traffic;
  result.walk = walkSteps(tile, a, compute, t, tally, scratch);
  cost.epochs = tally.add(cost.epochs, tally.mul(compute.epochs, cls.count));
  cost.computeCycles += double(cls.count) * double(compute.cycles);

  auto addBytes = [&](int64_t &sum, int64_t bytes) {
    sum = tally.add(sum, tally.mul(bytes, cls.count));
  };
  addBytes(report.readBytes[0], t.outerRead);
  addBytes(report.writeBytes[0], t.outerWrite);
  addBytes(report.readBytes[bufferMemory()], t.bufferRead);
  addBytes(report.writeBytes[bufferMemory()], t.bufferWrite);
  for (const auto &[memory, between] : t.between) {
    addBytes(report.readBytes[memory], between.outerRead);
    addBytes(report.writeBytes[memory], between.outerWrite);
  }
  for (const MovedTransfer &m : t.moved) {
    addBytes(report.readBytes[0], m.read);
    addBytes(report.writeBytes[0], m.write);
    addBytes(report.writeBytes[bufferMemory()], m.read);
    addBytes(report.readBytes[bufferMemory()], m.write);
  }
  const std::vector<PlannedSlot> &slots = tile.planned().slots;
  for (size_t i = 0; i < slots.size(); ++i) {
    const int64_t busy = tally.mul(compute.slotCycles[i], cls.count);
    int64_t &ofUnit = cost.unitBusyCycles[slots[i].unit];
    int64_t &ofEinsum = report.einsums[slots[i].einsum].busyCycles;
    ofUnit = tally.add(ofUnit, busy);
    ofEinsum = tally.add(ofEinsum, busy);
  }
}

/// What a reader wants to know of the steady state of a full tile.
void Evaluator::Impl::describePhase(const PhaseTile &tile,
                                    PhaseTimes &phaseTimes, PhaseCost &cost) {
  CostReport &report = *reportOf;
  Extents &full = scratch.full;
  full.clear();
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r)
    full.push_back(tile.inner(r));
  cost.stages = tile.planned().stages;
  scratch.perStage.assign(cost.stages, StageEpoch{&full});
  const StepTime &step = phaseTimes.step(scratch.perStage);
  cost.iiCycles = step.ii;
  cost.fillCycles = step.fill;
  cost.drainCycles = step.drain;
  for (const std::string &violation : phaseTimes.violations)
    report.faults.push_back(violation);
  const std::vector<int64_t> &cycles = phaseTimes.slots(full);
  const std::vector<PlannedSlot> &slots = tile.planned().slots;
  for (size_t i = 0; i < slots.size(); ++i) {
    EinsumCost &einsum = report.einsums[slots[i].einsum];
    if (slots[i].finishOnly)
      continue;
    einsum.unit = slots[i].unit;
    einsum.stage = slots[i].stage;
    einsum.cyclesPerEpoch = cycles[i];
  }
}

void Evaluator::Impl::evaluateGroup(const Schedule &s, const Plan &p,
                                    int32_t g) {
  CostReport &report = *reportOf;
  classifier.classify(s, p, g, tiles);
  const Reused<TileClass> &classes = tiles.classes;
  const int32_t phases = static_cast<int32_t>(p.groups[g].phases.size());
  GroupCost &group = report.groups[g];
  group.outerTiles = group.peakBytes = 0;
  for (const TileClass &cls : classes)
    group.outerTiles = tally.add(group.outerTiles, tally.count(cls.count));
  for (int32_t id : p.groups[g].buffers)
    group.peakBytes =
        std::max(group.peakBytes, p.buffers[id].address + p.buffers[id].bytes);

  const Totals before = detail ? totals() : Totals();
  GroupDetail *parts = detail ? &detail->groups[g] : nullptr;
  if (parts)
    parts->phases.resize(phases);
  overlap.start(tiles, phases);
  tileCosts.clear();
  costOf.clear();
  group.phases.resize(phases);
  MemorySet outer = 0;
  for (int32_t id : p.groups[g].buffers)
    if (const Buffer &b = p.buffers[id];
        b.role == BufferRole::Input || b.storeToOuter)
      outer |= MemorySet(1) << (b.outer & 63);
  for (int32_t ph = 0; ph < phases; ++ph) {
    PhaseCost &cost = group.phases[ph];
    clear(cost);
    const PhasePlan &plan = p.groups[g].phases[ph];
    PhaseTimes &phaseTimes =
        times.phase(s.groups[g].phases[ph], plan, p.buffers, outer);
    // Finer classes matter to a phase that a domain cuts only.
    bool finer = false;
    for (RankId r : s.groups[g].tileOrder)
      finer |= differsAlong(c, plan, r);
    const Reused<TileClass> &own =
        finer || tiles.coarse.empty() ? classes : tiles.coarse;
    const size_t first = tileCosts.size();
    const Totals beforePhase = detail ? totals() : Totals();
    for (const TileClass &cls : own) {
      TileCost &tile = tileCosts.add();
      tile.clear();
      evaluateTile({c, s, p, g, ph, cls.spans}, cls, phaseTimes, cost, tile);
      if (!report.faults.empty())
        return; // one sentence is enough
    }
    for (size_t i = 0; i < classes.size(); ++i) {
      const size_t cls = own.size() == classes.size() ? i : classes[i].coarse;
      costOf.push_back(first + cls);
      overlap.add(ph, static_cast<int32_t>(i),
                  tileCosts[first + cls].traffic.moved);
    }
    if (parts)
      noteBytes(beforePhase, parts->phases[ph].readBytes,
                parts->phases[ph].writeBytes);
    describePhase({c, s, p, g, ph, classes.front().spans}, phaseTimes, cost);
    addWork(plan);
  }

  if (byTensor)
    byTensor->times = 1;
  const Alone copies = addCopies(s, p, g);
  const int64_t retained = groupLoadBytes(c, p, g, 0, whole, tally, byTensor);
  report.readBytes[0] = tally.add(report.readBytes[0], retained);
  report.writeBytes[bufferMemory()] =
      tally.add(report.writeBytes[bufferMemory()], retained);
  const TransferBytes ends = overlap.ends();
  const Alone loads = addGroupLoads(p, g, tally.add(retained, ends.read));
  group.loadCycles = copies.cycles + loads.cycles;
  const Alone stores = addGroupStores(ends.write);
  group.storeCycles = stores.cycles;
  if (parts) {
    const Alone &longer = copies.cycles > loads.cycles ? copies : loads;
    parts->loadAt = longer.at;
    parts->loadWrites = longer.writes;
    parts->storeAt = stores.at;
    parts->storeWrites = stores.writes;
  }
  group.latencyCycles = group.loadCycles + group.storeCycles;

  overlap.neighbours(neighbours);
  for (int32_t ph = 0; ph < phases; ++ph) {
    PhaseCost &cost = group.phases[ph];
    phaseMemoryCycles.assign(a.memories.size(), 0);
    for (const TileNeighbours &n : neighbours)
      addLatency(tileCosts[costOf[ph * classes.size() + n.at]],
                 overlap.beside(ph, n), n.count, cost,
                 parts ? &parts->phases[ph] : nullptr);
    cost.bottleneck =
        bottleneck(phaseMemoryCycles, cost.computeCycles, cost.unitBusyCycles);
    for (size_t m = 0; m < a.memories.size(); ++m) {
      cost.memoryCycles = std::max(cost.memoryCycles, phaseMemoryCycles[m]);
      memoryCycles[m] += phaseMemoryCycles[m];
    }
    for (size_t u = 0; u < a.units.size(); ++u)
      report.unitBusyCycles[u] =
          tally.add(report.unitBusyCycles[u], cost.unitBusyCycles[u]);
    computeCycles += cost.computeCycles;
    group.latencyCycles += cost.latencyCycles;
  }
  if (parts) {
    noteBytes(before, parts->readBytes, parts->writeBytes);
    parts->laneCycles = totals().laneCycles - before.laneCycles;
  }
  report.latencyCycles += group.latencyCycles;
}

/// Totals that need the latency or the bytes of the whole layer.
void Evaluator::Impl::finish() {
  CostReport &report = *reportOf;
  report.latencyS = report.latencyCycles / a.clockHz;
  report.leakagePj = leakage(a) * report.latencyS * 1e12;
  report.energyPj = report.arithmeticPj + report.leakagePj;
  for (size_t m = 0; m < a.memories.size(); ++m) {
    report.memoryPj[m] =
        double(report.readBytes[m]) * a.memories[m].readPjPerByte +
        double(report.writeBytes[m]) * a.memories[m].writePjPerByte;
    report.energyPj += report.memoryPj[m];
  }
  for (size_t u = 0; u < a.units.size(); ++u) {
    if (report.latencyCycles <= 0)
      continue;
    report.unitBusy[u] =
        double(report.unitBusyCycles[u]) / report.latencyCycles;
    report.unitLanes[u] =
        laneCycles[u] / (double(a.units[u].allLanes()) * report.latencyCycles);
  }
  report.bottleneck =
      bottleneck(memoryCycles, computeCycles, report.unitBusyCycles);
}

/// Numbers go, vectors keep what they own.
void Evaluator::Impl::clear(PhaseCost &cost) const {
  std::vector<int64_t> unitBusy = std::move(cost.unitBusyCycles);
  std::string name = std::move(cost.bottleneck);
  cost = PhaseCost();
  unitBusy.assign(a.units.size(), 0);
  cost.unitBusyCycles = std::move(unitBusy);
  cost.bottleneck = std::move(name);
}

void Evaluator::Impl::evaluate(const Schedule &s, const Plan &p,
                               CostReport &report) {
  reportOf = &report;
  tally = Tally();
  computeCycles = 0;
  report.latencyCycles = report.latencyS = 0;
  report.energyPj = report.arithmeticPj = 0;
  report.bottleneck.clear();
  report.faults = p.faults;
  const bool possible = !a.units.empty() && a.clockHz > 0 &&
                        bufferMemory() >= 1 &&
                        static_cast<size_t>(bufferMemory()) < a.memories.size();
  if (!possible)
    report.faults.push_back("the machine has no unit, no buffer or no clock");
  if (!report.faults.empty())
    return;
  laneCycles.assign(a.units.size(), 0);
  memoryCycles.assign(a.memories.size(), 0);
  report.memoryPj.assign(a.memories.size(), 0);
  report.readBytes.assign(a.memories.size(), 0);
  report.writeBytes.assign(a.memories.size(), 0);
  report.peakBytes = p.allocationBytes;
  report.unitBusyCycles.assign(a.units.size(), 0);
  report.unitBusy.assign(a.units.size(), 0);
  report.unitLanes.assign(a.units.size(), 0);
  report.groups.resize(p.groups.size());
  report.einsums.assign(c.einsums.size(), EinsumCost());
  report.opClasses.fill(OpClassCost());
  for (size_t e = 0; e < c.einsums.size(); ++e)
    report.einsums[e].points = tally.count(points[e]);
  for (int32_t g = 0; g < static_cast<int32_t>(p.groups.size()); ++g) {
    evaluateGroup(s, p, g);
    if (!report.faults.empty())
      return;
  }
  finish();
  if (tally.overflow)
    report.faults.push_back("a count exceeds 2^63 - 1");
  // Only of a machine that breaks a rule (A05, A06, A11, A16).
  if (!std::isfinite(report.latencyCycles) || !std::isfinite(report.energyPj))
    report.faults.push_back("latency or energy is not a finite number");
}

Evaluator::Evaluator(const Cascade &c, const Arch &a) : impl(new Impl(c, a)) {}
Evaluator::~Evaluator() = default;

CostReport Evaluator::evaluate(const Schedule &s) {
  return evaluate(s, makePlan(impl->c, impl->a, s));
}

CostReport Evaluator::evaluate(const Schedule &s, const Plan &p) {
  CostReport report;
  impl->evaluate(s, p, report);
  return report;
}

void Evaluator::evaluate(const Schedule &s, const Plan &p, CostReport &report) {
  impl->evaluate(s, p, report);
}

CostReport Evaluator::evaluate(const Schedule &s, const Plan &p,
                               std::vector<TensorTraffic> &byTensor) {
  const Arch &a = impl->a;
  TrafficByTensor traffic(impl->c.tensors.size(), a.memories.size(),
                          a.units.empty() ? 0 : a.units.front().memory,
                          impl->tally);
  impl->byTensor = &traffic;
  CostReport report = evaluate(s, p);
  impl->byTensor = nullptr;
  byTensor = std::move(traffic.tensors);
  return report;
}

CostReport evaluate(const Cascade &c, const Arch &a, const Schedule &s) {
  return Evaluator(c, a).evaluate(s);
}

CostReport evaluate(const Cascade &c, const Arch &a, const Schedule &s,
                    const Plan &p) {
  return Evaluator(c, a).evaluate(s, p);
}

} // namespace transfusion::core
