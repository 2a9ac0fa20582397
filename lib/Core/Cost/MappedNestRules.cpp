//===- MappedNestRules.cpp - What a mapping must not do -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedNest.h"

#include <algorithm>

namespace transfusion::core {

namespace {

struct NestBuilder {
  const Cascade &c;
  const Arch &a;
  std::vector<MappingFault> &faults;
  std::vector<Nest> nests;

  void fault(TextPlace at, std::string what, std::string fix) {
    faults.push_back({at, std::move(what), std::move(fix)});
  }
  std::string rank(RankId r) const { return "'" + c.ranks[r].name + "'"; }
  std::string memory(MemoryId m) const {
    return "'" + a.memories[m].name + "'";
  }
  void walk(const MapScope &s, Nest nest);
  void loop(Nest &nest, NestStep &n, std::vector<int64_t> &tile);
  void split(Nest &nest, const NestStep &n, std::vector<int64_t> &used);
  void keep(const Nest &nest, const NestStep &n);
  void leaf(Nest nest);
  bool supported(const Nest &nest);
  void kept(const Nest &nest);
  void complete(const Nest &maker, const Nest &reader, TensorId t);
  void order();
};

void NestBuilder::walk(const MapScope &s, Nest nest) {
  nest.scopes.push_back(&s);
  for (const MapStep &step : s.steps)
    nest.steps.push_back({&step, &s, 1, {}});
  if (s.einsum >= 0) {
    nest.einsum = s.einsum;
    nest.unit = s.unit;
    nest.place = s.place;
    return leaf(std::move(nest));
  }
  for (const MapScope &inner : s.scopes)
    walk(inner, nest);
}

/// Only what the model's closed forms hold for.
bool NestBuilder::supported(const Nest &nest) {
  const Einsum &e = c.einsums[nest.einsum];
  const std::string name = "'" + e.name + "'";
  const char *fix = "give the layer without masks, tiles of keys and "
                    "recurrences to this model";
  if (!e.domain.empty())
    return fault(nest.place,
                 name + " has a domain, this model is for full "
                        "products",
                 fix),
           false;
  auto plain = [&](const Operand &o) {
    return std::all_of(
        o.access.begin(), o.access.end(), [&](const LinearExpr &x) {
          // A rank of one point adds nothing.
          int ranks = 0;
          bool scaled = false;
          for (const auto &[rank, times] : x.terms)
            if (c.ranks[rank].extent != 1) {
              ++ranks;
              scaled |= times != 1;
            }
          return ranks == 0 || (ranks == 1 && !scaled && !x.constant);
        });
  };
  bool ok = plain(e.result);
  for (const Operand &o : e.inputs)
    ok &= plain(o);
  for (const Operand &o : e.finishInputs)
    ok &= plain(o);
  for (RankId r : e.ranks)
    ok &= !c.ranks[r].iterative || c.ranks[r].extent == 1;
  if (!ok)
    fault(nest.place,
          name + " reads or makes a tensor at sums of ranks, this model is for "
                 "plain ranks",
          fix);
  const Unit &u = a.units[nest.unit];
  const int cls = unsupportedClass(u, e.pointOps);
  const int last = unsupportedClass(u, e.finishOps);
  if (cls >= 0 || last >= 0) {
    ok = false;
    fault(nest.place,
          "unit '" + u.name + "' does not do the " +
              opClassName(OpClass(cls >= 0 ? cls : last)) + " of " + name,
          "put it on a unit that does");
  }
  return ok;
}

void NestBuilder::loop(Nest &nest, NestStep &n, std::vector<int64_t> &tile) {
  const MapStep &s = *n.step;
  const Einsum &e = c.einsums[nest.einsum];
  if (!e.hasRank(s.rank))
    return fault(s.place,
                 "'" + e.name + "' would run again for each of " +
                     rank(s.rank) + ", which it lacks",
                 "take it out of this loop");
  int64_t &now = tile[s.rank];
  if (now % s.tile)
    return fault(s.place,
                 "tiles of " + std::to_string(s.tile) + " do not divide the " +
                     std::to_string(now) + " points of rank " + rank(s.rank) +
                     " that are left here",
                 "this model is for tiles that divide what they cut");
  n.trips = now / s.tile;
  now = s.tile;
}

/// `used`: by memory the splits over it, then rows and columns.
void NestBuilder::split(Nest &nest, const NestStep &n,
                        std::vector<int64_t> &used) {
  const MapStep &s = *n.step;
  const Unit &u = a.units[nest.unit];
  const std::vector<MemoryId> path = memoryPath(a, u.memory);
  int64_t there = 0;
  size_t at;
  std::string what;
  if (s.kind == MapStep::SplitMemory) {
    if (!has(path, s.memory))
      return fault(s.place,
                   "memory " + memory(s.memory) + " does not feed unit '" +
                       u.name + "'",
                   "split over one that does");
    const MemoryId outer = outerMemory(a, s.memory);
    if (s.memory == u.memory && isPerLane(a, u))
      return fault(s.place,
                   "memory " + memory(s.memory) + " is in every lane of '" +
                       u.name + "'",
                   "split over " + u.name + ".rows or " + u.name + ".cols");
    there = outer < 0
                ? 1
                : a.memories[s.memory].instances / a.memories[outer].instances;
    at = size_t(s.memory);
    what = "instances of " + memory(s.memory);
  } else {
    if (s.unit != nest.unit)
      return fault(s.place,
                   "'" + c.einsums[nest.einsum].name + "' is on unit '" +
                       u.name + "', not on '" + a.units[s.unit].name + "'",
                   "split over the unit that it is on");
    const bool rows = s.kind == MapStep::SplitRows;
    there = rows ? u.rows : u.cols;
    at = a.memories.size() + (rows ? 0 : 1);
    what = std::string(rows ? "rows" : "columns") + " of '" + u.name + "'";
  }
  used[at] *= n.trips;
  if (used[at] > there)
    fault(s.place,
          std::to_string(used[at]) + " pieces of rank " + rank(s.rank) +
              " do not fit the " + std::to_string(there) + " " + what,
          "split into larger tiles");
}

/// Instances outside of the kept piece are all chosen, those inside are not.
void NestBuilder::keep(const Nest &nest, const NestStep &n) {
  const MapStep &s = *n.step;
  const Unit &u = a.units[nest.unit];
  const std::vector<MemoryId> path = memoryPath(a, u.memory);
  const Einsum &e = c.einsums[nest.einsum];
  const bool own = n.scope->einsum >= 0;
  if (own && !has(path, s.memory))
    return fault(s.place,
                 "memory " + memory(s.memory) + " does not feed unit '" +
                     u.name + "'",
                 "keep it in one that does");
  for (TensorId t : s.tensors) {
    const bool mine = has(tensorsOf(e), t);
    if (own && !mine)
      fault(s.place,
            "'" + e.name + "' does not use '" + c.tensors[t].name + "'",
            "keep what it uses");
    if (mine && has(path, s.memory) &&
        !a.memories[s.memory].keeps[int(roleOf(e, t))])
      fault(s.place,
            "memory " + memory(s.memory) + " keeps no " +
                roleName(roleOf(e, t)) + ", which '" + c.tensors[t].name +
                "' is to '" + e.name + "'",
            "let it pass by");
  }
  if (!has(path, s.memory))
    return;
  const bool lane = s.memory == u.memory && isPerLane(a, u);
  const std::vector<MemoryId> around = memoryPath(a, s.memory);
  bool below = false;
  for (const NestStep &other : nest.steps) {
    const MapStep &o = *other.step;
    below |= &o == &s;
    if (o.kind == MapStep::Keep || o.kind == MapStep::For)
      continue;
    const bool chosen =
        o.kind == MapStep::SplitMemory ? has(around, o.memory) : lane;
    if (chosen == below && has(path, s.memory))
      fault(s.place,
            "memory " + memory(s.memory) + " is " +
                (below ? "inside" : "outside") + " of the split of rank " +
                rank(o.rank) + ", which is " + (below ? "below" : "above") +
                " this line",
            "keep it on the other side of the split");
  }
}

/// Every tensor is kept somewhere, further in at each step.
void NestBuilder::kept(const Nest &nest) {
  const Einsum &e = c.einsums[nest.einsum];
  const std::vector<MemoryId> path = memoryPath(a, a.units[nest.unit].memory);
  for (TensorId t : tensorsOf(e)) {
    int64_t last = -1;
    for (const NestStep &n : nest.steps) {
      if (n.step->kind != MapStep::Keep || !has(n.step->tensors, t))
        continue;
      const int64_t at =
          std::find(path.begin(), path.end(), n.step->memory) - path.begin();
      if (at >= int64_t(path.size()))
        fault(n.step->place,
              "memory " + memory(n.step->memory) + " does not feed unit '" +
                  a.units[nest.unit].name + "', where '" + e.name +
                  "' needs '" + c.tensors[t].name + "'",
              "keep it in one that does");
      else if (at <= last)
        fault(n.step->place,
              "'" + c.tensors[t].name + "' is in " + memory(n.step->memory) +
                  " or further in already",
              "keep a tensor in outer memories first, in each once");
      last = at;
    }
    if (last < 0)
      fault(nest.place,
            "'" + e.name + "' uses '" + c.tensors[t].name +
                "', which is kept nowhere",
            "keep it in a memory, the outermost for what comes from outside");
  }
}

void NestBuilder::leaf(Nest nest) {
  if (!supported(nest))
    return;
  const size_t before = faults.size();
  std::vector<int64_t> tile, used(a.memories.size() + 2, 1);
  for (const Rank &r : c.ranks)
    tile.push_back(r.extent);
  for (NestStep &n : nest.steps) {
    if (n.step->kind != MapStep::Keep) {
      loop(nest, n, tile);
      if (n.step->kind != MapStep::For)
        split(nest, n, used);
    }
    n.tile = tile;
    if (faults.size() > before)
      return;
  }
  for (const NestStep &n : nest.steps)
    if (n.step->kind == MapStep::Keep)
      keep(nest, n);
  kept(nest);
  const Unit &u = a.units[nest.unit];
  const int64_t lanes = used[a.memories.size()] * used[a.memories.size() + 1];
  nest.usedLanes = u.isGrid ? lanes : u.lanes();
  nest.usedMemories.assign(a.memories.size(), 1);
  for (MemoryId m : memoryPath(a, u.memory)) {
    const MemoryId outer = outerMemory(a, m);
    nest.usedMemories[m] =
        (outer < 0 ? 1 : nest.usedMemories[outer]) * used[size_t(m)];
    nest.usedUnits = nest.usedMemories[m];
    if (m == u.memory && isPerLane(a, u))
      nest.usedMemories[m] *= lanes;
  }
  nests.push_back(std::move(nest));
}

/// Loops around both do not cut what the maker sums.
void NestBuilder::complete(const Nest &maker, const Nest &reader, TensorId t) {
  const Einsum &e = c.einsums[maker.einsum];
  for (size_t i = 0; i < maker.steps.size() && i < reader.steps.size(); ++i) {
    const MapStep &s = *maker.steps[i].step;
    if (&s != reader.steps[i].step)
      return;
    if (s.kind != MapStep::Keep && !has(ranksOf(e, t), s.rank))
      fault(s.place,
            "'" + c.einsums[reader.einsum].name + "' would read '" +
                c.tensors[t].name + "' before the sum over " + rank(s.rank) +
                " is complete",
            "take the loop into '" + e.name + "'");
  }
}

/// Each Einsum once, after what it reads, which it finds where it was left.
void NestBuilder::order() {
  auto outermost = [&](const Nest &nest, TensorId t) -> const MapStep * {
    for (const NestStep &n : nest.steps)
      if (n.step->kind == MapStep::Keep && has(n.step->tensors, t))
        return n.step;
    return nullptr;
  };
  std::vector<const Nest *> maker(c.einsums.size(), nullptr);
  for (const Nest &nest : nests) {
    const Einsum &e = c.einsums[nest.einsum];
    if (maker[nest.einsum])
      fault(nest.place, "'" + e.name + "' is in the mapping twice",
            "map every Einsum once");
    maker[nest.einsum] = &nest;
    for (TensorId t : tensorsOf(e)) {
      const EinsumId from = c.tensors[t].producer;
      if (from < 0 || from == nest.einsum)
        continue;
      if (!maker[from])
        fault(nest.place,
              "'" + e.name + "' reads '" + c.tensors[t].name +
                  "' before it is made",
              "put '" + c.einsums[from].name + "' before it");
      else if (outermost(*maker[from], t) != outermost(nest, t))
        fault(nest.place,
              "'" + e.name + "' does not find '" + c.tensors[t].name +
                  "' where '" + c.einsums[from].name + "' leaves it",
              "keep it in a scope around both");
      else
        complete(*maker[from], nest, t);
    }
  }
  for (size_t i = 0; i < c.einsums.size(); ++i)
    if (!maker[i])
      fault({1, 1}, "'" + c.einsums[i].name + "' is not in the mapping",
            "map every Einsum");
}

} // namespace

std::vector<Nest> nestsOf(const Cascade &c, const Arch &a, const Mapping &m,
                          std::vector<MappingFault> &faults) {
  NestBuilder builder{c, a, faults, {}};
  builder.walk(m.root, {});
  if (faults.empty())
    builder.order();
  return std::move(builder.nests);
}

} // namespace transfusion::core
