//===- Timing.h - Cycles of one phase's software pipeline -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. The *initiation interval* (II) is the number of cycles from one step
// of a phase's pipeline to the next. Wrap off: a step is a block of its own,
// stage s of epoch k - s beside the others, and II is its makespan. Wrap on:
// the least II at which the given order and stages work as a modulo schedule.
//
// Starts are not decisions: each unit issues its slots in list order, a slot
// starts when its unit is free and what it reads in the same step is made.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_TIMING_H
#define TRANSFUSION_CORE_COST_TIMING_H

#include "transfusion/Core/Model/Schedule.h"

namespace transfusion::core {

/// Extents by RankId of one epoch's inner tile.
using Extents = std::vector<int64_t>;

/// Cycles of a slot on one inner tile (on what the first of several instances
/// takes of it): ceil-folds over the unit's lanes times the cycles of its
/// bodies. On a 1D unit rows are laid out first, columns take
/// the spare lanes: lanes / rows of them when rows < lanes. -1: unsupported.
/// `accumulates`: finish does not run here; `finishOnly`: only finish runs.
int64_t slotCycles(const Cascade &c, const Unit &u, const Slot &s,
                   bool accumulates, const Extents &epoch);

struct SlotTiming {
  int32_t run = -1, index = -1;
  EinsumId einsum = -1;
  bool finishOnly = false;
  int32_t stage = 0;
  int64_t start = 0, cycles = 0; ///< within the step
};

struct PhaseTiming {
  std::vector<SlotTiming> slots; ///< by start, then run, then index
  int64_t ii = 0;                ///< of a steady step
  int64_t fill = 0, drain = 0;   ///< of the lone first and last stages
  /// Slots that read in a step what is made later in it, or never start
  /// because units wait for each other. Empty for a legal schedule; starts are
  /// then what the issue order alone gives.
  std::vector<std::string> violations;
};

/// `perStage[s]`: inner tile of the epoch that stage s works on in this step.
/// An empty entry: stage s is idle (fill and drain, ragged ends).
PhaseTiming timePhase(const Cascade &c, const Arch &a, const Phase &p,
                      const std::vector<Extents> &perStage);

/// The slots of a step in which no stage is idle, counted by run, then index:
/// an order in which they can be issued, and whose ends in the same step a slot
/// waits for, besides those before it on its unit.
struct IssueOrder {
  std::vector<int32_t> slots;
  std::vector<std::vector<int32_t>> waits; ///< by slot
  std::vector<UnitId> units;               ///< by slot
};
IssueOrder issueOrder(const Cascade &c, const Arch &a, const Phase &p);

/// True when the reduction of `e` spans the epochs of `p`: a reduced rank is in
/// p.order, is not iterative, and its inner is smaller than the tile.
bool reductionSpansEpochs(const Cascade &c, const Group &g, const Phase &p,
                          EinsumId e);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_TIMING_H
