//===- PhaseRun.h - A phase in one outer tile -------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps follow one another: step k waits for what is due at it, runs the slots
// whose stage has an epoch, and then hands over what transfers wait for:
// results to store, slots of buffers to fill again. How a stretch of steps is
// skipped is in PhaseSkip.cpp, what makes a step illegal in PhaseRules.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_PHASERUN_H
#define TRANSFUSION_LIB_CORE_SIM_PHASERUN_H

#include "Machine.h"
#include "Nest.h"

#include <deque>

namespace transfusion::core::sim {

class PhaseRun {
public:
  /// `tileNumber` counts the outer tiles of the group, `sequence` its phases
  /// through all of them.
  PhaseRun(Machine &m, int32_t phase, const Box &tile, int64_t tileNumber,
           int64_t sequence);
  void run();

private:
  /// An epoch between its first and its last stage.
  struct InFlight {
    bool exists = false;
    Position at;
    LoopSet ragged = 0, first = 0, last = 0;
    std::vector<int64_t> fetch; ///< by load
  };
  /// A load by the epoch, and how far it is.
  struct LoadRun {
    int32_t transfer = -1;
    const Transfer *t = nullptr;
    int64_t slots = 1, lastStage = 0;
    Position cursor;            ///< first epoch of the next fetch
    int64_t next = 0;           ///< number of that fetch
    std::deque<int64_t> begins; ///< first epochs of the slots - 1 before it
    int64_t current = -1;       ///< fetch of the newest epoch
  };

  void begin();
  void loadTile(int32_t transfer);
  void release();
  void releaseOne(LoadRun &load);
  int64_t releaseStep(const LoadRun &load) const;
  bool takeEpoch();
  void awaitSlots();
  StepTimes runStep();
  StepTimes claimedTimes(const std::vector<SlotWork> &all) const;
  StepTimes runWithWrap();
  std::vector<SlotWork> work() const;
  bool startsSums(const Slot &slot, const Read &r, const InFlight &e) const;
  void portUses(const Slot &slot, const InFlight &e, SlotWork &w) const;
  void store();
  void finish();

  // PhaseRules.cpp
  void checkPromises();
  void checkStep(const StepTimes &t);
  void checkRead(size_t slot, const Read &read, const StepTimes &t);
  void checkWrite(size_t slot, const Write &write, const StepTimes &t);
  void applyWrites();
  bool writes(const Write &w, const InFlight &e) const;
  bool reads(const Read &r, const InFlight &e) const;
  LoopSet loopOf(int32_t rank) const;
  std::string where(const Slot &s) const;

  // PhaseSkip.cpp
  struct Snapshot {
    bool valid = false;
    std::vector<int64_t> prefix, state, current;
    int64_t step = 0, iteration = 0;
    Wide now = 0;
    std::vector<Wide> ledger;
  };
  void trySkip();
  bool mayRepeat(size_t loop) const;
  std::vector<int64_t> stateAt(size_t loop) const;
  bool movesWith(const LoadRun &load, size_t loop) const;
  int64_t periodsAhead(size_t loop, const Snapshot &then) const;
  void skip(size_t loop, const Snapshot &then, int64_t periods);
  const LoadRun *loadOf(int32_t transfer) const;

  const InFlight &epochOf(const Slot &s) const { return ring[s.stage]; }

  Machine &m;
  const Program &p;
  const Phase &phase;
  const int32_t number;
  const int64_t tileNumber, sequence;
  const Nest nest;
  const int64_t epochs;
  bool limited = false; ///< slots share ports of their memory
  std::vector<LoadRun> loads;
  std::deque<InFlight> ring; ///< by stage: the newest epoch first
  Position newest;           ///< epoch that the next step takes in
  int64_t k = 0;
  Ticks runsOn = 0; ///< with wrap: what still runs when the last step ends
  std::map<std::vector<LoopSet>, StepTimes> known;
  std::vector<Snapshot> snapshots; ///< by loop
  std::vector<int64_t> periods;    ///< by loop, in iterations; 0: never
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_PHASERUN_H
