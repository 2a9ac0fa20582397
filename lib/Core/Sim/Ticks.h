//===- Ticks.h - Time of the simulator --------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Time is counted in whole ticks, so that equal states are equal bit for bit
// and what repeats can be proved to repeat. A transfer is rounded up to a tick:
// 1 / 65536 of a cycle.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_TICKS_H
#define TRANSFUSION_LIB_CORE_SIM_TICKS_H

#include <cmath>
#include <cstdint>

namespace transfusion::core::sim {

using Ticks = int64_t;
using Wide = __int128;

inline constexpr Ticks kTicksPerCycle = 1 << 16;
/// No single slot or transfer takes longer: 2^40 cycles.
inline constexpr Ticks kLongest = kTicksPerCycle << 40;

inline Ticks ticksOf(int64_t cycles) {
  return cycles > (int64_t(1) << 40) ? kLongest : cycles * kTicksPerCycle;
}
/// Of these bytes on a port of that bandwidth; 0 without a limit.
inline Ticks ticksOf(int64_t bytes, double bytesPerCycle) {
  if (!(bytesPerCycle > 0))
    return 0;
  const double ticks =
      std::ceil(double(bytes) / bytesPerCycle * double(kTicksPerCycle));
  return ticks < double(kLongest) ? static_cast<Ticks>(ticks) : kLongest;
}
inline double cyclesOf(Wide ticks) {
  return double(ticks) / double(kTicksPerCycle);
}

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_TICKS_H
