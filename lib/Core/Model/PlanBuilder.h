//===- PlanBuilder.h - Steps of makePlan ------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Model. A plan is made in four steps: sizes of every rank
// in every phase (Plan.cpp), where each Einsum is made (Plan.cpp), buffers and
// who uses them (PlanBuffers.cpp), addresses (PlanAllocate.cpp). What a phase
// leaves out is in PlanSkip.cpp, what other phases move for it in
// PlanMoves.cpp, what lies in memories in between in PlanResidents.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_MODEL_PLANBUILDER_H
#define TRANSFUSION_LIB_CORE_MODEL_PLANBUILDER_H

#include "transfusion/Core/Model/Plan.h"

namespace transfusion::core {

/// Addresses and allocation sizes from lifetimes and bytes: greatest first,
/// then by id, each at the lowest address where it overlaps nothing that lives
/// at the same time. Buffers live in phases, residents in groups.
void allocate(Plan &plan, size_t numMemories);

bool sameAccess(const Access &x, const Access &y);

class PlanBuilder {
public:
  PlanBuilder(const Cascade &c, const Arch &a, const Schedule &s)
      : c(c), a(a), s(s) {}
  Plan build();

private:
  /// Where an Einsum's values come into being; phases of `group`.
  struct Home {
    int32_t group = -1;
    int32_t phase = -1;   ///< its value is finished here
    int32_t partial = -1; ///< sums are accumulated here, when not in `phase`
    int32_t slot = -1;    ///< of `phase`: who writes the finished value
    int32_t accumulator = -1, window = -1, carried = -1; ///< buffers
  };

  bool checkIds();
  void placeResidents();
  void placePieces(int32_t group);
  bool isPlaceable(const Resident &r);
  MemoryId outerOf(int32_t group, TensorId t) const;
  void resolveCuts(int32_t group, int32_t phase);
  bool spansEpochs(int32_t group, int32_t phase, EinsumId e) const;
  void placeSlots(int32_t group, int32_t phase);
  void checkHomes();
  void findActiveSteps(int32_t group, int32_t phase);
  std::string whyNotSkip(int32_t group, int32_t phase, RankId r) const;

  void makeResultBuffers(int32_t group, int32_t phase);
  void makeOperandBuffers(int32_t group, int32_t phase);
  OperandSource source(int32_t group, int32_t phase, PlannedSlot &slot,
                       const Operand &read);
  OperandSource readOuter(int32_t group, int32_t phase, const PlannedSlot &slot,
                          const Operand &read);
  OperandSource readWindow(int32_t group, int32_t phase,
                           const PlannedSlot &slot, const Operand &read,
                           const Home &home);
  OperandSource readCarried(int32_t group, int32_t phase,
                            const PlannedSlot &slot, const Operand &read,
                            const Home &home);
  bool covers(int32_t group, int32_t madeIn, const Operand &made,
              const Operand &read, bool wholeTile, bool slices) const;
  int32_t newBuffer(int32_t group, int32_t phase, TensorId t, BufferRole role,
                    const Access &access, const char *suffix);
  void setDims(Buffer &b, const std::vector<int64_t> &extents);
  void setFetch(Buffer &b);
  std::vector<int64_t> innerExtents(int32_t group, int32_t phase) const;
  std::vector<int64_t> tileExtents(int32_t group, int32_t phase) const;
  RetainLevel retainLevel(int32_t group, TensorId t) const;
  bool resides(int32_t group, TensorId t) const;
  int32_t prefetchAhead(int32_t group, int32_t phase, TensorId t) const;
  int32_t deferredBy(int32_t group, int32_t phase, TensorId t) const;
  void checkMoves(int32_t group);
  void finishSizes();

  bool readLater(TensorId t, int32_t group, int32_t phase) const;
  bool readElsewhere(TensorId t, int32_t group, bool *lastSliceOnly) const;
  std::string where(int32_t group, int32_t phase) const;
  std::string slotName(const PlannedSlot &slot) const;
  void fault(const std::string &text) { plan.faults.push_back(text); }

  const Cascade &c;
  const Arch &a;
  const Schedule &s;
  Plan plan;
  std::vector<Home> homes; ///< by EinsumId
  /// By tensor: (einsum, access) of each reader, map and finish alike.
  struct Reader {
    EinsumId einsum;
    const Operand *operand;
    bool inFinish;
  };
  std::vector<std::vector<Reader>> readersOf;
  MemoryId memory = 1; ///< feeds the units
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_MODEL_PLANBUILDER_H
