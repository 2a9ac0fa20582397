//===- FormGroups.h - Which Einsums share tiles and epochs ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// formGroups (DPipe.h) with the buffer's size as a parameter: where the groups
// of the fixed rule leave no room for a tile, those of a smaller buffer may.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_FORMGROUPS_H
#define TRANSFUSION_CORE_SEARCH_FORMGROUPS_H

#include "transfusion/Core/Search/PhaseShape.h"

namespace transfusion::core {

/// The epoch that must fit for Einsums to share it: as wide as the machine, or
/// one point of every looped rank.
enum class EpochSize : uint8_t { Default, Smallest };

/// A contraction that has nothing before it in its phase: its sums complete in
/// one epoch, or the epochs go through them where the whole result is held
/// (else in one epoch). Weights of a long sum leave few rows for one epoch.
enum class LoneSum : uint8_t { InOneEpoch, Streamed };

std::vector<GroupMembers> formGroupsWithin(const Cascade &c, const Arch &a,
                                           const Structure &s,
                                           int64_t epochBytes, EpochSize size);

/// Phases of one group of these Einsums.
GroupMembers formPhasesOf(const Cascade &c, const Arch &a, const Structure &s,
                          int64_t epochBytes, EpochSize size,
                          const std::vector<EinsumId> &einsums,
                          LoneSum lone = LoneSum::InOneEpoch);

/// Capacity of the memory that feeds the units.
int64_t unitMemoryBytes(const Arch &a);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_FORMGROUPS_H
