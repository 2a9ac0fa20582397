//===- Arch.h - An accelerator ----------------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. Memories are listed from outer (0, DRAM) to inner. There may be
// several instances of a memory: every instance of its outer one has as many. A
// *unit* executes Einsums: a 2D array (grid of rows x cols lanes) or vector
// lanes (1D). An op class that a unit does not implement itself may be an
// *expansion* into others ("exp" = 6 mac).
//
// Toy example, a 4x4 array that multiplies and 8 lanes that do everything:
//   memories {dram, buffer 16384 bytes}, units {mac2d 4x4, vec1d 8}
// With two of each, and a register in every lane of the arrays:
//   memories {dram, buffer x2, reg x32}, units {mac2d 4x4 x2 on reg, ...}
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_ARCH_H
#define TRANSFUSION_CORE_MODEL_ARCH_H

#include "transfusion/Core/Model/Cascade.h"

namespace transfusion::core {

using UnitId = int32_t;
using MemoryId = int32_t;

/// What an operand is to its Einsum: the result, the second of its operands
/// (what a weight-stationary array holds: WQ in Q, K in QK), or another one.
enum class OperandRole : uint8_t { Input, Weight, Output };
inline constexpr int kNumOperandRoles = 3;

struct Memory {
  std::string name;
  MemoryId outer = -1; ///< -1: the one before it in the list
  /// In the whole machine; capacity, bandwidths and leakage are those of each.
  int64_t instances = 1;
  int64_t capacityBytes = -1; ///< -1: unlimited (outermost only)
  /// Operands that may stay here, by role; others pass by.
  std::array<bool, kNumOperandRoles> keeps{true, true, true};
  /// Bytes per second; 0: not given, hence no limit (and the report says so).
  /// With sharedPort, readBytesPerS is what reads and writes share.
  double readBytesPerS = 0, writeBytesPerS = 0;
  bool sharedPort = true;
  double readPjPerByte = 0, writePjPerByte = 0;
  double leakageW = 0;
};

struct OpCost {
  bool supported = false;
  int64_t cycles = 0; ///< per point and lane, when not an expansion
  double pj = 0;
  /// Non-empty: the class is executed as these.
  std::vector<std::pair<OpClass, int32_t>> expansion;
};

/// What a grid saves along one of its dimensions: a value of an operand that is
/// the same there comes once, sums leave as one.
struct LaneReuse {
  bool inputs = true, outputs = true;
  bool operator==(const LaneReuse &o) const {
    return inputs == o.inputs && outputs == o.outputs;
  }
};

struct Unit {
  std::string name;
  int64_t instances = 1; ///< in the whole machine; rows, cols are of each
  bool isGrid = false;
  int64_t rows = 1, cols = 1; ///< grid; lanes of a 1D unit are rows = 1, cols
  MemoryId memory = -1;       ///< the memory that feeds it
  std::array<OpCost, kNumOpClasses> ops;
  /// An Einsum with one unsupported op goes elsewhere whole.
  bool wholeEinsum = true;
  LaneReuse alongRows, alongCols;               ///< of a grid
  double leakageW = 0;                          ///< of each
  int64_t lanes() const { return rows * cols; } ///< of each
  int64_t allLanes() const { return instances * lanes(); }
};

struct Arch {
  std::string name;
  double clockHz = 0;
  std::vector<Memory> memories; ///< outer to inner
  std::vector<Unit> units;
};

/// The memory that `m` is in; -1 for the outermost, and where there is none.
MemoryId outerMemory(const Arch &a, MemoryId m);
/// From the outermost memory to `m`; shorter, and not from the outermost, where
/// the hierarchy is broken.
std::vector<MemoryId> memoryPath(const Arch &a, MemoryId m);
/// Memories between the outermost one and the one that feeds the units, the
/// innermost first. For machines of one such chain, as schedules are made for.
std::vector<MemoryId> memoriesBetween(const Arch &a);
/// Power of everything that leaks, in W.
double leakage(const Arch &a);

/// Cycles that one lane of `u` needs for the operations of `h`; -1 when one of
/// them is not supported.
int64_t cyclesPerPoint(const Unit &u, const OpHistogram &h);
/// Energy of the operations of `h` on `u` in pJ (0 for unsupported ones).
double energyPerPoint(const Unit &u, const OpHistogram &h);
/// First class in `h` that `u` does not support, -1 when it supports all.
int unsupportedClass(const Unit &u, const OpHistogram &h);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_ARCH_H
