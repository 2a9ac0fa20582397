//===- StepPorts.h - A pipeline step at the ports of its memory -*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost. A slot streams its operands from the memory that
// feeds its unit, and its results to it, while it computes: alone it takes as
// long as it computes, or as its bytes take at a port that is too narrow. Slots
// that run at the same time share a port in turn: none gets less than an even
// share, unless it wants less. Nothing is fetched ahead of its slot.
//
// Toy example, a port of 8 bytes a cycle, two units: a slot that computes for
// 10 cycles and moves 60 bytes, beside one of 10 cycles and 40 bytes. They want
// 6 and 4 of the 8; each gets 4, until the second has ended after 10 cycles.
// The first has 20 bytes left then, and ends 10/3 cycles later.
//
// Transfers of a phase pass the same ports, and the outer memory limits how
// much of a port is theirs at most. So what else passes there, and what they
// leave of a slot that computes, bounds how long a phase takes beside its
// transfers (StepLimits::beside).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_STEPPORTS_H
#define TRANSFUSION_LIB_CORE_COST_STEPPORTS_H

#include "transfusion/Core/Cost/Timing.h"
#include "transfusion/Core/Model/Plan.h"

#include <algorithm>

namespace transfusion::core {

/// What a stage works on in a step.
struct StageEpoch {
  const Extents *inner = nullptr; ///< its inner tile; null: the stage is idle
  /// By position in the phase's order: loops that are at their first turn, and
  /// at their last one. Only of loops where this matters (PhasePorts).
  uint64_t first = 0, last = 0;
};

/// Of the memory that feeds the units: bytes in a cycle, 0: no limit.
struct BufferPorts {
  BufferPorts(const Arch &a);
  bool limited() const { return width[0] > 0 || width[1] > 0; }
  /// For reads and for writes; with one port for both, all is at the first.
  double width[2] = {0, 0};
  bool shared = true;
  double cycles(int which, double bytes) const {
    return width[which] > 0 ? bytes / width[which] : 0;
  }
};

/// Memories outside of the buffer, a bit each.
using MemorySet = uint64_t;

/// The part of each port that transfers from and to these memories use at most.
struct TransferShares {
  TransferShares(const Arch &a, MemorySet outer);
  double part[2] = {1, 1};
};

/// Cycles of a step, besides what the units alone take.
struct StepLimits {
  double slowed = 0; ///< where slots are slowed by the ports
  /// By port: of transfers that pass it all the time, what is left to do after
  /// their own time at it.
  double beside[2] = {0, 0};

  void add(const StepLimits &o, double times) {
    slowed += o.slowed * times;
    for (int q : {0, 1})
      beside[q] += o.beside[q] * times;
  }
};

/// Of one phase: what its slots move at the ports.
class PhasePorts {
public:
  PhasePorts(const Cascade &c, const Arch &a, const Phase &p,
             const PhasePlan &plan, const std::vector<Buffer> &buffers,
             const BufferPorts &ports, MemorySet outer);

  /// Loops whose first, or last, turn moves other bytes.
  uint64_t firsts = 0, lasts = 0;
  /// `cycles`: of each slot, by stage; entries of slots in idle stages are not
  /// looked at.
  StepLimits limits(const std::vector<StageEpoch> &perStage,
                    const std::vector<int64_t> &cycles) const;

  /// Of a modulo pipeline, which starts its slots when it says: `ii` cycles, or
  /// as long as all that they move in a step takes at a port.
  StepLimits limitsWithWrap(const std::vector<StageEpoch> &perStage,
                            const std::vector<int64_t> &cycles,
                            int64_t ii) const;

private:
  /// A tensor's values that a slot reads or writes once an epoch.
  struct Touch {
    Access access;
    TensorId tensor;
    int64_t bytesPerValue;
    bool writes;
    /// Not while all of `loops` are at their first turn: nothing has been made
    /// yet. / Only while all of them are at their last one.
    bool notAtFirst = false, onlyAtLast = false;
    uint64_t loops = 0;
    /// Instances of the unit, each of which reads for itself.
    std::vector<InstancePart> parts = {};
  };
  /// A slot while its step runs.
  struct SlotLoad {
    bool done = false;
    double left = 0, speed = 1; ///< cycles at full speed; part of it
    double share[2] = {0, 0};   ///< of each port, at full speed
    double widest() const { return std::max(share[0], share[1]); }
  };
  int64_t values(const Touch &t, const Extents &inner) const;
  int64_t valuesInParts(const Touch &t, Extents inner, size_t next) const;
  double bytes(const Touch &t, const StageEpoch &epoch) const;
  void starting(const std::vector<SlotLoad> &slots,
                std::vector<int32_t> &running) const;
  double lengthInTurn(std::vector<SlotLoad> &slots) const;
  double longestPath(const std::vector<double> &durations) const;

  const Cascade &c;
  const BufferPorts &ports;
  const TransferShares transfers;
  const size_t unitCount;
  const IssueOrder order;
  std::vector<int32_t> stages;             ///< by slot
  std::vector<std::vector<Touch>> touches; ///< by slot
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_STEPPORTS_H
