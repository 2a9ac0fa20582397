//===- PlanSkip.cpp - Steps that a phase leaves out -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

/// The rank along which the phase's Einsums recur; -1: none, or several.
static RankId recurrenceRank(const Cascade &c, const PhasePlan &phase) {
  RankId rank = -1;
  for (const PlannedSlot &slot : phase.slots) {
    const RankId r =
        c.tensors[c.einsums[slot.einsum].result.tensor].iterativeRank;
    if (r >= 0 && rank >= 0 && r != rank)
      return -1;
    rank = r >= 0 ? r : rank;
  }
  return rank;
}

/// Why the phase may not leave out steps of `r`; empty when it may. A step that
/// did not run has made nothing and loaded nothing.
std::string PlanBuilder::whyNotSkip(int32_t g, int32_t p, RankId r) const {
  const PhasePlan &phase = plan.groups[g].phases[p];
  const std::string &rank = c.ranks[r].name;
  if (phase.cuts[r].position < 0)
    return "its order does not list " + rank;
  const std::vector<RankId> &order = s.groups[g].phases[p].order;
  for (size_t k = phase.cuts[r].position + 1; k < order.size(); ++k)
    if (phase.cuts[order[k]].inner < phase.cuts[order[k]].tile)
      return rank + " is not its innermost loop";
  auto here = [&](EinsumId e) {
    return std::any_of(
        phase.slots.begin(), phase.slots.end(),
        [&](const PlannedSlot &slot) { return slot.einsum == e; });
  };
  for (const PlannedSlot &slot : phase.slots) {
    const Einsum &e = c.einsums[slot.einsum];
    if (slot.finishOnly || slot.accumulates || !e.hasRank(r))
      return slotName(slot) + " does not run along " + rank;
    // What is finished must follow from the steps that run.
    bool onResult = false, onReduced = false;
    for (const Constraint &k : e.domain) {
      bool reduced = false;
      for (const auto &term : k.expr.terms)
        reduced |= isReducedRank(c, slot.einsum, term.first);
      (reduced ? onReduced : onResult) = true;
    }
    if (e.hasFinish && onResult && onReduced)
      return "the domain of " + slotName(slot) +
             " cuts some of its results and empties others";
    const Tensor &t = c.tensors[e.result.tensor];
    bool leaves = t.isOutput;
    for (const Reader &reader : readersOf[e.result.tensor])
      leaves |= !here(reader.einsum) &&
                (t.iterativeDim < 0 ||
                 reader.operand->access[t.iterativeDim].uses(r));
    if (leaves)
      return t.name + " is read outside, also where no step has made it";
    for (const std::vector<Operand> *part : {&e.inputs, &e.finishInputs})
      for (const Operand &o : *part) {
        const EinsumId producer = c.tensors[o.tensor].producer;
        if (producer >= 0 && here(producer))
          continue;
        for (const LinearExpr &x : o.access) {
          if (!x.uses(r))
            continue;
          if (e.domain.empty())
            return slotName(slot) + " reads " + c.tensors[o.tensor].name +
                   " along " + rank + " where no point exists";
          if (!isDigits(c, x))
            return slotName(slot) + " reads pieces of " +
                   c.tensors[o.tensor].name + " that overlap along " + rank;
        }
      }
  }
  return "";
}

void PlanBuilder::findActiveSteps(int32_t g, int32_t p) {
  PhasePlan &phase = plan.groups[g].phases[p];
  const RankId r = recurrenceRank(c, phase);
  std::string why =
      r < 0 ? "its Einsums do not recur along one rank" : whyNotSkip(g, p, r);
  if (why.empty()) {
    std::vector<EinsumId> einsums;
    for (const PlannedSlot &slot : phase.slots)
      einsums.push_back(slot.einsum);
    phase.active = activeSteps(c, einsums, r, why);
  }
  if (!why.empty())
    fault(where(g, p) + " cannot skip: " + why);
}

} // namespace transfusion::core
