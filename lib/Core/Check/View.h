//===- View.h - A schedule's sizes and places, resolved ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rules look at: written from the text of Schedule.h and Plan.h, not
// from their code, which is what it judges.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_CHECK_VIEW_H
#define TRANSFUSION_LIB_CORE_CHECK_VIEW_H

#include "Reads.h"
#include "transfusion/Core/Model/Schedule.h"

namespace transfusion::core::check {

struct Place {
  int32_t group = -1, phase = -1, run = -1, index = -1;
  bool exists() const { return group >= 0; }
};

/// One rank in one phase; all sizes resolved.
struct Cut {
  int64_t tile = 1, block = 1, inner = 1;
  int64_t trips = 1; ///< epochs along the rank in one full outer tile
  int32_t position = -1;
};

struct View {
  const Cascade &c;
  const Schedule &s;
  std::vector<Read> reads;
  std::vector<std::vector<std::vector<Cut>>> cuts; ///< [group][phase][rank]
  std::vector<Place> main, finish;                 ///< by EinsumId

  /// Requires S01 and S06.
  View(const Cascade &c, const Schedule &s);

  const Slot &slot(const Place &p) const {
    return s.groups[p.group].phases[p.phase].runs[p.run].slots[p.index];
  }
  int64_t tile(int32_t group, RankId r) const {
    return cuts[group].empty() ? c.ranks[r].extent : cuts[group][0][r].tile;
  }
  bool tiled(int32_t group, RankId r) const {
    return tile(group, r) < c.ranks[r].extent;
  }
  /// The reduction of `e` is spread over the epochs of the phase that runs it.
  bool accumulates(EinsumId e) const { return accumulating[e]; }
  /// Where the value of `t` is complete; nowhere for an input.
  Place madeAt(TensorId t) const;
  /// Where an operand is read.
  Place readAt(const Read &r) const;
  /// The Einsum of a slot has the rank there (a lone finish: its result's).
  bool slotHasRank(const Slot &slot, RankId r) const;
  bool resultHasRank(EinsumId e, RankId r) const;

private:
  bool spansEpochs(EinsumId e) const;
  std::vector<bool> accumulating; ///< by EinsumId
};

/// "group 1", "phase 2 of group 1": counted from 1, as plans and reports do.
std::string groupText(int32_t group);
std::string phaseText(int32_t group, int32_t phase);

} // namespace transfusion::core::check

#endif // TRANSFUSION_LIB_CORE_CHECK_VIEW_H
