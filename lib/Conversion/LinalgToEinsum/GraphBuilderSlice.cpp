//===- GraphBuilderSlice.cpp - Slices as views and as pieces --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice that starts and ends between the digits of a dimension, or of a
// dimension that is stored whole, is a view. Any other one (rows 0 to 10 of
// three windows of four) is copied piece by piece: what is left of a first
// window, the whole ones, and the beginning of a last one, each at an access
// that is linear.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "GraphBuilder.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::YieldOp;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Index in one dimension of a tensor, from that of the slice.
static IndexParts indexInSlice(int64_t extent, int64_t offset, int64_t size,
                               int64_t stride, IndexParts parts,
                               MLIRContext *context) {
  if (size == extent)
    return parts;
  auto constant = [&](int64_t value) {
    return getAffineConstantExpr(value, context);
  };
  if (stride > 1 && offset < stride && extent == size * stride) {
    parts.push_back({constant(offset), stride});
    return parts;
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
  ArrayRef<IndexPart> all(parts);
  AffineExpr lead = merge(all.drop_back(kept), context) * stride;
  IndexParts index{{lead + constant(offset / count), extent / count}};
  llvm::append_range(index, all.take_back(kept));
  return index;
}

static bool isLinearIn(const Digits &digits, const IndexParts &index,
                       MLIRContext *context) {
  SmallVector<int64_t> extents;
  for (const Digit &digit : digits)
    extents.push_back(digit.extent);
  return isLinear(regroup(index, extents, context));
}

bool GraphBuilder::raiseSlice(tensor::ExtractSliceOp op) {
  const View view = viewOf(op.getSource());
  if (view.kind != View::Root) {
    setView(op.getResult(), view,
            view.kind == View::Splat ? Fate::Constant : Fate::Undefined);
    return true;
  }
  SmallVector<IndexParts> own, index;
  Equation walk = start(op.getLoc(), ranks.digitsOf(op.getResult()), own);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getSource())))
    index.push_back(
        indexInSlice(extent, op.getStaticOffsets()[dim],
                     op.getStaticSizes()[dim], op.getStaticStrides()[dim],
                     dropped[dim] ? IndexParts{} : own[next++], context));
  View part = view;
  part.at = substitute(view.at, ranks.digitsOf(op.getSource()), index,
                       walk.ranks.size(), context);
  if (!isLinear(part.at))
    return false;
  setView(op.getResult(), part, Fate::View);
  return true;
}

namespace {
/// Per digit of a dimension, where it starts and how many of it there are.
using Run = SmallVector<std::pair<int64_t, int64_t>, 4>;
} // namespace

/// [first, end) of a number with these digits, in runs of which each is at one
/// place in the outer digits, runs through some of the next one, and all of the
/// inner ones.
static void addRuns(ArrayRef<Digit> digits, int64_t first, int64_t end, Run at,
                    SmallVectorImpl<Run> &runs) {
  if (first == end)
    return;
  int64_t inner = 1;
  for (const Digit &digit : digits.drop_front())
    inner *= digit.extent;
  auto within = [&](int64_t place, int64_t from, int64_t to) {
    Run deeper(at);
    deeper.push_back({place, 1});
    addRuns(digits.drop_front(), from, to, deeper, runs);
  };
  int64_t place = first / inner, last = end / inner;
  if (first % inner != 0 && place == last)
    return within(place, first % inner, end % inner);
  if (first % inner != 0)
    within(place++, first % inner, inner);
  if (place < last) {
    Run whole(at);
    whole.push_back({place, last - place});
    for (const Digit &digit : digits.drop_front())
      whole.push_back({0, digit.extent});
    runs.push_back(whole);
  }
  if (end % inner != 0)
    within(last, 0, end % inner);
}

