//===- View.cpp - A schedule's sizes and places, resolved -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"
#include "Sink.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

static int64_t sizeOr(const std::vector<int64_t> &sizes, RankId r,
                      int64_t whole) {
  return sizes.empty() || sizes[r] == 0 ? whole : sizes[r];
}

View::View(const Cascade &c, const Schedule &s)
    : c(c), s(s), reads(allReads(c)), main(c.einsums.size()),
      finish(c.einsums.size()) {
  for (int32_t g = 0; g < static_cast<int32_t>(s.groups.size()); ++g) {
    const Group &group = s.groups[g];
    cuts.emplace_back();
    for (int32_t p = 0; p < static_cast<int32_t>(group.phases.size()); ++p) {
      const Phase &phase = group.phases[p];
      std::vector<Cut> &ranks = cuts[g].emplace_back(c.ranks.size());
      for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
        Cut &cut = ranks[r];
        cut.tile = sizeOr(group.tile, r, c.ranks[r].extent);
        cut.block = sizeOr(phase.block, r, cut.tile);
        cut.inner = sizeOr(phase.inner, r, cut.block);
        cut.trips = ceilDiv(cut.tile, cut.inner);
        auto it = std::find(phase.order.begin(), phase.order.end(), r);
        if (it != phase.order.end())
          cut.position = static_cast<int32_t>(it - phase.order.begin());
      }
      for (int32_t u = 0; u < static_cast<int32_t>(phase.runs.size()); ++u)
        for (int32_t i = 0;
             i < static_cast<int32_t>(phase.runs[u].slots.size()); ++i) {
          const Slot &slot = phase.runs[u].slots[i];
          Place &place = (slot.finishOnly ? finish : main)[slot.einsum];
          if (!place.exists())
            place = {g, p, u, i};
        }
    }
  }
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
    accumulating.push_back(spansEpochs(e));
}

bool View::resultHasRank(EinsumId e, RankId r) const {
  return usesRank(c.einsums[e].result.access, r);
}

bool View::slotHasRank(const Slot &slot, RankId r) const {
  return slot.finishOnly ? resultHasRank(slot.einsum, r)
                         : c.einsums[slot.einsum].hasRank(r);
}

bool View::spansEpochs(EinsumId e) const {
  if (!main[e].exists())
    return false;
  for (RankId r : c.einsums[e].ranks)
    if (!resultHasRank(e, r) && !c.ranks[r].iterative &&
        cuts[main[e].group][main[e].phase][r].trips > 1)
      return true;
  return false;
}

Place View::madeAt(TensorId t) const {
  EinsumId e = c.tensors[t].producer;
  if (e < 0)
    return {};
  return accumulates(e) ? finish[e] : main[e];
}

Place View::readAt(const Read &r) const {
  return r.inFinish && accumulates(r.reader) ? finish[r.reader]
                                             : main[r.reader];
}

std::string check::groupText(int32_t group) {
  return "group " + num(group + 1);
}

std::string check::phaseText(int32_t group, int32_t phase) {
  return "phase " + num(phase + 1) + " of " + groupText(group);
}
