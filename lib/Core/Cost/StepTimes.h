//===- StepTimes.h - Remembered timings of pipeline steps -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search asks for the same few steps over and over: tiles change how often a
// step occurs, seldom what is in it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_STEPTIMES_H
#define TRANSFUSION_LIB_CORE_COST_STEPTIMES_H

#include "StepPorts.h"

#include <map>
#include <optional>

namespace transfusion::core {

struct StepTime {
  int64_t ii = 0, fill = 0, drain = 0; ///< of the units alone
  StepLimits limits; ///< where the ports of their memory have a bandwidth
};

/// Timings of one phase: of its runs, order and inner tiles, whatever its tiles
/// and blocks are.
class PhaseTimes {
public:
  /// `ports`: null where they are no limit. `outer`: what the group moves from
  /// and to.
  PhaseTimes(const Cascade &c, const Arch &a, const Phase &p,
             const PhasePlan &plan, const std::vector<Buffer> &buffers,
             const BufferPorts *ports, MemorySet outer);

  const StepTime &step(const std::vector<StageEpoch> &perStage);
  /// Cycles of every slot of the plan (-1: unsupported).
  const std::vector<int64_t> &slots(const Extents &inner);

  /// What timePhase finds wrong with a full step.
  std::vector<std::string> violations;
  /// Null: no limit.
  const PhasePorts *atPorts() const { return ports ? &*ports : nullptr; }

private:
  StepLimits limits(const std::vector<StageEpoch> &perStage, int64_t ii);
  void appendKey(const Extents &inner);

  const Cascade &c;
  const Arch &a;
  Phase phase;
  std::vector<PlannedSlot> planned;
  std::vector<RankId> ranks; ///< that some slot has
  std::optional<PhasePorts> ports;
  using Key = std::vector<int64_t>;
  Key key; ///< scratch
  std::map<Key, StepTime> steps;
  std::map<Key, std::vector<int64_t>> slotTimes;
};

/// Phases by content.
class StepTimes {
public:
  StepTimes(const Cascade &c, const Arch &a) : c(c), a(a), ports(a) {}
  PhaseTimes &phase(const Phase &p, const PhasePlan &plan,
                    const std::vector<Buffer> &buffers, MemorySet outer);
  const BufferPorts &bufferPorts() const { return ports; }

private:
  const Cascade &c;
  const Arch &a;
  const BufferPorts ports;
  std::vector<int64_t> key; ///< scratch
  std::map<std::vector<int64_t>, PhaseTimes> phases;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_STEPTIMES_H
