//===- Plan.cpp - What follows from a schedule ----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, places and the order of steps; buffers are in PlanBuffers.cpp.
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include <algorithm>

namespace transfusion::core {

const char *bufferRoleName(BufferRole r) {
  switch (r) {
  case BufferRole::Input:
    return "input";
  case BufferRole::Window:
    return "window";
  case BufferRole::Accumulator:
    return "accumulator";
  case BufferRole::Carried:
    return "carried";
  case BufferRole::Output:
    return "output";
  }
  return "";
}

/// Sizes are optional: a missing or zero entry means "all of it".
static int64_t sizeAt(const std::vector<int64_t> &sizes, RankId r,
                      int64_t whole) {
  int64_t size = static_cast<size_t>(r) < sizes.size() ? sizes[r] : 0;
  return size == 0 ? whole : std::min(size, whole);
}

std::string PlanBuilder::where(int32_t group, int32_t phase) const {
  return "phase " + std::to_string(phase + 1) + " of group " +
         std::to_string(group + 1);
}

std::string PlanBuilder::slotName(const PlannedSlot &slot) const {
  return c.einsums[slot.einsum].name + (slot.finishOnly ? ".finish" : "");
}

/// Ids that point nowhere would be read out of bounds later.
bool PlanBuilder::checkIds() {
  const size_t before = plan.faults.size();
  auto checkRanks = [&](const std::vector<RankId> &ranks,
                        const std::string &what) {
    std::vector<bool> seen(c.ranks.size(), false);
    for (RankId r : ranks)
      if (r < 0 || static_cast<size_t>(r) >= c.ranks.size())
        fault(what + " names a rank that does not exist");
      else if (seen[r])
        fault(what + " lists rank " + c.ranks[r].name + " twice");
      else
        seen[r] = true;
  };
  for (size_t g = 0; g < s.groups.size(); ++g) {
    const Group &group = s.groups[g];
    checkRanks(group.tileOrder, "tile order of group " + std::to_string(g + 1));
    for (size_t p = 0; p < group.phases.size(); ++p) {
      const Phase &phase = group.phases[p];
      checkRanks(phase.order, "order of " + where(g, p));
      for (const Run &run : phase.runs) {
        if (run.unit < 0 || static_cast<size_t>(run.unit) >= a.units.size())
          fault(where(g, p) + " names a unit that does not exist");
        for (const Slot &slot : run.slots) {
          if (slot.einsum < 0 ||
              static_cast<size_t>(slot.einsum) >= c.einsums.size())
            fault(where(g, p) + " names an Einsum that does not exist");
          else if (slot.stage < 0)
            fault(c.einsums[slot.einsum].name + " has a negative stage");
        }
      }
    }
  }
  return plan.faults.size() == before;
}

void PlanBuilder::resolveCuts(int32_t g, int32_t p) {
  const Group &group = s.groups[g];
  const Phase &phase = group.phases[p];
  PhasePlan &out = plan.groups[g].phases[p];
  out.cuts.resize(c.ranks.size());
  out.usesRank.assign(c.ranks.size(), false);
  for (const Run &run : phase.runs)
    for (const Slot &slot : run.slots)
      for (RankId r : c.einsums[slot.einsum].ranks)
        out.usesRank[r] = true;
  for (size_t i = 0; i < phase.order.size(); ++i)
    out.cuts[phase.order[i]].position = static_cast<int32_t>(i);
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
    RankCut &cut = out.cuts[r];
    const std::string &name = c.ranks[r].name;
    cut.tile = sizeAt(group.tile, r, c.ranks[r].extent);
    cut.block = sizeAt(phase.block, r, cut.tile);
    cut.inner = sizeAt(phase.inner, r, cut.tile);
    if (cut.tile < 1 || cut.block < 1 || cut.inner < 1) {
      fault("rank " + name + " has a negative size in " + where(g, p));
      cut.tile = cut.block = cut.inner = 1;
    }
    if (!out.usesRank[r])
      continue;
    if (cut.position < 0) {
      if (cut.inner < cut.tile || cut.block < cut.tile)
        fault("rank " + name + " is cut to " +
              std::to_string(std::min(cut.inner, cut.block)) + " of " +
              std::to_string(cut.tile) + " in " + where(g, p) +
              ", whose order does not list it");
      cut.inner = cut.block = cut.tile;
    } else if (cut.block < cut.tile && cut.block % cut.inner != 0) {
      fault("block " + std::to_string(cut.block) + " of rank " + name +
            " is not a multiple of its inner tile " +
            std::to_string(cut.inner) + " in " + where(g, p));
      cut.block = cut.tile;
    }
  }
}

