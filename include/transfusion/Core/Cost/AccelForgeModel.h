//===- AccelForgeModel.h - A mapping-driven cost model ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Somebody else's model: what AccelForge (Andrulis et al.; public at
// Accelergy-Project/accelforge) counts for a mapping over any number of
// memories. It has no pipelines, no filling, no double buffering. The honest
// model is evaluate(); this one says what its authors would have said.
//
//   latency of an Einsum = the slowest of its memories and its unit
//   latency of a layer   = the sum of its Einsums
//   energy               = bytes and operations times energy of each, summed
//                          over instances
//
// Traffic between a kept tensor and the next place inwards where it is kept (or
// the unit): its values, once for every iteration of a loop above that place
// which the tensor does not depend on. Of these loops, a split over a memory
// makes copies (each is read on its own), a split over a grid does not where
// the grid shares inputs, or adds outputs, along that dimension. A result that
// comes back is read and written again, except for the first time. A copy
// within one memory is a renaming and costs nothing, any other its transfer.
//
// Toy example, Mapping.h's, 4 x 8 x 5 values of 2 bytes: the unit takes 160
// values of B from dram; A goes in once, 32 values; C is written 160 times into
// its buffer, read 140 times there to be added to, and 20 times to leave.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_ACCELFORGEMODEL_H
#define TRANSFUSION_CORE_COST_ACCELFORGEMODEL_H

#include "transfusion/Core/Model/Mapping.h"

namespace transfusion::core {

struct AccelForgeOptions {
  /// Where a reduction is split over instances of a memory, all of them write
  /// partial sums to the same place, and all but the first must read what is
  /// there. The reference skips the first read of *each*: with this we do, too.
  bool skipFirstReadOfEachCopy = false;
};

struct MappedTraffic {
  TensorId tensor = -1;
  MemoryId memory = -1;
  double readBytes = 0, writeBytes = 0;
  /// Of one instance, while the Einsum runs.
  int64_t heldBytes = 0;
};

struct MappedEinsum {
  EinsumId einsum = -1;
  UnitId unit = -1;
  double computes = 0; ///< points; a copy has none
  double latencyS = 0, energyPj = 0, unitS = 0, unitPj = 0, leakagePj = 0;
  std::string limitedBy; ///< memory or unit
  // By memory.
  std::vector<double> memoryS, memoryPj, readBytes, writeBytes;
  std::vector<MappedTraffic> traffic; ///< by tensor, outer memories first
};

struct MappedCost {
  std::vector<MappedEinsum> einsums; ///< in the order of the mapping
  double latencyS = 0, energyPj = 0;
  std::vector<double> readBytes, writeBytes; ///< by memory
  std::vector<int64_t> peakBytes;            ///< of one instance, by memory
  std::vector<MappingFault> faults; ///< not empty: nothing else is filled in
};

MappedCost accelForgeCost(const Cascade &c, const Arch &a, const Mapping &m,
                          const AccelForgeOptions &options = {});

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_ACCELFORGEMODEL_H
