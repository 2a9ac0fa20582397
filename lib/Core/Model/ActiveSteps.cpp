//===- ActiveSteps.cpp - Steps of a recurrence that have points -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/ActiveSteps.h"

#include "Wide.h"

#include "transfusion/Core/Model/Projection.h"

#include <algorithm>

namespace transfusion::core {

bool ActiveSteps::dependsOn(RankId r) const {
  return std::any_of(where.begin(), where.end(),
                     [&](const Constraint &k) { return k.expr.uses(r); });
}

StepRun activeRun(const ActiveSteps &active, const std::vector<Span> &box) {
  const Span &steps = box[active.rank];
  Wide first = steps.begin, last = first + steps.extent;
  for (const Constraint &k : active.where) {
    Wide most = k.expr.constant; // of what is not the iterative rank
    int64_t slope = 0;
    for (const auto &[rank, coefficient] : k.expr.terms) {
      if (rank == active.rank) {
        slope = coefficient;
        continue;
      }
      const Span &span = box[rank];
      const Wide at = coefficient > 0 ? Wide(span.begin) + span.extent - 1
                                      : Wide(span.begin);
      most += at * coefficient;
    }
    if (slope > 0)
      first = std::max(first, -floorDiv(most, slope));
    else if (slope < 0)
      last = std::min(last, floorDiv(most, -Wide(slope)) + 1);
    else if (most < 0)
      last = first;
  }
  if (first >= last)
    return {steps.begin, steps.begin};
  return {static_cast<int64_t>(first), static_cast<int64_t>(last)};
}

StepRun runOf(const ActiveSteps &active, const std::vector<Span> &box) {
  StepRun run = activeRun(active, box);
  if (run.steps() == 0)
    run = {box[active.rank].begin, box[active.rank].begin + 1};
  return run;
}

//===----------------------------------------------------------------------===//
// From domains
//===----------------------------------------------------------------------===//

static bool sameSet(const std::vector<Constraint> &x,
                    const std::vector<Constraint> &y) {
  auto within = [](const std::vector<Constraint> &a,
                   const std::vector<Constraint> &b) {
    return std::all_of(a.begin(), a.end(),
                       [&](const Constraint &k) { return contains(b, k); });
  };
  return within(x, y) && within(y, x);
}

ActiveSteps activeSteps(const Cascade &c, const std::vector<EinsumId> &einsums,
                        RankId rank, std::string &why) {
  ActiveSteps active;
  const std::string &name = c.ranks[rank].name;
  bool afterFirst = false;
  for (EinsumId e : einsums) {
    const Tensor &t = c.tensors[c.einsums[e].result.tensor];
    if (t.iterativeRank != rank)
      continue;
    if (t.emptySteps == EmptySteps::Counts) {
      why = "a step of " + name + " without points may change " + t.name +
            (t.whyTheyCount.empty() ? "" : ": " + t.whyTheyCount);
      return active;
    }
    afterFirst |= t.emptySteps == EmptySteps::NeutralAfterFirst;
  }
  const Einsum *cut = nullptr;
  for (EinsumId e : einsums) {
    const Einsum &einsum = c.einsums[e];
    if (einsum.domain.empty())
      continue;
    if (cut && !sameSet(cut->domain, einsum.domain)) {
      why = cut->name + " and " + einsum.name + " have different domains";
      return active;
    }
    cut = &einsum;
  }
  if (!cut) {
    why = "no Einsum along " + name + " has a domain";
    return active;
  }
  for (const Constraint &k : cut->domain)
    if (!holdsEverywhere(c, k.expr) && !contains(active.where, k))
      active.where.push_back(k);
  const size_t own = active.where.size();
  for (size_t i = 0; i < own; ++i)
    for (size_t j = 0; j < own; ++j) {
      const LinearExpr &x = active.where[i].expr, &y = active.where[j].expr;
      const int64_t a = coefficientOf(x, rank), b = coefficientOf(y, rank);
      if (a >= 0 || b <= 0)
        continue;
      Constraint implied;
      if (eliminate(y, x, rank, implied.expr) &&
          !holdsEverywhere(c, implied.expr) && !contains(active.where, implied))
        active.where.push_back(std::move(implied));
    }
  // Before the first step has run, an empty one may count.
  if (afterFirst)
    active.where.erase(std::remove_if(active.where.begin(), active.where.end(),
                                      [&](const Constraint &k) {
                                        return coefficientOf(k.expr, rank) > 0;
                                      }),
                       active.where.end());
  if (active.where.empty()) {
    why = "every step of " + name + " has points";
    return active;
  }
  active.rank = rank;
  return active;
}

} // namespace transfusion::core
