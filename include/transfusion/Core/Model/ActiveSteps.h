//===- ActiveSteps.h - Steps of a recurrence that have points ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *step* is one index of the iterative rank along which a phase's
// Einsums recur. It is *active* in a box of the other ranks when points of the
// Einsums' domain exist in it; by intervals: every constraint holds at some
// point of the box, and so does every one that follows from two of them by
// eliminating the iterative rank. For differences of two indices (causal,
// windows, padding, ragged tiles) that is exact; elsewhere a step without
// points may count as active, never the other way round. Each constraint is
// linear, so the active steps of a box are a run [first, last) whose ends are
// the greatest and the least of affine functions of the box.
//
// Toy example, keys m1*4 + m0 <= p: queries [8, 12) are active in [0, 3); with
// a window p - 4 < m1*4 + m0 besides, in [1, 3).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_ACTIVESTEPS_H
#define TRANSFUSION_CORE_MODEL_ACTIVESTEPS_H

#include "transfusion/Core/Model/Points.h"

namespace transfusion::core {

struct ActiveSteps {
  RankId rank = -1; ///< the iterative rank; -1: every step runs
  std::vector<Constraint> where;

  bool skips() const { return rank >= 0; }
  bool dependsOn(RankId r) const;
};

/// Steps [first, last) of the iterative rank.
struct StepRun {
  int64_t first = 0, last = 0;
  int64_t steps() const { return last > first ? last - first : 0; }
};

/// Steps that are active somewhere in `box` (by RankId; its span of the
/// iterative rank says which steps there are). May be empty.
StepRun activeRun(const ActiveSteps &active, const std::vector<Span> &box);

/// Steps that run: the active ones, or the first one where none is.
StepRun runOf(const ActiveSteps &active, const std::vector<Span> &box);

/// Of the given Einsums along `rank`, from their domains. Without `where` when
/// no step may be left out; `why` says why.
ActiveSteps activeSteps(const Cascade &c, const std::vector<EinsumId> &einsums,
                        RankId rank, std::string &why);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_ACTIVESTEPS_H
