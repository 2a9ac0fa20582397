//===- PolicyGroups.cpp - Groups and phases of each policy ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Einsums are first put into sets that cannot or shall not be apart: attention,
// where the policy fuses it, and always the Einsums of one recurrence, whose
// slices nobody else may read. A set becomes a group; sets follow each other in
// topological order.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/PolicyRules.h"

#include <algorithm>

namespace transfusion::core {

const char *policyName(Policy p) {
  switch (p) {
  case Policy::TransFusion:
    return "transfusion";
  case Policy::TransFusionPaper:
    return "transfusion-paper";
  case Policy::FuseMaxLayerFuse:
    return "fusemax-layerfuse";
  case Policy::FuseMax:
    return "fusemax";
  case Policy::FuseMaxModelled:
    return "fusemax-modelled";
  case Policy::Flat:
    return "flat";
  case Policy::Unfused:
    return "unfused";
  }
  return "";
}

std::optional<Policy> policyFromName(const std::string &name) {
  for (int i = 0; i < kNumPolicies; ++i)
    if (name == policyName(static_cast<Policy>(i)))
      return static_cast<Policy>(i);
  return std::nullopt;
}

int attentionPasses(Policy p) {
  return p == Policy::Flat || p == Policy::Unfused ? 3 : 1;
}

bool oneHeadPerEpoch(Policy policy, const PhaseShape &shape) {
  return !shape.iterative.empty() &&
         (policy == Policy::FuseMax || policy == Policy::FuseMaxModelled ||
          policy == Policy::FuseMaxLayerFuse);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Its operands share a rank that the result keeps and that is no tile count.
static bool mixesHeads(const Cascade &c, const Structure &s, EinsumId e) {
  if (!s.contraction[e])
    return false;
  for (RankId r : c.einsums[e].ranks) {
    bool everywhere = !c.ranks[r].iterative && !isReducedRank(c, e, r);
    for (const Operand &o : c.einsums[e].inputs)
      everywhere = everywhere && has(accessRanks(o.access), r);
    if (everywhere)
      return true;
  }
  return false;
}

std::vector<int32_t> attentionComponents(const Cascade &c, const Structure &s) {
  const size_t n = c.einsums.size();
  std::vector<bool> core(n, false), below(n, false), above(n, false);
  for (EinsumId e = 0; e < static_cast<EinsumId>(n); ++e)
    core[e] = mixesHeads(c, s, e);
  // Reached from one, and reaching one, through no other contraction.
  auto spread = [&](std::vector<bool> &reached, bool forward) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Dependence &d : s.dependences) {
        const EinsumId from = forward ? d.from : d.to;
        const EinsumId to = forward ? d.to : d.from;
        if (reached[to] || s.contraction[to] || !(core[from] || reached[from]))
          continue;
        reached[to] = true;
        changed = true;
      }
    }
  };
  spread(below, true);
  spread(above, false);
  std::vector<bool> inside(n, false);
  for (size_t e = 0; e < n; ++e)
    inside[e] = core[e] || (below[e] && above[e]);
  // A recurrence is never parted.
  std::vector<RankId> iterative;
  for (size_t e = 0; e < n; ++e)
    for (RankId r : c.einsums[e].ranks)
      if (inside[e] && c.ranks[r].iterative && !has(iterative, r))
        iterative.push_back(r);
  for (size_t e = 0; e < n; ++e)
    for (RankId r : iterative)
      inside[e] = inside[e] || c.einsums[e].hasRank(r);
  // What reads nothing else finishes it (AV).
  for (EinsumId e : s.order) {
    bool only = !inside[e] && !s.contraction[e], any = false;
    for (const std::vector<Operand> *part :
         {&c.einsums[e].inputs, &c.einsums[e].finishInputs})
      for (const Operand &o : *part) {
        const EinsumId p = c.tensors[o.tensor].producer;
        only = only && p >= 0 && inside[p];
        any = true;
      }
    if (only && any)
      inside[e] = true;
  }
  std::vector<int32_t> component(n, -1);
  int32_t count = 0;
  for (EinsumId seed : s.order) {
    if (!inside[seed] || component[seed] >= 0)
      continue;
    component[seed] = count;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Dependence &d : s.dependences)
        for (auto [x, y] : {std::pair(d.from, d.to), std::pair(d.to, d.from)})
          if (component[x] == count && inside[y] && component[y] < 0) {
            component[y] = count;
            changed = true;
          }
    }
    ++count;
  }
  return component;
}

//===----------------------------------------------------------------------===//
// Sets and groups
//===----------------------------------------------------------------------===//

namespace {
/// Union-find over Einsums.
class Sets {
public:
  explicit Sets(size_t n) : parent(n) {
    for (size_t i = 0; i < n; ++i)
      parent[i] = static_cast<int32_t>(i);
  }
  int32_t find(int32_t x) {
    while (parent[x] != x)
      x = parent[x] = parent[parent[x]];
    return x;
  }
  void join(int32_t x, int32_t y) { parent[find(x)] = find(y); }

private:
  std::vector<int32_t> parent;
};
} // namespace

