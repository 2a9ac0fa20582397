//===- CheckArchTest.cpp - One broken machine per rule --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include <cmath>
#include <functional>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// Breaks one thing of the edge machine.
void breaks(const char *rule, const char *text,
            const std::function<void(Arch &)> &mutate) {
  Arch a = machine("edge");
  ASSERT_TRUE(checkArch(a).empty());
  mutate(a);
  expectRule(checkArch(a), rule, text);
}

OpCost &op(Unit &u, OpClass cls) { return u.ops[static_cast<int>(cls)]; }

TEST(CheckArch, A01Clock) {
  breaks("A01", "0 Hz", [](Arch &a) { a.clockHz = 0; });
  breaks("A01", "nan Hz", [](Arch &a) { a.clockHz = std::nan(""); });
}

TEST(CheckArch, A03Names) {
  breaks("A03", "'vec1d' is used twice",
         [](Arch &a) { a.units[0].name = "vec1d"; });
  breaks("A03", "a memory has no name",
         [](Arch &a) { a.memories[1].name = ""; });
}

TEST(CheckArch, A04Capacity) {
  breaks("A04", "-1 bytes", [](Arch &a) { a.memories[1].capacityBytes = -1; });
  breaks("A04", "0 bytes", [](Arch &a) { a.memories[0].capacityBytes = 0; });
}

TEST(CheckArch, A05Bandwidth) {
  breaks("A05", "write bandwidth of -2",
         [](Arch &a) { a.memories[0].writeBytesPerS = -2; });
  breaks("A05", "read bandwidth of inf",
         [](Arch &a) { a.memories[1].readBytesPerS = INFINITY; });
}

TEST(CheckArch, A06Energy) {
  breaks("A06", "write energy of 1e+308 pJ per byte",
         [](Arch &a) { a.memories[1].writePjPerByte = 1e308; });
  Arch most = machine("edge");
  most.memories[0].readPjPerByte = 1e12;
  EXPECT_TRUE(checkArch(most).empty());
  breaks("A06", "read energy of -1",
         [](Arch &a) { a.memories[0].readPjPerByte = -1; });
}

TEST(CheckArch, A07Units) {
  // Without units the buffer feeds none either.
  Arch a = machine("edge");
  a.units.clear();
  EXPECT_EQ(brokenRules(checkArch(a)), "A07 A10");
}

TEST(CheckArch, A08Lanes) {
  breaks("A08", "16 x 0 lanes", [](Arch &a) { a.units[0].cols = 0; });
  breaks("A08", "lanes",
         [](Arch &a) { a.units[0].rows = a.units[0].cols = int64_t{1} << 40; });
  breaks("A08", "has lanes but 2 rows", [](Arch &a) { a.units[1].rows = 2; });
}

TEST(CheckArch, A09Feed) {
  breaks("A09", "not on a memory", [](Arch &a) { a.units[0].memory = 7; });
  breaks("A09", "outermost memory 'dram'",
         [](Arch &a) { a.units[0].memory = 0; });
}

TEST(CheckArch, A10Use) {
  Arch a = machine("edge");
  for (Unit &u : a.units)
    u.memory = -1;
  EXPECT_EQ(brokenRules(checkArch(a)), "A09 A10");
}

TEST(CheckArch, A11OpTable) {
  breaks("A11", "'mac' of unit 'mac2d' takes 0 cycles",
         [](Arch &a) { op(a.units[0], OpClass::Mac).cycles = 0; });
  breaks("A11", "takes -1 pJ",
         [](Arch &a) { op(a.units[1], OpClass::Div).pj = -1; });
  breaks("A11", "'mac2d' supports no operation",
         [](Arch &a) { a.units[0].ops = {}; });
}

TEST(CheckArch, A12Expansions) {
  breaks("A12", "'exp' of unit 'vec1d' expands into itself", [](Arch &a) {
    op(a.units[1], OpClass::Exp).expansion = {{OpClass::Sigmoid, 1}};
    op(a.units[1], OpClass::Sigmoid).expansion = {{OpClass::Exp, 2}};
  });
  breaks("A12", "0 operations",
         [](Arch &a) { op(a.units[1], OpClass::Exp).expansion[0].second = 0; });
  breaks("A12", "unknown class", [](Arch &a) {
    op(a.units[1], OpClass::Exp).expansion[0].first = OpClass(77);
  });
}

} // namespace
