//===- Limits.h - What each part of a latency waits for ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. Parts are those of CostDetail.h. What limits loads and stores, and a
// steady part whose transfers take longer than computing, is a *port* of a
// memory. A pipeline's step is limited by the *unit* that is busy all the time;
// where none is, by *dependences*, the chain of Einsums that lasts as long as
// the step, each waiting for the one before it; with `wrap`, by a *recurrence*,
// a cycle of Einsums that lasts as long as the steps that it spans. Steps are
// those of a full tile, and a part goes to what limits most of it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_LIMITS_H
#define TRANSFUSION_CORE_COST_LIMITS_H

#include "transfusion/Core/Cost/CostDetail.h"

namespace transfusion::core {

enum class LimitKind : uint8_t { None, Unit, Port, Dependences, Recurrence };
/// "unit"; of None, "none".
const char *limitKindName(LimitKind k);

struct Limit {
  LimitKind kind = LimitKind::None;
  /// "mac2d"; "dram port", "dram read port"; "QK > LM", first to last.
  std::string by;
  bool operator==(const Limit &o) const { return kind == o.kind && by == o.by; }
};

struct LimitedCycles {
  double cycles = 0;
  Limit limit; ///< None where there are no cycles
};

struct PhaseLimits {
  LimitedCycles load, fill, steady, drain, store;
};

struct GroupLimits {
  LimitedCycles load, store; ///< before the first outer tile, after the last
  std::vector<PhaseLimits> phases;
  /// By what limits, longest first (of equals, the first to occur); adds up to
  /// the latency.
  std::vector<LimitedCycles> ranked;
};

struct LayerLimits {
  std::vector<GroupLimits> groups;
  std::vector<LimitedCycles> ranked;
};

/// Of a schedule whose cost is without faults.
LayerLimits limitsOf(const Cascade &c, const Arch &a, const Schedule &s,
                     const Plan &p, const CostReport &cost,
                     const CostDetail &detail);

/// What makes a step of the phase last as long as it does; empty extents for
/// stages without an epoch, as for timePhase.
Limit stepLimit(const Cascade &c, const Arch &a, const Phase &p,
                const std::vector<Extents> &perStage);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_LIMITS_H
