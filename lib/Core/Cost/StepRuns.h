//===- StepRuns.h - Epochs of a phase that skips, counted -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost. Terms. A *row* is a turn of the loops on which the
// active steps depend (queries, under causality): it runs some steps of the
// iterative rank. Rows differ in which of their ranks are at the ragged last
// piece and in the number of steps; steps, in whether they are the last there
// is (where a padded tensor ends). Whatever is the same for alike epochs is
// computed once and multiplied by how many there are.
//
// Toy example, causal, rows of 4 queries out of 10, keys in steps of 4: rows
// run 1, 2 and 3 steps; of the 6 epochs 3 are full, 2 have ragged queries, and
// 1 has ragged queries and the last step.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_STEPRUNS_H
#define TRANSFUSION_LIB_CORE_COST_STEPRUNS_H

#include "Pieces.h"
#include "transfusion/Core/Model/ActiveSteps.h"

namespace transfusion::core {

/// `times` epochs that are alike as far as the rows' ranks and the iterative
/// rank go: `cuts` (by RankId) has one piece of these, in which they are.
struct EpochSet {
  std::vector<PieceCut> cuts;
  int64_t times = 1;
  int64_t firsts = 0; ///< of these: the first step of a row
};

/// Rows that are alike: bit i of `ragged` says that rank i of StepRuns::rows is
/// at its last piece.
struct RowSet {
  uint32_t ragged = 0;
  int64_t steps = 0, count = 0;
};

struct StepRuns {
  std::vector<RankId> rows; ///< ranks that make up a row
  std::vector<RowSet> sets; ///< sorted
  std::vector<EpochSet> epochs;

  bool isRow(RankId r) const;
};

/// Rows are walked in the pieces that `cuts` gives; the entry of the iterative
/// rank is all of it. With `idle`, a row without points runs one step.
StepRuns stepRuns(const ActiveSteps &active, const std::vector<PieceCut> &cuts,
                  bool idle);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_STEPRUNS_H
