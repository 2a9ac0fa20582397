//===- ScheduleRules.h - Rules about a schedule -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which they may run: each file relies on what the one before
// has shown (numbers exist, sizes are usable, every Einsum has its place).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_CHECK_SCHEDULERULES_H
#define TRANSFUSION_LIB_CORE_CHECK_SCHEDULERULES_H

#include "Sink.h"
#include "View.h"

namespace transfusion::core {
struct Plan;
} // namespace transfusion::core

namespace transfusion::core::check {

// SizeRules.cpp
void checkIds(const Cascade &c, const Arch &a, const Schedule &s, Sink &sink);
void checkSizes(const Cascade &c, const Schedule &s, Sink &sink);
void checkLoops(const View &v, Sink &sink);

// PlaceRules.cpp
void checkPlaces(const Cascade &c, const Arch &a, const Schedule &s,
                 Sink &sink);
void checkFinishes(const View &v, Sink &sink);
void checkUnits(const View &v, const Arch &a, Sink &sink);

// OrderRules.cpp
void checkOrder(const View &v, Sink &sink);

// CoverRules.cpp
void checkCoverage(const View &v, Sink &sink);

// MemoryRules.cpp
void checkRetention(const View &v, Sink &sink);
void checkCapacity(const View &v, const Arch &a, Sink &sink);

// MoveRules.cpp
void checkMoves(const View &v, Sink &sink);
void checkMoveSpans(const View &v, Sink &sink);

// ResidentRules.cpp
void checkResidents(const View &v, const Arch &a, Sink &sink);
void checkResidentCapacity(const View &v, const Arch &a, Sink &sink);
bool checkPlannedResidents(const View &v, const Plan &plan, Sink &sink);
// PieceRules.cpp
void checkPieces(const View &v, const Arch &a, Sink &sink);
void checkPlannedPieces(const View &v, const Plan &plan, Sink &sink);
/// Of the piece of an outer tile.
int64_t pieceBytes(const View &v, int32_t group, TensorId t);

// SkipRules.cpp
void checkSkips(const View &v, Sink &sink);
void checkActiveSteps(const View &v, const Plan &plan, Sink &sink);

} // namespace transfusion::core::check

#endif // TRANSFUSION_LIB_CORE_CHECK_SCHEDULERULES_H
