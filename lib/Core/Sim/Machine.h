//===- Machine.h - State of the machine while a group runs ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_MACHINE_H
#define TRANSFUSION_LIB_CORE_SIM_MACHINE_H

#include "GroupLinks.h"
#include "StepShop.h"

#include <map>

namespace transfusion::core::sim {

/// What is counted, by phase: everything here only grows, so that a period that
/// repeats n times adds n times the same.
class Ledger {
public:
  /// `entries`: phases, and what comes before and after them.
  Ledger(const Program &p, size_t entries)
      : units(p.units.size()), ports(p.ports.size()),
        values(entries * stride(), 0) {}

  void enter(size_t entry) { at = entry * stride(); }
  Wide &ticks() { return values[at]; }
  Wide &steps() { return values[at + 1]; }
  Wide &busy(size_t unit) { return values[at + 2 + unit * perUnit]; }
  Wide &stall(size_t unit, Stall s) {
    return values[at + 3 + unit * perUnit + static_cast<size_t>(s)];
  }
  Wide &carried(size_t port) { return values[at + 2 + units * perUnit + port]; }

  std::vector<Wide> &all() { return values; }

private:
  static constexpr size_t perUnit = 1 + kNumStalls;
  size_t stride() const { return 2 + units * perUnit + ports; }
  size_t units, ports, at = 0;
  std::vector<Wide> values;
};

/// What a buffer holds.
struct Holding {
  /// Fetched: fetch in each slot; Rotating: epoch in each slot; -1: nothing.
  std::vector<int64_t> slot;
  /// On its way in (Fetched) or out (Rotating).
  std::vector<bool> moving;
  int64_t tile = -1;    ///< outer tile that it is of
  int64_t made = 0;     ///< Whole: epochs that have written it
  bool whole = false;   ///< Whole: complete
  bool leaving = false; ///< Whole: still to be stored for a later phase
};

class Machine {
public:
  Machine(const GroupLinks &links, const SimOptions &options, Ledger &ledger,
          Wide start);

  /// All units are stalled for that long; flights move on.
  void stall(Ticks ticks, Stall cause);
  /// A step that ran as `t` says, in which flights have moved on already, or
  /// not yet.
  void step(const StepTimes &t, bool fillOrDrain, bool flightsMoved);
  /// Stalls until what is due has arrived. `cause`: where a single flight moves
  /// at full speed.
  void waitFor(const Deadline &by, Stall cause);
  /// Stalls until the slot of a buffer has been stored.
  void waitForSlot(int32_t buffer, size_t slot);
  /// Takes what has arrived into `holdings`.
  void land();

  /// To where tensors and pieces reside, beside nothing else: those of loop
  /// `advanced` of the group, and of loops inside; all before its first tile.
  void copy(const std::vector<Copy> &copies, const Box &tile, int32_t advanced);
  void start(int32_t transfer, Deadline by, int64_t piece, const Box &box);

  void refuse(const std::string &where, const std::string &what) {
    if (refusals.size() < 16)
      refusals.push_back({where, what});
  }
  bool refused() const { return !refusals.empty(); }
  const StepShop &shop(int32_t phase) const { return shops[phase]; }

  const Program &p;
  const GroupLinks &links;
  const SimOptions &options;
  Fabric fabric;
  std::vector<Holding> holdings; ///< by buffer
  std::vector<Box> pieces;       ///< by resident: of what tile; empty: none
  Ledger &ledger;
  Wide now;
  std::vector<Refusal> refusals;
  int64_t stepsRun = 0;
  size_t entry = 0; ///< of the ledger
  void enter(size_t e) {
    entry = e;
    ledger.enter(e);
  }

private:
  void moveFlights(Ticks ticks);
  Wide copied(const Copy &copy, const Box &tile);
  void checkInPiece(int32_t transfer, int32_t piece, const Box &box);
  std::vector<StepShop> shops; ///< by phase
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_MACHINE_H
