//===- Simulate.h - Runs a schedule file event by event ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says how long a program takes, what its units wait for, and whether it may
// run at all; docs/Rationale/Simulator.md says how the machine behaves. Shares
// nothing with the cost model, whose latency it judges.
//
// Toy example, two epochs of 10 cycles on one unit, a load of 4 cycles before
// each: 4 cycles stalled for a load, 20 busy; the second load runs beside the
// first epoch.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SIM_SIMULATE_H
#define TRANSFUSION_CORE_SIM_SIMULATE_H

#include "transfusion/Core/Sim/Program.h"

#include <array>

namespace transfusion::core::sim {

/// Why a unit does not compute.
enum class Stall : uint8_t {
  Data,       ///< what it reads is being made by another unit
  Recurrence, ///< the same, of the epoch before
  Load,       ///< what the step reads is on its way at the port's full speed
  Port,       ///< what it reads waits for, or shares, a port
  Buffer,     ///< what it would overwrite is still being stored
  Store,      ///< the last results of a phase are on their way out
  FillDrain,  ///< stages without an epoch at the ends of a pipeline
  Idle        ///< nothing more to issue before the step ends
};
inline constexpr int kNumStalls = 8;
const char *stallName(Stall s); // "data", ...

struct UnitUse {
  double busyCycles = 0;
  std::array<double, kNumStalls> stallCycles{};
};

/// One phase over all outer tiles, or the transfers before and after them.
struct PhaseUse {
  std::string name; ///< of the phase; "g1.load", "g1.store"
  double firstStart = 0, cycles = 0, claimedCycles = 0;
  std::vector<UnitUse> units;         ///< by unit
  std::vector<double> portBusyCycles; ///< by port
  std::vector<int64_t> liveBytes;     ///< by memory: allocated while it runs
};

/// Why a program may not run. `where` says phase, step and slot.
struct Refusal {
  std::string where, what;
};

struct SimReport {
  double cycles = 0;
  std::vector<UnitUse> units;
  std::vector<double> portBusyCycles;
  std::vector<PhaseUse> phases; ///< in the order in which they first run
  int64_t stepsRun = 0;         ///< event by event
  double steps = 0;             ///< in all
  /// Not empty: the schedule is illegal; the numbers above mean nothing.
  std::vector<Refusal> refusals;
};

struct SimOptions {
  /// Skip what provably repeats: the same state, the same work ahead.
  bool skip = true;
  /// Give up beyond this many steps that are run one by one.
  int64_t maxSteps = int64_t(1) << 31;
};

SimReport simulate(const Program &p, const SimOptions &options = {});

} // namespace transfusion::core::sim

#endif // TRANSFUSION_CORE_SIM_SIMULATE_H
