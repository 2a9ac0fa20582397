//===- GroupRun.h - A group, outer tile by outer tile -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a group retains is loaded first; then outer tiles follow one another,
// each phase by phase. First pieces that are loaded ahead, and results that are
// stored later, move beside a phase that is not theirs, perhaps in the tile
// before or after.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_SIM_GROUPRUN_H
#define TRANSFUSION_LIB_CORE_SIM_GROUPRUN_H

#include "Machine.h"

namespace transfusion::core::sim {

class GroupRun {
public:
  /// Entries `entry` and following of the ledger are the group's: its loads,
  /// its phases, its last stores. `firstStart` has an element for each.
  GroupRun(Machine &m, size_t entry, std::vector<double> &firstStart);
  void run();

private:
  struct Tile {
    std::vector<int64_t> index; ///< by outer loop
    Box box;
    int64_t number = 0;
    int32_t advanced = -1; ///< outermost loop that is at another index
  };
  struct Snapshot {
    bool valid = false;
    std::vector<int64_t> prefix, state;
    int64_t iteration = 0, tile = 0;
    Wide now = 0;
    std::vector<Wide> ledger;
  };

  Box boxOf(const std::vector<int64_t> &index) const;
  /// False behind the last one.
  bool next(Tile &t) const;
  void loadBefore(const Tile &first);
  void runTile(const Tile &t);
  void storeAfter(const Tile &last);
  void loadAhead(int32_t transfer, const Tile &tile, int64_t sequence);
  void storeLate(int32_t transfer, const Box &box, int64_t tile,
                 int64_t sequence);
  void enter(size_t entry);

  bool mayRepeat(size_t loop) const;
  bool isRetained(size_t buffer) const;
  std::vector<int64_t> stateAt(const Tile &t) const;
  void trySkip(Tile &t);
  void skip(Tile &t, size_t loop, const Snapshot &then, int64_t n);

  Machine &m;
  const Program &p;
  const GroupLinks &links;
  const size_t firstEntry;
  std::vector<double> &firstStart;
  std::vector<int64_t> trips;
  std::vector<bool> repeats;       ///< by outer loop
  std::vector<Snapshot> snapshots; ///< by outer loop
  Box before;                      ///< box of the outer tile before
};

} // namespace transfusion::core::sim

#endif // TRANSFUSION_LIB_CORE_SIM_GROUPRUN_H
