//===- Plan.h - What follows from a schedule: loops, buffers ----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Plan is derived from (Cascade, Arch, Schedule) and never stored in IR. The
// cost model counts it, the lowering emits it, the schedule file prints it; so
// all three mean the same program:
//
//   for each group
//     copy inputs that become residents
//     load buffers of level Group
//     for each outer tile (group.tileOrder, row-major)
//       copy pieces that reside, if they are others than those of the tile
//       before for each phase
//         load buffers of level Tile whose phase this is
//         for step k = 0 .. epochs + stages - 2     // a software pipeline
//           for each slot by start cycle, if 0 <= k - stage < epochs
//             load the Block buffers that epoch k - stage needs anew
//             run the slot on the inner tile of epoch k - stage
//             store its result, if it leaves the group
//
// A resident piece holds what the tile reads, with every rank of its access at
// the tile's size. Let j be the innermost position of group.tileOrder whose
// rank the access uses and has several tiles: the piece is copied when loop j
// advances, or one outside; without such a j once, before the first tile. A
// copy runs beside nothing, as there is one place for the piece.
//
// Epoch number i <-> per-rank index e_r over phase.order, row-major (last rank
// of the order fastest); rank r of epoch i covers
// [tileStart_r + e_r * inner_r, + inner_r) clipped to the tile.
//
// Buffers. Memory 0 is DRAM and holds inputs, outputs, and tensors that cross
// groups, whole, but for residents of memories in between. Everything else is a
// Buffer in the memory that feeds units:
//   Input        a piece of a DRAM tensor that a phase reads
//   Window       made and read within one phase: one inner tile per slot;
//                epoch i uses slot i mod slots. A recurrence reads slot
//                (i - 1) mod slots, or the initial value when the iterative
//                rank's index is 0
//   Accumulator  partial sums of an Einsum whose reduction spans epochs: whole
//                tile, accumulator type
//   Carried      made in one phase, read in a later phase of the same group:
//                whole tile. Readers in the phase that makes it read it here
//                too. For a recurrence: its last slice, stored when the
//                iterative rank is at its last index, beside its Window
//   Output       one inner tile per slot, on its way to DRAM (and, if read in
//                the same phase, its window too)
//
// A phase that skips runs, for each turn of the loops outside its iterative
// rank, a pipeline of its own over the steps of that rank that ActiveSteps.h
// says. Epochs and fetches are numbered as they run; "the first" and "the last"
// index of the rank mean the first and last that runs. What is fetched along
// the rank is what the steps need that the piece is for.
//
// Loads and stores in other phases. A first piece with prefetchAhead = n is
// loaded during the phase n before that of its buffer, a deferred result is
// stored during the phase storeDelay after the one that makes it, counted
// through the outer tiles: before the first tile and after the last one such
// transfers run on their own. A program that loads where it needs and stores
// where it makes computes the same.
//
// Footprint of a Block-level Input in a phase. Let j be the innermost position
// of phase.order whose rank the tensor depends on and has more than one block.
// Ranks inside j are held for the whole tile, rank j for a block, ranks outside
// j for one inner tile. It is fetched anew whenever e_j enters another block or
// any loop outside j advances, that is at epochs with e_k = 0 for all k > j and
// e_j mod (block_j / inner_j) = 0: fetch number f goes to slot f mod slots.
// Without such a j it is fetched once per outer tile.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_PLAN_H
#define TRANSFUSION_CORE_MODEL_PLAN_H

#include "transfusion/Core/Model/ActiveSteps.h"
#include "transfusion/Core/Model/Schedule.h"

