//===- ToyProgram.h - Small programs, written by hand -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_SIM_TOYPROGRAM_H
#define TRANSFUSION_UNITTESTS_CORE_SIM_TOYPROGRAM_H

#include "transfusion/Core/Sim/Simulate.h"

namespace transfusion::core::sim::test {

/// One phase that loops over i = epochs * 4: a block of A is loaded for every
/// epoch, C is made of it in `cycles` and stored. 4-byte values; the outer
/// memory carries `bytesPerCycle`. A block takes 16 bytes, a result too.
inline Program toyProgram(int64_t epochs, int64_t cycles,
                          double bytesPerCycle) {
  Program p;
  p.name = "toy";
  p.clockHz = 1e9;
  p.claimedCycles = 1e9;
  p.ports = {{"dram", bytesPerCycle}, {"buffer", 0}};
  p.memories = {{"dram", -1, 0, 0}, {"buffer", 1 << 20, 1, 1}};
  p.units = {{"unit", 1}, {"other", 1}};
  p.ranks = {{"i", epochs * 4}};
  p.tensors = {{"A", {epochs * 4}, true, false},
               {"C", {epochs * 4}, false, true}};
  const Coordinates i{{{{0, 1}}, 0}};
  auto buffer = [&](const char *name, int32_t tensor, Role role) {
    Buffer b;
    b.name = name;
    b.tensor = tensor;
    b.role = role;
    b.memory = 1;
    b.address = int64_t(p.buffers.size()) * 64;
    b.bytes = 64;
    b.slots = 2;
    b.bytesPerSlot = 16;
    b.bytesPerValue = 4;
    b.group = 0;
    b.access = i;
    p.buffers.push_back(b);
  };
  buffer("a", 0, Role::Input);
  buffer("c", 1, Role::Output);

  Transfer load;
  load.tensor = load.buffer = 0;
  load.fromPort = 0;
  load.toPort = 1;
  load.scope = Scope::Epoch;
  load.loop = 0;
  load.stepsAhead = 1;
  load.piece = {{0, 4}};
  Transfer store = load;
  store.isLoad = false;
  store.tensor = store.buffer = 1;
  store.fromPort = 1;
  store.toPort = 0;
  store.afterSlot = 0;

  Slot slot;
  slot.name = "C";
  slot.unit = 0;
  slot.reads = {{0, 0, -1, i}};
  slot.writes = {{1, false, -1}};
  slot.cycles = {{{{0, 4}}, cycles}};

  Phase phase;
  phase.name = "g1.p1";
  phase.loops = {{0, epochs * 4, 4}};
  phase.inner = {{0, 4}};
  phase.slots = {slot};
  phase.transfers = {load, store};
  phase.steady = {cycles, {{0, 0, cycles}}};
  phase.iiCycles = cycles;
  Group g;
  g.name = "g1";
  g.phases = {phase};
  p.groups = {g};
  return p;
}

} // namespace transfusion::core::sim::test

#endif // TRANSFUSION_UNITTESTS_CORE_SIM_TOYPROGRAM_H
