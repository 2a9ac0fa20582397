//===- ArchHierarchyTest.cpp - Memories, instances, magnitudes ------------===//
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

using Rules = std::vector<Violation> (*)(const Arch &);

/// Breaks one thing of a machine with four memories, at memory `m` or unit `u`.
void breaks(const char *rule, const char *text, MemoryId m, UnitId u,
            const std::function<void(Arch &)> &mutate,
            Rules rules = checkArch) {
  Arch a = tpuV4i();
  mutate(a);
  const std::vector<Violation> found = rules(a);
  expectRule(found, rule, text);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].memory, m);
  EXPECT_EQ(found[0].archUnit, u);
}

} // namespace

TEST(ArchHierarchy, FourMemoriesAreAMachineButNotOneForSchedules) {
  const Arch a = tpuV4i();
  EXPECT_TRUE(checkArch(a).empty());
  EXPECT_TRUE(lintArch(a).empty());
  // Local buffers, registers, units on two memories, one-way shares.
  EXPECT_EQ(checkSchedulable(a).size(), 4u);
  for (const char *name : {"cloud", "edge-max2d", "tiny"})
    EXPECT_TRUE(checkSchedulable(machine(name)).empty()) << name;
}

TEST(ArchHierarchy, PathsAndLeakage) {
  Arch a = tpuV4i();
  EXPECT_EQ(outerMemory(a, 0), -1);
  EXPECT_EQ(memoryPath(a, 3), (std::vector<MemoryId>{0, 1, 2, 3}));
  a.memories[3].outer = 0;
  EXPECT_EQ(memoryPath(a, 3), (std::vector<MemoryId>{0, 3}));
  EXPECT_EQ(leakage(a), 0);
  a.memories[2].leakageW = .5;
  a.units[1].leakageW = .25;
  EXPECT_DOUBLE_EQ(leakage(a), 4 * .5 + 4 * .25);
}

TEST(ArchHierarchy, A02Schedulable) {
  breaks(
      "A02", "there are 4 of memory 'lbuf'; schedules use one", 2, -1,
      [](Arch &) {}, checkSchedulable);
  Arch a = machine("edge");
  a.memories.insert(a.memories.begin() + 1, a.memories[1]);
  for (Unit &u : a.units)
    u.memory = 2;
  EXPECT_TRUE(checkSchedulable(a).empty()); // three, one in the other
  a.units[1].memory = 1;
  expectRule(checkSchedulable(a), "A02",
             "unit 'vec1d' is on memory 'buffer', unit 'mac2d' on 'buffer'");
  a.memories.resize(1);
  for (Unit &u : a.units)
    u.memory = 0;
  expectRule(checkSchedulable(a), "A02", "has 1 memory levels");
  a = machine("edge");
  a.memories[1].keeps[1] = false;
  expectRule(checkSchedulable(a), "A02", "operands pass by memory 'buffer'");
  a = machine("edge");
  a.units[0].alongRows.inputs = false;
  expectRule(checkSchedulable(a), "A02", "lanes of unit 'mac2d' share");
  a = machine("edge");
  a.units[1].memory = 0;
  expectRule(checkSchedulable(a), "A02",
             "unit 'vec1d' is on memory 'dram', unit 'mac2d' on 'buffer'");
}

TEST(ArchHierarchy, A10FeedsThroughOthers) {
  // lbuf feeds the lanes and, through the registers, the array.
  breaks("A10", "memory 'reg' feeds no unit", 3, -1,
         [](Arch &a) { a.units.erase(a.units.begin()); });
}

TEST(ArchHierarchy, A13Hierarchy) {
  breaks("A13", "memory 'gbuf' is in a cycle: 'gbuf' in 'lbuf' in 'gbuf'", 1,
         -1, [](Arch &a) { a.memories[1].outer = 2; });
  breaks("A13", "memory 'lbuf' is in a cycle: 'lbuf' in 'lbuf'", 2, -1,
         [](Arch &a) { a.memories[2].outer = 2; });
  breaks("A13", "memory 'reg' is in none of 'tpu-v4i'", 3, -1,
         [](Arch &a) { a.memories[3].outer = 9; });
  breaks("A13", "memory 'dram' is the outermost one and in another", 0, -1,
         [](Arch &a) { a.memories[0].outer = 1; });
}

TEST(ArchHierarchy, A14Instances) {
  breaks("A14", "there are 0 of memory 'lbuf', which is in the 1 of 'gbuf'", 2,
         -1, [](Arch &a) { a.memories[2].instances = 0; });
  breaks("A14", "there are 2 of memory 'dram', the outermost one", 0, -1,
         [](Arch &a) {
           a.memories[0].instances = 2;
           a.memories[1].instances = 2;
         });
  breaks("A14", "there are 2 of unit 'vec1d', on the 4 of memory 'lbuf'", -1, 1,
         [](Arch &a) { a.units[1].instances = 2; });
  breaks("A14", "there are 8 of unit 'mac2d', on the 65536 of memory 'reg'", -1,
         0, [](Arch &a) { a.units[0].instances = 8; });
}

TEST(ArchHierarchy, A15Keeps) {
  breaks("A15", "memory 'lbuf' keeps nothing", 2, -1,
         [](Arch &a) { a.memories[2].keeps = {false, false, false}; });
  breaks("A15", "memory 'dram' keeps not everything", 0, -1,
         [](Arch &a) { a.memories[0].keeps = {true, true, false}; });
}

TEST(ArchHierarchy, A16Leakage) {
  breaks("A16", "memory 'gbuf' has a leakage of -1", 1, -1,
         [](Arch &a) { a.memories[1].leakageW = -1; });
  breaks("A16", "unit 'vec1d' has a leakage of nan", -1, 1,
         [](Arch &a) { a.units[1].leakageW = std::nan(""); });
}

TEST(ArchHierarchy, A17Magnitude) {
  breaks(
      "A17", "reading memory 'dram' takes 56240 pJ per byte", 0, -1,
      [](Arch &a) { a.memories[0].readPjPerByte *= 1000; }, lintArch);
  breaks(
      "A17", "writing memory 'gbuf' takes 1.888e-08 pJ per byte", 1, -1,
      [](Arch &a) { a.memories[1].writePjPerByte *= 1e-9; }, lintArch);
  breaks(
      "A17", "a mac of unit 'mac2d' takes 8.4e-14 pJ", -1, 0,
      [](Arch &a) { a.units[0].ops[int(OpClass::Mac)].pj *= 1e-12; }, lintArch);
  breaks(
      "A17", "more than ten times the 15.04 of 'gbuf', which it is in", 2, -1,
      [](Arch &a) { a.memories[2].readPjPerByte = 200; }, lintArch);
  for (const char *name : {"cloud", "edge", "tiny"})
    EXPECT_TRUE(lintArch(machine(name)).empty()) << name;
}
