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
  if (s.residents.empty())
    return;
  const std::vector<MemoryId> between = memoriesBetween(a);
  for (const Resident &r : s.residents) {
    if (r.tensor < 0 || static_cast<size_t>(r.tensor) >= c.tensors.size()) {
      fault("a resident is of a tensor that does not exist");
      continue;
    }
    const Tensor &t = c.tensors[r.tensor];
    if (std::find(between.begin(), between.end(), r.memory) == between.end()) {
      fault("resident " + t.name +
            " is in no memory between the outermost one and that of the units");
      continue;
    }
    PlannedResident resident;
    resident.tensor = r.tensor;
    resident.memory = r.memory;
    resident.isCopied = t.producer < 0;
    const int64_t bytes = tensorBytes(t);
    if (bytes < 0 || bytes >= int64_t(1) << 56) {
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

} // namespace transfusion::core
