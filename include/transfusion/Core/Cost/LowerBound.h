//===- LowerBound.h - What no schedule can beat -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_LOWERBOUND_H
#define TRANSFUSION_CORE_COST_LOWERBOUND_H

#include "transfusion/Core/Model/Schedule.h"

namespace transfusion::core {

/// One reason why nothing is faster; docs/Rationale/Bounds.md proves each.
struct BoundPart {
  std::string name; ///< "work", "recurrence", "dram bandwidth", "buffer ports"
  double cycles = 0;
};

struct LowerBound {
  double workCycles = 0;       ///< all work over all lanes that may do it
  double recurrenceCycles = 0; ///< slices that wait for each other
  double memoryCycles = 0;     ///< compulsory bytes over bandwidth
  int64_t compulsoryReadBytes = 0, compulsoryWriteBytes = 0; ///< at memory 0
  double cycles = 0;     ///< the greatest of the parts
  std::string limitedBy; ///< name of that part
  std::vector<BoundPart> parts;
};

/// Bound on the latency of the whole cascade. Work: the fractional assignment
/// of every Einsum's lane-cycles to the units that support it (a linear
/// program: max over subsets U of units of the work that only U can do divided
/// by the lanes of U). Memory: every input read once, every output written
/// once.
LowerBound lowerBound(const Cascade &c, const Arch &a);

/// Of each group of `s` alone, with what it reads from other groups or leaves
/// to them in memory 0. Their sum bounds all schedules with these groups.
std::vector<LowerBound> groupBounds(const Cascade &c, const Arch &a,
                                    const Schedule &s);

/// Steps of a recurrence one after another: for every iterative rank, its
/// extent times the longest way from a slice to the next.
double recurrenceBoundCycles(const Cascade &c, const Arch &a,
                             const std::vector<EinsumId> &einsums);

/// Work part only, of the given Einsums.
double workBoundCycles(const Cascade &c, const Arch &a,
                       const std::vector<EinsumId> &einsums);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_LOWERBOUND_H
