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

#include <map>

namespace transfusion::core::test {

double transferCycles(const Arch &a, const Memory &m, int64_t read,
                      int64_t written);

/// From DRAM to the buffer, and back: a byte has passed when it has passed the
/// ports of both.
double passBoth(const Arch &a, int64_t loaded, int64_t stored);

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

/// A transfer of a phase, and the steps between which it has its time.
struct Errand {
  int64_t bytes = 0;
  bool stores = false;
  /// It may start when that step has ended (-1: with the phase), and the step
  /// `due` starts when it has arrived (the number of steps: the phase ends).
  int64_t after = -1, due = 0;
};

/// Times of a phase whose steps wait for errands.
struct Timeline {
  double firstStart = 0, lastEnd = 0, end = 0;
};
Timeline timelineOf(const Arch &a, const std::vector<double> &steps,
                    const std::vector<Errand> &errands);

/// Last slices of rows that are stored.
struct RowStores {
  int64_t rows = 0, bytes = 0;
};

/// What steps in the middle of a phase wait for.
struct Waits {
  std::vector<std::pair<int64_t, int64_t>> firsts; ///< stage, bytes
  std::map<int64_t, RowStores> rowStores;          ///< by slots

  /// Of a phase whose steps take that long together.
  double latency(const Arch &a, double stepCycles, int64_t steps) const;
};

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
  /// The same with wrap, of a step that is full of slots: a stage before its
  /// first epoch counts as if it had that one.
  void addWithWrap(const Box &tile, const std::vector<int64_t> &pipeline,
                   int64_t step, int64_t interval);
  double cycles(const Memory &m, int64_t read, int64_t written) const {
    return transferCycles(a, m, read, written);
  }
  double between(int64_t loaded, int64_t stored) const {
    return passBoth(a, loaded, stored);
  }
  /// Turns of the innermost loop; of a phase that skips, pipelines.
  int64_t rowCount() const;
  int64_t shortestRow() const;

  const Arch &a;
  int32_t ph = 0;
  Loops loops;                  ///< of the phase that runs
  std::vector<int64_t> running; ///< epochs in the order in which they run
  double slowed = 0, left = 0;  ///< by the port; beside transfers

private:
  double transferShare() const;
  double boxBytes(const Access &access, int32_t buffer, const Box &box) const;
  double slotBytes(const PlannedSlot &slot, const Box &tile,
                   const std::vector<int64_t> &pipeline, int64_t i) const;
};

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_COST_WALKEDPORTS_H
