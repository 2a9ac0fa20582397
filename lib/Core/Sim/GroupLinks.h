//===- GroupLinks.h - Who touches which buffer of a group -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said of a group before it runs: which slots and transfers share a
// buffer, how its slots rotate, and which of the file's promises already
// contradict each other.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_GROUPLINKS_H
#define TRANSFUSION_LIB_CORE_SIM_GROUPLINKS_H

#include "Fabric.h"
#include "transfusion/Core/Sim/Simulate.h"

namespace transfusion::core::sim {

/// Number `index` among the reads, or writes, of a slot.
struct Touch {
  int32_t phase = -1, slot = -1, index = -1;
};

/// Fetched: a block per fetch, slots rotate by fetch. Rotating: a piece per
/// epoch, slots rotate by epoch. Whole: what an outer tile, or the group,
/// holds.
enum class Kind : uint8_t { Fetched, Rotating, Whole };

struct BufferLinks {
  Kind kind = Kind::Whole;
  std::vector<Touch> readers, writers;
  int32_t load = -1; ///< transfer of the group
  std::vector<int32_t> stores;
};

struct TransferLink {
  const Transfer *transfer = nullptr;
  int32_t phase = -1; ///< -1: of the group
  std::vector<PortUse> uses;
  std::string where; ///< "g1.p2, load of BK"
};

class GroupLinks {
public:
  GroupLinks(const Program &p, int32_t group);

  const Program &p;
  const Group &group;
  int32_t number;
  std::vector<BufferLinks> buffers;    ///< by buffer
  std::vector<TransferLink> transfers; ///< those of the group first
  std::vector<int32_t> firstOf;        ///< first transfer of each phase
  std::vector<Refusal> refusals;

  int64_t phases() const { return static_cast<int64_t>(group.phases.size()); }
  /// In Program::residents, where the group has a piece of the tensor; -1.
  int32_t pieceOf(int32_t tensor) const;
  /// The buffer is live in this phase of its group, in some outer tile.
  bool livesIn(const Buffer &b, int64_t phase) const;

private:
  void addTransfers(const std::vector<Transfer> &list, int32_t phase);
  void addSlots(int32_t phase);
  void checkTransfer(const TransferLink &link);
  void checkStore(const TransferLink &link);
  void checkLoad(const TransferLink &link);
  void checkUnits(const Phase &phase);
  void checkBuffers();
  void checkResidents();
  void refuse(const std::string &where, const std::string &what) {
    refusals.push_back({where, what});
  }
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_GROUPLINKS_H
