//===- EquationGraph.h - Who reads whom in a cascade ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. An *edge* u -> v says that v reads what u defines. Its *advance* on a
// rank is the offset at which u writes minus the offset at which v reads: RM
// writes [m1+1] and reads itself at [m1], an edge of advance 1. A *component*
// is a set of Einsums that depend on each other (or one alone).
//
// A component with a cycle has a meaning when some iterative rank makes every
// cycle of it advance by at least 1: slice after slice can then be computed.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EQUATIONGRAPH_H
#define TRANSFUSION_DIALECT_EINSUM_IR_EQUATIONGRAPH_H

#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "llvm/ADT/DenseMap.h"

namespace transfusion::einsum {

class EquationGraph {
public:
  struct Edge {
    unsigned from, to; ///< positions in einsums()
    unsigned operand;  ///< of `to`
  };

  explicit EquationGraph(CascadeOp cascade);

  llvm::ArrayRef<MapReduceOp> einsums() const { return ops; }
  MapReduceOp einsum(unsigned i) const { return ops[i]; }
  llvm::ArrayRef<Edge> edges() const { return allEdges; }
  /// Components, each before those that read it; members in textual order.
  llvm::ArrayRef<llvm::SmallVector<unsigned>> components() const {
    return sccs;
  }
  unsigned componentOf(unsigned einsum) const { return sccOf[einsum]; }
  bool isCyclic(unsigned component) const;
  /// Edges with both ends in the component.
  llvm::SmallVector<Edge> innerEdges(unsigned component) const;

  /// Advance of the edge on a rank; nullopt when an end lacks it as a plain
  /// dimension of the tensor.
  std::optional<int64_t> getAdvance(const Edge &edge,
                                    llvm::StringRef rank) const;
  /// The iterative rank on which every cycle of the component advances; null
  /// when there is none.
  RankAttr getIterativeRank(unsigned component) const;
  /// A cycle of the component whose total advance on `rank` is not positive or
  /// not defined, as positions in einsums(); empty when there is none.
  llvm::SmallVector<unsigned> findStuckCycle(unsigned component,
                                             llvm::StringRef rank) const;

private:
  CascadeOp cascade;
  llvm::SmallVector<MapReduceOp> ops;
  llvm::SmallVector<Edge> allEdges;
  llvm::SmallVector<llvm::SmallVector<unsigned>> sccs;
  llvm::SmallVector<unsigned> sccOf;
};

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EQUATIONGRAPH_H
