//===- Feasible.cpp - Does it fit, and if not, what is missing ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/Feasible.h"

#include <algorithm>

namespace transfusion::core {

int64_t groupNeedBytes(const Plan &p, int32_t group) {
  int64_t end = 0;
  for (int32_t id : p.groups[group].buffers)
    end = std::max(end, p.buffers[id].address + p.buffers[id].bytes);
  return end;
}

bool residentsFit(const Arch &a, const Plan &p) {
  for (const PlannedResident &r : p.residents)
    if (a.memories[r.memory].capacityBytes >= 0 &&
        r.address + r.bytes > a.memories[r.memory].capacityBytes)
      return false;
  return true;
}

int64_t groupLeastBytes(const Plan &p, int32_t group) {
  const int32_t phases = static_cast<int32_t>(p.groups[group].phases.size());
  std::vector<int64_t> live(phases, 0);
  for (int32_t id : p.groups[group].buffers) {
    const Buffer &b = p.buffers[id];
    int64_t bytes = b.bytes;
    if (b.role == BufferRole::Input || b.role == BufferRole::Window)
      bytes = b.bytesPerSlot; // other blocks or stages may need one slot
    for (int32_t q = b.firstPhase; q <= b.lastPhase; ++q)
      live[(q + phases) % phases] += bytes;
  }
  return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

static const char *roleText(const Buffer &b) {
  switch (b.role) {
  case BufferRole::Input:
    return b.level != RetainLevel::Block ? "retained"
           : b.fetchPosition < 0         ? "whole for the tile"
                                         : "a block";
  case BufferRole::Window:
    return "an inner tile";
  case BufferRole::Accumulator:
    return "partial sums of the tile";
  case BufferRole::Carried:
    return "carried to a later phase";
  case BufferRole::Output:
    return "on its way out";
  }
  return "";
}

Violation explainMisfit(const Cascade &c, const Arch &a, const Plan &p,
                        int32_t group) {
  const int32_t phases = static_cast<int32_t>(p.groups[group].phases.size());
  int32_t worst = 0;
  int64_t most = -1;
  std::vector<int32_t> live;
  for (int32_t q = 0; q < phases; ++q) {
    int64_t bytes = 0;
    std::vector<int32_t> ids;
    for (int32_t id : p.groups[group].buffers)
      if (livesIn(p.buffers[id], q, phases)) {
        bytes += p.buffers[id].bytes;
        ids.push_back(id);
      }
    if (bytes > most) {
      most = bytes;
      worst = q;
      live = ids;
    }
  }
  std::sort(live.begin(), live.end(), [&](int32_t x, int32_t y) {
    return p.buffers[x].bytes != p.buffers[y].bytes
               ? p.buffers[x].bytes > p.buffers[y].bytes
               : x < y;
  });
  const int64_t need = groupNeedBytes(p, group);
  const MemoryId m = live.empty() ? 1 : p.buffers[live[0]].memory;
  Violation v;
  v.rule = "infeasible";
  v.group = group;
  v.phase = worst;
  v.demand = need;
  v.bound = a.memories[m].capacityBytes;
  v.unit = "bytes";
  v.what = "no tile of any size fits '" + a.memories[m].name +
           "': the smallest needs " + std::to_string(need) + " bytes of " +
           std::to_string(v.bound) + ", " + std::to_string(need - v.bound) +
           " bytes short";
  const size_t terms = std::min<size_t>(live.size(), 5);
  int64_t rest = 0;
  for (size_t i = 0; i < live.size(); ++i) {
    const Buffer &b = p.buffers[live[i]];
    if (i >= terms) {
      rest += b.bytes;
      continue;
    }
    std::string note = "'" + c.tensors[b.tensor].name + "', " + roleText(b) +
                       ": " + std::to_string(b.bytes) + " bytes";
    if (b.slots > 1)
      note += " in " + std::to_string(b.slots) + " slots";
    v.notes.push_back(note);
    EinsumId producer = c.tensors[b.tensor].producer;
    if (v.einsum < 0 && b.role != BufferRole::Input)
      v.einsum = producer;
  }
  if (rest > 0)
    v.notes.push_back("other buffers: " + std::to_string(rest) + " bytes");
  v.notes.push_back("it would fit with capacity_bytes >= " +
                    std::to_string(need) + " of '" + a.memories[m].name + "'");
  return v;
}

std::vector<Violation> unsupportedEinsums(const Cascade &c, const Arch &a) {
  std::vector<Violation> found;
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    const Einsum &einsum = c.einsums[e];
    bool able = false;
    for (const Unit &u : a.units)
      able |= cyclesPerPoint(u, einsum.pointOps) >= 0 &&
              cyclesPerPoint(u, einsum.finishOps) >= 0;
    if (able)
      continue;
    Violation v;
    v.rule = "infeasible";
    v.einsum = e;
    v.what = "no unit of '" + a.name + "' supports all operations of '" +
             einsum.name + "'";
    for (const Unit &u : a.units) {
      int missing = unsupportedClass(u, einsum.pointOps);
      if (missing < 0)
        missing = unsupportedClass(u, einsum.finishOps);
      v.notes.push_back("'" + u.name + "' lacks " +
                        opClassName(static_cast<OpClass>(missing)));
    }
    v.notes.push_back("give one unit the missing operation");
    found.push_back(std::move(v));
  }
  return found;
}

} // namespace transfusion::core
