//===- Points.h - Counting integer points exactly ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Number of integer points of a box that satisfy linear constraints. Causal and
// ragged domains (m1*16 + m0 <= p, m1*16 + m0 < M) cost a handful of steps
// whatever their extents: digits of one index are merged (m = m1*16 + m0), and
// what remains is summed piece by piece along one rank.
//
// Toy example: 0 <= i < 4, 0 <= j < 4, i - j >= 0 has 10 points.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_POINTS_H
#define TRANSFUSION_CORE_MODEL_POINTS_H

#include "transfusion/Core/Model/Cascade.h"

namespace transfusion::core {

/// begin <= value < begin + extent.
struct Span {
  int64_t begin = 0, extent = 0;
  bool operator==(const Span &o) const {
    return begin == o.begin && extent == o.extent;
  }
};

/// All of every rank, by RankId.
std::vector<Span> wholeSpans(const Cascade &c);

/// Points of the product of `spans` (of the ranks in `ranks`, in that order)
/// where every constraint holds; a constraint may use only these ranks. -1 when
/// the number exceeds 2^63 - 1.
int64_t countPoints(const std::vector<RankId> &ranks,
                    const std::vector<Span> &spans,
                    const std::vector<Constraint> &constraints);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_POINTS_H
