//===- Roofline.cpp - How far below the roof ------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/Roofline.h"

namespace transfusion::core {

/// The most that a memory moves in a cycle; 0 where that is no limit.
static double bytesPerCycle(const Arch &a, const Memory &m) {
  if (m.readBytesPerS <= 0 || (!m.sharedPort && m.writeBytesPerS <= 0))
    return 0;
  return (m.readBytesPerS + (m.sharedPort ? 0 : m.writeBytesPerS)) / a.clockHz;
}

Roofline rooflineOf(const Arch &a, double laneCycles, int64_t readBytes,
                    int64_t writeBytes, double latencyCycles) {
  Roofline r;
  r.ops = laneCycles;
  r.bytes = double(readBytes) + double(writeBytes);
  r.moves = r.bytes > 0;
  if (r.moves)
    r.opsPerByte = r.ops / r.bytes;
  if (latencyCycles > 0)
    r.opsPerCycle = r.ops / latencyCycles;
  for (const Unit &unit : a.units)
    r.roofOpsPerCycle += double(unit.allLanes());
  const double bandwidth = bytesPerCycle(a, a.memories.front());
  if (bandwidth <= 0)
    return r;
  r.ridgeOpsPerByte = r.roofOpsPerCycle / bandwidth;
  r.ofMemory = r.moves && r.opsPerByte < r.ridgeOpsPerByte;
  if (r.ofMemory)
    r.roofOpsPerCycle = r.opsPerByte * bandwidth;
  return r;
}

} // namespace transfusion::core
