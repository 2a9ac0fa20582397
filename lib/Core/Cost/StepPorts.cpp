//===- StepPorts.cpp - A pipeline step at the ports of its memory ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepPorts.h"

#include "Tally.h"
#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>
#include <limits>

namespace transfusion::core {

BufferPorts::BufferPorts(const Arch &a) {
  if (a.units.empty() || !(a.clockHz > 0) || a.units.front().memory < 1 ||
      static_cast<size_t>(a.units.front().memory) >= a.memories.size())
    return; // refused before anything is counted
  const Memory &inner = a.memories[a.units.front().memory];
  shared = inner.sharedPort;
  width[0] = std::max(0.0, inner.readBytesPerS) / a.clockHz;
  if (!shared)
    width[1] = std::max(0.0, inner.writeBytesPerS) / a.clockHz;
}

TransferShares::TransferShares(const Arch &a, MemorySet outer) {
  const Memory &inner = a.memories[a.units.front().memory];
  // Loads are written here, stores are read; -1: as much as there is room for.
  double loads = 0, stores = 0, both = 0;
  auto add = [](double &sum, double bytesPerS) {
    sum = sum < 0 || !(bytesPerS > 0) ? -1 : sum + bytesPerS;
  };
  for (MemoryId m = 0; m < a.units.front().memory; ++m) {
    if (m < 64 && !(outer >> m & 1))
      continue; // nothing comes from there
    const Memory &from = a.memories[m];
    const double in = from.readBytesPerS;
    const double out = from.sharedPort ? in : from.writeBytesPerS;
    add(loads, in);
    add(stores, out);
    add(both, from.sharedPort ? in : in > 0 && out > 0 ? in + out : 0);
  }
  auto of = [](double bytesPerS, double ofPort) {
    return bytesPerS < 0 || !(ofPort > 0) ? 1.0
                                          : std::min(bytesPerS / ofPort, 1.0);
  };
  part[0] = of(inner.sharedPort ? both : stores, inner.readBytesPerS);
  part[1] = of(loads, inner.writeBytesPerS);
}

PhasePorts::PhasePorts(const Cascade &c, const Arch &a, const Phase &p,
                       const PhasePlan &plan,
                       const std::vector<Buffer> &buffers,
                       const BufferPorts &ports, MemorySet outer)
    : c(c), ports(ports), transfers(a, outer), unitCount(a.units.size()),
      order(issueOrder(c, a, p)) {
  auto loopOf = [&](RankId r) {
    const int32_t at = r < 0 ? -1 : plan.cuts[r].position;
    return at < 0 || at >= 64 ? 0 : uint64_t(1) << at;
  };
  for (const PlannedSlot &slot : plan.slots) {
    const Einsum &e = c.einsums[slot.einsum];
    const RankId recurs = c.tensors[e.result.tensor].iterativeRank;
    stages.push_back(slot.stage);
    std::vector<Touch> &all = touches.emplace_back();
    auto touch = [&](int32_t id, const Access &access, bool writes) -> Touch & {
      const Buffer &b = buffers[id];
      all.push_back({access, b.tensor, bytesPerValue(b.bitsPerValue), writes});
      return all.back();
    };
    auto readAll = [&](const std::vector<Operand> &operands,
                       const std::vector<OperandSource> &from) {
      for (size_t i = 0; i < from.size(); ++i) {
        Touch &t = touch(from[i].buffer, operands[i].access, false);
        t.parts = p.runs[slot.run].slots[slot.index].instances;
        t.notAtFirst = from[i].distance > 0;
        if (t.notAtFirst)
          t.loops = loopOf(c.tensors[t.tensor].iterativeRank);
      }
    };
    readAll(e.inputs, slot.inputs);
    readAll(e.finishInputs, slot.finishInputs);
    if (slot.accumulator >= 0) {
      Touch &sums = touch(slot.accumulator, e.result.access, false);
      sums.notAtFirst = slot.accumulates;
      for (RankId r : p.order)
        if (slot.accumulates && !usesRank(e.result.access, r))
          sums.loops |= loopOf(r);
      if (slot.accumulates)
        touch(slot.accumulator, e.result.access, true);
    }
    if (slot.window >= 0)
      touch(slot.window, e.result.access, true);
    if (slot.carried >= 0) {
      Touch &t = touch(slot.carried, e.result.access, true);
      t.onlyAtLast = c.tensors[e.result.tensor].iterativeDim >= 0;
      t.loops = t.onlyAtLast ? loopOf(recurs) : 0;
    }
    for (const Touch &t : all) {
      firsts |= t.notAtFirst ? t.loops : 0;
      lasts |= t.onlyAtLast ? t.loops : 0;
    }
  }
}

/// Wherever the tile is: what ends with the tensor counts as if it did not.
int64_t PhasePorts::values(const Touch &t, const Extents &inner) const {
  Tally tally;
  int64_t product = 1;
  for (const LinearExpr &expr : t.access) {
    const bool digits = expr.terms.size() <= 1 || isDigits(c, expr);
    int64_t length = 1;
    for (const auto &[r, step] : expr.terms)
      length = digits ? tally.mul(length, inner[r])
                      : tally.add(length, tally.mul(step < 0 ? -step : step,
                                                    inner[r] - 1));
    product = tally.mul(product, length);
  }
  return tally.overflow ? std::numeric_limits<int64_t>::max() : product;
}

/// The same for what each instance reads.
int64_t PhasePorts::valuesInParts(const Touch &t, Extents inner,
                                  size_t next) const {
  if (next == t.parts.size())
    return values(t, inner);
  const InstancePart &part = t.parts[next];
  // Boxes of parts overlap in a halo; of a diagonal they leave something out.
  int dims = 0;
  bool overlaps = false;
  for (const LinearExpr &expr : t.access)
    if (expr.uses(part.rank))
      overlaps |= ++dims > 1 || !isDigits(c, expr);
  const int64_t extent = inner[part.rank], n = part.parts(extent);
  Tally tally;
  if (!overlaps)
    return tally.mul(valuesInParts(t, std::move(inner), next + 1),
                     usesRank(t.access, part.rank) ? 1 : n);
  inner[part.rank] = extent - (n - 1) * part.points;
  const int64_t last = valuesInParts(t, inner, next + 1);
  inner[part.rank] = std::min(part.points, extent);
  return tally.add(
      tally.mul(valuesInParts(t, std::move(inner), next + 1), n - 1), last);
}

double PhasePorts::bytes(const Touch &t, const StageEpoch &epoch) const {
  if ((t.notAtFirst && (t.loops & ~epoch.first) == 0) ||
      (t.onlyAtLast && (t.loops & ~epoch.last) != 0))
    return 0;
  const int64_t n = t.parts.empty() ? values(t, *epoch.inner)
                                    : valuesInParts(t, *epoch.inner, 0);
  return double(n) * double(t.bytesPerValue);
}

double PhasePorts::longestPath(const std::vector<double> &durations) const {
  std::vector<double> end(durations.size(), 0), free(unitCount, 0);
  double length = 0;
  for (int32_t s : order.slots) {
    if (durations[s] < 0)
      continue;
    double at = free[order.units[s]];
    for (int32_t before : order.waits[s])
      at = std::max(at, end[before]);
    end[s] = free[order.units[s]] = at + durations[s];
    length = std::max(length, end[s]);
  }
  return length;
}

/// The first slot of each unit that has not run, if it may start.
void PhasePorts::starting(const std::vector<SlotLoad> &slots,
                          std::vector<int32_t> &running) const {
  running.clear();
  std::vector<char> next(unitCount, 0);
  for (int32_t s : order.slots) {
    if (slots[s].done || next[order.units[s]])
      continue;
    next[order.units[s]] = 1;
    bool ready = true;
    for (int32_t before : order.waits[s])
      ready &= slots[before].done;
    if (ready)
      running.push_back(s);
  }
}

double PhasePorts::lengthInTurn(std::vector<SlotLoad> &slots) const {
  std::vector<int32_t> running;
  double length = 0;
  while (true) {
    starting(slots, running);
    if (running.empty())
      return length;
    // Who wants least first: what he leaves of his even share is the others'.
    std::sort(running.begin(), running.end(), [&](int32_t x, int32_t y) {
      const double a = slots[x].widest(), b = slots[y].widest();
      return a != b ? a < b : order.units[x] < order.units[y];
    });
    double left[2] = {1, 1};
    int waiting[2] = {0, 0};
    for (int32_t s : running)
      for (int q : {0, 1})
        waiting[q] += slots[s].share[q] > 0;
    double until = -1;
    for (int32_t s : running) {
      SlotLoad &slot = slots[s];
      slot.speed = 1;
      for (int q : {0, 1})
        if (slot.share[q] > 0)
          slot.speed =
              std::min(slot.speed, left[q] / waiting[q] / slot.share[q]);
      for (int q : {0, 1})
        if (slot.share[q] > 0) {
          left[q] -= slot.speed * slot.share[q];
          --waiting[q];
        }
      const double end = slot.left / slot.speed;
      until = until < 0 ? end : std::min(until, end);
    }
    for (int32_t s : running) {
      SlotLoad &slot = slots[s];
      // The one that ends does, however its time is rounded.
      slot.done = slot.left <= slot.speed * until * (1 + 1e-12);
      slot.left -= slot.speed * until;
    }
    length += until;
  }
}

StepLimits PhasePorts::limits(const std::vector<StageEpoch> &perStage,
                              const std::vector<int64_t> &cycles) const {
  const size_t n = stages.size();
  std::vector<SlotLoad> slots(n);
  std::vector<double> alone[2]; // at each port
  double sum[2] = {0, 0};
  for (int q : {0, 1})
    alone[q].assign(n, 0);
  for (size_t s = 0; s < n; ++s) {
    const StageEpoch &epoch = perStage[stages[s]];
    slots[s].done = !epoch.inner;
    slots[s].left = double(std::max<int64_t>(cycles[s], 0));
    if (!epoch.inner || slots[s].left == 0)
      continue; // no cycles, no streams
    for (const Touch &t : touches[s]) {
      const int q = t.writes && !ports.shared;
      alone[q][s] += ports.cycles(q, bytes(t, epoch));
    }
    for (int q : {0, 1}) {
      slots[s].share[q] = alone[q][s] / slots[s].left;
      sum[q] += alone[q][s];
    }
  }
  StepLimits limits;
  for (int q : {0, 1}) {
    if (ports.width[q] <= 0)
      continue;
    std::vector<double> left(n, -1);
    for (size_t s = 0; s < n; ++s)
      if (!slots[s].done)
        left[s] = std::max(std::max(slots[s].left, alone[1 - q][s]) *
                               (1 - transfers.part[q]),
                           alone[q][s]);
    limits.beside[q] = std::max(longestPath(left), sum[q]);
  }
  limits.slowed = lengthInTurn(slots);
  return limits;
}

StepLimits PhasePorts::limitsWithWrap(const std::vector<StageEpoch> &perStage,
                                      const std::vector<int64_t> &cycles,
                                      int64_t ii) const {
  StepLimits limits;
  for (size_t s = 0; s < stages.size(); ++s) {
    const StageEpoch &epoch = perStage[stages[s]];
    if (!epoch.inner || cycles[s] <= 0)
      continue;
    for (const Touch &t : touches[s]) {
      const int q = t.writes && !ports.shared;
      limits.beside[q] += ports.cycles(q, bytes(t, epoch));
    }
  }
  limits.slowed = std::max({double(ii), limits.beside[0], limits.beside[1]});
  for (int q : {0, 1})
    if (ports.width[q] > 0)
      limits.beside[q] =
          std::max(limits.beside[q], double(ii) * (1 - transfers.part[q]));
  return limits;
}

} // namespace transfusion::core
