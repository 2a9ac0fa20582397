//===- WalkedPorts.cpp - A step at a port, run event by event -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WalkedPorts.h"

#include <algorithm>
#include <limits>

namespace transfusion::core::test {

double transferCycles(const Arch &a, const Memory &m, int64_t read,
                      int64_t written) {
  const double perCycleRead = m.readBytesPerS / a.clockHz;
  const double perCycleWrite = m.writeBytesPerS / a.clockHz;
  if (m.sharedPort)
    return perCycleRead > 0 ? double(read + written) / perCycleRead : 0;
  return std::max(perCycleRead > 0 ? double(read) / perCycleRead : 0,
                  perCycleWrite > 0 ? double(written) / perCycleWrite : 0);
}

double passBoth(const Arch &a, int64_t loaded, int64_t stored) {
  return std::max(transferCycles(a, a.memories[0], loaded, stored),
                  transferCycles(a, a.memories[1], stored, loaded));
}

/// When everything that is due by a step has arrived at one port. Of errands by
/// their order of urgency: the last of them has arrived when, after some moment
/// at which one became possible, all that became possible from then on has been
/// carried - the greatest of these times, over all such moments.
static double arrivalOf(int64_t due, const std::vector<double> &stepEnds,
                        const std::vector<Errand> &errands,
                        const std::function<double(const Errand &)> &cycles) {
  std::vector<double> work(stepEnds.size() + 1, 0); // by what it comes after
  for (const Errand &e : errands)
    if (e.due <= due && e.after < int64_t(stepEnds.size()))
      work[e.after + 1] += cycles(e);
  double longest = 0, since = 0;
  for (int64_t after = int64_t(stepEnds.size()) - 1; after >= -1; --after) {
    since += work[after + 1];
    if (work[after + 1] > 0)
      longest = std::max(longest, (after < 0 ? 0 : stepEnds[after]) + since);
  }
  return longest;
}

Timeline timelineOf(const Arch &a, const std::vector<double> &steps,
                    const std::vector<Errand> &errands) {
  Timeline line;
  std::vector<double> ends;
  auto arrival = [&](int64_t due) {
    double longest = 0;
    for (bool outer : {true, false})
      for (bool reads : {true, false}) {
        const Memory &m = a.memories[outer ? 0 : 1];
        longest = std::max(longest,
                           arrivalOf(due, ends, errands, [&](const Errand &e) {
                             const bool read = outer != e.stores;
                             if (!m.sharedPort && read != reads)
                               return 0.0;
                             return read ? transferCycles(a, m, e.bytes, 0)
                                         : transferCycles(a, m, 0, e.bytes);
                           }));
      }
    return longest;
  };
  for (size_t k = 0; k < steps.size(); ++k) {
    const double start =
        std::max(k == 0 ? 0 : ends.back(), arrival(int64_t(k)));
    if (k == 0)
      line.firstStart = start;
    ends.push_back(start + steps[k]);
  }
  line.lastEnd = ends.back();
  line.end =
      std::max(line.lastEnd, arrival(std::numeric_limits<int64_t>::max()));
  return line;
}

double Waits::latency(const Arch &a, double stepCycles, int64_t steps) const {
  const double perStep = stepCycles / double(steps);
  double longest = 0;
  for (const auto &at : firsts) {
    int64_t due = 0;
    for (const auto &other : firsts)
      due += other.first <= at.first ? other.second : 0;
    longest = std::max(longest, passBoth(a, due, 0) +
                                    perStep * double(steps - at.first));
  }
  for (const auto &[slots, ignored] : rowStores) {
    int64_t bytes = 0, rows = 0;
    for (const auto &[others, stored] : rowStores)
      if (others <= slots) {
        rows = stored.rows;
        bytes += stored.bytes;
      }
    const double wait =
        passBoth(a, 0, bytes) / double(rows) - perStep * double(slots - 1);
    longest = std::max(longest, stepCycles + double(rows - 1) * wait);
  }
  return longest;
}

/// The slot before it on its unit has ended, and so has what it waits for.
static bool mayRun(const std::vector<PortSlot> &slots,
                   const std::vector<bool> &ended, size_t s) {
  for (size_t t = 0; t < s; ++t)
    if (slots[t].unit == slots[s].unit && !ended[t])
      return false;
  return std::all_of(slots[s].waits.begin(), slots[s].waits.end(),
                     [&](size_t t) { return ended[t]; });
}

double lengthAtPort(const std::vector<PortSlot> &slots, double width) {
  std::vector<bool> ended(slots.size(), false);
  std::vector<double> left;
  for (const PortSlot &slot : slots)
    left.push_back(slot.cycles);
  double now = 0;
  while (true) {
    std::vector<size_t> running;
    for (size_t s = 0; s < slots.size(); ++s)
      if (!ended[s] && mayRun(slots, ended, s))
        running.push_back(s);
    if (running.empty())
      return now;
    auto wants = [&](size_t s) {
      return slots[s].cycles > 0 ? slots[s].bytes / slots[s].cycles : 0;
    };
    // The share that nobody gets more than: by bisection.
    auto taken = [&](double most) {
      double sum = 0;
      for (size_t s : running)
        sum += std::min(wants(s), most);
      return sum;
    };
    double low = 0, high = width;
    for (int i = 0; i < 200 && taken(high) > width; ++i) {
      const double middle = (low + high) / 2;
      (taken(middle) > width ? high : low) = middle;
    }
    auto speed = [&](size_t s) {
      return wants(s) > high ? high / wants(s) : 1;
    };
    size_t first = running[0];
    for (size_t s : running)
      if (left[s] / speed(s) < left[first] / speed(first))
        first = s;
    const double step = left[first] / speed(first);
    for (size_t s : running) {
      left[s] -= step * speed(s);
      ended[s] = s == first || left[s] <= 1e-9 * slots[s].cycles;
    }
    now += step;
  }
}

double lengthBeside(const std::vector<PortSlot> &slots, double width,
                    double transfers) {
  std::vector<bool> ended(slots.size(), false);
  std::vector<double> end(slots.size(), 0);
  double bytes = 0, last = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t s = 0; s < slots.size(); ++s) {
      if (ended[s] || !mayRun(slots, ended, s))
        continue;
      double start = 0;
      for (size_t t = 0; t < slots.size(); ++t)
        if ((t < s && slots[t].unit == slots[s].unit) ||
            std::count(slots[s].waits.begin(), slots[s].waits.end(), t))
          start = std::max(start, end[t]);
      const double moving = slots[s].cycles > 0 ? slots[s].bytes / width : 0;
      end[s] = start + std::max(slots[s].cycles * (1 - transfers), moving);
      bytes += moving;
      last = std::max(last, end[s]);
      ended[s] = moved = true;
    }
  }
  return std::max(last, bytes);
}

