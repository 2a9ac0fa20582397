//===- GraphBuilderTensor.cpp - Reshapes and slices -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "GraphBuilder.h"

using namespace mlir;
using namespace transfusion::raise;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static bool sameExtents(const Digits &a, const Digits &b) {
  return llvm::equal(a, b, [](const Digit &l, const Digit &r) {
    return l.extent == r.extent;
  });
}

/// The digits of a reshaped tensor are those of its source.
bool GraphBuilder::raiseReshape(Value source, Value result) {
  const View view = viewOf(source);
  if (view.kind != View::Root) {
    setView(result, view,
            view.kind == View::Splat ? Fate::Constant : Fate::Undefined);
    return true;
  }
  if (!sameExtents(ranks.flatDigitsOf(source), ranks.flatDigitsOf(result)))
    return false;
  setView(result, view, Fate::View);
  return true;
}

/// There is no common factorisation: the result is laid out anew.
void GraphBuilder::copyReshape(Value source, Value result,
                               ArrayRef<ReassociationIndices> groups,
                               Operation *op) {
  SmallVector<Digits> from = ranks.digitsOf(source);
  SmallVector<Digits> to = ranks.digitsOf(result);
  bool expands = to.size() >= from.size();
  SmallVector<IndexParts> own, index(from.size());
  Equation eq = start(op->getLoc(), to, own);
  unsigned numRanks = eq.ranks.size();
  auto extentsOf = [&](unsigned dim) { return shapeOf(source)[dim]; };
  SmallVector<ReassociationIndices> all(groups);
  if (all.empty()) { // the whole tensor is one group
    ReassociationIndices group;
    for (unsigned i = 0; i < std::max(from.size(), to.size()); ++i)
      group.push_back(i);
    all.push_back(group);
  }
  for (auto [outer, group] : llvm::enumerate(all)) {
    IndexParts parts;
    SmallVector<unsigned> sources;
    if (groups.empty()) {
      for (const IndexParts &dim : own)
        llvm::append_range(parts, dim);
      for (unsigned dim = 0; dim < from.size(); ++dim)
        sources.push_back(dim);
    } else if (expands) {
      for (int64_t dim : group)
        llvm::append_range(parts, own[dim]);
      sources.push_back(outer);
    } else {
      parts = own[outer];
      sources.assign(group.begin(), group.end());
    }
    SmallVector<int64_t> extents;
    for (unsigned dim : sources)
      extents.push_back(extentsOf(dim));
    for (auto [dim, expr] :
         llvm::zip(sources, regroup(parts, extents, context)))
      index[dim] =
          sources.size() == 1 ? parts : IndexParts{{expr, extentsOf(dim)}};
  }
  const View view = viewOf(source);
  Type element = graph.roots[view.root].element;
  eq.name = "copy";
  eq.isCopy = true;
  eq.inputs.push_back(
      {view.root, substitute(view.at, from, index, numRanks, context)});
  eq.map = Body(element, numRanks, op->getLoc());
  OpBuilder b = eq.map.atEnd();
  einsum::YieldOp::create(b, op->getLoc(), ValueRange{eq.map.scalar(0)});
  View made;
  made.kind = View::Root;
  for (unsigned i = 0; i < numRanks; ++i)
    made.at.push_back(getAffineDimExpr(i, context));
  made.root = addEquation(std::move(eq), element, op);
  setView(result, made, Fate::Equation);
}
