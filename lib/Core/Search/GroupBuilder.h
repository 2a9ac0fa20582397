//===- GroupBuilder.h - A group that fits the buffer ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Search. From the Einsums of each phase to a group with
// tiles, epochs, loop orders and slots: one inner tile per tiled rank. Where
// that does not fit, epochs are halved, by what frees most.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SEARCH_GROUPBUILDER_H
#define TRANSFUSION_LIB_CORE_SEARCH_GROUPBUILDER_H

#include "transfusion/Core/Check/Check.h"
#include "transfusion/Core/Search/SolveSlots.h"

#include <optional>

namespace transfusion::core {

class GroupBuilder {
public:
  /// `solver` says which policy's slots the phases get.
  GroupBuilder(const Cascade &c, const Arch &a, SlotSolver &solver)
      : GroupBuilder(c, a, a, solver) {}
  /// Epochs are cut for the units of `cutFor`.
  GroupBuilder(const Cascade &c, const Arch &a, const Arch &cutFor,
               SlotSolver &solver)
      : c(c), a(a), cutFor(cutFor), solver(solver) {}

  Group build(const GroupMembers &members) const { return build(members, {}); }
  /// Halves the epochs of group `g` of `schedule`, which was built from
  /// `members`, until it fits. What hinders it otherwise.
  std::optional<Violation> fit(Schedule &schedule, int32_t g,
                               const GroupMembers &members) const;

private:
  /// How often the epochs of a group were halved, by kind of rank.
  struct Halvings {
    enum Kind { Heads, Rows, Columns, Kinds };
    int count[Kinds] = {};
  };
  Group build(const GroupMembers &members, const Halvings &h) const;

  const Cascade &c;
  const Arch &a, &cutFor;
  SlotSolver &solver;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_SEARCH_GROUPBUILDER_H
