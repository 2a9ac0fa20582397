//===- SkipSteps.cpp - Which phases leave out empty steps -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SkipSteps.h"

#include "transfusion/Core/Cost/Evaluate.h"

#include <algorithm>

namespace transfusion::core {

/// Some Einsum recurs, and some is cut by a domain.
static bool mightSkip(const Cascade &c, const Phase &p) {
  bool recurs = false, cut = false;
  for (const Run &run : p.runs)
    for (const Slot &slot : run.slots) {
      const Einsum &e = c.einsums[slot.einsum];
      recurs |= c.tensors[e.result.tensor].iterativeRank >= 0;
      cut |= !e.domain.empty();
    }
  return recurs && cut;
}

void chooseSkips(const Cascade &c, const Arch &a, Schedule &s) {
  for (size_t g = 0; g < s.groups.size(); ++g)
    for (size_t p = 0; p < s.groups[g].phases.size(); ++p) {
      Phase &phase = s.groups[g].phases[p];
      phase.skip = false;
      if (!mightSkip(c, phase))
        continue;
      const CostReport all = evaluate(c, a, s);
      phase.skip = true;
      const CostReport some = evaluate(c, a, s);
      phase.skip = all.faults.empty() && some.faults.empty() &&
                   some.groups[g].phases[p].computeCycles <
                       all.groups[g].phases[p].computeCycles;
    }
}

double activeShare(const Cascade &c, const PhasePlan &phase) {
  const ActiveSteps &active = phase.active;
  if (!active.skips())
    return 1;
  std::vector<Span> box = wholeSpans(c);
  // Along each rank of a row by itself, a few dozen rows.
  constexpr int64_t samples = 64;
  double share = 1;
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
    if (r == active.rank || !active.dependsOn(r))
      continue;
    const Span whole = box[r];
    const int64_t inner = phase.cuts[r].inner;
    const int64_t rows = (whole.extent + inner - 1) / inner;
    const int64_t stride = std::max<int64_t>(1, rows / samples);
    double steps = 0, looked = 0;
    for (int64_t i = 0; i < rows; i += stride, ++looked) {
      box[r] = {i * inner, std::min(inner, whole.extent - i * inner)};
      steps += static_cast<double>(runOf(active, box).steps());
    }
    box[r] = whole;
    share = std::min(share, steps / looked /
                                static_cast<double>(box[active.rank].extent));
  }
  return share;
}

} // namespace transfusion::core
