//===- CascadeVerifier.cpp - What holds between Einsums -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers C1, C2, ... are those of the constraints in the description of
// einsum.cascade; E3 and part of E8 of einsum.map_reduce need the effective
// domain and so all Einsums.
//
//===----------------------------------------------------------------------===//

#include "RankExpr.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "transfusion/Dialect/Einsum/IR/EquationGraph.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::detail;

/// C1: rank names are distinct.
LogicalResult CascadeOp::verify() {
  llvm::StringMap<int64_t> seen;
  for (RankAttr rank : getRanks().getAsRange<RankAttr>()) {
    auto [it, isNew] =
        seen.try_emplace(rank.getName().getValue(), rank.getExtent());
    if (!isNew)
      return emitOpError() << "declares rank '" << rank.getName().getValue()
                           << "' twice, with extents " << it->second << " and "
                           << rank.getExtent()
                           << "; give one of them another name";
  }
  return success();
}

/// C2: only Einsums and the terminator.
static LogicalResult verifyMembers(CascadeOp cascade) {
  Block &body = cascade.getBody().front();
  if (body.getNumArguments() != 0)
    return cascade.emitOpError() << "has a body with arguments; values from "
                                    "outside are used directly";
  for (Operation &op : body) {
    bool isLast = &op == &body.back();
    if (isLast ? isa<YieldOp>(op) : isa<MapReduceOp>(op))
      continue;
    InFlightDiagnostic diag = op.emitOpError();
    if (isLast)
      diag << "ends a cascade, but 'einsum.yield' must";
    else
      diag << "stands in a cascade, which holds only 'einsum.map_reduce'; move "
              "it before or behind the cascade";
    return diag;
  }
  return success();
}

/// C3: Einsum names are distinct.
static LogicalResult verifyNames(CascadeOp cascade) {
  llvm::StringMap<Operation *> seen;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>()) {
    auto [it, isNew] = seen.try_emplace(op.getEinsumName(), op);
    if (isNew)
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "has the name \"" << op.getEinsumName()
                              << "\" of another Einsum of this cascade";
    diag.attachNote(it->second->getLoc())
        << "which is here; give one of them another name";
    return diag;
  }
  return success();
}

/// C5: what is yielded are the results.
static LogicalResult verifyYield(CascadeOp cascade) {
  YieldOp yield = cascade.getYield();
  if (yield.getNumOperands() != cascade.getNumResults())
    return yield.emitOpError()
           << "yields " << yield.getNumOperands() << " values, but the cascade "
           << "has " << cascade.getNumResults()
           << " results; yield one tensor per result";
  for (auto [i, pair] : llvm::enumerate(
           llvm::zip(yield.getOperandTypes(), cascade.getResultTypes()))) {
    auto [given, wanted] = pair;
    if (given != wanted)
      return yield.emitOpError() << "yields " << given << " as result #" << i
                                 << ", which is of type " << wanted;
  }
  return success();
}

/// C4: every cycle advances an iterative rank.
static LogicalResult verifyCycles(CascadeOp cascade) {
  EquationGraph graph(cascade);
  for (unsigned component = 0, e = graph.components().size(); component < e;
       ++component) {
    if (!graph.isCyclic(component) || graph.getIterativeRank(component))
      continue;
    SmallVector<StringRef> iterative;
    for (RankAttr rank : cascade.getRanks().getAsRange<RankAttr>())
      if (rank.getIterative())
        iterative.push_back(rank.getName().getValue());
    SmallVector<unsigned> cycle = graph.findStuckCycle(
        component, iterative.empty() ? StringRef() : iterative.front());
    MapReduceOp first = graph.einsums()[cycle.front()];
    InFlightDiagnostic diag = first.emitOpError();
    diag << "depends on itself (";
    for (unsigned node : cycle) {
      MapReduceOp op = graph.einsums()[node];
      diag << op.getEinsumName() << " -> ";
    }
    diag << first.getEinsumName() << ") without advancing an iterative rank";
    if (iterative.empty()) {
      diag.attachNote(cascade.getLoc())
          << "the cascade has no iterative rank; declare one, as in "
             "`ranks(m1 = 4 iterative)`";
      return diag;
    }
    for (auto [i, node] : llvm::enumerate(cycle)) {
      unsigned next = cycle[(i + 1) % cycle.size()];
      for (const EquationGraph::Edge &edge : graph.innerEdges(component)) {
        if (edge.from != node || edge.to != next)
          continue;
        MapReduceOp from = graph.einsums()[node], to = graph.einsums()[next];
        Diagnostic &note = diag.attachNote(to.getLoc());
        note << to.getEinsumName() << " reads " << from.getEinsumName();
        if (auto advance = graph.getAdvance(edge, iterative.front()))
          note << ": advance " << *advance << " on rank '" << iterative.front()
               << "'";
        else
          note << " without a slice per step of rank '" << iterative.front()
               << "'";
        break;
      }
    }
    diag.attachNote() << "a recurrence defines slice " << iterative.front()
                      << "+1 from slice " << iterative.front();
    return diag;
  }
  return success();
}