int64_t StepWalker::rowCount() const {
  return loops.pipelines.size() > 1 ? int64_t(loops.pipelines.size())
                                    : int64_t(running.size()) / shortestRow();
}

int64_t StepWalker::shortestRow() const {
  if (!s.groups[g].phases[ph].skip)
    return loops.trips.back();
  int64_t least = loops.epochs;
  for (const std::vector<int64_t> &pipeline : loops.pipelines)
    least = std::min(least, int64_t(pipeline.size()));
  return least;
}

Extents StepWalker::extentsOf(const Box &box) {
  Extents e;
  for (const Span &span : box)
    e.push_back(span.extent);
  return e;
}

/// Values in a box as it is, also where the tensor ends in it.
double StepWalker::boxBytes(const Access &access, int32_t buffer,
                            const Box &box) const {
  const Buffer &b = p.buffers[buffer];
  return double(
      bytesOf(access, b.tensor, b.bitsPerValue, box, /*clipped=*/false));
}

/// What the slot moves in the `i`-th epoch of the pipeline.
double StepWalker::slotBytes(const PlannedSlot &slot, const Box &tile,
                             const std::vector<int64_t> &pipeline,
                             int64_t i) const {
  const Phase &phase = s.groups[g].phases[ph];
  const PhasePlan &plan = p.groups[g].phases[ph];
  const std::vector<int64_t> index = indexOf(loops, pipeline[i]);
  const Einsum &e = c.einsums[slot.einsum];
  const Tensor &result = c.tensors[e.result.tensor];
  const Box box = innerBox(tile, pipeline[i]);
  auto turn = [&](size_t k, bool atLast) {
    if (plan.active.skips() && phase.order[k] == plan.active.rank)
      return atLast ? i + 1 == int64_t(pipeline.size()) : i == 0;
    if (plan.active.skips()) // as if every row were in the middle
      return loops.trips[k] == 1;
    return atLast ? index[k] + 1 == loops.trips[k] : index[k] == 0;
  };
  auto ofRank = [&](RankId r, bool atLast) {
    for (size_t k = 0; k < phase.order.size(); ++k)
      if (phase.order[k] == r)
        return turn(k, atLast);
    return true;
  };
  const std::vector<Box> parts =
      partsOf(phase.runs[slot.run].slots[slot.index], box);
  double bytes = 0;
  auto reads = [&](const std::vector<Operand> &operands,
                   const std::vector<OperandSource> &sources) {
    for (size_t o = 0; o < sources.size(); ++o)
      if (sources[o].distance == 0 ||
          !ofRank(c.tensors[operands[o].tensor].iterativeRank, false))
        for (const Box &part : parts)
          bytes += boxBytes(operands[o].access, sources[o].buffer, part);
  };
  reads(e.inputs, slot.inputs);
  reads(e.finishInputs, slot.finishInputs);
  auto results = [&](int32_t buffer) {
    return buffer < 0 ? 0 : boxBytes(e.result.access, buffer, box);
  };
  bool firstSums = true;
  for (size_t k = 0; k < phase.order.size(); ++k)
    firstSums &= turn(k, false) || usesRank(e.result.access, phase.order[k]);
  if (!slot.accumulates || !firstSums)
    bytes += results(slot.accumulator);
  if (slot.accumulates)
    bytes += results(slot.accumulator);
  bytes += results(slot.window);
  if (result.iterativeDim < 0 || ofRank(result.iterativeRank, true))
    bytes += results(slot.carried);
  return bytes;
}

