//===- ProgramReader.h - Parts of a schedule file ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_TARGET_SCHEDULEFILE_PROGRAMREADER_H
#define TRANSFUSION_LIB_TARGET_SCHEDULEFILE_PROGRAMREADER_H

#include "JsonCursor.h"

namespace transfusion {

/// The file from its root on; ReadGroups.cpp has the loop nests, CheckBuffers
/// what buffers must not do to each other.
class ProgramReader {
public:
  ProgramReader(JsonErrors &errors, core::sim::Program &p)
      : errors(errors), p(p) {}
  void read(const JsonCursor &file);

private:
  using Extents = std::vector<std::pair<int32_t, int64_t>>;

  // ReadProgram.cpp
  bool readHead(const JsonCursor &file);
  void readArch(const JsonCursor &arch);
  void readMemory(const JsonCursor &memory);
  int32_t portOf(const JsonCursor &name, double bytesPerCycle);
  void readRanks(const JsonCursor &ranks);
  void readTensors(const JsonCursor &tensors);
  void readResidents(const JsonCursor &residents);
  void readBuffers(const JsonCursor &buffers);
  void readBuffer(const JsonCursor &buffer);
  core::sim::Coordinates readAccess(const JsonCursor &access, int32_t tensor);
  core::sim::Coordinates readSums(const JsonCursor &list);

  // ReadGroups.cpp
  void nameGroups(const JsonCursor &groups);
  void readGroup(const JsonCursor &group, int32_t g);
  void readOuterLoops(const JsonCursor &group, core::sim::Group &out);
  core::sim::Phase readPhase(const JsonCursor &phase, int32_t group);
  void readSkip(const JsonCursor &skip, core::sim::Phase &out);
  void readLoops(const JsonCursor &phase, const core::sim::Group &group,
                 core::sim::Phase &out);
  core::sim::Slot readSlot(const JsonCursor &slot);
  void checkInstances(const JsonCursor &slot, const core::sim::Slot &s,
                      const Extents &inner);
  void readReads(const JsonCursor &slot, core::sim::Slot &out);
  void readWrites(const JsonCursor &slot, core::sim::Slot &out);
  core::sim::Body readBody(const JsonCursor &body, const core::sim::Phase &of);
  Extents readPoints(const JsonCursor &points);

  // ReadTransfers.cpp
  core::sim::Transfer readTransfer(const JsonCursor &transfer, int32_t group,
                                   const core::sim::Phase *phase);
  void readWhen(const JsonCursor &when, const core::sim::Phase *phase,
                core::sim::Transfer &out);

  core::sim::Copy readCopy(const JsonCursor &copy, int32_t group);
  int32_t pieceOf(int32_t group, int32_t tensor) const;

  // CheckBuffers.cpp
  void checkBuffers(const JsonCursor &file);
  void checkResidents(const JsonCursor &file, std::vector<int64_t> &ends);

  JsonErrors &errors;
  core::sim::Program &p;
  NameTable memories{"memory", {}}, units{"unit", {}}, ports{"port", {}};
  NameTable ranks{"rank", {}}, tensors{"tensor", {}}, buffers{"buffer", {}};
  NameTable groups{"group", {}};
  std::vector<int64_t> firstPhase; ///< of each group, counted over all
};

/// No size, address or number of cycles of a machine is greater.
inline constexpr int64_t kMostSize = int64_t(1) << 60;
inline constexpr int64_t kMostCycles = int64_t(1) << 40;
/// Of things that the simulator keeps one by one.
inline constexpr int64_t kMostKept = int64_t(1) << 16;

} // namespace transfusion

#endif // TRANSFUSION_LIB_TARGET_SCHEDULEFILE_PROGRAMREADER_H
