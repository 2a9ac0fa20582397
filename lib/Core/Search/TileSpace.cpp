//===- TileSpace.cpp - The decisions of a tile search ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TileSpace.h"

#include "transfusion/Core/Search/Feasible.h"
#include "transfusion/Core/Search/FormGroups.h"

#include <algorithm>

namespace transfusion::core {

static int64_t sizeOf(const std::vector<int64_t> &sizes, RankId r) {
  return static_cast<size_t>(r) < sizes.size() ? sizes[r] : 0;
}

std::vector<int64_t> evenSizes(int64_t extent, int64_t unit) {
  std::vector<int64_t> sizes = {extent};
  const int64_t steps = (extent + unit - 1) / unit;
  for (int64_t size = steps; size > 1;) {
    // The fewest pieces that need a smaller size, and then the least size.
    const int64_t pieces = (steps + size - 2) / (size - 1);
    size = (steps + pieces - 1) / pieces;
    sizes.push_back(size * unit);
  }
  return sizes;
}

TileSpace::TileSpace(const Cascade &c, const Arch &a, const Schedule &start,
                     std::vector<int32_t> groups, Objective objective,
                     SlotSolver &solver)
    : c(c), a(a), start(start), covered(std::move(groups)), solver(solver),
      capacityBytes(unitMemoryBytes(a)) {
  for (const Group &g : start.groups) {
    fetched.emplace_back();
    const int32_t id = static_cast<int32_t>(fetched.size()) - 1;
    for (const Phase &p : g.phases)
      fetched.back().push_back(fetchedInputs(id, p));
  }
  for (int32_t g : covered)
    addGroup(g, objective);
}

/// Operands that come from outside the group.
std::vector<TileSpace::Fetched> TileSpace::fetchedInputs(int32_t g,
                                                         const Phase &p) const {
  std::vector<Fetched> inputs;
  for (const Run &run : p.runs)
    for (const Slot &slot : run.slots) {
      const Einsum &e = c.einsums[slot.einsum];
      for (const std::vector<Operand> *part : {&e.inputs, &e.finishInputs})
        for (const Operand &o : *part)
          if (producingGroup(c, start, o.tensor) != g)
            inputs.push_back({o.tensor, accessRanks(o.access)});
    }
  return inputs;
}

/// Some operand that is fetched depends on `r`.
bool TileSpace::affectsFetches(int32_t g, size_t phase, RankId r) const {
  for (const Fetched &in : fetched[g][phase])
    if (has(in.ranks, r))
      return true;
  return false;
}

/// What the iterative rank streams past the rows (keys and values of a head)
/// does not stay in half of the buffer, so that it is fetched for every epoch
/// of rows.
bool TileSpace::streamsTooMuch(int32_t g, size_t phase,
                               const PhaseShape &shape) const {
  Extents whole =
      innerExtents(c, start.groups[g], start.groups[g].phases[phase]);
  for (RankId r : shape.iterative)
    whole[r] = c.ranks[r].extent;
  std::vector<TensorId> counted;
  int64_t bytes = 0;
  for (const Run &run : start.groups[g].phases[phase].runs)
    for (const Slot &slot : run.slots)
      for (const Operand &o : c.einsums[slot.einsum].inputs) {
        bool streams = false;
        for (RankId r : accessRanks(o.access))
          streams |= has(shape.iterative, r);
        if (!streams || has(counted, o.tensor) ||
            producingGroup(c, start, o.tensor) == g)
          continue;
        counted.push_back(o.tensor);
        bytes += footprintBytes(c, o, whole);
      }
  return bytes > capacityBytes / 2;
}

void TileSpace::addGroup(int32_t g, Objective objective) {
  const Group &group = start.groups[g];
  const GridSize grid = gridOf(a);
  for (RankId r : group.tileOrder) {
    int64_t unit = 1;
    for (const Phase &p : group.phases)
      unit = std::max(unit, sizeOf(p.inner, r));
    if (grid.instances > 1) // rows for one of them are enough for a tile
      unit = std::min(unit, grid.rows);
    Decision d;
    d.kind = DecisionKind::Tile;
    d.group = g;
    d.rank = r;
    d.values = evenSizes(c.ranks[r].extent, std::min(unit, c.ranks[r].extent));
    if (objective == Objective::PeakMemory) // epochs shrink with their tile
      for (int64_t size = d.values.back() / 2; size > 0; size /= 2)
        d.values.push_back(size);
    decisions.push_back(std::move(d));
  }
  for (size_t i = 0; i < group.phases.size(); ++i) {
    const Phase &p = group.phases[i];
    PhaseMembers m = membersOf(solver.analysis(), p);
    PhaseShape shape = shapeOf(c, solver.analysis(), m, m.einsums);
    for (RankId r : p.order) {
      int64_t inner = sizeOf(p.inner, r);
      if (r == shape.row && inner > 0) {
        Decision d;
        d.kind = DecisionKind::Inner;
        d.group = g;
        d.phase = static_cast<int32_t>(i);
        d.rank = r;
        d.values = {inner};
        // Every epoch of rows meets all that streams: taller ones, fewer times.
        if (streamsTooMuch(g, i, shape))
          for (int64_t size = inner * 2;
               size <= c.ranks[r].extent && d.values.size() < 4; size *= 2)
            d.values.push_back(size);
        // Rows for one of several instances, up to rows for all.
        const int64_t most =
            std::min(grid.rows * grid.instances, c.ranks[r].extent);
        for (int64_t size = grid.rows; grid.instances > 1 && size < 2 * most;
             size *= 2)
          if (std::find(d.values.begin(), d.values.end(),
                        std::min(size, most)) == d.values.end())
            d.values.push_back(std::min(size, most));
        if (d.values.size() > 1)
          decisions.push_back(std::move(d));
      }
      if (inner == 0 || c.ranks[r].iterative || r == shape.row)
        continue;
      Decision d;
      d.kind = DecisionKind::Inner;
      d.group = g;
      d.phase = static_cast<int32_t>(i);
      d.rank = r;
      d.values = {inner};
      if (r == shape.head || objective == Objective::PeakMemory)
        for (int64_t size = inner / 2; size > 0; size /= 2)
          d.values.push_back(size);
      // A longer epoch reads its operands less often.
      bool spans = false;
      for (EinsumId e : m.einsums)
        spans |= c.einsums[e].hasRank(r) && isReducedRank(c, e, r);
      if (!has(group.tileOrder, r) && r != shape.head &&
          objective != Objective::PeakMemory)
        for (int64_t size = inner * 2;
             size < c.ranks[r].extent * 2 && d.values.size() < 5; size *= 2)
          if (size < c.ranks[r].extent || !spans)
            d.values.push_back(std::min(size, c.ranks[r].extent));
      if (d.values.size() > 1)
        decisions.push_back(std::move(d));
    }
  }
  addRetention(g);
  for (size_t i = 0; i < group.phases.size(); ++i) {
    const Phase &p = group.phases[i];
    for (size_t k = p.order.size(); k-- > 0;) {
      Decision d;
      d.kind = DecisionKind::Block;
      d.group = g;
      d.phase = static_cast<int32_t>(i);
      d.rank = p.order[k];
      if (affectsFetches(g, i, d.rank))
        decisions.push_back(std::move(d));
    }
  }
}

void TileSpace::addRetention(int32_t g) {
  struct Input {
    int64_t bytes = 0;
    int32_t phases = 0, lastPhase = -1;
  };
  std::vector<Input> inputs(c.tensors.size());
  const Group &group = start.groups[g];
  for (size_t i = 0; i < group.phases.size(); ++i)
    for (const Fetched &f : fetched[g][i]) {
      Input &in = inputs[f.tensor];
      in.bytes = c.tensors[f.tensor].bitsPerValue;
      for (int64_t extent : c.tensors[f.tensor].shape)
        if (__builtin_mul_overflow(in.bytes, extent, &in.bytes))
          in.bytes = INT64_MAX / 2;
      in.bytes /= 8;
      in.phases += in.lastPhase != static_cast<int32_t>(i);
      in.lastPhase = static_cast<int32_t>(i);
    }
  auto level = [](RetainLevel l) { return static_cast<int64_t>(l); };
  Decision small;
  small.kind = DecisionKind::Retain;
  small.group = g;
  small.values = {level(RetainLevel::Group), level(RetainLevel::Block)};
  std::vector<Decision> large;
  for (TensorId t = 0; t < static_cast<TensorId>(c.tensors.size()); ++t) {
    const Input &in = inputs[t];
    if (in.phases == 0)
      continue;
    if (in.bytes <= capacityBytes / 256) {
      small.tensors.push_back(t);
      continue;
    }
    Decision d;
    d.kind = DecisionKind::Retain;
    d.group = g;
    d.tensors = {t};
    d.values = {level(RetainLevel::Block)};
    if (in.phases > 1)
      d.values.push_back(level(RetainLevel::Tile));
    if (in.bytes <= capacityBytes)
      d.values.push_back(level(RetainLevel::Group));
    if (d.values.size() > 1)
      large.push_back(std::move(d));
  }
  if (!small.tensors.empty())
    decisions.push_back(std::move(small));
  std::sort(large.begin(), large.end(),
            [&](const Decision &x, const Decision &y) {
              const TensorId s = x.tensors[0], t = y.tensors[0];
              return inputs[s].bytes != inputs[t].bytes
                         ? inputs[s].bytes > inputs[t].bytes
                         : s < t;
            });
  decisions.insert(decisions.end(), large.begin(), large.end());
}

std::vector<int64_t> TileSpace::candidates(const Choices &prefix) const {
  const Decision &d = decisions[prefix.size()];
  if (d.kind != DecisionKind::Block)
    return d.values;
  int64_t tile = c.ranks[d.rank].extent;
  int64_t inner = sizeOf(start.groups[d.group].phases[d.phase].inner, d.rank);
  bool retained = true; // everything that depends on the rank
  for (size_t i = 0; i < prefix.size(); ++i) {
    const Decision &e = decisions[i];
    if (e.group != d.group || e.rank != d.rank)
      continue;
    if (e.kind == DecisionKind::Tile)
      tile = std::min(tile, prefix[i]);
    else if (e.kind == DecisionKind::Inner && e.phase == d.phase)
      inner = prefix[i];
  }
  for (const Fetched &in : fetched[d.group][d.phase]) {
    if (!has(in.ranks, d.rank))
      continue;
    bool held = false;
    for (size_t i = 0; i < prefix.size(); ++i)
      held |= decisions[i].kind == DecisionKind::Retain &&
              decisions[i].group == d.group &&
              has(decisions[i].tensors, in.tensor) &&
              prefix[i] != static_cast<int64_t>(RetainLevel::Block);
    retained &= held;
  }
  if (retained || inner == 0 || inner >= tile)
    return {tile};
  return evenSizes(tile, inner);
}

Schedule TileSpace::build(const Choices &prefix, bool slots) const {
  Schedule s = start;
  for (int32_t g : covered) {
    s.groups[g].retain.clear();
    s.groups[g].residents.clear(); // pieces of other tiles
    s.groups[g].tile.resize(c.ranks.size(), 0);
    for (Phase &p : s.groups[g].phases) {
      p.inner.resize(c.ranks.size(), 0);
      p.block.assign(c.ranks.size(), 0);
      for (RankId r : p.order)
        p.block[r] = p.inner[r];
    }
  }
  for (size_t i = 0; i < decisions.size(); ++i) {
    const Decision &d = decisions[i];
    Group &g = s.groups[d.group];
    const bool taken = i < prefix.size();
    switch (d.kind) {
    case DecisionKind::Tile:
      g.tile[d.rank] = taken ? prefix[i] : d.values.back();
      break;
    case DecisionKind::Inner: {
      int64_t size = taken
                         ? prefix[i]
                         : *std::min_element(d.values.begin(), d.values.end());
      g.phases[d.phase].inner[d.rank] = g.phases[d.phase].block[d.rank] = size;
      break;
    }
    case DecisionKind::Retain:
      if (taken && prefix[i] != static_cast<int64_t>(RetainLevel::Block))
        for (TensorId t : d.tensors)
          g.retain.push_back({t, static_cast<RetainLevel>(prefix[i])});
      break;
    case DecisionKind::Block:
      if (taken)
        g.phases[d.phase].block[d.rank] = prefix[i];
      break;
    }
  }
  for (int32_t g : covered) {
    Group &group = s.groups[g];
    std::sort(
        group.retain.begin(), group.retain.end(),
        [](const Retain &x, const Retain &y) { return x.tensor < y.tensor; });
    for (size_t i = 0; i < group.phases.size(); ++i) {
      Phase &p = group.phases[i];
      for (RankId r : p.order) {
        int64_t tile = group.tile[r] > 0 ? group.tile[r] : c.ranks[r].extent;
        if (p.inner[r] >= tile)
          p.inner[r] = tile;
        // A block of the whole tile is said as such; so is one that no fetch
        // depends on.
        if (p.block[r] >= tile || p.inner[r] == 0 || !affectsFetches(g, i, r))
          p.block[r] = 0;
      }
      if (slots)
        solver.solve(group, p);
    }
  }
  return s;
}

int64_t TileSpace::leastBytes(const Choices &prefix) const {
  Plan plan = makePlan(c, a, build(prefix, /*slots=*/false));
  if (!plan.faults.empty())
    return -1;
  int64_t bytes = 0;
  for (int32_t g : covered)
    bytes = std::max(bytes, groupLeastBytes(plan, g));
  return bytes;
}

} // namespace transfusion::core
