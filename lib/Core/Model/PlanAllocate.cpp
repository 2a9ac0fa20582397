//===- PlanAllocate.cpp - Addresses of on-chip buffers --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Greedy by size (Pisarchyk and Lee, "Efficient memory management for deep
// neural net inference", 2020; the arena planner of TensorFlow Lite): the
// greatest buffers are placed first, each at the lowest address that is free
// for as long as it lives. Groups follow one another, so each starts from
// nothing.
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include <algorithm>

namespace transfusion::core {

bool livesIn(const Buffer &b, int32_t phase, int32_t phases) {
  for (int32_t at : {phase - phases, phase, phase + phases})
    if (b.firstPhase <= at && at <= b.lastPhase)
      return true;
  return false;
}

bool liveTogether(const Buffer &x, const Buffer &y, int32_t phases) {
  for (int32_t turn : {-phases, 0, phases})
    if (x.firstPhase <= y.lastPhase + turn &&
        y.firstPhase + turn <= x.lastPhase)
      return true;
  return false;
}

/// Buffers placed so far, by address.
static int64_t lowestFit(const Plan &plan, const std::vector<int32_t> &placed,
                         const Buffer &b) {
  const int32_t phases =
      static_cast<int32_t>(plan.groups[b.group].phases.size());
  int64_t address = 0;
  for (int32_t id : placed) {
    const Buffer &other = plan.buffers[id];
    if (other.memory != b.memory || !liveTogether(b, other, phases))
      continue;
    if (other.address >= address + b.bytes)
      break;
    address = std::max(address, other.address + other.bytes);
  }
  return address;
}

void allocateBuffers(Plan &plan, size_t numMemories) {
  plan.allocationBytes.assign(numMemories, 0);
  std::vector<int32_t> order, placed;
  for (const GroupPlan &group : plan.groups) {
    order = group.buffers;
    std::sort(order.begin(), order.end(), [&](int32_t x, int32_t y) {
      const int64_t bytesX = plan.buffers[x].bytes;
      const int64_t bytesY = plan.buffers[y].bytes;
      return bytesX != bytesY ? bytesX > bytesY : x < y;
    });
    placed.clear();
    for (int32_t id : order) {
      Buffer &b = plan.buffers[id];
      b.address = lowestFit(plan, placed, b);
      placed.insert(std::upper_bound(placed.begin(), placed.end(), id,
                                     [&](int32_t x, int32_t y) {
                                       return plan.buffers[x].address <
                                              plan.buffers[y].address;
                                     }),
                    id);
      int64_t end;
      if (__builtin_add_overflow(b.address, b.bytes, &end)) {
        plan.faults.push_back("buffers exceed 2^63 bytes");
        return;
      }
      if (static_cast<size_t>(b.memory) < numMemories)
        plan.allocationBytes[b.memory] =
            std::max(plan.allocationBytes[b.memory], end);
    }
  }
}

} // namespace transfusion::core
