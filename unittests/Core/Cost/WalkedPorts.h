//===- WalkedPorts.h - A step at a port, run event by event -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long steps take whose slots share one port of their memory: in which
// order what comes and goes, one event after another.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_COST_WALKEDPORTS_H
#define TRANSFUSION_UNITTESTS_CORE_COST_WALKEDPORTS_H

#include "WalkedLoops.h"
#include "transfusion/Core/Cost/Timing.h"

namespace transfusion::core::test {

/// Slots of a unit are in issue order.
struct PortSlot {
  EinsumId einsum = -1;
  UnitId unit = -1;
  double cycles = 0, bytes = 0;
  std::vector<size_t> waits; ///< for these slots of the step
};

/// Slots that run at the same time get even shares of `width` bytes a cycle,
/// less if they want less.
double lengthAtPort(const std::vector<PortSlot> &slots, double width);

/// No slot faster than its bytes at the port, nor than the part of its cycles
/// that transfers leave when they take `transfers` of the port.
double lengthBeside(const std::vector<PortSlot> &slots, double width,
                    double transfers);

/// Steps of a phase in one outer tile.
class StepWalker : protected GroupLoops {
protected:
  StepWalker(const Cascade &c, const Arch &a, const Schedule &s, const Plan &p)
      : GroupLoops(c, s, p), a(a) {}

  Box innerBox(const Box &tile, int64_t epoch) const {
    return GroupLoops::innerBox(ph, loops, tile, epoch);
  }
  static Extents extentsOf(const Box &box);
  /// Adds a step to `slowed` and `left`.
  void addAtPort(const Box &tile, const std::vector<int64_t> &pipeline,
                 int64_t step);

  const Arch &a;
  int32_t ph = 0;
  Loops loops;                 ///< of the phase that runs
  double slowed = 0, left = 0; ///< by the port; beside transfers

private:
  double boxBytes(const Access &access, int32_t buffer, const Box &box) const;
  double slotBytes(const PlannedSlot &slot, const Box &tile,
                   const std::vector<int64_t> &pipeline, int64_t i) const;
};

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_COST_WALKEDPORTS_H
