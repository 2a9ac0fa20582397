//===- ChooseResidents.cpp - Which tensors stay in between ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseResidents.h"

#include "SpaceSearch.h"

#include "transfusion/Core/Model/Footprint.h"
#include "transfusion/Core/Model/Mapping.h"
#include "transfusion/Core/Search/Feasible.h"

#include <algorithm>

namespace transfusion::core {

namespace {

/// Pieces that are tried at a time.
constexpr size_t kMostPieces = 8;

struct Candidate {
  TensorId tensor = -1;
  int32_t group = -1; ///< whose tiles it is a piece of; -1: whole
  double worth = 0;   ///< bytes spared for a byte and group
};

template <typename T> void drop(std::vector<T> &list, TensorId t) {
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const T &x) { return x.tensor == t; }),
             list.end());
}

void insert(std::vector<Resident> &list, Resident r) {
  list.insert(std::upper_bound(list.begin(), list.end(), r,
                               [](const Resident &x, const Resident &y) {
                                 return x.tensor < y.tensor;
                               }),
              r);
}

/// A whole tensor takes the place of its pieces.
Schedule withResident(const Schedule &s, const Candidate &candidate,
                      MemoryId m) {
  Schedule more = s;
  const TensorId t = candidate.tensor;
  auto enter = [&](Group &g) {
    drop(g.residents, t);
    for (Phase &p : g.phases) {
      drop(p.prefetch, t);
      drop(p.defer, t);
    }
  };
  if (candidate.group >= 0) {
    enter(more.groups[candidate.group]);
    insert(more.groups[candidate.group].residents, {t, m});
    return more;
  }
  for (Group &g : more.groups)
    enter(g);
  insert(more.residents, {t, m});
  return more;
}

bool isResident(const Schedule &s, TensorId t) {
  return std::any_of(s.residents.begin(), s.residents.end(),
                     [&](const Resident &r) { return r.tensor == t; });
}

/// Whole tensors.
void addTensors(const Cascade &c, const Plan &plan,
                const std::vector<TensorTraffic> &traffic,
                std::vector<Candidate> &all) {
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
      all.push_back({t, -1, spared / (size * (last - first + 1))});
  }
}

/// Pieces of the outer tiles of `g`, of what is fetched more often than once.
void addPieces(const Cascade &c, const Schedule &s, const Plan &plan,
               const std::vector<TensorTraffic> &traffic, int32_t g,
               std::vector<Candidate> &all) {
  std::vector<TensorId> seen;
  for (int32_t id : plan.groups[g].buffers) {
    const Buffer &b = plan.buffers[id];
    const Tensor &tensor = c.tensors[b.tensor];
    if (b.role != BufferRole::Input || b.level == RetainLevel::Group ||
        b.outer != 0 || tensor.iterativeDim >= 0 ||
        std::find(seen.begin(), seen.end(), b.tensor) != seen.end())
      continue;
    seen.push_back(b.tensor);
    double piece = double(bytesPerValue(tensor.bitsPerValue));
    for (const BufferDim &dim : b.dims) {
      const RankId r = dim.rank;
      piece *= r < 0 ? double(dim.extent)
                     : double(plan.groups[g].phases[b.phase].cuts[r].tile);
    }
    const double spared =
        double(traffic[b.tensor].readBytes[0]) - double(tensorBytes(tensor));
    if (piece > 0 && spared > 0 && !isResident(s, b.tensor))
      all.push_back({b.tensor, g, spared / piece});
  }
}

void sortByWorth(std::vector<Candidate> &all) {
  std::sort(all.begin(), all.end(), [](const Candidate &x, const Candidate &y) {
    return x.worth != y.worth     ? x.worth > y.worth
           : x.tensor != y.tensor ? x.tensor < y.tensor
                                  : x.group < y.group;
  });
}

/// Takes the candidates that lower the cost, in their order; says the cost.
class Chooser {
public:
  Chooser(const Cascade &c, const Arch &a, Schedule &s, Evaluator &evaluator)
      : c(c), a(a), s(s), evaluator(evaluator), between(memoriesBetween(a)) {}

  double take(const std::vector<Candidate> &candidates,
              const std::function<double(const CostReport &)> &costOf,
              double cost) {
    for (const Candidate &candidate : candidates) {
      if (candidate.group >= 0 && isResident(s, candidate.tensor))
        continue;
      for (MemoryId m : between) {
        if (passesBy(c, a.memories[m], candidate.tensor, candidate.group >= 0))
          continue;
        Schedule more = withResident(s, candidate, m);
        const Plan larger = makePlan(c, a, more);
        if (!larger.faults.empty() || !residentsFit(a, larger))
          continue;
        const CostReport report = evaluator.evaluate(more, larger);
        // A whole tensor spares energy where it costs no time.
        if (!report.faults.empty() ||
            (candidate.group < 0 ? costOf(report) > cost
                                 : costOf(report) >= cost))
          continue;
        cost = costOf(report);
        s = std::move(more);
        break;
      }
    }
    return cost;
  }

private:
  const Cascade &c;
  const Arch &a;
  Schedule &s;
  Evaluator &evaluator;
  const std::vector<MemoryId> between;
};

} // namespace

void chooseResidents(const Cascade &c, const Arch &a, Schedule &s,
                     Evaluator &evaluator, Objective objective) {
  s.residents.clear();
  for (Group &g : s.groups)
    g.residents.clear();
  if (memoriesBetween(a).empty())
    return;
  const Plan plan = makePlan(c, a, s);
  std::vector<TensorTraffic> traffic;
  const CostReport before = evaluator.evaluate(s, plan, traffic);
  if (!before.faults.empty())
    return;
  std::vector<Candidate> tensors, pieces, both;
  addTensors(c, plan, traffic, tensors);
  for (int32_t g = 0; g < static_cast<int32_t>(s.groups.size()); ++g)
    addPieces(c, s, plan, traffic, g, pieces);
  for (std::vector<Candidate> *list : {&tensors, &pieces}) {
    sortByWorth(*list);
    both.insert(both.end(), list->begin(), list->end());
  }
  auto costOf = [&](const CostReport &r) { return objectiveOf(objective, r); };
  const double without = costOf(before);
  // A greedy choice may block a better one: whole tensors first, or by worth.
  Schedule mixed = s;
  const double cost = Chooser(c, a, s, evaluator).take(both, costOf, without);
  sortByWorth(both);
  if (!pieces.empty() &&
      Chooser(c, a, mixed, evaluator).take(both, costOf, without) < cost)
    s = std::move(mixed);
}

bool choosePieces(const Cascade &c, const Arch &a, Schedule &s,
                  const std::vector<int32_t> &groups, Evaluator &evaluator,
                  const std::function<double(const CostReport &)> &costOf,
                  double cost) {
  const Plan plan = makePlan(c, a, s);
  std::vector<TensorTraffic> traffic;
  if (!evaluator.evaluate(s, plan, traffic).faults.empty())
    return false;
  std::vector<Candidate> candidates;
  for (int32_t g : groups)
    addPieces(c, s, plan, traffic, g, candidates);
  sortByWorth(candidates);
  candidates.resize(std::min(candidates.size(), kMostPieces));
  return Chooser(c, a, s, evaluator).take(candidates, costOf, cost) < cost;
}

} // namespace transfusion::core
