//===- Roofline.h - How far below the roof ----------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. An *op* is a lane-cycle: one operation that takes a lane one cycle. A
// multiply-add is one; an exp that is six multiply-adds counts six. The *peak*
// is one op a cycle in every lane of the machine, the *intensity* ops for each
// byte read or written at the outermost memory, the *ridge* the intensity at
// which both take as long. The roof is the lower of peak and intensity x
// bandwidth; reaching it takes all lanes all the time, or that memory.
//
// Toy example: 16 + 8 lanes at 1 GHz, 12 GB/s: peak 24 op/ns, ridge 2 op/byte.
// 480 ops and 480 bytes, 1 op/byte, take 40 cycles at the roof of 12 op/cycle.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_ROOFLINE_H
#define TRANSFUSION_CORE_COST_ROOFLINE_H

#include "transfusion/Core/Model/Arch.h"

namespace transfusion::core {

struct Roofline {
  double ops = 0, bytes = 0;
  double opsPerByte = 0;      ///< infinite where nothing moves: see `moves`
  double ridgeOpsPerByte = 0; ///< 0: no bandwidth is given, so no ridge
  double opsPerCycle = 0, roofOpsPerCycle = 0;
  bool moves = false;    ///< some byte
  bool ofMemory = false; ///< the roof is that of the memory
  double attained() const {
    return roofOpsPerCycle > 0 ? opsPerCycle / roofOpsPerCycle : 0;
  }
};

Roofline rooflineOf(const Arch &a, double laneCycles, int64_t readBytes,
                    int64_t writeBytes, double latencyCycles);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_ROOFLINE_H
