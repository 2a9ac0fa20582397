//===- Pipeline.h - The scheduling problem inside one phase -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *node* is a slot with its cycles on every unit, an *edge* says that
// one reads what another makes, `distance` epochs later. A *cut* divides the
// nodes into a first part, closed under predecessors, and a second part; both
// are weakly connected. In a step the second part works on epoch i-1 while the
// first works on epoch i, so an edge of distance 1 from the second part to the
// first orders the step, and an edge from the first part to the second does
// not. An *order* is a topological order of that step; it decides the rest,
// since each node goes to the unit that finishes it first.
//
// Toy example: X (10 cycles) -> Y (10), two units, both can do both.
//   one stage 20, cut {X | Y} 10. With Y -> X one epoch later: 20, cut or not.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_PIPELINE_H
#define TRANSFUSION_CORE_SEARCH_PIPELINE_H

#include <cstdint>
#include <vector>

namespace transfusion::core {

struct PipelineEdge {
  int32_t from = -1, to = -1;
  int32_t distance = 0;
  int64_t bytes = 0; ///< of the value, counted once per tensor when it is cut
  int32_t tensor = -1;
};

/// Nodes are numbered topologically: edges of distance 0 ascend. More than 64
/// nodes are issued in that order, in one stage.
struct PipelineProblem {
  int32_t units = 0;
  std::vector<std::vector<int64_t>> cycles; ///< [node][unit], -1: cannot
  std::vector<PipelineEdge> edges;
};

struct PipelineSolution {
  std::vector<int32_t> unit, stage; ///< by node
  std::vector<int32_t> order;       ///< nodes as issued
  int32_t stages = 0;               ///< 0: a node that no unit can do
  int64_t ii = 0, fill = 0, drain = 0, cutBytes = 0;
  int64_t cutsTried = 0, ordersTried = 0;
  /// False when the number of cuts or of states went over a fixed limit and
  /// the best of those that were tried is given.
  bool complete = true;
};

/// Least II, then fill + drain, then bytes that cross the cut, then the first
/// in canonical order: cuts by the node set of the first part as a binary
/// number, one stage before any cut; orders lexicographically.
PipelineSolution solvePipeline(const PipelineProblem &p);

/// The first parts of all legal cuts as bit sets, ascending.
std::vector<uint64_t> legalCuts(const PipelineProblem &p, bool &complete);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_PIPELINE_H
