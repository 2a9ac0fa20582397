//===- Arch.h - An accelerator ----------------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. Memories are listed from outer (0, DRAM) to inner. A *unit* executes
// Einsums: a 2D array (grid of rows x cols lanes) or vector lanes (1D). An op
// class that a unit does not implement itself may be an *expansion* into
// others ("exp" = 6 mac).
//
// Toy example, a 4x4 array that multiplies and 8 lanes that do everything:
//   memories {dram, buffer 16384 bytes}, units {mac2d 4x4, vec1d 8}
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_ARCH_H
#define TRANSFUSION_CORE_MODEL_ARCH_H

#include "transfusion/Core/Model/Cascade.h"

namespace transfusion::core {

using UnitId = int32_t;
using MemoryId = int32_t;

struct Memory {
  std::string name;
  int64_t capacityBytes = -1; ///< -1: unlimited (outermost only)
  /// Bytes per second; 0: not given, hence no limit (and the report says so).
  /// With sharedPort, readBytesPerS is what reads and writes share.
  double readBytesPerS = 0, writeBytesPerS = 0;
  bool sharedPort = true;
  double readPjPerByte = 0, writePjPerByte = 0;
};

struct OpCost {
  bool supported = false;
  int64_t cycles = 0; ///< per point and lane, when not an expansion
  double pj = 0;
  /// Non-empty: the class is executed as these.
  std::vector<std::pair<OpClass, int32_t>> expansion;
};

struct Unit {
  std::string name;
  bool isGrid = false;
  int64_t rows = 1, cols = 1; ///< grid; lanes of a 1D unit are rows = 1, cols
  MemoryId memory = -1;       ///< the memory that feeds it
  std::array<OpCost, kNumOpClasses> ops;
  /// An Einsum with one unsupported op goes elsewhere whole.
  bool wholeEinsum = true;
  int64_t lanes() const { return rows * cols; }
};

struct Arch {
  std::string name;
  double clockHz = 0;
  std::vector<Memory> memories; ///< outer to inner
  std::vector<Unit> units;
};

/// Cycles that one lane of `u` needs for the operations of `h`; -1 when one of
/// them is not supported.
int64_t cyclesPerPoint(const Unit &u, const OpHistogram &h);
/// Energy of the operations of `h` on `u` in pJ (0 for unsupported ones).
double energyPerPoint(const Unit &u, const OpHistogram &h);
/// First class in `h` that `u` does not support, -1 when it supports all.
int unsupportedClass(const Unit &u, const OpHistogram &h);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_ARCH_H
