//===- ReportPasses.cpp - How often a cascade walks its ranks -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/Transforms/ReportPasses.h"
#include "mlir/IR/Diagnostics.h"
#include "transfusion/Dialect/Einsum/IR/EquationGraph.h"

using namespace mlir;
using namespace transfusion::einsum;

namespace {
/// One rank, or the two that walk a sequence by tiles.
struct Walked {
  std::string tile; ///< the iterative one; empty for a rank of its own
  std::string rank;
  std::string text() const { return tile.empty() ? rank : tile + "," + rank; }
};

/// Of one Einsum's result, for one rank.
struct State {
  unsigned pass = 0;    ///< in which it is made; 0: before the first
  bool ends = false;    ///< is there only when that pass has ended
  int completedBy = -1; ///< the Einsum whose reduction ends it
  int boundary = -1;    ///< the last boundary on the way here
};
struct Boundary {
  unsigned completes, needs;
  int previous;
};
} // namespace

static bool has(MapReduceOp op, StringRef rank) {
  return !rank.empty() &&
         llvm::is_contained(op.getRanks().getAsValueRange<StringAttr>(), rank);
}

static int positionOf(MapReduceOp op, StringRef rank) {
  for (auto [i, name] :
       llvm::enumerate(op.getRanks().getAsValueRange<StringAttr>()))
    if (name == rank)
      return i;
  return -1;
}

static RankPasses countRank(const EquationGraph &graph, const Walked &walked) {
  RankPasses result;
  result.rank = walked.text();
  std::vector<State> states(graph.einsums().size());
  std::vector<Boundary> boundaries;
  llvm::DenseMap<Value, unsigned> producers; // looked up only
  for (auto [i, op] : llvm::enumerate(graph.einsums()))
    producers[MapReduceOp(op).getResult()] = i;
  State best;
  llvm::SmallVector<bool> done(states.size(), false);
  for (const auto &component : graph.components())
    for (unsigned index : component) {
      MapReduceOp op = graph.einsum(index);
      bool walks = has(op, walked.rank);
      int tile = positionOf(op, walked.tile);
      State state;
      for (OpOperand &operand : op->getOpOperands()) {
        auto it = producers.find(operand.get());
        // What a recurrence reads of itself is of this pass.
        if (it == producers.end() || !done[it->second])
          continue;
        unsigned from = it->second;
        State source = states[from];
        MapReduceOp producer = graph.einsum(from);
        AffineMap access =
            cast<AffineMapAttr>(op.getMaps()[operand.getOperandNumber()])
                .getValue();
        // The last slice of a recurrence over the tiles.
        bool isOver = has(producer, walked.tile) &&
                      producer.getIterativeDim() >= 0 &&
                      (tile < 0 || !access.isFunctionOfDim(tile));
        if (isOver && !source.ends) {
          source.ends = true;
          source.completedBy = from;
        }
        if (walks && source.ends) {
          boundaries.push_back({static_cast<unsigned>(source.completedBy),
                                index, source.boundary});
          source.boundary = boundaries.size() - 1;
          ++source.pass;
          source.ends = false;
        }
        bool isLater = source.pass > state.pass || (source.pass == state.pass &&
                                                    source.ends && !state.ends);
        if (isLater)
          state = source;
      }
      if (walks && state.pass == 0)
        state.pass = 1;
      // Complete: the rank is reduced, and with it the tiles, if there are any.
      int rank = positionOf(op, walked.rank);
      AffineMap written = op.getResultMap();
      bool reduces = walks && !written.isFunctionOfDim(rank) &&
                     (tile < 0 || !written.isFunctionOfDim(tile));
      if (reduces) {
        state.ends = true;
        state.completedBy = index;
      }
      states[index] = state;
      done[index] = true;
      if (state.pass > best.pass)
        best = state;
    }
  result.passes = best.pass;
  for (int at = best.boundary; at >= 0; at = boundaries[at].previous)
    result.boundaries.push_back(
        {graph.einsum(boundaries[at].completes).getEinsumName().str(),
         graph.einsum(boundaries[at].needs).getEinsumName().str()});
  std::reverse(result.boundaries.begin(), result.boundaries.end());
  return result;
}

std::vector<RankPasses> transfusion::einsum::countPasses(CascadeOp cascade) {
  EquationGraph graph(cascade);
  SmallVector<Walked> ranks;
  auto isReduced = [&](StringRef rank) {
    return llvm::any_of(graph.einsums(), [&](MapReduceOp op) {
      int position = positionOf(op, rank);
      return position >= 0 && !op.getResultMap().isFunctionOfDim(position);
    });
  };
  for (RankAttr rank : cascade.getRanks().getAsRange<RankAttr>()) {
    StringRef name = rank.getName().getValue();
    if (rank.getIterative() || !isReduced(name))
      continue;
    Walked walked{{}, name.str()};
    // m0 with m1: points of a tile.
    if (name.ends_with("0"))
      if (RankAttr tile = cascade.lookupRank((name.drop_back() + "1").str());
          tile && tile.getIterative())
        walked.tile = tile.getName().str();
    ranks.push_back(walked);
  }
  std::vector<RankPasses> result;
  for (const Walked &walked : ranks)
    result.push_back(countRank(graph, walked));
  return result;
}

void transfusion::einsum::remarkPasses(CascadeOp cascade) {
  // At the place, without the op: it may be a whole layer.
  InFlightDiagnostic remark = emitRemark(cascade.getLoc());
  remark << "passes over ranks:";
  std::vector<RankPasses> all = countPasses(cascade);
  for (auto [i, rank] : llvm::enumerate(all))
    remark << (i ? ", " : " ") << rank.rank << " " << rank.passes;
  for (const RankPasses &rank : all)
    for (auto [i, boundary] : llvm::enumerate(rank.boundaries))
      remark.attachNote() << "pass " << i + 2 << " over " << rank.rank << ": '"
                          << boundary.needs << "' needs '" << boundary.completes
                          << "', which is complete only after pass " << i + 1;
}