/// Of the port, at most.
double StepWalker::transferShare() const {
  const Memory &dram = a.memories[0];
  if (dram.readBytesPerS <= 0 || (!dram.sharedPort && dram.writeBytesPerS <= 0))
    return 1;
  const double most =
      dram.readBytesPerS + (dram.sharedPort ? 0 : dram.writeBytesPerS);
  return std::min(1.0, most / a.memories[1].readBytesPerS);
}

void StepWalker::addWithWrap(const Box &tile,
                             const std::vector<int64_t> &pipeline, int64_t step,
                             int64_t interval) {
  double bytes = 0;
  for (const PlannedSlot &slot : p.groups[g].phases[ph].slots)
    bytes += slotBytes(slot, tile, pipeline,
                       std::max<int64_t>(step - slot.stage, 0));
  const double moving = bytes / (a.memories[1].readBytesPerS / a.clockHz);
  slowed += std::max(double(interval), moving);
  left += std::max(double(interval) * (1 - transferShare()), moving);
}

void StepWalker::addAtPort(const Box &tile,
                           const std::vector<int64_t> &pipeline, int64_t step) {
  const Phase &phase = s.groups[g].phases[ph];
  std::vector<PortSlot> slots;
  std::vector<const PlannedSlot *> from;
  for (const PlannedSlot &slot : p.groups[g].phases[ph].slots) {
    const int64_t i = step - slot.stage;
    if (i < 0 || i >= int64_t(pipeline.size()))
      continue;
    PortSlot one;
    one.einsum = slot.einsum;
    one.unit = slot.unit;
    one.cycles = double(slotCycles(
        c, a.units[slot.unit], phase.runs[slot.run].slots[slot.index],
        slot.accumulates, extentsOf(innerBox(tile, pipeline[i]))));
    one.bytes = slotBytes(slot, tile, pipeline, i);
    slots.push_back(one);
    from.push_back(&slot);
  }
  for (const Dependence &d : dependences(c))
    for (size_t u = 0; u < slots.size(); ++u)
      for (size_t v = 0; v < slots.size(); ++v)
        if (slots[u].einsum == d.from && slots[v].einsum == d.to && u != v &&
            from[u]->stage - from[v]->stage == d.distance &&
            (from[v]->finishOnly ? d.inFinish
                                 : !d.inFinish || !from[v]->accumulates))
          slots[v].waits.push_back(u);
  const double width = a.memories[1].readBytesPerS / a.clockHz;
  slowed += lengthAtPort(slots, width);
  left += lengthBeside(slots, width, transferShare());
}

} // namespace transfusion::core::test
