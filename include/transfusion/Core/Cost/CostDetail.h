//===- CostDetail.h - What evaluate() adds up, apart ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. The latency of a phase has five *parts*, one after another in each
// outer tile: *load* of the first pieces, which nothing runs beside; *fill*,
// until every stage of the pipeline has an epoch; *steady*, and all waiting for
// transfers beside it; *drain*, from when the first stage has had its last
// epoch; *store* of the last piece. A search needs the sums only, so they are
// told apart when somebody asks.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_COSTDETAIL_H
#define TRANSFUSION_CORE_COST_COSTDETAIL_H

#include "transfusion/Core/Cost/Evaluate.h"

namespace transfusion::core {

/// Over all outer tiles.
struct PhaseDetail {
  double loadCycles = 0, fillCycles = 0, steadyCycles = 0, drainCycles = 0,
         storeCycles = 0;
  /// Of the steady part: in tiles where computing takes longest, and by
  /// MemoryId, in tiles where what moves there does.
  double computeBound = 0;
  std::vector<double> memoryBound;
  /// The memories that loading and storing wait for.
  MemoryId loadFrom = 0, storeTo = 0;
  std::vector<int64_t> readBytes, writeBytes; ///< by MemoryId
};

struct GroupDetail {
  std::vector<PhaseDetail> phases;
  std::vector<int64_t> readBytes, writeBytes; ///< by MemoryId
  double laneCycles = 0;                      ///< work, on all units
  /// What loading and copying before the first outer tile waits for longest,
  /// and storing after the last one: a memory, to be read or to be written.
  MemoryId loadAt = 0, storeAt = 0;
  bool loadWrites = false, storeWrites = false;
};

struct CostDetail {
  std::vector<TensorTraffic> byTensor; ///< by TensorId
  /// Energy of operations by UnitId, then OpClass.
  std::vector<std::array<double, kNumOpClasses>> unitOpPj;
  std::vector<GroupDetail> groups;
};

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_COSTDETAIL_H