bool PlanBuilder::spansEpochs(int32_t g, int32_t p, EinsumId e) const {
  const PhasePlan &phase = plan.groups[g].phases[p];
  for (RankId r : s.groups[g].phases[p].order)
    if (!c.ranks[r].iterative && phase.cuts[r].inner < phase.cuts[r].tile &&
        isReducedRank(c, e, r))
      return true;
  return false;
}

void PlanBuilder::placeSlots(int32_t g, int32_t p) {
  const Phase &phase = s.groups[g].phases[p];
  PhasePlan &out = plan.groups[g].phases[p];
  size_t count = 0;
  for (const Run &run : phase.runs)
    count += run.slots.size();
  out.slots.reserve(count);
  for (size_t r = 0; r < phase.runs.size(); ++r)
    for (size_t i = 0; i < phase.runs[r].slots.size(); ++i) {
      const Slot &slot = phase.runs[r].slots[i];
      PlannedSlot placed;
      placed.run = static_cast<int32_t>(r);
      placed.index = static_cast<int32_t>(i);
      placed.unit = phase.runs[r].unit;
      placed.einsum = slot.einsum;
      placed.finishOnly = slot.finishOnly;
      placed.stage = slot.stage;
      placed.accumulates = !slot.finishOnly && spansEpochs(g, p, slot.einsum);
      out.stages = std::max(out.stages, slot.stage + 1);

      Home &home = homes[slot.einsum];
      const std::string &name = c.einsums[slot.einsum].name;
      if (placed.accumulates ? home.partial >= 0 || home.phase >= 0
                             : home.phase >= 0) {
        fault(name + " is scheduled twice");
      } else if (placed.accumulates) {
        home.group = g;
        home.partial = p;
      } else {
        if (slot.finishOnly && (home.partial < 0 || home.group != g))
          fault(name + ".finish in " + where(g, p) +
                " has no sums: no earlier phase of its group accumulates " +
                name);
        else if (!slot.finishOnly && home.partial >= 0)
          fault(name + " is scheduled twice");
        home.group = g;
        home.phase = p;
        home.slot = static_cast<int32_t>(out.slots.size());
      }
      out.slots.push_back(std::move(placed));
    }
}

/// Rules that hold between phases and tiles.
void PlanBuilder::checkHomes() {
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    const Home &home = homes[e];
    if (home.group < 0)
      continue;
    const std::string &name = c.einsums[e].name;
    if (home.phase < 0)
      fault(name + " reduces over several epochs of " +
            where(home.group, home.partial) + " and has no finish after it");
    if (home.phase >= 0 && home.phase == home.partial)
      fault(name + ".finish is in the phase that still accumulates " + name);
  }
  for (size_t g = 0; g < s.groups.size(); ++g) {
    const Group &group = s.groups[g];
    for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
      if (sizeAt(group.tile, r, c.ranks[r].extent) == c.ranks[r].extent)
        continue;
      const std::string &name = c.ranks[r].name;
      if (std::find(group.tileOrder.begin(), group.tileOrder.end(), r) ==
          group.tileOrder.end())
        fault("rank " + name + " is tiled in group " + std::to_string(g + 1) +
              ", whose tile order does not list it");
      for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
        const Einsum &einsum = c.einsums[e];
        if (homes[e].group != static_cast<int32_t>(g) || !einsum.hasRank(r))
          continue;
        if (isReducedRank(c, e, r))
          fault(einsum.name + " reduces over rank " + name + ", which group " +
                std::to_string(g + 1) + " tiles");
        else if (c.tensors[einsum.result.tensor].iterativeRank == r)
          fault(einsum.name + " is a recurrence along rank " + name +
                ", which group " + std::to_string(g + 1) + " tiles");
      }
    }
  }
}

