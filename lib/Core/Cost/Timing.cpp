//===- Timing.cpp - Cycles of one phase's software pipeline ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of a pipeline is a small job shop whose issue orders are given: the
// starts are longest paths, computed by issuing whatever is ready. The modulo
// form is a system of difference constraints, feasible from some II on.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Cost/Timing.h"

#include <algorithm>

namespace transfusion::core {

//===----------------------------------------------------------------------===//
// Cycles of one slot
//===----------------------------------------------------------------------===//

static constexpr int64_t kMaxCycles = int64_t(1) << 62;

static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r) || r > kMaxCycles)
    return kMaxCycles;
  return r;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Folds of the given iteration space over the lanes of `u`.
static int64_t folds(const Unit &u, const Slot &s,
                     const std::vector<RankId> &space, const Extents &inner) {
  int64_t rows = 1, cols = 1, others = 1;
  for (RankId r : space) {
    int64_t extent = std::max<int64_t>(inner[r], 1);
    int64_t &part = has(s.rows, r) ? rows : has(s.cols, r) ? cols : others;
    part = saturatingMul(part, extent);
  }
  int64_t spatial;
  if (u.isGrid)
    spatial = saturatingMul(ceilDiv(rows, std::max<int64_t>(u.rows, 1)),
                            ceilDiv(cols, std::max<int64_t>(u.cols, 1)));
  else {
    int64_t lanes = std::max<int64_t>(u.lanes(), 1);
    spatial = rows >= lanes ? saturatingMul(ceilDiv(rows, lanes), cols)
                            : ceilDiv(cols, lanes / rows);
  }
  return saturatingMul(spatial, others);
}

int64_t slotCycles(const Cascade &c, const Unit &u, const Slot &s,
                   bool accumulates, const Extents &epoch) {
  // The first instance has at least as much to do as any other.
  const Extents *busiest = &epoch;
  Extents part;
  if (!s.instances.empty()) {
    part = epoch;
    for (const InstancePart &p : s.instances)
      part[p.rank] = std::min(part[p.rank], std::max<int64_t>(p.points, 1));
    busiest = &part;
  }
  const Extents &inner = *busiest;
  const Einsum &e = c.einsums[s.einsum];
  int64_t cycles = 0;
  if (!s.finishOnly) {
    int64_t perPoint = cyclesPerPoint(u, e.pointOps);
    if (perPoint < 0)
      return -1;
    cycles = saturatingMul(folds(u, s, e.ranks, inner), perPoint);
  }
  // Sums that no finish follows still have to be moved out of the accumulator.
  OpHistogram finish = e.finishOps;
  if (!e.hasFinish) {
    finish = OpHistogram();
    finish[OpClass::Copy] = s.finishOnly ? 1 : 0;
  }
  if (accumulates || finish.empty())
    return cycles;
  int64_t perPoint = cyclesPerPoint(u, finish);
  if (perPoint < 0)
    return -1;
  std::vector<RankId> resultRanks;
  for (RankId r : e.ranks)
    if (!isReducedRank(c, s.einsum, r))
      resultRanks.push_back(r);
  int64_t total =
      cycles + saturatingMul(folds(u, s, resultRanks, inner), perPoint);
  return std::min(total, kMaxCycles);
}

