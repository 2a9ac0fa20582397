//===- Demand.h - The buffers that a schedule needs -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Footprints, slots and lifetimes recomputed from the schedule, by the text of
// Plan.h and none of its code. A Plan that gives a buffer less is wrong; one
// that gives more wastes memory.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_CHECK_DEMAND_H
#define TRANSFUSION_LIB_CORE_CHECK_DEMAND_H

#include "View.h"
#include "transfusion/Core/Model/Plan.h"

namespace transfusion::core::check {

struct Need {
  TensorId tensor = -1;
  BufferRole role = BufferRole::Input;
  RetainLevel level = RetainLevel::Block; ///< Input
  int32_t group = -1;
  int32_t phase = -1; ///< that makes it, or of a Block-level Input; else -1
  Access access;      ///< Input: of its readers
  /// Stages of the slots that touch it, a read of the epoch before counted as
  /// one stage later.
  int32_t minStage = 0, maxStage = 0;
  int64_t bytesPerSlot = 0, slots = 1;
  int64_t bytes = 0; ///< of all slots; kTooMuch when beyond 2^63
  /// Below 0 or beyond the last phase: in the outer tile before or after.
  int32_t firstPhase = 0, lastPhase = 0;
  int32_t ahead = 0, delay = 0; ///< phases, of a prefetch or a deferred store
};

/// The phase, in some outer tile, needs it.
bool neededIn(const Need &n, int32_t phase, int32_t phases);

/// Phases by which the schedule moves a load ahead or a store back; 0: not.
int32_t prefetchAhead(const Phase &p, TensorId t);
int32_t deferredBy(const Phase &p, TensorId t);

/// Needs of one group, in the order in which its slots ask for them. Requires
/// that the rules up to S25 hold.
std::vector<Need> needsOf(const View &v, int32_t group);

/// Ends up in the outer memory: an output, or read in another group.
bool leavesGroup(const View &v, TensorId t);

/// Retention of a group input.
RetainLevel retainLevel(const Group &g, TensorId t);

bool sameAccess(const Access &a, const Access &b);

} // namespace transfusion::core::check

#endif // TRANSFUSION_LIB_CORE_CHECK_DEMAND_H