namespace transfusion::core {

enum class BufferRole : uint8_t { Input, Window, Accumulator, Carried, Output };
const char *bufferRoleName(BufferRole r);

/// One dimension of a buffer. With `rank` >= 0 the index is the rank's value
/// minus the start of the piece; otherwise it is the tensor coordinate minus
/// the least coordinate of the piece (several ranks that overlap: a halo).
struct BufferDim {
  int32_t tensorDim = -1;
  RankId rank = -1;
  int64_t coefficient = 1; ///< of `rank` in the tensor coordinate
  int64_t extent = 1;      ///< of a full (not ragged) piece
};

struct Buffer {
  std::string name; ///< unique: "g1.p2.QK", for reports
  TensorId tensor = -1;
  BufferRole role = BufferRole::Input;
  int32_t group = -1;
  /// Phase that reads it (Input of level Block), makes it (others); for an
  /// Input of level Tile or Group the first phase that reads it.
  int32_t phase = -1;
  RetainLevel level = RetainLevel::Block; ///< Input only
  /// Access of the readers (Input) or of the producer (others). Inputs with
  /// another access to the same tensor are another buffer.
  Access access;
  std::vector<BufferDim> dims;
  MemoryId memory = -1;
  /// Where it is loaded from, or stored to: where the whole tensor lies.
  MemoryId outer = 0;
  int32_t bitsPerValue = 32;
  /// Position j in phase.order (see above); -1: once per outer tile.
  int32_t fetchPosition = -1;
  int32_t minStage = 0, maxStage = 0; ///< of the slots that touch it
  int64_t slots = 1;
  int64_t bytesPerSlot = 0;
  int64_t bytes = 0; ///< slots * bytesPerSlot, rounded up to the alignment
  int64_t address = -1;
  /// Lifetime in phases of the group; below 0 are those of the outer tile
  /// before, beyond the last those of the one after (see livesIn).
  int32_t firstPhase = -1, lastPhase = -1;
  int32_t prefetchAhead = 0; ///< Input: of its first piece
  int32_t storeDelay = 0;    ///< Carried that leaves: deferred
  /// Leaves the group: stored to DRAM when a value is finished. A Carried
  /// buffer that leaves is stored from where it is, without an Output.
  bool storeToOuter = false;
  /// Of a recurrence only the last slice leaves: nobody outside reads others.
  bool storesLastSliceOnly = false;
};

/// Sizes of one rank in one phase, resolved (no zeros).
struct RankCut {
  int64_t tile = 1, block = 1, inner = 1;
  int32_t position = -1; ///< in phase.order; -1 when not looped over
};

/// Where a slot reads an operand: a buffer and how.
struct OperandSource {
  int32_t buffer = -1;
  /// 1: the previous slice of a recurrence.
  int32_t distance = 0;
};

struct PlannedSlot {
  int32_t run = -1, index = -1; ///< in phase.runs
  UnitId unit = -1;
  EinsumId einsum = -1;
  bool finishOnly = false;
  /// The reduction spans epochs: adds into `accumulator`, does not finish.
  bool accumulates = false;
  int32_t stage = 0;
  std::vector<OperandSource> inputs, finishInputs;
  int32_t accumulator = -1; ///< buffer; also what a finishOnly slot reads
  int32_t window = -1;      ///< Window or Output buffer written each epoch
  int32_t carried = -1;     ///< Carried buffer written
};

struct PhasePlan {
  std::vector<RankCut> cuts;  ///< by RankId
  std::vector<bool> usesRank; ///< by RankId: some Einsum of the phase has it
  int32_t stages = 1;
  ActiveSteps active;             ///< of a phase that skips
  std::vector<PlannedSlot> slots; ///< by run, then issue order
};

struct GroupPlan {
  std::vector<PhasePlan> phases;
  std::vector<int32_t> buffers; ///< ids, ascending
};

/// A whole tensor, or the piece of an outer tile, in a memory between the
/// outermost one and the buffers.
struct PlannedResident {
  TensorId tensor = -1;
  MemoryId memory = -1;
  int64_t bytes = 0; ///< rounded up to the alignment
  int64_t address = -1;
  int32_t firstGroup = -1, lastGroup = -1; ///< that make or read it
  /// An input, before firstGroup starts; or a piece.
  bool isCopied = false;
  int32_t group = -1;          ///< whose tiles it is a piece of; -1: whole
  Access access;               ///< of a piece: that of its readers
  std::vector<BufferDim> dims; ///< of the piece of a full tile
  int32_t copyPosition = -1;   ///< j above; -1: once
  bool isPiece() const { return group >= 0; }
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<GroupPlan> groups;
  /// Those of the schedule, then those of its groups.
  std::vector<PlannedResident> residents;
  /// Per memory: greatest end address = size of its allocation.
  std::vector<int64_t> allocationBytes;
  /// Why there is no plan: structural faults only (an operand nobody makes, a
  /// reader that needs more than its tile). Empty = fine. Capacity is not
  /// judged here but by checkSchedule.
  std::vector<std::string> faults;
};

inline constexpr int64_t kBufferAlignment = 64;

/// The buffer is live while phase `phase` of a group of `phases` runs: its own
/// outer tile's buffer, or that of the tile before or after.
bool livesIn(const Buffer &b, int32_t phase, int32_t phases);
/// Some phase sees both.
bool liveTogether(const Buffer &x, const Buffer &y, int32_t phases);

Plan makePlan(const Cascade &c, const Arch &a, const Schedule &s);

/// First group that makes the tensor, -1 for an input.
int32_t producingGroup(const Cascade &c, const Schedule &s, TensorId t);

/// True when tensor `t` must be outside of the buffers, in DRAM or as a
/// resident: input, output, or crosses groups.
bool livesInOuterMemory(const Cascade &c, const Schedule &s, TensorId t);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_PLAN_H
