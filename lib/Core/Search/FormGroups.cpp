//===- FormGroups.cpp - Which Einsums share tiles and epochs --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups. A value that is read slice for slice of the row rank can be used tile
// by tile; any other must be there whole (keys and values, for the queries), so
// its reader is in a later group. What feeds only later groups moves to them:
// a projection of the queries is cheaper to make than to fetch. A tensor that
// extends another (a cache and its new rows) must be there whole as well.
//
// Phases. An Einsum joins its producers' phase if their epochs can be one: same
// rows, nothing recomputed, at most one weight held whole, and the epoch in the
// buffer. A contraction that would need a second weight whole may instead
// stream it, if it is the last: then its reduction spans the epochs and its
// finish is the first slot of the next phase.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/FormGroups.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace transfusion::core {

namespace {

class GroupFormer {
public:
  GroupFormer(const Cascade &c, const Arch &a, const Structure &s,
              int64_t epochBytes, EpochSize size, LoneSum lone)
      : c(c), a(a), s(s), epochBytes(epochBytes), size(size), lone(lone) {}
  std::vector<GroupMembers> run();
  GroupMembers formPhases(std::vector<EinsumId> members);

private:
  bool sharesPart(const Dependence &d) const {
    return c.einsums[d.from].part == c.einsums[d.to].part;
  }
  bool sharesTile(const Dependence &d) const {
    if (!sharesPart(d))
      return false;
    // What extends a tensor is read from the storage of both.
    if (c.einsums[c.tensors[d.tensor].producer].base >= 0)
      return false;
    RankId row = s.row[d.from];
    return row == s.row[d.to] &&
           (row < 0 || readsSliceBySlice(c, d.from, d.to, row));
  }
  bool isIterative(EinsumId e) const {
    for (RankId r : c.einsums[e].ranks)
      if (c.ranks[r].iterative)
        return true;
    return false;
  }
  std::vector<int32_t> levels() const;
  bool place(GroupMembers &g, size_t phase, EinsumId e);
  bool holds(const PhaseMembers &m, const PhaseShape &shape) const;
  bool hasSeveralEpochs(const PhaseMembers &m, EinsumId e) const;

  const Cascade &c;
  const Arch &a;
  const Structure &s;
  int64_t epochBytes;
  EpochSize size;
  LoneSum lone;
  /// Phase of each Einsum's values in the group at hand; -1 elsewhere.
  std::vector<int32_t> phaseOf;
  std::vector<std::vector<EinsumId>> spanning; ///< by phase
};

} // namespace

/// Einsums of one level and row rank are one group.
std::vector<int32_t> GroupFormer::levels() const {
  size_t n = c.einsums.size();
  std::vector<int32_t> level(n, 0);
  for (size_t round = 0; round < n; ++round) {
    bool changed = false;
    for (const Dependence &d : s.dependences) {
      int32_t least = level[d.from] + (sharesTile(d) ? 0 : 1);
      if (level[d.to] < least && least <= static_cast<int32_t>(n)) {
        level[d.to] = least;
        changed = true;
      }
    }
    if (!changed)
      break;
  }
  for (size_t i = n; i-- > 0;) {
    EinsumId e = s.order[i];
    if (isIterative(e) || c.tensors[c.einsums[e].result.tensor].isOutput)
      continue;
    int32_t latest = -1;
    for (const Dependence &d : s.dependences)
      if (d.from == e && sharesPart(d)) {
        int32_t l = level[d.to] - (sharesTile(d) ? 0 : 1);
        latest = latest < 0 ? l : std::min(latest, l);
      }
    level[e] = std::max(level[e], latest);
  }
  return level;
}

/// The epoch, with every operand from outside once, fits.
bool GroupFormer::holds(const PhaseMembers &m, const PhaseShape &shape) const {
  Extents inner = defaultInner(c, a, m, shape);
  if (size == EpochSize::Smallest)
    for (RankId r : shape.looped)
      inner[r] = 1;
  std::vector<TensorId> counted;
  int64_t bytes = 0;
  auto count = [&](const Operand &o) {
    if (has(counted, o.tensor))
      return;
    counted.push_back(o.tensor);
    bytes = std::min(bytes + footprintBytes(c, o, inner), INT64_MAX / 2);
  };
  for (EinsumId e : m.einsums) {
    count(c.einsums[e].result);
    for (const Operand &o : c.einsums[e].inputs)
      count(o);
    for (const Operand &o : c.einsums[e].finishInputs)
      count(o);
  }
  for (EinsumId e : m.finishes)
    count(c.einsums[e].result);
  return bytes <= epochBytes;
}

/// A streamed reduction that one epoch holds after all finishes in place.
bool GroupFormer::hasSeveralEpochs(const PhaseMembers &m, EinsumId e) const {
  PhaseShape shape = shapeOf(c, s, m, {e});
  Extents inner = defaultInner(c, a, m, shape);
  for (RankId r : reducedRanks(c, e))
    if (has(shape.looped, r) && inner[r] < c.ranks[r].extent)
      return true;
  return false;
}

