//===- PlanResidents.cpp - What lies in memories in between ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

MemoryId PlanBuilder::outerOf(TensorId t) const {
  for (const PlannedResident &r : plan.residents)
    if (r.tensor == t)
      return r.memory;
  return 0;
}

/// Whole tensors, and the groups that they live in.
void PlanBuilder::placeResidents() {
  const std::vector<MemoryId> path = memoryPath(a, memory);
  for (const Resident &r : s.residents) {
    if (r.tensor < 0 || static_cast<size_t>(r.tensor) >= c.tensors.size()) {
      fault("a resident is of a tensor that does not exist");
      continue;
    }
    const Tensor &t = c.tensors[r.tensor];
    if (r.memory <= 0 || r.memory == memory ||
        std::find(path.begin(), path.end(), r.memory) == path.end()) {
      fault("resident " + t.name +
            " is in no memory between the outermost one and that of the units");
      continue;
    }
    PlannedResident resident;
    resident.tensor = r.tensor;
    resident.memory = r.memory;
    resident.isCopied = t.producer < 0;
    int64_t bytes = bytesPerValue(t.bitsPerValue);
    bool fits = true;
    for (int64_t extent : t.shape)
      fits &= !__builtin_mul_overflow(bytes, extent, &bytes);
    if (!fits || bytes >= int64_t(1) << 56) {
      fault("resident " + t.name + " exceeds 2^56 bytes");
      continue;
    }
    resident.bytes =
        (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    auto live = [&](int32_t group) {
      if (group < 0)
        return;
      resident.firstGroup = resident.firstGroup < 0
                                ? group
                                : std::min(resident.firstGroup, group);
      resident.lastGroup = std::max(resident.lastGroup, group);
    };
    if (t.producer >= 0)
      live(homes[t.producer].group);
    for (const Reader &reader : readersOf[r.tensor])
      live(homes[reader.einsum].group);
    if (resident.firstGroup < 0)
      fault("resident " + t.name + " is neither made nor read");
    plan.residents.push_back(resident);
  }
}

void allocateResidents(Plan &plan) {
  std::vector<size_t> order, placed; // placed: by address
  for (size_t i = 0; i < plan.residents.size(); ++i)
    order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    const int64_t bytesX = plan.residents[x].bytes;
    const int64_t bytesY = plan.residents[y].bytes;
    return bytesX != bytesY ? bytesX > bytesY : x < y;
  });
  for (size_t i : order) {
    PlannedResident &r = plan.residents[i];
    r.address = 0;
    size_t at = 0;
    for (; at < placed.size(); ++at) {
      const PlannedResident &other = plan.residents[placed[at]];
      if (other.memory != r.memory || other.lastGroup < r.firstGroup ||
          r.lastGroup < other.firstGroup)
        continue;
      if (other.address >= r.address + r.bytes)
        break;
      r.address = std::max(r.address, other.address + other.bytes);
    }
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](size_t x, size_t y) {
                                     return plan.residents[x].address <
                                            plan.residents[y].address;
                                   }),
                  i);
    int64_t &allocation = plan.allocationBytes[r.memory];
    allocation = std::max(allocation, r.address + r.bytes);
  }
}

} // namespace transfusion::core
