//===- StepShop.h - Who runs when within a step -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a phase is a small job shop: each unit issues its slots in order, a
// slot starts when its unit is free and what it reads of the same step is made.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_STEPSHOP_H
#define TRANSFUSION_LIB_CORE_SIM_STEPSHOP_H

#include "Fabric.h"
#include "PieceValues.h"
#include "transfusion/Core/Sim/Simulate.h"

namespace transfusion::core::sim {

/// Cycles that the file gives the slot for an epoch that covers `box`; -1:
/// none.
int64_t cyclesOn(const Slot &slot, const Box &box);

/// Work of a slot in this step; negative: its stage has no epoch.
struct SlotWork {
  Ticks ticks = -1;
  std::vector<PortUse> uses; ///< of ports with a limit
};

struct StepTimes {
  std::vector<Ticks> start, end; ///< by slot
  Ticks length = 0;
  struct OfUnit {
    Ticks busy = 0, data = 0, recurrence = 0, port = 0;
  };
  std::vector<OfUnit> units;
};

class StepShop {
public:
  StepShop(const Program &p, const Phase &phase);

  /// Units that wait for each other, claims that the rule above contradicts.
  const std::vector<Refusal> &refusals() const { return wrong; }

  StepTimes run(const std::vector<SlotWork> &work) const;
  /// The same where slots share ports with each other and with flights, which
  /// move on meanwhile.
  StepTimes run(const std::vector<SlotWork> &work, Fabric &fabric) const;

private:
  struct Wait {
    int32_t slot;
    bool recurrence;
  };
  void findOrder();
  void checkClaims();
  void checkBody(const Body &body, int64_t firstStage, int64_t lastStage,
                 const std::string &where);
  void checkModulo();
  void refuse(const std::string &where, const std::string &what) {
    wrong.push_back({phase.name + where, what});
  }
  int64_t fullCycles(const Slot &s) const;

  const Program &p;
  const Phase &phase;
  std::vector<std::vector<Wait>> waits; ///< by slot
  std::vector<int32_t> order;           ///< in which all slots can be issued
  std::vector<Refusal> wrong;
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_STEPSHOP_H