/// Puts `e` into `phase` if it may join it.
bool GroupFormer::place(GroupMembers &g, size_t phase, EinsumId e) {
  PhaseMembers with = g.phases[phase];
  with.einsums.push_back(e);
  // A sum that is not finished before the next phase has no reader here.
  for (const Dependence &d : s.dependences)
    if (d.to == e && has(spanning[phase], d.from) &&
        has(g.phases[phase].einsums, d.from))
      return false;
  const bool alone = with.einsums.size() + with.finishes.size() == 1;
  auto inOneEpoch = [&] {
    PhaseShape shape = shapeOf(c, s, with, spanning[phase]);
    return shape.legal && shape.spanning.size() == spanning[phase].size() &&
           (alone || (shape.wholeWeights.size() <= 1 &&
                      (isIterative(e) || holds(with, shape))));
  };
  auto streamed = [&] {
    if (alone) // its budget is better spent on sizes: measured
      return false;
    std::vector<EinsumId> span = spanning[phase];
    span.push_back(e);
    PhaseShape shape = shapeOf(c, s, with, span);
    if (!s.contraction[e] || !shape.legal ||
        shape.spanning.size() != span.size() || shape.wholeWeights.size() > 1 ||
        !holds(with, shape))
      return false;
    spanning[phase] = span;
    return true;
  };
  const bool streamFirst = alone && lone == LoneSum::Streamed;
  if (!(streamFirst && streamed()) && !inOneEpoch() &&
      !(!streamFirst && streamed()))
    return false;
  g.phases[phase] = with;
  phaseOf[e] = static_cast<int32_t>(phase);
  return true;
}

GroupMembers GroupFormer::formPhases(std::vector<EinsumId> members) {
  // Sources wait until just before their first reader.
  std::vector<int32_t> when(c.einsums.size(), -1);
  for (EinsumId e : members)
    when[e] = 2 * s.position[e] + 1;
  for (size_t i = members.size(); i-- > 0;) {
    EinsumId e = members[i];
    bool source = true;
    int32_t first = INT32_MAX;
    for (const Dependence &d : s.dependences) {
      source = source && !(d.to == e && d.from != e && when[d.from] >= 0);
      if (d.from == e && d.to != e && when[d.to] >= 0)
        first = std::min(first, when[d.to]);
    }
    if (source && first < INT32_MAX)
      when[e] = first - 1;
  }
  std::sort(members.begin(), members.end(), [&](EinsumId x, EinsumId y) {
    return when[x] != when[y] ? when[x] < when[y]
                              : s.position[x] < s.position[y];
  });

  GroupMembers g;
  phaseOf.assign(c.einsums.size(), -1);
  spanning.clear();
  auto open = [&]() {
    g.phases.emplace_back();
    spanning.emplace_back();
    return g.phases.size() - 1;
  };
  for (EinsumId e : members) {
    // The first phase in which all that it reads is there.
    int32_t earliest = -1;
    for (const Dependence &d : s.dependences)
      if (d.to == e && phaseOf[d.from] >= 0 && d.from != e)
        earliest = std::max(earliest, phaseOf[d.from]);
    if (earliest < 0 && !g.phases.empty()) // a source: beside what is there
      earliest = static_cast<int32_t>(g.phases.size()) - 1;
    if (earliest < 0 || !place(g, static_cast<size_t>(earliest), e))
      place(g, open(), e);
    int32_t phase = phaseOf[e];
    if (phase < 0) { // it has no epoch of its own: a fault that others report
      g.phases.back().einsums.push_back(e);
      phaseOf[e] = static_cast<int32_t>(g.phases.size()) - 1;
      continue;
    }
    if (!has(spanning[phase], e) || !hasSeveralEpochs(g.phases[phase], e))
      continue;
    size_t next = static_cast<size_t>(phase) + 1;
    if (next == g.phases.size())
      open();
    g.phases[next].finishes.push_back(e);
    phaseOf[e] = static_cast<int32_t>(next);
  }
  for (PhaseMembers &p : g.phases) {
    auto before = [&](EinsumId x, EinsumId y) {
      return s.position[x] < s.position[y];
    };
    std::sort(p.einsums.begin(), p.einsums.end(), before);
    std::sort(p.finishes.begin(), p.finishes.end(), before);
  }
  return g;
}

std::vector<GroupMembers> GroupFormer::run() {
  std::vector<int32_t> level = levels();
  // Groups in order of part, then of level, then of their first Einsum.
  using Key = std::tuple<int32_t, int32_t, int32_t>;
  std::map<Key, std::vector<EinsumId>> groups;
  std::map<Key, int32_t> firstOf;
  for (EinsumId e : s.order) {
    int32_t part = c.einsums[e].part;
    int32_t first = firstOf.insert({{part, level[e], s.row[e]}, s.position[e]})
                        .first->second;
    groups[{part, level[e], first}].push_back(e);
  }
  std::vector<GroupMembers> result;
  for (const auto &g : groups)
    result.push_back(formPhases(g.second));
  return result;
}

std::vector<GroupMembers> formGroupsWithin(const Cascade &c, const Arch &a,
                                           const Structure &s,
                                           int64_t epochBytes, EpochSize size) {
  return GroupFormer(c, a, s, epochBytes, size, LoneSum::InOneEpoch).run();
}

GroupMembers formPhasesOf(const Cascade &c, const Arch &a, const Structure &s,
                          int64_t epochBytes, EpochSize size,
                          const std::vector<EinsumId> &einsums, LoneSum lone) {
  return GroupFormer(c, a, s, epochBytes, size, lone).formPhases(einsums);
}

std::vector<GroupMembers> formGroups(const Cascade &c, const Arch &a) {
  return formGroupsWithin(c, a, analyse(c), unitMemoryBytes(a),
                          EpochSize::Default);
}

int64_t unitMemoryBytes(const Arch &a) {
  for (const Unit &u : a.units)
    if (u.memory >= 0 && size_t(u.memory) < a.memories.size() &&
        a.memories[u.memory].capacityBytes >= 0)
      return a.memories[u.memory].capacityBytes;
  return INT64_MAX / 2;
}

} // namespace transfusion::core
