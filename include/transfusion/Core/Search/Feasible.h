//===- Feasible.h - Does it fit, and if not, what is missing ----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. The *need* of a group is the greatest end address of its buffers; the
// *live bytes* of a phase are the sum of the buffers that live in it. Live
// bytes never exceed the need, and no allocation can go below them.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_FEASIBLE_H
#define TRANSFUSION_CORE_SEARCH_FEASIBLE_H

#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Model/Plan.h"

namespace transfusion::core {

/// Bytes that the buffers of a group take with the addresses of the plan.
int64_t groupNeedBytes(const Plan &p, int32_t group);

/// What resides in memories between the outermost one and the buffers has found
/// a place there.
bool residentsFit(const Arch &a, const Plan &p);

/// A bound from below on what any schedule needs that differs from the planned
/// one by larger tiles, blocks or epochs, by retention or by its slots: inputs
/// and inner tiles count one slot each.
int64_t groupLeastBytes(const Plan &p, int32_t group);

/// Says which memory, which tensors, how many bytes short, and which knob.
Violation explainMisfit(const Cascade &c, const Arch &a, const Plan &p,
                        int32_t group);

/// Einsums that no unit can execute.
std::vector<Violation> unsupportedEinsums(const Cascade &c, const Arch &a);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_FEASIBLE_H
