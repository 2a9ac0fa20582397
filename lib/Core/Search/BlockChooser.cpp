//===- BlockChooser.cpp - Good blocks for given tiles ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockChooser.h"
#include "SkipSteps.h"

#include <algorithm>
#include <limits>

namespace transfusion::core {

static constexpr size_t kMaxVectors = 2048;
static constexpr double kTooMuch = std::numeric_limits<double>::infinity();

BlockChooser::Problem BlockChooser::describe(const Schedule &s,
                                             const Plan &plan, int32_t g,
                                             int32_t phaseIndex) const {
  const Group &group = s.groups[g];
  Phase phase = group.phases[phaseIndex];
  Problem p;
  p.order = phase.order;
  p.inner = innerExtents(c, group, phase);
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r)
    p.tile.push_back(group.tile[r] > 0 ? group.tile[r] : c.ranks[r].extent);
  double epochs = 1;
  for (RankId r : p.order)
    epochs *= static_cast<double>((p.tile[r] + p.inner[r] - 1) / p.inner[r]);
  epochs *= activeShare(c, plan.groups[g].phases[phaseIndex]);
  p.computeCycles = static_cast<double>(solver.solve(group, phase).ii) * epochs;
  if (a.memories[0].readBytesPerS > 0)
    p.bytesPerCycle = a.memories[0].readBytesPerS / a.clockHz;

  for (int32_t id : plan.groups[g].buffers) {
    const Buffer &b = plan.buffers[id];
    bool live =
        livesIn(b, phaseIndex, static_cast<int32_t>(group.phases.size()));
    if (b.role == BufferRole::Input && b.level == RetainLevel::Block) {
      if (b.phase != phaseIndex)
        continue;
      Piece piece;
      for (const LinearExpr &x : b.access)
        piece.dims.push_back(x.terms);
      piece.bits = b.bitsPerValue;
      piece.slots = 2 + b.maxStage - b.minStage;
      p.pieces.push_back(std::move(piece));
    } else if (live) {
      p.otherBytes += b.bytes;
      // What is retained for the tile is loaded by the first phase.
      if (b.role == BufferRole::Input && b.level == RetainLevel::Tile &&
          b.phase == phaseIndex)
        p.loadedBytes += static_cast<double>(b.bytes);
    }
    if (b.storeToOuter && b.phase == phaseIndex) {
      double bytes = b.bitsPerValue / 8.0;
      for (const LinearExpr &x : b.access)
        for (const auto &t : x.terms)
          bytes *= static_cast<double>(p.tile[t.first]);
      p.storedBytes += bytes;
    }
  }
  return p;
}

/// Infinite when it does not fit.
double BlockChooser::cost(const Problem &p, const std::vector<int64_t> &block,
                          int64_t room) const {
  double traffic = p.loadedBytes, first = p.loadedBytes,
         live = static_cast<double>(p.otherBytes);
  for (const Piece &piece : p.pieces) {
    // Innermost loop that moves the piece, see Plan.h.
    size_t moves = p.order.size();
    double fetches = 1, before = 1;
    for (size_t k = 0; k < p.order.size(); ++k) {
      RankId r = p.order[k];
      bool depends = false;
      for (const auto &dim : piece.dims)
        for (const auto &t : dim)
          depends |= t.first == r;
      if (depends && block[r] < p.tile[r]) {
        moves = k;
        fetches =
            before * static_cast<double>((p.tile[r] + block[r] - 1) / block[r]);
      }
      before *= static_cast<double>((p.tile[r] + p.inner[r] - 1) / p.inner[r]);
    }
    double bytes = static_cast<double>(piece.bits) / 8;
    for (const auto &dim : piece.dims) {
      double extent = 1;
      for (const auto &t : dim) {
        size_t k = static_cast<size_t>(
            std::find(p.order.begin(), p.order.end(), t.first) -
            p.order.begin());
        int64_t size =
            moves == p.order.size() || k > moves || k == p.order.size()
                ? p.tile[t.first]
            : k == moves ? block[t.first]
                         : p.inner[t.first];
        extent += static_cast<double>(std::abs(t.second) * (size - 1));
      }
      bytes *= extent;
    }
    bool once = moves == p.order.size();
    live +=
        bytes * static_cast<double>(once ? 1 : piece.slots) + kBufferAlignment;
    traffic += bytes * fetches;
    first += bytes;
  }
  if (live > static_cast<double>(room))
    return kTooMuch;
  // Ties go to what leaves more room.
  double tie = 1 + 1e-6 * live / static_cast<double>(space.capacity());
  if (objective == Objective::PeakMemory)
    return live;
  if (objective == Objective::Energy || p.bytesPerCycle <= 0)
    return (traffic + 1) * tie;
  double memory = (traffic - first + p.storedBytes) / p.bytesPerCycle;
  return (std::max(p.computeCycles, memory) + first / p.bytesPerCycle + 1) *
         tie;
}

