//===- LowerBound.h - What no schedule can beat -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_LOWERBOUND_H
#define TRANSFUSION_CORE_COST_LOWERBOUND_H

#include "transfusion/Core/Model/Arch.h"

namespace transfusion::core {

struct LowerBound {
  double workCycles = 0;   ///< all work over all lanes that may do it
  double memoryCycles = 0; ///< compulsory bytes over bandwidth
  int64_t compulsoryReadBytes = 0, compulsoryWriteBytes = 0; ///< at memory 0
  double cycles = 0;     ///< the greatest of the parts
  std::string limitedBy; ///< "work" or "dram bandwidth"
};

/// Bound on the latency of the whole cascade. Work: the fractional assignment
/// of every Einsum's lane-cycles to the units that support it (a linear
/// program: max over subsets U of units of the work that only U can do divided
/// by the lanes of U). Memory: every input read once, every output written
/// once.
LowerBound lowerBound(const Cascade &c, const Arch &a);

/// Work part only, of the given Einsums.
double workBoundCycles(const Cascade &c, const Arch &a,
                       const std::vector<EinsumId> &einsums);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_LOWERBOUND_H
