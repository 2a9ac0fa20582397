//===- CheckTest.h - Legal inputs that tests break --------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_CHECK_CHECKTEST_H
#define TRANSFUSION_UNITTESTS_CORE_CHECK_CHECKTEST_H

#include "../TestCascades.h"
#include "transfusion/Core/Check/Check.h"

#include <gtest/gtest.h>

#include <functional>

namespace transfusion::core::test {

/// "S07 S13": the rules that are violated, each once, in the order found.
std::string brokenRules(const std::vector<Violation> &found);
/// Everything that was found, for the message of a failed expectation.
std::string describe(const std::vector<Violation> &found);

/// A small BERT layer on the edge machine with a legal schedule of two groups
/// and six phases. Lengths that no tile divides.
struct BertCase {
  Cascade c;
  Arch a;
  Schedule s;
  BertCase();

  std::vector<Violation> check() const { return checkSchedule(c, a, s); }
  /// The phases by what they do.
  Phase &keys() { return s.groups[0].phases[0]; }
  Phase &queries() { return s.groups[1].phases[0]; }
  Phase &attention() { return s.groups[1].phases[1]; }
  Phase &output() { return s.groups[1].phases[2]; }
  Phase &ffn() { return s.groups[1].phases[3]; }
  Phase &norm() { return s.groups[1].phases[4]; }

  RankId rank(const std::string &name) const { return rankId(c, name); }
  EinsumId einsum(const std::string &name) const { return einsumId(c, name); }
  /// The slot of an Einsum, and the run that holds it.
  Slot &slot(const std::string &name, bool finishOnly = false);
  /// Takes the slot out of the schedule.
  Slot remove(const std::string &name, bool finishOnly = false);
  std::vector<Slot> &onUnit(Phase &p, UnitId unit) {
    return p.runs[unit].slots;
  }
};

/// EXPECT that exactly one rule is broken, that the violation says what would
/// fix it, and that its text contains `text`.
void expectRule(const std::vector<Violation> &found, const std::string &rule,
                const std::string &text);

/// The same for one thing broken in a BertCase.
void breaks(const char *rule, const char *text,
            const std::function<void(BertCase &)> &mutate);
/// EXPECT that the mutation is legal.
void keeps(const std::function<void(BertCase &)> &mutate);

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_CHECK_CHECKTEST_H