bool reductionSpansEpochs(const Cascade &c, const Group &g, const Phase &p,
                          EinsumId e) {
  for (RankId r : p.order) {
    if (c.ranks[r].iterative || !c.einsums[e].hasRank(r) ||
        !isReducedRank(c, e, r))
      continue;
    int64_t tile = c.ranks[r].extent;
    if (size_t(r) < g.tile.size() && g.tile[r] > 0)
      tile = std::min(tile, g.tile[r]);
    int64_t inner = size_t(r) < p.inner.size() ? p.inner[r] : 0;
    if (inner > 0 && inner < tile)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

namespace {

/// u's value is read by v, `distance` epochs later.
struct Edge {
  int32_t from = -1, to = -1, distance = 0;
};

/// The slots of a phase as a job shop.
struct Step {
  std::vector<SlotTiming> slots;           ///< by run, then index
  std::vector<std::vector<int32_t>> queue; ///< by run: positions in `slots`
  std::vector<Edge> edges;
};

class PhaseTimer {
public:
  PhaseTimer(const Cascade &c, const Arch &a, const Phase &p,
             const std::vector<Extents> &perStage)
      : c(c), a(a), p(p), perStage(perStage) {}

  PhaseTiming run();
  IssueOrder issueOrder();

private:
  bool active(int32_t stage, int32_t first, int32_t last) const {
    return stage >= first && stage <= last && size_t(stage) < perStage.size() &&
           !perStage[stage].empty();
  }
  /// The slots of stages first..last and what connects them.
  Step makeStep(int32_t first, int32_t last,
                std::vector<std::string> *violations) const;
  std::vector<std::vector<int32_t>>
  waits(const Step &step, std::vector<std::string> *violations) const;
  int64_t issue(Step &step, std::vector<std::string> *violations,
                std::vector<int32_t> *order = nullptr) const;
  bool moduloFeasible(Step &step, int64_t ii) const;
  std::string slotName(const SlotTiming &s) const {
    return c.einsums[s.einsum].name + (s.finishOnly ? ".finish" : "");
  }

  const Cascade &c;
  const Arch &a;
  const Phase &p;
  const std::vector<Extents> &perStage;
};

} // namespace

Step PhaseTimer::makeStep(int32_t first, int32_t last,
                          std::vector<std::string> *violations) const {
  Step step;
  // A rank that is reduced across epochs is never tiled outside its phase, so
  // its tile is its extent.
  const Group wholeTiles;
  std::vector<int32_t> slotOf(c.einsums.size(), -1);
  std::vector<bool> accumulates;
  for (size_t r = 0; r < p.runs.size(); ++r) {
    step.queue.emplace_back();
    for (size_t i = 0; i < p.runs[r].slots.size(); ++i) {
      const Slot &slot = p.runs[r].slots[i];
      if (!active(slot.stage, first, last))
        continue;
      SlotTiming t;
      t.run = static_cast<int32_t>(r);
      t.index = static_cast<int32_t>(i);
      t.einsum = slot.einsum;
      t.finishOnly = slot.finishOnly;
      t.stage = slot.stage;
      bool partial = !slot.finishOnly &&
                     reductionSpansEpochs(c, wholeTiles, p, slot.einsum);
      t.cycles = slotCycles(c, a.units[p.runs[r].unit], slot, partial,
                            perStage[slot.stage]);
      if (t.cycles < 0) {
        t.cycles = 0;
        if (violations)
          violations->push_back(slotName(t) + " cannot run on " +
                                a.units[p.runs[r].unit].name);
      }
      slotOf[slot.einsum] = static_cast<int32_t>(step.slots.size());
      step.queue.back().push_back(static_cast<int32_t>(step.slots.size()));
      step.slots.push_back(t);
      accumulates.push_back(partial);
    }
  }
  for (const Dependence &d : dependences(c)) {
    int32_t u = slotOf[d.from], v = slotOf[d.to];
    if (u < 0 || v < 0 || (u == v && d.distance == 0))
      continue;
    // The half of an Einsum that reads the operand may run elsewhere.
    if (step.slots[v].finishOnly ? !d.inFinish : d.inFinish && accumulates[v])
      continue;
    step.edges.push_back({u, v, d.distance});
  }
  return step;
}

/// Slots that must end before a slot starts, in this step.
std::vector<std::vector<int32_t>>
PhaseTimer::waits(const Step &step,
                  std::vector<std::string> *violations) const {
  std::vector<std::vector<int32_t>> before(step.slots.size());
  for (const Edge &e : step.edges) {
    int32_t lag = step.slots[e.from].stage - step.slots[e.to].stage;
    if (lag == e.distance)
      before[e.to].push_back(e.from);
    else if (lag > e.distance && violations)
      violations->push_back(slotName(step.slots[e.to]) + " in stage " +
                            std::to_string(step.slots[e.to].stage) +
                            " reads what " + slotName(step.slots[e.from]) +
                            " makes in stage " +
                            std::to_string(step.slots[e.from].stage));
  }
  return before;
}

/// Issues every slot as its unit's order says; returns the makespan. When units
/// wait for each other the first one is forced to issue.
int64_t PhaseTimer::issue(Step &step, std::vector<std::string> *violations,
                          std::vector<int32_t> *order) const {
  size_t n = step.slots.size();
  const std::vector<std::vector<int32_t>> before = waits(step, violations);
  std::vector<bool> done(n, false);
  std::vector<size_t> head(step.queue.size(), 0);
  std::vector<int64_t> unitFree(a.units.size(), 0);
  int64_t makespan = 0;
  auto start = [&](size_t run) {
    int32_t s = step.queue[run][head[run]++];
    int64_t &free = unitFree[p.runs[run].unit];
    int64_t at = free;
    for (int32_t u : before[s])
      if (done[u])
        at = std::max(at, step.slots[u].start + step.slots[u].cycles);
    step.slots[s].start = at;
    free = at + step.slots[s].cycles;
    makespan = std::max(makespan, free);
    done[s] = true;
    if (order)
      order->push_back(s);
  };
  auto ready = [&](size_t run) {
    for (int32_t u : before[step.queue[run][head[run]]])
      if (!done[u])
        return false;
    return true;
  };
  for (size_t issued = 0; issued < n;) {
    size_t before0 = issued, firstWaiting = step.queue.size();
    for (size_t run = 0; run < step.queue.size(); ++run) {
      while (head[run] < step.queue[run].size() && ready(run)) {
        start(run);
        ++issued;
      }
      if (head[run] < step.queue[run].size())
        firstWaiting = std::min(firstWaiting, run);
    }
    if (issued != before0)
      continue;
    const SlotTiming &stuck =
        step.slots[step.queue[firstWaiting][head[firstWaiting]]];
    if (violations)
      for (int32_t u : before[step.queue[firstWaiting][head[firstWaiting]]])
        if (!done[u])
          violations->push_back(slotName(stuck) + " on " +
                                a.units[p.runs[firstWaiting].unit].name +
                                " is issued before " + slotName(step.slots[u]) +
                                ", which it reads");
    start(firstWaiting);
    ++issued;
  }
  return makespan;
}

/// Longest paths from 0 under the difference constraints of a modulo schedule;
/// writes the starts when they exist.
bool PhaseTimer::moduloFeasible(Step &step, int64_t ii) const {
  size_t n = step.slots.size();
  struct Arc {
    int32_t from, to;
    int64_t weight;
  };
  std::vector<Arc> arcs;
  // Runs of the same unit are one sequence.
  std::vector<std::vector<int32_t>> perUnit(a.units.size());
  for (size_t run = 0; run < step.queue.size(); ++run)
    for (int32_t s : step.queue[run])
      perUnit[p.runs[run].unit].push_back(s);
  for (const std::vector<int32_t> &seq : perUnit) {
    for (size_t i = 0; i + 1 < seq.size(); ++i)
      arcs.push_back({seq[i], seq[i + 1], step.slots[seq[i]].cycles});
    if (!seq.empty()) // the unit is free again before its next round
      arcs.push_back({seq.back(), seq[0], step.slots[seq.back()].cycles - ii});
  }
  for (const Edge &e : step.edges) {
    int64_t lag =
        step.slots[e.from].stage - step.slots[e.to].stage - e.distance;
    arcs.push_back({e.from, e.to, step.slots[e.from].cycles + lag * ii});
  }
  std::vector<int64_t> at(n, 0);
  for (size_t round = 0; round <= n; ++round) {
    bool changed = false;
    for (const Arc &arc : arcs)
      if (at[arc.from] + arc.weight > at[arc.to]) {
        at[arc.to] = at[arc.from] + arc.weight;
        changed = true;
      }
    if (!changed) {
      for (size_t i = 0; i < n; ++i)
        if (at[i] >= ii)
          return false;
      for (size_t i = 0; i < n; ++i)
        step.slots[i].start = at[i];
      return true;
    }
  }
  return false;
}

PhaseTiming PhaseTimer::run() {
  PhaseTiming t;
  int32_t last = static_cast<int32_t>(perStage.size()) - 1;
  Step step = makeStep(0, last, &t.violations);
  if (p.wrap) {
    int64_t lo = 1, hi = 1;
    for (const SlotTiming &s : step.slots)
      hi += s.cycles;
    if (moduloFeasible(step, hi)) {
      while (lo < hi) { // a legal set of stages stays feasible as II grows
        int64_t mid = lo + (hi - lo) / 2;
        if (moduloFeasible(step, mid))
          hi = mid;
        else
          lo = mid + 1;
      }
      moduloFeasible(step, hi);
      t.ii = hi;
      int64_t span = 0; // of one epoch through all stages
      for (const SlotTiming &s : step.slots)
        span = std::max(span, s.stage * t.ii + s.start + s.cycles);
      t.fill = last * t.ii;
      t.drain = std::max<int64_t>(span - t.ii, 0);
    } else {
      t.violations.push_back("no initiation interval satisfies the issue order "
                             "and the stages");
      t.ii = issue(step, &t.violations);
    }
  } else {
    t.ii = issue(step, &t.violations);
    for (int32_t k = 0; k < last; ++k) {
      Step filling = makeStep(0, k, nullptr);
      t.fill += issue(filling, nullptr);
      Step draining = makeStep(k + 1, last, nullptr);
      t.drain += issue(draining, nullptr);
    }
  }
  t.slots = std::move(step.slots);
  std::sort(t.slots.begin(), t.slots.end(),
            [](const SlotTiming &x, const SlotTiming &y) {
              if (x.start != y.start)
                return x.start < y.start;
              if (x.run != y.run)
                return x.run < y.run;
              return x.index < y.index;
            });
  return t;
}

IssueOrder PhaseTimer::issueOrder() {
  const int32_t last = static_cast<int32_t>(perStage.size()) - 1;
  Step step = makeStep(0, last, nullptr);
  IssueOrder result;
  result.waits = waits(step, nullptr);
  issue(step, nullptr, &result.slots);
  for (const SlotTiming &s : step.slots)
    result.units.push_back(p.runs[s.run].unit);
  return result;
}

IssueOrder issueOrder(const Cascade &c, const Arch &a, const Phase &p) {
  int32_t stages = 1;
  for (const Run &run : p.runs)
    for (const Slot &s : run.slots)
      stages = std::max(stages, s.stage + 1);
  const std::vector<Extents> one(stages, Extents(c.ranks.size(), 1));
  return PhaseTimer(c, a, p, one).issueOrder();
}

PhaseTiming timePhase(const Cascade &c, const Arch &a, const Phase &p,
                      const std::vector<Extents> &perStage) {
  return PhaseTimer(c, a, p, perStage).run();
}

} // namespace transfusion::core
