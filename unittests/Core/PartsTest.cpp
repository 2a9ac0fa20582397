//===- PartsTest.cpp - Cascades with something between them ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/CheckTest.h"
#include "transfusion/Core/Search/DPipe.h"

#include <utility>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// A = exp(X), B = exp(X), C = A + B: one group, if nothing stands between.
Cascade threeMaps() {
  CascadeBuilder b("three");
  b.rank("p", 12);
  b.input("X", {12});
  b.einsum("A[p]", {"X[p]"}, ReduceKind::None, {{OpClass::Exp, 1}});
  b.einsum("B[p]", {"X[p]"}, ReduceKind::None, {{OpClass::Exp, 1}});
  b.einsum("C[p]", {"A[p]", "B[p]"}, ReduceKind::None, {{OpClass::Add, 1}});
  b.output("C");
  return b.take();
}

TEST(Parts, GroupsFollowParts) {
  Arch a = machine("edge");
  Cascade c = threeMaps();
  EXPECT_EQ(dpipe(c, a).schedule.groups.size(), 1u);
  // B is read by the second part only, and yet stays in the first.
  c.einsums[einsumId(c, "C")].part = 1;
  DPipeResult found = dpipe(c, a);
  ASSERT_EQ(describe(checkSchedule(c, a, found.schedule)), "");
  ASSERT_EQ(found.schedule.groups.size(), 2u);
  EXPECT_EQ(producingGroup(c, found.schedule, tensorId(c, "A")), 0);
  EXPECT_EQ(producingGroup(c, found.schedule, tensorId(c, "B")), 0);
  EXPECT_EQ(producingGroup(c, found.schedule, tensorId(c, "C")), 1);
}

/// B is made before C by every policy, though nothing reads B.
TEST(Parts, EveryPolicyFollowsParts) {
  Arch a = machine("edge");
  Cascade c = threeMaps();
  c.einsums[einsumId(c, "A")].part = 1;
  c.einsums[einsumId(c, "C")].inputs.pop_back();
  c.einsums[einsumId(c, "C")].part = 1;
  c.tensors[tensorId(c, "B")].isOutput = true;
  for (int i = 0; i < kNumPolicies; ++i) {
    const auto policy = static_cast<Policy>(i);
    DPipeResult found = dpipe(c, a, policy);
    EXPECT_EQ(describe(found.infeasible), "") << policyName(policy);
    EXPECT_EQ(describe(checkSchedule(c, a, found.schedule)), "")
        << policyName(policy);
  }
}

TEST(Parts, S37OnePartAfterAnother) {
  Arch a = machine("edge");
  Cascade c = threeMaps();
  Schedule one = dpipe(c, a).schedule;
  c.einsums[einsumId(c, "C")].part = 1;
  expectRule(checkSchedule(c, a, one), "S37",
             "runs in group 1, together with or after");

  // B of the second part does not depend on the first, but comes after it.
  Cascade d = threeMaps();
  d.einsums[einsumId(d, "C")].inputs.pop_back();
  d.einsums[einsumId(d, "B")].part = 1;
  d.tensors[tensorId(d, "B")].isOutput = true;
  Schedule two = dpipe(d, a).schedule;
  ASSERT_EQ(describe(checkSchedule(d, a, two)), "");
  std::swap(two.groups.front(), two.groups.back());
  expectRule(checkSchedule(d, a, two), "S37", "together with or after 'B'");
}

} // namespace