double BlockChooser::estimate(const Choices &choices) const {
  Schedule s = space.build(choices, /*slots=*/true);
  Plan plan = makePlan(c, a, s);
  if (!plan.faults.empty())
    return kTooMuch;
  double total = 0;
  for (int32_t g : space.groups()) {
    double tiles = 1, sum = 0;
    for (RankId r : s.groups[g].tileOrder)
      tiles *= static_cast<double>(
          (c.ranks[r].extent + s.groups[g].tile[r] - 1) / s.groups[g].tile[r]);
    for (size_t i = 0; i < s.groups[g].phases.size(); ++i) {
      Problem p = describe(s, plan, g, static_cast<int32_t>(i));
      std::vector<int64_t> block = p.tile;
      for (size_t r = 0; r < block.size(); ++r)
        if (s.groups[g].phases[i].block[r] > 0)
          block[r] = s.groups[g].phases[i].block[r];
      double x = cost(p, block, space.capacity());
      sum = objective == Objective::PeakMemory ? std::max(sum, x) : sum + x;
    }
    if (objective == Objective::PeakMemory) {
      total = std::max(total, sum);
      continue;
    }
    // The last tile of a rank may be smaller: count what there is.
    double whole = 1, covered = 1;
    for (RankId r : s.groups[g].tileOrder) {
      whole *= static_cast<double>(c.ranks[r].extent);
      covered *= static_cast<double>(s.groups[g].tile[r]);
    }
    total += sum * std::max(whole / covered, tiles * 0.5 + whole / covered / 2);
    for (int32_t id : plan.groups[g].buffers) {
      const Buffer &b = plan.buffers[id];
      if (b.role == BufferRole::Input && b.level == RetainLevel::Group)
        total +=
            static_cast<double>(b.bytes) /
            (objective == Objective::Energy || a.memories[0].readBytesPerS <= 0
                 ? 1
                 : a.memories[0].readBytesPerS / a.clockHz);
    }
  }
  return total;
}

std::vector<int64_t> BlockChooser::choose(const Choices &prefix,
                                          int64_t spareBytes) {
  // Blocks of other phases, and other groups, do not matter.
  const Decision &d = space.decision(prefix.size());
  Choices key = {static_cast<int64_t>(prefix.size())};
  for (size_t i = 0; i < prefix.size(); ++i)
    if (space.decision(i).group == d.group &&
        (space.decision(i).kind != DecisionKind::Block ||
         space.decision(i).phase == d.phase))
      key.push_back(prefix[i]);
  auto [it, fresh] = known.insert({{key, spareBytes}, {}});
  if (!fresh)
    return it->second;

  std::vector<std::vector<int64_t>> lists;
  std::vector<RankId> ranks;
  Choices extended = prefix;
  size_t vectors = 1;
  while (extended.size() < space.size()) {
    const Decision &e = space.decision(extended.size());
    if (e.kind != DecisionKind::Block || e.group != d.group ||
        e.phase != d.phase)
      break;
    lists.push_back(space.candidates(extended));
    ranks.push_back(e.rank);
    vectors *= lists.back().size();
    extended.push_back(lists.back().front());
  }
  // Too many: every second size of the longest list, its ends kept.
  while (vectors > kMaxVectors) {
    auto longest = std::max_element(
        lists.begin(), lists.end(),
        [](const auto &x, const auto &y) { return x.size() < y.size(); });
    std::vector<int64_t> thin;
    for (size_t i = 0; i < longest->size(); ++i)
      if (i % 2 == 0 || i + 1 == longest->size())
        thin.push_back((*longest)[i]);
    if (thin.size() == longest->size())
      break;
    *longest = thin;
    vectors = 1;
    for (const auto &list : lists)
      vectors *= list.size();
  }

  Schedule schedule = space.build(prefix, /*slots=*/true);
  Plan plan = makePlan(c, a, schedule);
  if (!plan.faults.empty()) {
    for (const auto &list : lists)
      it->second.push_back(list.back());
    return it->second;
  }
  Problem p = describe(schedule, plan, d.group, d.phase);
  // Blocks that the prefix has decided already (of this phase) stay.
  std::vector<int64_t> block = p.tile;
  for (size_t i = 0; i < prefix.size(); ++i) {
    const Decision &e = space.decision(i);
    if (e.kind == DecisionKind::Block && e.group == d.group &&
        e.phase == d.phase)
      block[e.rank] = std::min(prefix[i], p.tile[e.rank]);
  }
  std::vector<size_t> at(lists.size(), 0), best;
  double least = kTooMuch;
  for (bool more = true; more;) {
    for (size_t i = 0; i < lists.size(); ++i)
      block[ranks[i]] = std::min(lists[i][at[i]], p.tile[ranks[i]]);
    double x = cost(p, block, space.capacity() - spareBytes);
    if (best.empty() || x < least) {
      least = x;
      best = at;
    }
    more = false;
    for (size_t i = 0; i < at.size() && !more; ++i) {
      more = ++at[i] < lists[i].size();
      if (!more)
        at[i] = 0;
    }
  }
  for (size_t i = 0; i < lists.size(); ++i)
    it->second.push_back(least == kTooMuch ? lists[i].back()
                                           : lists[i][best[i]]);
  return it->second;
}

} // namespace transfusion::core