Plan PlanBuilder::build() {
  if (!checkIds())
    return std::move(plan);
  if (!a.units.empty())
    memory = a.units.front().memory;
  homes.resize(c.einsums.size());
  readersOf.resize(c.tensors.size());
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    for (const Operand &read : c.einsums[e].inputs)
      readersOf[read.tensor].push_back({e, &read, false});
    for (const Operand &read : c.einsums[e].finishInputs)
      readersOf[read.tensor].push_back({e, &read, true});
  }
  plan.groups.resize(s.groups.size());
  for (size_t g = 0; g < s.groups.size(); ++g) {
    plan.groups[g].phases.resize(s.groups[g].phases.size());
    for (size_t p = 0; p < s.groups[g].phases.size(); ++p) {
      resolveCuts(g, p);
      placeSlots(g, p);
    }
  }
  checkHomes();
  placeResidents();
  for (size_t g = 0; g < s.groups.size(); ++g)
    for (size_t p = 0; p < s.groups[g].phases.size(); ++p)
      if (s.groups[g].phases[p].skip)
        findActiveSteps(g, p);
  if (!plan.faults.empty())
    return std::move(plan);
  plan.buffers.reserve(c.einsums.size() + c.tensors.size()); // a guess
  for (size_t g = 0; g < s.groups.size(); ++g) {
    // What is made first: readers refer to the buffers of earlier phases.
    for (size_t p = 0; p < s.groups[g].phases.size(); ++p)
      makeResultBuffers(g, p);
    for (size_t p = 0; p < s.groups[g].phases.size(); ++p)
      makeOperandBuffers(g, p);
    checkMoves(g);
  }
  finishSizes();
  for (size_t i = 0; i < plan.buffers.size(); ++i)
    plan.groups[plan.buffers[i].group].buffers.push_back(
        static_cast<int32_t>(i));
  if (plan.faults.empty())
    allocate(plan, a.memories.size());
  return std::move(plan);
}

Plan makePlan(const Cascade &c, const Arch &a, const Schedule &s) {
  return PlanBuilder(c, a, s).build();
}

int32_t producingGroup(const Cascade &c, const Schedule &s, TensorId t) {
  const EinsumId producer = c.tensors[t].producer;
  if (producer < 0)
    return -1;
  for (size_t g = 0; g < s.groups.size(); ++g)
    for (const Phase &phase : s.groups[g].phases)
      for (const Run &run : phase.runs)
        for (const Slot &slot : run.slots)
          if (slot.einsum == producer)
            return static_cast<int32_t>(g);
  return -1;
}

bool livesInOuterMemory(const Cascade &c, const Schedule &s, TensorId t) {
  if (c.tensors[t].isInput || c.tensors[t].isOutput || extenderOf(c, t) >= 0)
    return true;
  const int32_t made = producingGroup(c, s, t);
  auto reads = [&](const std::vector<Operand> &operands) {
    return std::any_of(operands.begin(), operands.end(),
                       [&](const Operand &o) { return o.tensor == t; });
  };
  for (size_t g = 0; g < s.groups.size(); ++g) {
    if (static_cast<int32_t>(g) == made)
      continue;
    for (const Phase &phase : s.groups[g].phases)
      for (const Run &run : phase.runs)
        for (const Slot &slot : run.slots)
          if (reads(c.einsums[slot.einsum].inputs) ||
              reads(c.einsums[slot.einsum].finishInputs))
            return true;
  }
  return false;
}

} // namespace transfusion::core
