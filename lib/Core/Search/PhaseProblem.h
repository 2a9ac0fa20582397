//===- PhaseProblem.h - The pipeline problem of one phase -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. From sets of Einsums to nodes with a spatial
// mapping and cycles on every unit, and back from a solution to runs. DPipe and
// the policies with a fixed binding differ in what lies between.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_PHASEPROBLEM_H
#define TRANSFUSION_LIB_CORE_SEARCH_PHASEPROBLEM_H

#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/Pipeline.h"
#include "transfusion/Core/Search/Structure.h"

namespace transfusion::core {

struct PhaseNode {
  Slot slot;
  bool accumulates = false;
};

struct PhaseProblem {
  std::vector<PhaseNode> nodes; ///< finishes, then canonical order
  RankId head = -1;             ///< of the phase
  PipelineProblem pipeline;
};

PhaseProblem makePhaseProblem(const Cascade &c, const Arch &a,
                              const Structure &s, const PhaseMembers &members,
                              const std::vector<bool> &accumulating,
                              const Extents &inner);

/// Where there are several instances of a unit, slots are split over them.
PhasePipeline makeRuns(const Cascade &c, const Arch &a,
                       const PhaseProblem &problem,
                       const PipelineSolution &solved, const Extents &inner);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_PHASEPROBLEM_H