View GraphBuilder::cut(const View &view, SmallVectorImpl<Digits> &digits,
                       unsigned dim, int64_t offset, int64_t size,
                       Operation *op) {
  SmallVector<Run> runs;
  addRuns(digits[dim], offset, offset + size, {}, runs);
  Type element = graph.roots[view.root].element;
  SmallVector<Digits> from(digits.begin(), digits.end());
  digits[dim] = ranks.whole(size);
  Growth growth(digits, dim);
  for (const Run &run : runs) {
    SmallVector<Digits> wanted(digits.begin(), digits.end());
    wanted[dim].clear();
    int64_t extent = 1;
    for (auto [place, count] : run)
      if (count > 1) {
        wanted[dim].push_back(ranks.fresh(count));
        extent *= count;
      }
    if (extent == 1)
      wanted[dim].push_back(ranks.fresh(1));
    SmallVector<IndexParts> index;
    Equation eq = start(op->getLoc(), wanted, index);
    IndexParts own = index[dim];
    index[dim].clear();
    unsigned next = 0;
    for (auto [digit, part] : llvm::zip(from[dim], run)) {
      AffineExpr expr = getAffineConstantExpr(part.first, context);
      if (part.second > 1)
        expr = own[next++].index + part.first;
      index[dim].push_back({expr, digit.extent});
    }
    unsigned numRanks = eq.ranks.size();
    eq.inputs.push_back(
        {view.root, substitute(view.at, from, index, numRanks, context)});
    eq.map = Body(element, numRanks, op->getLoc());
    OpBuilder b = eq.map.atEnd();
    YieldOp::create(b, op->getLoc(), ValueRange{eq.map.scalar(0)});
    eq.name = "copy";
    addPiece(growth, std::move(eq), wanted[dim].size(), extent, element, op);
  }
  return grownView(growth, digits, dim);
}

void GraphBuilder::copySlice(tensor::ExtractSliceOp op) {
  SmallVector<IndexParts> own;
  SmallVector<Digits> result = ranks.digitsOf(op.getResult());
  Equation eq = start(op.getLoc(), result, own);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  ArrayRef<int64_t> offsets = op.getStaticOffsets(),
                    sizes = op.getStaticSizes(),
                    strides = op.getStaticStrides();
  // First what is a view, so that less is copied: dimensions that have to be
  // cut stay whole, and have the digits of the source.
  SmallVector<Digits> source = ranks.digitsOf(op.getSource()), digits;
  SmallVector<unsigned> uneven;
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getSource()))) {
    unsigned at = dropped[dim] ? ~0u : next++;
    IndexParts parts = dropped[dim] ? IndexParts{} : own[at];
    IndexParts index = indexInSlice(extent, offsets[dim], sizes[dim],
                                    strides[dim], parts, context);
    bool isEven = strides[dim] != 1 || isLinearIn(source[dim], index, context);
    digits.push_back(!isEven        ? source[dim]
                     : dropped[dim] ? Digits{}
                                    : result[at]);
    if (!isEven)
      uneven.push_back(dim);
  }
  SmallVector<IndexParts> walked, index;
  Equation walk = start(op.getLoc(), digits, walked);
  for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getSource())))
    index.push_back(llvm::is_contained(uneven, dim)
                        ? walked[dim]
                        : indexInSlice(extent, offsets[dim], sizes[dim],
                                       strides[dim], walked[dim], context));
  View view = viewOf(op.getSource());
  view.at = substitute(view.at, source, index, walk.ranks.size(), context);
  for (unsigned dim : uneven)
    view = cut(view, digits, dim, offsets[dim], sizes[dim], op);

  // The rest is its own digits, but for dimensions that are left out.
  SmallVector<IndexParts> left;
  next = 0;
  for (unsigned dim = 0; dim < digits.size(); ++dim)
    left.push_back(dropped[dim] ? IndexParts{} : own[next++]);
  view.at = substitute(view.at, digits, left, eq.ranks.size(), context);
  if (isLinear(view.at))
    return setView(op.getResult(), view, Fate::View);
  // Steps that do not fall on digits.
  unsigned numRanks = eq.ranks.size();
  Type element = graph.roots[view.root].element;
  eq.name = "copy";
  eq.isCopy = true;
  eq.inputs.push_back({view.root, view.at});
  eq.map = Body(element, numRanks, op.getLoc());
  OpBuilder b = eq.map.atEnd();
  YieldOp::create(b, op.getLoc(), ValueRange{eq.map.scalar(0)});
  View made;
  made.kind = View::Root;
  for (unsigned i = 0; i < numRanks; ++i)
    made.at.push_back(getAffineDimExpr(i, context));
  made.root = addEquation(std::move(eq), element, op);
  setView(op.getResult(), made, Fate::Equation);
}
