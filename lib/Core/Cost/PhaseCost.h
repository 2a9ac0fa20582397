//===- PhaseCost.h - One phase in one class of outer tiles ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost: the two halves of evaluate() that depend on a tile.
// Both count what the loops of Plan.h would do, without running them.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_PHASECOST_H
#define TRANSFUSION_LIB_CORE_COST_PHASECOST_H

#include "EpochCount.h"
#include "OuterTiles.h"
#include "Pieces.h"
#include "StepRuns.h"
#include "StepTimes.h"
#include "Tally.h"
#include "transfusion/Core/Cost/Evaluate.h"

namespace transfusion::core {

/// A phase inside one outer tile.
struct PhaseTile {
  const Cascade &c;
  const Schedule &s;
  const Plan &plan;
  int32_t group, phase;
  const std::vector<Span> &spans; ///< of the outer tile, by RankId

  const Phase &decision() const { return s.groups[group].phases[phase]; }
  const PhasePlan &planned() const { return plan.groups[group].phases[phase]; }
  /// Of rank `r`, clipped to this tile.
  int64_t inner(RankId r) const {
    const RankCut &cut = planned().cuts[r];
    return cut.position < 0 ? spans[r].extent
                            : std::min(cut.inner, spans[r].extent);
  }
  int64_t trips(RankId r) const {
    return (spans[r].extent + inner(r) - 1) / inner(r);
  }
};

/// The pieces in which a tile is walked, by RankId.
void innerCuts(const PhaseTile &tile, std::vector<PieceCut> &cuts);

/// Pieces of a tensor that move one by one while a phase runs: loads of an
/// Input, or results of an Einsum on their way out.
struct PieceMove {
  const Buffer *buffer = nullptr;
  EinsumId einsum = -1; ///< -1: a load
  int32_t stage = 0;    ///< of the Einsum
  bool isThere = false; ///< the first piece is loaded in another phase
};

/// What StepWalk.cpp keeps from one walk to the next.
struct WalkScratch {
  struct Port {
    MemoryId memory;
    bool reads; ///< or both
    double cyclesPerByte;
    int64_t first; ///< nothing is due before this step
  };
  /// Epochs at which fetches begin, one after another.
  struct Cursor {
    int64_t epoch = 0, turn = 0, piece = 0; ///< turn: the epoch it began at
  };
  struct Move {
    PieceMove of;
    int32_t ports[2] = {-1, -1};
    int64_t left = 1;                     ///< fetches that have not set out
    int64_t every = 1, perTurn = 1;       ///< turns of its loop, fetches
    int64_t perPiece = 1, turnEpochs = 1; ///< epochs
    Cursor next, freed;  ///< fetches: to come, and when it has a slot
    int64_t after = -1;  ///< step at whose end the next one sets out
    bool unlike = false; ///< pieces differ by where they are
    uint64_t ragged = 0; ///< loops whose last piece is a smaller one
    int64_t bytes = 0;   ///< of the first piece
  };
  std::vector<Port> ports;
  std::vector<Move> moves;
  std::vector<double> due;    ///< by port and step: cycles of what is under way
  std::vector<int64_t> trips; ///< by position in the order
  std::vector<int64_t> newer, older, fetched; ///< indices of epochs
};

/// What is written anew for each tile; kept so that nothing is allocated.
struct TileScratch {
  std::vector<PieceCut> innerCuts, cuts, touched;
  std::vector<int64_t> pieces; ///< of innerCuts, by RankId: a division less
  std::vector<Span> spans;
  std::vector<EpochLoop> loops;
  std::vector<StepKind> kinds;
  std::vector<double> kindCycles; ///< of a step of each, with slowed slots
  WalkScratch walk;
  Extents older, newer, full;
  std::vector<StageEpoch> perStage;
};

struct PhaseCompute {
  int64_t epochs = 0, cycles = 0;
  int64_t steps = 0;     ///< of the pipeline, or of those of all rows
  bool hasKinds = false; ///< scratch.kinds says what each step is
  StepLimits limits;     ///< of these together
  int64_t fillCycles = 0, drainCycles = 0; ///< of `cycles`
  std::vector<int64_t> slotCycles;         ///< by planned slot: sum over epochs
};

/// Compute time of the phase's pipeline in this tile; what cannot run goes to
/// `faults`. `runs`: of a phase that skips, else null, here and below.
void computeOf(const PhaseTile &tile, const StepRuns *runs, const Arch &a,
               PhaseTimes &times, Tally &tally,
               std::vector<std::string> &faults, TileScratch &scratch,
               PhaseCompute &result);

/// Bytes to or from memory 0 in another phase: `distance` later, negative for
/// earlier.
struct MovedTransfer {
  int32_t distance = 0;
  int64_t read = 0, write = 0;
};

/// Between the buffers and one memory outside of them.
struct OuterTraffic {
  int64_t outerRead = 0, outerWrite = 0; ///< bytes at that memory
  int64_t firstRead = 0, lastWrite = 0;  ///< exposed ones of these
  /// First pieces that a later step waits for: stage and bytes.
  std::vector<std::pair<int32_t, int64_t>> stageFirsts;
  /// Of last slices that are stored: places for them, and bytes in all.
  std::vector<std::pair<int64_t, int64_t>> rowStores;
  int64_t rows = 0; ///< turns of the iterative rank that make these
  /// Steps from the one that waits for the last load on; 0: no load overlaps.
  int64_t stepsAfterLoads = 0;
  /// Least stage whose results are stored; -1: none is.
  int32_t storeStage = -1;
};

/// Of memory 0, which most tensors are in, and of the others.
struct PhaseTraffic : OuterTraffic {
  int64_t bufferRead = 0, bufferWrite = 0;
  std::vector<MovedTransfer> moved; ///< not in the sums above
  std::vector<PieceMove> pieces;    ///< that are in the sums
  /// Of memories in between, where residents are.
  std::vector<std::pair<MemoryId, OuterTraffic>> between;

