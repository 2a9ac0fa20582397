//===- WalkedLoops.h - Tiles, epochs and pieces, literally ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a Walker walks over: the epochs of a phase in one outer tile, in the
// order in which they run, and the pieces of tensors that belong to them. Every
// point and coordinate is visited; nothing is in closed form.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_COST_WALKEDLOOPS_H
#define TRANSFUSION_UNITTESTS_CORE_COST_WALKEDLOOPS_H

#include "transfusion/Core/Model/Plan.h"
#include "transfusion/Core/Model/Points.h"

#include <functional>

namespace transfusion::core::test {

using Box = std::vector<Span>; ///< by RankId

/// The epochs of a phase in one outer tile.
struct Loops {
  std::vector<int64_t> inner, trips; ///< by position of the order
  int64_t epochs = 1;                ///< of the whole nest
  /// What runs, one pipeline after another: epochs by their number in the nest.
  std::vector<std::vector<int64_t>> pipelines;
  std::vector<bool> hasPoints; ///< by epoch; of a phase that skips
};

/// Calls `f(values)` for every point of `ranks` in the box.
void forEachPoint(const std::vector<RankId> &ranks, const Box &box,
                  const std::function<void(const std::vector<int64_t> &)> &f);

int64_t valueOf(const LinearExpr &x, const std::vector<int64_t> &value);

/// What each instance of the unit that runs the slot takes of an epoch.
std::vector<Box> partsOf(const Slot &slot, const Box &epoch);

/// Of the group that is being walked.
class GroupLoops {
protected:
  GroupLoops(const Cascade &c, const Schedule &s, const Plan &p)
      : c(c), s(s), p(p) {}

  /// Coordinates that a dense piece holds, clipped to the tensor, or not.
  int64_t bytesOf(const Access &access, TensorId t, int32_t bits,
                  const Box &box, bool clipped = true) const;
  /// Coordinates that points of the Einsum (its results: `inFinish`) read. A
  /// domain that cuts a halo is ignored; so are, with `constantFirst`, slices
  /// before the first of a recurrence.
  int64_t touchedBytes(EinsumId e, const Operand &o, int32_t bits,
                       const Box &box, bool inFinish, bool constantFirst) const;
  /// Of a Block buffer: what tells one piece from another.
  std::vector<int64_t> pieceOf(const Buffer &b, const Loops &loops,
                               int64_t epoch) const;
  /// Bytes of the piece that is fetched for the `at`-th epoch that runs, and
  /// for those after it that need no other one.
  int64_t fetchBytes(const Buffer &b, const Loops &loops,
                     const std::vector<int64_t> &running, size_t at,
                     const Box &tile) const;
  static std::vector<int64_t> allOf(const Loops &loops);
  /// What a phase loads first of an Input in an outer tile.
  int64_t firstPiece(const Buffer &b, const Box &tile) const;
  /// Index of epoch `i` along each position of the order.
  static std::vector<int64_t> indexOf(const Loops &loops, int64_t i);
  Box innerBox(int32_t phase, const Loops &loops, const Box &tile,
               int64_t epoch) const;
  /// Some Einsum of the phase that has a domain has a point in the box.
  bool hasPoint(int32_t phase, const Box &box) const;
  Loops loopsOf(int32_t phaseId, const Box &tile) const;

  const Cascade &c;
  const Schedule &s;
  const Plan &p;
  int32_t g = 0;
};

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_COST_WALKEDLOOPS_H
