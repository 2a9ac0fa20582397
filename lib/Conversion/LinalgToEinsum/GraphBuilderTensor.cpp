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

SmallVector<IndexParts>
transfusion::raise::sliceIndex(OffsetSizeAndStrideOpInterface op,
                               ArrayRef<int64_t> shape,
                               const llvm::SmallBitVector &dropped,
                               ArrayRef<IndexParts> own, MLIRContext *context) {
  SmallVector<IndexParts> result;
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    int64_t offset = op.getStaticOffsets()[dim];
    int64_t size = op.getStaticSizes()[dim];
    int64_t stride = op.getStaticStrides()[dim];
    auto constant = [&](int64_t value) {
      return getAffineConstantExpr(value, context);
    };
    IndexParts parts;
    if (!dropped[dim])
      parts = own[next++];
    if (size == extent) {
      result.push_back(parts);
      continue;
    }
    if (stride > 1 && offset < stride && extent == size * stride) {
      parts.push_back({constant(offset), stride});
      result.push_back(parts);
      continue;
    }
    // As many of the inner digits as offset and extent leave whole.
    int64_t count = 1;
    unsigned kept = 0;
    while (stride == 1 && kept < parts.size()) {
      int64_t longer = count * parts[parts.size() - 1 - kept].extent;
      if (offset % longer != 0 || extent % longer != 0)
        break;
      count = longer;
      ++kept;
    }
    ArrayRef<IndexParts::value_type> all(parts);
    AffineExpr lead = merge(all.drop_back(kept), context) * stride;
    IndexParts index{{lead + constant(offset / count), extent / count}};
    llvm::append_range(index, all.take_back(kept));
    result.push_back(index);
  }
  return result;
}

bool GraphBuilder::raiseSlice(tensor::ExtractSliceOp op) {
  const View view = viewOf(op.getSource());
  if (view.kind != View::Root) {
    setView(op.getResult(), view,
            view.kind == View::Splat ? Fate::Constant : Fate::Undefined);
    return true;
  }
  SmallVector<IndexParts> own;
  Equation walk = start(op.getLoc(), ranks.digitsOf(op.getResult()), own);
  SmallVector<IndexParts> index =
      sliceIndex(cast<OffsetSizeAndStrideOpInterface>(op.getOperation()),
                 shapeOf(op.getSource()), op.getDroppedDims(), own, context);
  View part = view;
  part.at = substitute(view.at, ranks.digitsOf(op.getSource()), index,
                       walk.ranks.size(), context);
  if (!isLinear(part.at))
    return false;
  setView(op.getResult(), part, Fate::View);
  return true;
}

void GraphBuilder::copySlice(tensor::ExtractSliceOp op) {
  SmallVector<IndexParts> own;
  Equation eq = start(op.getLoc(), ranks.digitsOf(op.getResult()), own);
  unsigned numRanks = eq.ranks.size();
  const View view = viewOf(op.getSource());
  Type element = graph.roots[view.root].element;
  SmallVector<IndexParts> index =
      sliceIndex(cast<OffsetSizeAndStrideOpInterface>(op.getOperation()),
                 shapeOf(op.getSource()), op.getDroppedDims(), own, context);
  eq.name = "copy";
  eq.isCopy = true;
  eq.inputs.push_back(
      {view.root, substitute(view.at, ranks.digitsOf(op.getSource()), index,
                             numRanks, context)});
  eq.map = Body(element, numRanks, op.getLoc());
  OpBuilder b = eq.map.atEnd();
  einsum::YieldOp::create(b, op.getLoc(), ValueRange{eq.map.scalar(0)});
  View made;
  made.kind = View::Root;
  for (unsigned i = 0; i < numRanks; ++i)
    made.at.push_back(getAffineDimExpr(i, context));
  made.root = addEquation(std::move(eq), element, op);
  setView(op.getResult(), made, Fate::Equation);
}