  OuterTraffic &at(MemoryId memory) {
    if (memory == 0)
      return *this;
    for (auto &[known, traffic] : between)
      if (known == memory)
        return traffic;
    between.push_back({memory, {}});
    return between.back().second;
  }
  void clear() {
    auto stages = std::move(stageFirsts);
    auto stores = std::move(rowStores);
    auto transfers = std::move(moved);
    auto byPiece = std::move(pieces);
    stages.clear();
    stores.clear();
    transfers.clear();
    byPiece.clear();
    *this = PhaseTraffic();
    stageFirsts = std::move(stages);
    rowStores = std::move(stores);
    moved = std::move(transfers);
    pieces = std::move(byPiece);
  }
};

/// Tells the bytes of an evaluation apart by tensor.
class TrafficByTensor {
public:
  TrafficByTensor(size_t tensors, size_t memories, MemoryId buffer,
                  Tally &tally);
  /// Tiles that the following bytes are moved in, each.
  int64_t times = 1;
  /// From and to where the tensor, or a piece of it, lies.
  void load(TensorId t, int64_t bytes, MemoryId outer);
  void store(TensorId t, int64_t bytes, MemoryId outer);
  /// From memory 0 to where the tensor resides.
  void copy(TensorId t, int64_t bytes, MemoryId to);
  void read(TensorId t, int64_t bytes); ///< at the buffer
  void write(TensorId t, int64_t bytes);

  std::vector<TensorTraffic> tensors;

private:
  void add(int64_t &sum, int64_t bytes) {
    sum = tally.add(sum, tally.mul(bytes, times));
  }
  MemoryId buffer;
  Tally &tally;
};

/// `byTensor` may be null.
void trafficOf(const PhaseTile &tile, const StepRuns *runs, Tally &tally,
               TrafficByTensor *byTensor, TileScratch &scratch,
               PhaseTraffic &result);

/// Of a phase that skips: how many points of an Einsum (of its results, for the
/// finish) are computed in this tile.
int64_t pointsRun(const PhaseTile &tile, const StepRuns &runs, EinsumId e,
                  bool finish, Tally &tally);

/// Bytes that a group loads from `outer` before its first tile.
int64_t groupLoadBytes(const Cascade &c, const Plan &plan, int32_t group,
                       MemoryId outer, const std::vector<Span> &whole,
                       Tally &tally, TrafficByTensor *byTensor);

/// Bytes that become residents of `memory` before a group or, pieces, before
/// its outer tiles, over which it loops as `tileOrder` says.
int64_t groupCopyBytes(const Cascade &c, const Plan &plan, int32_t group,
                       const std::vector<RankId> &tileOrder, MemoryId memory,
                       Tally &tally, TrafficByTensor *byTensor);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_PHASECOST_H
