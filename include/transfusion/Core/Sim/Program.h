//===- Program.h - What a schedule file says --------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *program* is a loop nest of transfers and slots on a machine of
// units and ports; docs/schemas/schedule-v1.schema.json says what each part
// means, and nothing here comes from elsewhere. A *slot* is one Einsum's place
// in a phase; in step k it works on *epoch* k - stage. A *transfer* moves a
// piece of a tensor between where that lies and a *buffer*, whose slots rotate.
// A tensor lies in the outer memory, or is a *resident* of one in between; a
// *copy* puts it there. Of a tensor in the outer memory, the piece of a group's
// outer tile may be one, which the group then loads from. A *port* is what
// transfers and slots share the bandwidth of.
//
// Toy example: one phase that loops over i = 8 in epochs of 2, loads a piece of
// A into a buffer of two slots, makes one of C in another and stores it:
//   loops {i: inner 2}   transfers {load A -> a[2], store c[2] -> C}
//   slots {C on mac2d: reads a, writes c, 5 cycles}
//
// Plain data with dense ids into the vectors of Program; whoever builds one
// sees to it that ids exist (simulate() says so of the rest).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SIM_PROGRAM_H
#define TRANSFUSION_CORE_SIM_PROGRAM_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace transfusion::core::sim {

struct Port {
  std::string name;
  double bytesPerCycle = 0; ///< 0: not given, hence no limit
};

struct Memory {
  std::string name;
  int64_t capacityBytes = -1; ///< -1: unlimited
  int32_t readPort = -1, writePort = -1;
};

struct Unit {
  std::string name;
  int32_t memory = -1;   ///< that feeds it
  int64_t instances = 1; ///< that all run a slot together
};

struct Rank {
  std::string name;
  int64_t extent = 1;
};

struct Tensor {
  std::string name;
  std::vector<int64_t> shape;
  bool isInput = false, isOutput = false;
  /// The tensor that this one begins with, in whose storage in the outer memory
  /// it lies; -1: none. A chain of these ends.
  int32_t extends = -1;
  int64_t bytesPerValue = 1;
  int32_t memory = 0; ///< where it lies
};

/// constant + sum of coefficient * rank.
struct Coordinate {
  std::vector<std::pair<int32_t, int64_t>> terms;
  int64_t constant = 0;
};
using Coordinates = std::vector<Coordinate>; ///< by tensor dimension

/// A tensor in a memory that feeds no unit: whole or, of one group, the piece
/// of its outer tile.
struct Resident {
  int32_t tensor = -1, memory = -1;
  int64_t address = 0, bytes = 0;
  int32_t firstGroup = 0, lastGroup = 0;
  bool isPiece = false;
  Coordinates access; ///< of a piece
};

enum class Role : uint8_t { Input, Window, Accumulator, Carried, Output };

struct Buffer {
  std::string name;
  int32_t tensor = -1;
  Role role = Role::Input;
  int32_t memory = -1;
  int64_t address = 0, bytes = 0, slots = 1, bytesPerSlot = 0;
  int64_t bytesPerValue = 1;
  int32_t group = -1;
  /// Phases of its group, counted through the outer tiles: -1 is the last phase
  /// of the tile before.
  int64_t firstUse = 0, lastUse = 0;
  Coordinates access;
};

struct Read {
  int32_t buffer = -1;
  int64_t distance = 0;    ///< epochs back
  int32_t notAtFirst = -1; ///< rank at whose index 0 nothing is read
  Coordinates access;
};

struct Write {
  int32_t buffer = -1;
  bool accumulate = false;
  int32_t onlyAtLast = -1; ///< rank at whose last index it is written
};

/// Cycles of an epoch that holds these points of the ranks.
struct SlotCycles {
  std::vector<std::pair<int32_t, int64_t>> extents;
  int64_t cycles = 0;
};

struct Slot {
  std::string name;
  int32_t unit = -1;
  int64_t issue = 0, stage = 0;
  /// Ranks, and how many of their points in an epoch each instance of the unit
  /// takes. Every instance reads for itself.
  std::vector<std::pair<int32_t, int64_t>> instances;
  std::vector<Read> reads;
  std::vector<Write> writes;
  std::vector<SlotCycles> cycles;
};

enum class Scope : uint8_t { Group, Tile, Epoch };

struct Transfer {
  bool isLoad = true;
  int32_t tensor = -1, buffer = -1;
  int32_t fromPort = -1, toPort = -1;
  Scope scope = Scope::Tile;
  int32_t loop = -1; ///< position in the phase's loops
  int64_t every = 1, stage = 0, stepsAhead = 0;
  int64_t phasesAhead = 0, phasesLater = 0;
  int32_t afterSlot = -1;   ///< of a store
  int32_t onlyAtLast = -1;  ///< rank
  bool activeSteps = false; ///< of the skipping rank, only what is active
  std::vector<std::pair<int32_t, int64_t>> piece;
};

/// From the outer memory to where it resides: before all else of the group or,
/// with a loop, before the outer tiles in which that or one outside advances.
struct Copy {
  int32_t tensor = -1;
  int32_t fromPort = -1, toPort = -1;
  int32_t loop = -1; ///< position in the group's loops
  /// Of the piece that it fills, in Program::residents; -1: whole.
  int32_t piece = -1;
};

struct Loop {
  int32_t rank = -1;
  int64_t tile = 1, inner = 1;
};

/// Steps of a rank that do not run; rank -1: all run.
struct Skip {
  int32_t rank = -1;
  Coordinates where; ///< sums that must reach 0 somewhere in the epoch
};

/// One step with full inner tiles, as the file claims it.
struct Claimed {
  int32_t slot = -1;
  int64_t start = 0, end = 0;
};
struct Body {
  int64_t length = 0;
  std::vector<Claimed> slots;
};

struct Phase {
  std::string name;
  double claimedCycles = 0;
  std::vector<Loop> loops; ///< outermost first
  int64_t stages = 1;
  bool wrap = false;
  Skip skip;
  int64_t iiCycles = 0;
  std::vector<std::pair<int32_t, int64_t>> inner; ///< points of a full epoch
  std::vector<Slot> slots;
  std::vector<Transfer> transfers;
  std::vector<Body> prologue, epilogue;
  Body steady;
};

struct OuterLoop {
  int32_t rank = -1;
  int64_t tile = 1;
};

struct Group {
  std::string name;
  std::vector<Copy> copies;
  std::vector<OuterLoop> loops; ///< outermost first
  std::vector<Transfer> transfers;
  std::vector<Phase> phases;
};

struct Program {
  std::string name;
  double clockHz = 0, claimedCycles = 0;
  /// Of the function, that no cycle here counts.
  int64_t unscheduledOps = 0;
  std::vector<Port> ports;
  std::vector<Memory> memories;
  std::vector<Unit> units;
  std::vector<Rank> ranks;
  std::vector<Tensor> tensors;
  std::vector<Resident> residents;
  std::vector<Buffer> buffers;
  std::vector<Group> groups;
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_CORE_SIM_PROGRAM_H
