//===- Check.h - Is it legal? -----------------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker shares the data model with the solver and the cost model and
// nothing else: it recomputes what it judges. Each rule has a number; messages,
// tests and docs/Rationale/Schedule.md refer to it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_CHECK_CHECK_H
#define TRANSFUSION_CORE_CHECK_CHECK_H

#include "transfusion/Core/Model/Plan.h"

namespace transfusion::core {

struct Violation {
  std::string rule; ///< "S07 capacity"
  std::string what; ///< sentence, lower case, no period, with numbers and units
  EinsumId einsum = -1; ///< where, when it is about one
  int32_t group = -1, phase = -1;
  MemoryId memory = -1; ///< of the arch, when it is about one
  UnitId archUnit = -1; ///< likewise
  int64_t demand = 0, bound = 0;
  std::string unit;               ///< of demand and bound: "bytes", "cycles"
  std::vector<std::string> notes; ///< terms; the last one is what would fix it
};

std::vector<Violation> checkCascade(const Cascade &c);
std::vector<Violation> checkArch(const Arch &a);
/// What schedules are not made for, of a legal arch: rule A02.
std::vector<Violation> checkSchedulable(const Arch &a);
/// What is legal and looks wrong, for warnings: rule A17.
std::vector<Violation> lintArch(const Arch &a);
/// Whole-schedule rules: every Einsum exactly once (an Einsum whose reduction
/// spans epochs: once plus its finish), order and stages respect dependences,
/// units support ops, sizes are nested, recurrences have their rank innermost,
/// reads are covered by what was made, buffers fit and do not overlap while
/// live, outer tiles cover every rank.
std::vector<Violation> checkSchedule(const Cascade &c, const Arch &a,
                                     const Schedule &s);
/// Buffers of a plan: lifetimes recomputed from the schedule, no two live
/// buffers share bytes, none beyond the capacity, slots suffice.
std::vector<Violation> checkPlan(const Cascade &c, const Arch &a,
                                 const Schedule &s, const Plan &p);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_CHECK_CHECK_H