/// E3: every access stays within its tensor over the effective domain.
static LogicalResult verifyBounds(CascadeOp cascade) {
  EffectiveDomains domains;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>()) {
    SmallVector<int64_t> extents = op.getExtents();
    SmallVector<StringRef> names(op.getRanks().getAsValueRange<StringAttr>());
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      bool inFinish = i >= op.getInputs().size(); // or a base
      ArrayRef<int64_t> shape =
          cast<RankedTensorType>(operand.getType()).getShape();
      AffineMap access = cast<AffineMapAttr>(op.getMaps()[i]).getValue();
      for (auto [d, expr] : llvm::enumerate(access.getResults())) {
        Interval range = getRange(expr, extents);
        if (range.min >= 0 && range.max < shape[d])
          continue;
        IntegerSet domain =
            inFinish ? domains.getOfResult(op) : domains.get(op);
        if (isOutside(expr, std::nullopt, -1, extents, domain) &&
            isOutside(expr, shape[d], std::nullopt, extents, domain))
          continue;
        std::string text;
        llvm::raw_string_ostream os(text);
        printRankExpr(os, expr, names, /*spaced=*/false);
        InFlightDiagnostic diag =
            op.emitOpError()
            << "reads operand #" << i << " out of bounds: dimension " << d
            << " has size " << shape[d] << ", but " << text << " runs from "
            << range.min << " to " << range.max;
        for (auto [k, name] : llvm::enumerate(names))
          if (expr.isFunctionOfDim(k))
            diag.attachNote()
                << "rank '" << name << "' has extent " << extents[k];
        diag.attachNote() << "a constraint such as `where " << text << " < "
                          << shape[d] << "` would exclude these points";
        return diag;
      }
    }
  }
  return success();
}

/// E8: no result point lies before or beyond the tensor.
static LogicalResult verifyResultBounds(CascadeOp cascade) {
  EffectiveDomains domains;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>()) {
    SmallVector<int64_t> extents = op.getExtents();
    SmallVector<StringRef> names(op.getRanks().getAsValueRange<StringAttr>());
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
    for (auto [d, expr] : llvm::enumerate(op.getResultMap().getResults())) {
      Interval range = getRange(expr, extents);
      bool isBefore =
          range.min < 0 &&
          !isOutside(expr, std::nullopt, -1, extents, domains.getOfResult(op));
      bool isBeyond =
          range.max >= shape[d] && !isOutside(expr, shape[d], std::nullopt,
                                              extents, domains.getOfResult(op));
      if (!isBefore && !isBeyond)
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      printRankExpr(os, expr, names, /*spaced=*/false);
      InFlightDiagnostic diag =
          op.emitOpError() << "defines dimension " << d << " of its result, of "
                           << "size " << shape[d] << ", at " << text
                           << ", which runs from " << range.min << " to "
                           << range.max;
      for (auto [k, name] : llvm::enumerate(names))
        if (expr.isFunctionOfDim(k))
          diag.attachNote()
              << "rank '" << name << "' has extent " << extents[k];
      diag.attachNote() << "a constraint such as `where " << text
                        << (isBeyond ? " < " : " >= ")
                        << (isBeyond ? shape[d] : 0)
                        << "` would exclude these points";
      return diag;
    }
  }
  return success();
}

/// E10: what extends a base leaves no gap behind it.
static LogicalResult verifyExtensions(CascadeOp cascade) {
  EffectiveDomains domains;
  for (auto op : cascade.getBody().front().getOps<MapReduceOp>())
    if (op.getBase() && domains.getOfResult(op))
      return op.emitOpError()
             << "extends a base, but not all of its points exist; make the "
                "tensor in an Einsum of its own, without absent points";
  return success();
}

LogicalResult CascadeOp::verifyRegions() {
  if (failed(verifyMembers(*this)) || failed(verifyNames(*this)) ||
      failed(verifyYield(*this)) || failed(verifyCycles(*this)))
    return failure();
  if (failed(verifyBounds(*this)) || failed(verifyExtensions(*this)))
    return failure();
  return verifyResultBounds(*this);
}
