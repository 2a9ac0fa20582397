//===- DPipe.h - Groups, phases and pipelines -------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DPipe (Zhang, Amaral, Niu, MICRO 2025). Strategy `bipartition`: per phase,
// all dependency-complete, weakly connected two-way cuts of the sub-cascade,
// the second part of epoch i-1 beside the first of epoch i, all topological
// orders, each Einsum to the unit that finishes it first. Ties: least II, then
// fill + drain, then bytes crossing the cut, then canonical order; a unit tie
// goes to the first unit in the arch.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_DPIPE_H
#define TRANSFUSION_CORE_SEARCH_DPIPE_H

#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Cost/Timing.h"
#include "transfusion/Core/Model/Schedule.h"
#include "transfusion/Core/Search/Policy.h"

namespace transfusion::core {

/// Groups and phases as sets of Einsums, before sizes and slots.
struct PhaseMembers {
  std::vector<EinsumId> einsums;  ///< canonical order
  std::vector<EinsumId> finishes; ///< finishOnly slots that run here
};
struct GroupMembers {
  std::vector<PhaseMembers> phases;
};

/// The fixed rule: an Einsum joins its producers' phase if it shares the row
/// tile, reduces nothing that the epochs do not hold whole, and does not lack a
/// rank through which the epochs iterate by reduction or recurrence.
std::vector<GroupMembers> formGroups(const Cascade &c, const Arch &a);

struct PhasePipeline {
  std::vector<Run> runs; ///< only units that got a slot
  int32_t stages = 1;
  int64_t ii = 0, fill = 0, drain = 0;
  int64_t cutBytes = 0;
  int64_t cutsTried = 0, ordersTried = 0;
};

/// Solves one phase for one inner tile. `accumulating[i]`: the reduction of
/// members.einsums[i] spans epochs.
PhasePipeline solveBipartition(const Cascade &c, const Arch &a,
                               const PhaseMembers &members,
                               const std::vector<bool> &accumulating,
                               const Extents &inner);

/// Spatial mapping of an Einsum by the default rule: rows = p (m for keys and
/// values); cols = the phase's column rank if the Einsum has it, else h.
struct SpatialMapping {
  std::vector<RankId> rows, cols;
};
SpatialMapping defaultMapping(const Cascade &c, const PhaseMembers &members,
                              EinsumId e);

struct DPipeResult {
  Schedule schedule;
  std::vector<Violation> infeasible; ///< not empty: no schedule
};

/// Groups, phases, orders, inner tiles and slots; tiles of one inner tile per
/// tiled rank, less only where that does not fit.
DPipeResult dpipe(const Cascade &c, const Arch &a,
                  Policy policy = Policy::TransFusion);

/// Recomputes the slots of every phase of `s` for its sizes, keeping groups,
/// phases, tiles, blocks, inner and retention.
void solveSlots(const Cascade &c, const Arch &a, Schedule &s,
                Policy policy = Policy::TransFusion);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_DPIPE_H
