//===- SimulateTest.cpp - The simulator on programs worked by hand --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToyProgram.h"

#include <gtest/gtest.h>

using namespace transfusion::core::sim;
using namespace transfusion::core::sim::test;

namespace {

double stall(const SimReport &r, Stall s, size_t unit = 0) {
  return r.units[unit].stallCycles[static_cast<size_t>(s)];
}

/// The run, and that skipping does not change it.
SimReport run(const Program &p) {
  const SimReport skipping = simulate(p);
  SimOptions all;
  all.skip = false;
  const SimReport whole = simulate(p, all);
  EXPECT_TRUE(whole.refusals.empty())
      << whole.refusals.front().where << ": " << whole.refusals.front().what;
  EXPECT_EQ(skipping.cycles, whole.cycles);
  EXPECT_EQ(skipping.steps, whole.steps);
  for (size_t u = 0; u < whole.units.size(); ++u) {
    EXPECT_EQ(skipping.units[u].busyCycles, whole.units[u].busyCycles);
    EXPECT_EQ(skipping.units[u].stallCycles, whole.units[u].stallCycles);
    double sum = whole.units[u].busyCycles;
    for (double s : whole.units[u].stallCycles)
      sum += s;
    EXPECT_DOUBLE_EQ(sum, whole.cycles);
  }
  EXPECT_EQ(skipping.portBusyCycles, whole.portBusyCycles);
  return skipping;
}

Program withoutStore(Program p) {
  p.groups[0].phases[0].transfers.pop_back();
  p.tensors[1].isOutput = false;
  return p;
}

TEST(Simulate, LoadsRunBesideTheEpochBefore) {
  // A load of 4 cycles, then two epochs of 10; the second load is hidden.
  const SimReport r = run(withoutStore(toyProgram(2, 10, 4)));
  EXPECT_EQ(r.cycles, 24);
  EXPECT_EQ(stall(r, Stall::Load), 4);
  EXPECT_EQ(r.units[0].busyCycles, 20);
  EXPECT_EQ(stall(r, Stall::Idle, 1), 20);
  EXPECT_EQ(r.portBusyCycles[0], 8);
}

TEST(Simulate, MemoryBoundPhaseEndsWithItsLastEpoch) {
  // Five loads of 8 cycles, one after another, then the last epoch of 3.
  EXPECT_EQ(run(withoutStore(toyProgram(5, 3, 2))).cycles, 5 * 8 + 3);
}

TEST(Simulate, ResultsShareThePortWithLoads) {
  // L1 C1 | L2 beside C1 | S1 and L3 beside C2 ... : 8 + 8 + 4 * (8 + 8) of the
  // port, of which the last store waits for the last epoch.
  const SimReport r = run(toyProgram(5, 3, 2));
  EXPECT_EQ(r.portBusyCycles[0], 10 * 8);
  EXPECT_EQ(r.cycles, 8 + 4 * 8 + 4 * 8 + 3 + 8 - 3);
}

TEST(Simulate, SeparatePortsCarryBothAtOnce) {
  Program p = toyProgram(5, 3, 2);
  p.ports.push_back({"dram.write", 2});
  p.memories[0].writePort = 2;
  p.groups[0].phases[0].transfers[1].toPort = 2;
  // Loads back to back; the last result is made after the last load.
  EXPECT_EQ(run(p).cycles, 5 * 8 + 3 + 8);
}

TEST(Simulate, ResultWaitsForItsPlace) {
  // Stores of 20 cycles, epochs of 3, two places: the third epoch waits.
  Program p = toyProgram(4, 3, 0);
  p.ports.push_back({"dram.write", 0.8});
  p.memories[0].writePort = 2;
  p.groups[0].phases[0].transfers[1].toPort = 2;
  const SimReport r = run(p);
  EXPECT_NEAR(r.cycles, 3 + 4 * 20, 0.01);
  EXPECT_NEAR(stall(r, Stall::Buffer), 2 * (20 - 3), 0.01);
  EXPECT_GT(stall(r, Stall::Store), 19);
}

TEST(Simulate, UnitIsSlowedByItsMemory) {
  // 16 bytes in and 16 out of the buffer in 4 cycles, of 4 bytes per cycle.
  Program p = toyProgram(6, 4, 0);
  p.ports[1].bytesPerCycle = 4;
  const SimReport r = run(withoutStore(p));
  // Loads pass the same port: the first one alone, the others in turn with the
  // unit, which takes 12 cycles then, and 8 without.
  EXPECT_EQ(stall(r, Stall::Port), 5 * (12 - 4) + (8 - 4));
  EXPECT_EQ(r.units[0].busyCycles, 6 * 4);
  EXPECT_EQ(r.portBusyCycles[1], 6 * 12);
  EXPECT_EQ(r.cycles, 6 * 12);
}

TEST(Simulate, WithWrapAllUnitsWaitForThePort) {
  // In turn with a load, which takes 8 cycles then, a step takes 12 of which 4
  // are after it; the last one has nothing beside it and takes 8.
  Program p = toyProgram(6, 4, 0);
  p.ports[1].bytesPerCycle = 4;
  p.groups[0].phases[0].wrap = true;
  const SimReport r = run(withoutStore(p));
  EXPECT_EQ(stall(r, Stall::Port), 5 * (12 - 4) + (8 - 4));
  EXPECT_EQ(r.units[0].busyCycles, 6 * 4);
  EXPECT_EQ(r.portBusyCycles[1], 6 * 12);
  EXPECT_EQ(r.cycles, 6 * 12);
}

TEST(Simulate, ANarrowOuterMemoryIsNotHeldUp) {
  // Loads of 16 cycles take a quarter of the port, less than half of it, and
  // leave 3 bytes a cycle to the unit, which ends before they do.
  Program p = toyProgram(6, 4, 1);
  p.ports[1].bytesPerCycle = 4;
  EXPECT_EQ(run(withoutStore(p)).cycles, 6 * 16 + 8);
}

TEST(Simulate, UnitsShareAPortInTurn) {
  // C wants 8 of the 10 bytes a cycle, D 4: it gets them, 6 are left for C.
  // After 4 cycles D has ended, and C is left with 8 bytes.
  Program p = withoutStore(toyProgram(5, 4, 0));
  p.ports[1].bytesPerCycle = 10;
  Phase &phase = p.groups[0].phases[0];
  phase.transfers[0].scope = Scope::Tile; // the whole of A, before all
  p.buffers[0].bytesPerSlot = p.buffers[0].bytes = 80;
  p.buffers[1].address = 128;
  phase.transfers[0].piece = {{0, 20}};
  Slot d = phase.slots[0];
  d.name = "D";
  d.unit = 1;
  d.writes.clear();
  phase.slots.push_back(d);
  phase.steady.slots.push_back({1, 0, 4});
  const SimReport r = run(p);
  EXPECT_NEAR(r.cycles, 8 + 5 * 5, 1e-3);
}

TEST(Simulate, LongRunsAreSkipped) {
  const int64_t epochs = 1000000;
  Program p = toyProgram(epochs, 10, 4);
  const SimReport r = simulate(p);
  ASSERT_TRUE(r.refusals.empty());
  EXPECT_EQ(r.cycles, 4 + 10.0 * epochs + 4);
  EXPECT_EQ(r.steps, double(epochs));
  EXPECT_LT(r.stepsRun, 20);
}

TEST(Simulate, RaggedEpochsTakeTheirOwnCycles) {
  Program p = withoutStore(toyProgram(5, 10, 4));
  p.ranks[0].extent = 18; // 4 4 4 4 2
  p.tensors[0].shape = p.tensors[1].shape = {18};
  p.groups[0].phases[0].slots[0].cycles.push_back({{{0, 2}}, 7});
  const SimReport r = run(p);
  EXPECT_EQ(r.cycles, 4 + 4 * 10 + 7);
  EXPECT_EQ(r.portBusyCycles[0], 18);
}

TEST(Simulate, OuterTilesAreSkipped) {
  // 100000 tiles of 8 points, each a phase of two epochs.
  Program p = toyProgram(200000, 10, 4);
  p.groups[0].loops = {{0, 8}};
  p.groups[0].phases[0].loops[0].tile = 8;
  SimReport r = simulate(p);
  ASSERT_TRUE(r.refusals.empty());
  EXPECT_EQ(r.cycles, 100000 * (4.0 + 20 + 4));
  EXPECT_LT(r.stepsRun, 20);
  p.ranks[0].extent = p.tensors[0].shape[0] = p.tensors[1].shape[0] = 8 * 50;
  run(p);
}

/// A second phase that reads what the first one has loaded for the tile.
Program twoPhases() {
  Program p = toyProgram(20, 10, 4);
  Group &g = p.groups[0];
  g.loops = {{0, 8}};
  g.phases[0].loops[0].tile = 8;
  g.phases[0].transfers[0].scope = Scope::Tile;
  g.phases[0].transfers[0].piece = {{0, 8}};
  p.buffers[0].slots = 1;
  p.buffers[0].bytesPerSlot = 32;
  p.buffers[0].lastUse = 1;
  Phase second = g.phases[0];
  second.name = "g1.p2";
  second.transfers.clear();
  p.tensors.push_back({"D", {80}, false, false});
  p.buffers.push_back(p.buffers[1]);
  p.buffers[2].name = "d";
  p.buffers[2].tensor = 2;
  p.buffers[2].role = Role::Window;
  p.buffers[2].firstUse = p.buffers[2].lastUse = 1;
  second.slots[0].name = "D";
  second.slots[0].writes[0].buffer = 2;
  g.phases.push_back(second);
  g.phases.push_back(second);
  g.phases[2].name = "g1.p3";
  p.buffers.push_back(p.buffers[2]);
  p.buffers[3].name = "d2";
  p.buffers[3].firstUse = p.buffers[3].lastUse = 2;
  g.phases[2].slots[0].writes[0].buffer = 3;
  g.phases[2].slots[0].reads.clear();
  return p;
}

TEST(Simulate, PrefetchMovesALoadBesideAnotherPhase) {
  // Per tile: 8 cycles to load, three phases of 20, and 4 for the last store.
  EXPECT_EQ(run(twoPhases()).cycles, 10 * (8 + 20 + 4 + 20 + 20));
  Program p = twoPhases();
  p.groups[0].phases[0].transfers[0].phasesAhead = 1; // beside phase 3
  p.buffers[0].firstUse = -1;
  EXPECT_EQ(run(p).cycles, 8 + 10 * (20 + 4 + 20 + 20));
}

TEST(Simulate, PrefetchOverWhatIsStillRead) {
  Program p = twoPhases();
  p.groups[0].phases[0].transfers[0].phasesAhead = 2; // beside phase 2
  p.buffers[0].firstUse = -2;
  p.buffers[0].lastUse = 0; // phase 2 is the last but one of the tile before
  const SimReport r = simulate(p);
  ASSERT_EQ(r.refusals.size(), 1u);
  EXPECT_EQ(r.refusals[0].where, "g1.p1, load of A");
  EXPECT_EQ(r.refusals[0].what,
            "overwrites what is still needed: g1.p2 has yet "
            "to read a of outer tile 0");
}

/// Queries p in rows of 4, keys m one by one, active where m*4 <= p.
Program causal(int64_t rows, int64_t keys) {
  Program p = toyProgram(rows, 10, 4);
  p.ranks.push_back({"m", keys});
  Phase &phase = p.groups[0].phases[0];
  phase.loops.push_back({1, keys, 1});
  phase.inner.push_back({1, 1});
  phase.skip = {1, {{{{0, 1}, {1, -4}}, 0}}};
  phase.transfers[1].onlyAtLast = 1; // one result a row
  return p;
}

TEST(Simulate, StepsAboveTheDiagonalDoNotRun) {
  // 1 + 2 + 3 + 4 + 5 epochs, of 6 keys; a load a row, hidden but the first.
  const SimReport r = run(causal(5, 6));
  EXPECT_EQ(r.units[0].busyCycles, 15 * 10);
  EXPECT_EQ(r.steps, 15);
  EXPECT_EQ(r.cycles, 4 + 150 + 4);
  EXPECT_EQ(r.portBusyCycles[0], 5 * 4 + 5 * 4);
}

TEST(Simulate, RowsDrainOneByOne) {
  // A second stage on the other unit, of 6 cycles: rows of n epochs take n + 1
  // steps, the last of them 6 cycles.
  Program p = withoutStore(causal(5, 6));
  Phase &phase = p.groups[0].phases[0];
  p.buffers[1].role = Role::Window;
  p.buffers.push_back(p.buffers[1]);
  p.buffers[2].name = "d";
  p.buffers[2].address = 256;
  phase.stages = 2;
  Slot late = phase.slots[0];
  late.name = "D";
  late.unit = late.stage = 1;
  late.reads[0].buffer = 1;
  late.writes[0].buffer = 2;
  late.cycles[0].cycles = 6;
  phase.slots.push_back(late);
  phase.steady.slots.push_back({1, 0, 6});
  phase.prologue = {{10, {{0, 0, 10}}}};
  phase.epilogue = {{6, {{1, 0, 6}}}};
  const SimReport r = run(p);
  EXPECT_EQ(r.steps, 15 + 5);
  EXPECT_EQ(r.cycles, 4 + 15 * 10 + 5 * 6);
  EXPECT_EQ(stall(r, Stall::FillDrain), 5 * 6);
}

TEST(Simulate, OnlyActiveKeysAreLoaded) {
  // Keys in blocks of 2, of 4 bytes: of a block, those that run.
  Program p = withoutStore(causal(5, 6));
  Phase &phase = p.groups[0].phases[0];
  p.tensors[0].shape = {6};
  p.buffers[0].access = phase.slots[0].reads[0].access = {{{{1, 1}}, 0}};
  Transfer &load = phase.transfers[0];
  load.loop = 1;
  load.every = 2;
  load.piece = {{1, 2}};
  load.activeSteps = true;
  const SimReport r = run(p);
  EXPECT_EQ(r.portBusyCycles[0], 1 + 2 + 3 + 4 + 5);
}

/// A tensor is whole when all that it begins with is.
TEST(Simulate, WhatIsExtendedIsThere) {
  for (int32_t longer : {0, 1}) { // what is loaded, what is stored
    Program p = toyProgram(3, 10, 16);
    p.tensors.push_back({"B", {8}, /*isInput=*/true, false});
    p.tensors[longer].extends = 2;
    EXPECT_TRUE(simulate(p, {}).refusals.empty());
    p.tensors[2].isInput = false;
    const SimReport report = simulate(p, {});
    ASSERT_EQ(report.refusals.size(), 1u);
    EXPECT_EQ(report.refusals[0].what,
              longer == 0
                  ? "reads what was not written: no earlier group stores B"
                  : "never stores its output B");
  }
}

TEST(Simulate, StepsHaveALimit) {
  SimOptions few;
  few.skip = false;
  few.maxSteps = 100;
  const SimReport r = simulate(toyProgram(1000, 10, 4), few);
  ASSERT_EQ(r.refusals.size(), 1u);
  EXPECT_EQ(r.refusals[0].what, "takes more than 100 steps to simulate");
}

} // namespace
