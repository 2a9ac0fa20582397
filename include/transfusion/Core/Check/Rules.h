//===- Rules.h - The numbered rules of the checker --------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule is one clause of the checker, one row of docs/Rationale/Schedule.md
// and at least one failing unit test. C: cascade, A: arch, S: schedule, P:
// plan. The numbers are stable: a rule that goes leaves a gap.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_CHECK_RULES_H
#define TRANSFUSION_CORE_CHECK_RULES_H

#include <vector>

namespace transfusion::core {

struct Rule {
  const char *id;    ///< "S07"
  const char *name;  ///< "nesting"
  const char *holds; ///< what a legal input satisfies
};

/// All rules, in the order of their numbers. Violation::rule is "id name".
const std::vector<Rule> &checkRules();

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_CHECK_RULES_H
