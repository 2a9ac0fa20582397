//===- Schedule.h - Decisions about one cascade on one arch -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *group* runs its outer tiles one after another and keeps what its
// phases hand to each other on chip. A *phase* is a sub-cascade with one inner
// iteration space. An *epoch* is one inner tile passing through one phase; it
// passes in *stages*, stage s of epoch i beside stage s-1 of epoch i+1, in
// *steps*: at step k, stage s works on epoch k - s.
//
// Sizes, per rank: extent >= tile >= block >= inner. `tile` is the piece that
// the whole group works on; `block` is the piece that is in the buffer at a
// time; `inner` is what one epoch covers. 0 in any of them means "all of what
// encloses it". The last piece of each may be ragged. A block smaller than its
// tile is a multiple of inner.
//
// Transfers that a phase need not wait for. *Prefetch*: what a phase would load
// first in each outer tile, before it can start, is loaded `ahead` phases
// earlier, beside the work there. *Defer*: what a phase makes for the outer
// memory is kept whole and stored `by` phases later. Phases count cyclically:
// before phase 0 of an outer tile come the last phases of the one before.
//
// Skip. Along the rank of its recurrences (innermost) a phase that skips runs
// the steps from the first to the last one that has a point of its Einsums'
// domain, at each turn of the loops outside; where none has, step 0 runs, which
// makes an empty result. How many run may depend on the loops outside, so its
// pipeline fills and drains at each of their turns.
//
// Toy example, causal attention of 4 queries in two row tiles over 4 keys in
// two steps: the first row tile runs step 0, the second one steps 0 and 1.
//
// Residents. A tensor that crosses groups lies whole in memory 0, or in one
// between that and the memory that feeds the units, if it is a *resident*
// there: from the group that makes it to the last one that reads it. A resident
// input is copied there before the first group that reads it starts. Where the
// whole does not fit, a *group's resident* is the piece of its outer tile, of a
// tensor that the group reads: copied from memory 0 before the first tile that
// reads it, and loaded from there as often as blocks ask for it.
//
// Toy example, outer tiles [b, p], K depends on b: K resides in l2 a batch at a
// time. It is copied when b advances, and loaded from l2 in every tile of p.
//
// Toy example, phases A, B, C: prefetch of x in A ahead 1 loads the x of the
// next outer tile during C; that of the first tile is loaded before A, exposed.
//
// Instances. Where there are several of a unit, a slot may be spread over them:
// each instance takes some points of a rank in an epoch, the i-th one those
// from i times as many on. They are separate: each reads what it needs of the
// operands from the memory that feeds the unit, and writes its part of the
// result.
//
// Toy example, 3 heads and 10 queries in an epoch, four arrays, 1 head and 5
// queries in each: there are six parts, for which it takes six arrays; with 2
// heads in each there are four, two of which have 1 head.
//
// Only decisions are here: what follows from them is a Plan (Plan.h) and a
// CostReport (Cost/Evaluate.h).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_SCHEDULE_H
#define TRANSFUSION_CORE_MODEL_SCHEDULE_H

#include "transfusion/Core/Model/Arch.h"

namespace transfusion::core {

/// Points of a rank of the result that each instance of a unit takes.
struct InstancePart {
  RankId rank = -1;
  int64_t points = 1;
  /// Of so many points (at least one) in an epoch.
  int64_t parts(int64_t extent) const { return (extent - 1) / points + 1; }
  bool operator==(const InstancePart &o) const {
    return rank == o.rank && points == o.points;
  }
};

/// One Einsum's place on a unit.
struct Slot {
  EinsumId einsum = -1;
  /// Only the finish of an Einsum whose reduction spans the epochs of an
  /// earlier phase ("FFN2.finish").
  bool finishOnly = false;
  int32_t stage = 0;
  std::vector<RankId> rows, cols; ///< spatial mapping of iteration ranks
  /// Over several instances of the unit; a rank may be in rows or cols as well.
  std::vector<InstancePart> instances;
};

/// Slots of one unit in issue order.
struct Run {
  UnitId unit = -1;
  std::vector<Slot> slots;
};

struct Prefetch {
  TensorId tensor = -1;
  int32_t ahead = 1; ///< phases
};

struct Defer {
  TensorId tensor = -1;
  int32_t by = 1; ///< phases
};

struct Phase {
  /// Loop nest over inner tiles, outermost first. A rank of the phase that is
  /// not listed has inner = its whole tile.
  std::vector<RankId> order;
  std::vector<int64_t> block, inner; ///< by RankId; 0 = whole
  std::vector<Run> runs;
  /// Modulo schedule: work crosses the epoch boundary.
  bool wrap = false;
  /// Steps of the recurrence in which no point exists do not run.
  bool skip = false;
  /// Group inputs whose first piece (of a Block-level buffer, or of a
  /// Tile-level one whose first phase this is) is loaded earlier; sorted by
  /// tensor.
  std::vector<Prefetch> prefetch;
  /// Results that leave the group, no recurrences; sorted by tensor.
  std::vector<Defer> defer;
};

enum class RetainLevel : uint8_t { Block, Tile, Group };
struct Retain {
  TensorId tensor = -1;
  RetainLevel level = RetainLevel::Block;
};

/// A tensor that lies in `memory`, between the outermost one and the one that
/// feeds the units.
struct Resident {
  TensorId tensor = -1;
  MemoryId memory = -1;
};

struct Group {
  std::vector<RankId> tileOrder; ///< outer loops, outermost first
  std::vector<int64_t> tile;     ///< by RankId; 0 = whole
  std::vector<Retain> retain;    ///< group inputs only; sorted by tensor
  std::vector<Phase> phases;
  std::vector<Resident> residents; ///< pieces of tiles; sorted by tensor
};

struct Schedule {
  std::vector<Group> groups;
  std::vector<Resident> residents; ///< sorted by tensor
};

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_SCHEDULE_H
