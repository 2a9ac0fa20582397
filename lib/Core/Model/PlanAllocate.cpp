//===- PlanAllocate.cpp - Addresses of buffers and residents
//---------------===//
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
#include <numeric>

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

namespace {

/// Places what has bytes and a memory, and notes where its memory ends.
class Placer {
public:
  Placer(Plan &plan, size_t numMemories) : plan(plan) {
    plan.allocationBytes.assign(numMemories, 0);
  }

  /// Those of `all` that `ids` says; `together`: they live at the same time.
  template <typename T, typename Together>
  void place(std::vector<T> &all, const std::vector<int32_t> &ids,
             Together together) {
    order = ids;
    std::sort(order.begin(), order.end(), [&](int32_t x, int32_t y) {
      return all[x].bytes != all[y].bytes ? all[x].bytes > all[y].bytes : x < y;
    });
    placed.clear();
    for (int32_t id : order) {
      T &item = all[id];
      item.address = 0;
      for (int32_t other : placed) {
        const T &there = all[other];
        if (there.memory != item.memory || !together(item, there))
          continue;
        if (there.address >= item.address + item.bytes)
          break;
        item.address = std::max(item.address, there.address + there.bytes);
      }
      placed.insert(std::upper_bound(placed.begin(), placed.end(), id,
                                     [&](int32_t x, int32_t y) {
                                       return all[x].address < all[y].address;
                                     }),
                    id);
      int64_t end;
      if (__builtin_add_overflow(item.address, item.bytes, &end)) {
        plan.faults.push_back("buffers exceed 2^63 bytes");
        return;
      }
      if (static_cast<size_t>(item.memory) < plan.allocationBytes.size())
        plan.allocationBytes[item.memory] =
            std::max(plan.allocationBytes[item.memory], end);
    }
  }

private:
  Plan &plan;
  std::vector<int32_t> order, placed; ///< placed: by address
};

} // namespace

void allocate(Plan &plan, size_t numMemories) {
  Placer placer(plan, numMemories);
  for (const GroupPlan &group : plan.groups) {
    const auto phases = static_cast<int32_t>(group.phases.size());
    placer.place(plan.buffers, group.buffers,
                 [&](const Buffer &x, const Buffer &y) {
                   return liveTogether(x, y, phases);
                 });
    if (!plan.faults.empty())
      return;
  }
  if (plan.residents.empty())
    return;
  std::vector<int32_t> ids(plan.residents.size());
  std::iota(ids.begin(), ids.end(), 0);
  placer.place(plan.residents, ids,
               [](const PlannedResident &x, const PlannedResident &y) {
                 return x.firstGroup <= y.lastGroup &&
                        y.firstGroup <= x.lastGroup;
               });
}

} // namespace transfusion::core