/// Members of each set in canonical order, sets in topological order. Sets that
/// need each other (something between two of their members) become one.
static std::vector<std::vector<EinsumId>>
orderedSets(const Cascade &c, const Structure &s, Sets &sets) {
  const size_t n = c.einsums.size();
  std::vector<std::vector<EinsumId>> result;
  std::vector<bool> done(n, false);
  while (result.size() < n) {
    int32_t next = -1;
    size_t left = 0;
    for (EinsumId e : s.order) {
      left += !done[e];
      if (done[e] || next >= 0)
        continue;
      bool ready = true;
      for (EinsumId other : s.order) // part after part
        ready = ready &&
                (done[other] || c.einsums[other].part >= c.einsums[e].part);
      for (const Dependence &d : s.dependences)
        ready = ready && (sets.find(d.to) != sets.find(e) || done[d.from] ||
                          sets.find(d.from) == sets.find(e));
      if (ready)
        next = sets.find(e);
    }
    if (left == 0)
      break;
    if (next < 0) { // a circle of sets: join one with what it waits for
      for (const Dependence &d : s.dependences)
        if (next < 0 && !done[d.to] && !done[d.from] &&
            sets.find(d.from) != sets.find(d.to)) {
          sets.join(d.from, d.to);
          next = 0;
        }
      continue;
    }
    result.emplace_back();
    for (EinsumId e : s.order)
      if (sets.find(e) == next && !done[e]) {
        result.back().push_back(e);
        done[e] = true;
      }
  }
  return result;
}

/// A contraction of which one epoch of full rows and one head, with all that it
/// reduces, does not fit: it adds up over epochs instead of taking fewer rows,
/// and finishes afterwards.
static bool addsUp(const Cascade &c, const Arch &a, const Structure &s,
                   int64_t epochBytes, EinsumId e) {
  if (!s.contraction[e])
    return false;
  const PhaseMembers alone{{e}, {}};
  const PhaseShape whole = shapeOf(c, s, alone, {});
  const PhaseShape streamed = shapeOf(c, s, alone, {e});
  if (!streamed.legal || streamed.spanning.empty())
    return false;
  auto bytes = [&](const PhaseShape &shape) {
    Extents inner = defaultInner(c, a, alone, shape);
    if (shape.head >= 0)
      inner[shape.head] = 1;
    int64_t sum = footprintBytes(c, c.einsums[e].result, inner);
    for (const Operand &o : c.einsums[e].inputs)
      sum = std::min(sum + footprintBytes(c, o, inner), INT64_MAX / 2);
    return sum;
  };
  return bytes(whole) > epochBytes && bytes(streamed) < bytes(whole);
}

std::vector<GroupMembers> policyGroups(Policy policy, const Cascade &c,
                                       const Arch &a, const Structure &s,
                                       int64_t epochBytes, EpochSize size) {
  if (policy == Policy::TransFusion || policy == Policy::TransFusionPaper ||
      policy == Policy::FuseMaxLayerFuse)
    return formGroupsWithin(c, a, s, epochBytes, size);

  const size_t n = c.einsums.size();
  Sets sets(n);
  const std::vector<int32_t> attention = attentionComponents(c, s);
  auto joinWhere = [&](auto same) {
    for (EinsumId e = 0; e < static_cast<EinsumId>(n); ++e)
      for (EinsumId f = e + 1; f < static_cast<EinsumId>(n); ++f)
        if (c.einsums[e].part == c.einsums[f].part && same(e, f))
          sets.join(e, f);
  };
  joinWhere([&](EinsumId e, EinsumId f) { // of one recurrence
    for (RankId r : c.einsums[e].ranks)
      if (c.ranks[r].iterative && c.einsums[f].hasRank(r))
        return true;
    return false;
  });
  if (policy != Policy::Unfused)
    joinWhere([&](EinsumId e, EinsumId f) {
      return attention[e] >= 0 && attention[e] == attention[f];
    });

  std::vector<GroupMembers> groups;
  for (const std::vector<EinsumId> &set : orderedSets(c, s, sets)) {
    bool recurs = false;
    for (EinsumId e : set)
      for (RankId r : c.einsums[e].ranks)
        recurs |= c.ranks[r].iterative;
    if (set.size() > 1 && (recurs || policy != Policy::Flat)) {
      groups.push_back(formPhasesOf(c, a, s, epochBytes, size, set));
      continue;
    }
    groups.emplace_back();
    std::vector<PhaseMembers> &phases = groups.back().phases;
    bool unfinished = false; // the one before this
    for (EinsumId e : set) {
      phases.push_back({{e}, {}});
      if (unfinished)
        phases.back().finishes = phases[phases.size() - 2].einsums;
      // FLAT's rows of scores are short where its scores fit at all.
      unfinished = policy == Policy::Unfused && addsUp(c, a, s, epochBytes, e);
    }
    if (unfinished)
      phases.push_back({{}, phases.back().einsums});
  }
  return groups;
}

} // namespace transfusion::core
