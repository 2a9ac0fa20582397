//===- ChooseResidents.cpp - Which tensors stay in between ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseResidents.h"

#include "SpaceSearch.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

namespace {

struct Candidate {
  TensorId tensor = -1;
  double worth = 0; ///< bytes spared for a byte and group
};

template <typename Move> void dropMoves(std::vector<Move> &moves, TensorId t) {
  moves.erase(std::remove_if(moves.begin(), moves.end(),
                             [&](const Move &m) { return m.tensor == t; }),
              moves.end());
}

Schedule withResident(const Schedule &s, Resident r) {
  Schedule more = s;
  more.residents.insert(
      std::upper_bound(more.residents.begin(), more.residents.end(), r,
                       [](const Resident &x, const Resident &y) {
                         return x.tensor < y.tensor;
                       }),
      r);
  for (Group &g : more.groups)
    for (Phase &p : g.phases) {
      dropMoves(p.prefetch, r.tensor);
      dropMoves(p.defer, r.tensor);
    }
  return more;
}

std::vector<Candidate> candidates(const Cascade &c, const Plan &plan,
                                  const std::vector<TensorTraffic> &traffic) {
  std::vector<Candidate> all;
  for (TensorId t = 0; t < static_cast<TensorId>(c.tensors.size()); ++t) {
    const Tensor &tensor = c.tensors[t];
    if (tensor.isOutput || tensor.iterativeDim >= 0 || extenderOf(c, t) >= 0 ||
        (tensor.producer >= 0 && c.einsums[tensor.producer].base >= 0))
      continue;
    int32_t first = INT32_MAX, last = -1;
    bool read = false;
    for (const Buffer &b : plan.buffers)
      if (b.tensor == t && (b.role == BufferRole::Input || b.storeToOuter)) {
        first = std::min(first, b.group);
        last = std::max(last, b.group);
        read |= b.role == BufferRole::Input;
      }
    const double size = double(tensorBytes(tensor));
    const double moved =
        double(traffic[t].readBytes[0]) + double(traffic[t].writeBytes[0]);
    const double spared = tensor.producer < 0 ? moved - size : moved;
    if (read && size > 0 && spared > 0)
      all.push_back({t, spared / (size * (last - first + 1))});
  }
  std::sort(all.begin(), all.end(), [](const Candidate &x, const Candidate &y) {
    return x.worth != y.worth ? x.worth > y.worth : x.tensor < y.tensor;
  });
  return all;
}

} // namespace

void chooseResidents(const Cascade &c, const Arch &a, Schedule &s,
                     Evaluator &evaluator, Objective objective) {
  s.residents.clear();
  const std::vector<MemoryId> between = memoriesBetween(a);
  if (between.empty())
    return;
  Plan plan = makePlan(c, a, s);
  std::vector<TensorTraffic> traffic;
  const CostReport before = evaluator.evaluate(s, plan, traffic);
  if (!before.faults.empty())
    return;
  double cost = objectiveOf(objective, before);
  for (const Candidate &candidate : candidates(c, plan, traffic))
    for (MemoryId m : between) {
      Schedule more = withResident(s, {candidate.tensor, m});
      const Plan larger = makePlan(c, a, more);
      const int64_t capacity = a.memories[m].capacityBytes;
      if (!larger.faults.empty() ||
          (capacity >= 0 && larger.allocationBytes[m] > capacity))
        continue;
      const CostReport report = evaluator.evaluate(more, larger);
      if (!report.faults.empty() || objectiveOf(objective, report) > cost)
        continue;
      cost = objectiveOf(objective, report);
      s = std::move(more);
      break;
    }
}

} // namespace transfusion::core
