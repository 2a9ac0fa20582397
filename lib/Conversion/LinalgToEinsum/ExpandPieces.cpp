//===- ExpandPieces.cpp - Padding and insertion as concats ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace transfusion::raise;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

SmallVector<Value> transfusion::raise::piecesOfChain(tensor::InsertSliceOp last,
                                                     unsigned &at) {
  ArrayRef<int64_t> shape = shapeOf(last.getResult());
  SmallVector<std::pair<int64_t, Value>> pieces;
  std::optional<unsigned> along;
  for (tensor::InsertSliceOp op = last; op;
       op = op.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if ((op != last && !op->hasOneUse()) || op.getDroppedDims().any())
      return {};
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      if (op.getStaticStrides()[dim] != 1 ||
          ShapedType::isDynamic(op.getStaticOffsets()[dim]) ||
          ShapedType::isDynamic(op.getStaticSizes()[dim]))
        return {};
      if (op.getStaticSizes()[dim] == shape[dim])
        continue;
      if (along.value_or(dim) != dim)
        return {};
      along = dim;
    }
    if (!along)
      return {};
    pieces.push_back({op.getStaticOffsets()[*along], op.getSource()});
  }
  llvm::sort(pieces, [](auto &l, auto &r) { return l.first < r.first; });
  SmallVector<Value> result;
  int64_t next = 0;
  for (auto &[offset, piece] : pieces) {
    if (offset != next)
      return {};
    next += shapeOf(piece)[*along];
    result.push_back(piece);
  }
  if (next != shape[*along])
    return {};
  at = *along;
  return result;
}

namespace {
/// What pieces are made with, in front of one op.
class Pieces {
public:
  Pieces(OpBuilder &b, Operation *op)
      : b(b), loc(op->getLoc()),
        element(cast<RankedTensorType>(op->getResult(0).getType())
                    .getElementType()) {}

  Value constant(ArrayRef<int64_t> shape, TypedAttr value) {
    auto type = RankedTensorType::get(shape, element);
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(value)));
  }
  Value slice(Value of, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> strides) {
    auto attributes = [&](ArrayRef<int64_t> values) {
      return llvm::map_to_vector(values, [&](int64_t value) {
        return OpFoldResult(b.getIndexAttr(value));
      });
    };
    return tensor::ExtractSliceOp::create(b, loc, of, attributes(offsets),
                                          attributes(sizes),
                                          attributes(strides));
  }
  /// [first, first + count) of one dimension.
  Value slice(Value of, unsigned dim, int64_t first, int64_t count) {
    SmallVector<int64_t> offsets(shapeOf(of).size(), 0), sizes(shapeOf(of));
    offsets[dim] = first;
    sizes[dim] = count;
    return slice(of, offsets, sizes, SmallVector<int64_t>(sizes.size(), 1));
  }
  /// As a tensor of this shape, where only dimensions of 1 are new.
  Value expand(Value value, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, element);
    if (value.getType() == type)
      return value;
    auto groups = getReassociationIndicesForReshape(
        cast<ShapedType>(value.getType()), type);
    return tensor::ExpandShapeOp::create(b, loc, type, value, *groups);
  }
  /// Dimension `dim` as (outer, inner).
  Value split(Value value, unsigned dim, int64_t inner) {
    SmallVector<int64_t> shape(shapeOf(value));
    shape[dim] /= inner;
    shape.insert(shape.begin() + dim + 1, inner);
    return tensor::ExpandShapeOp::create(b, loc,
                                         RankedTensorType::get(shape, element),
                                         value, groups(shape.size(), dim));
  }
  /// Dimensions `dim` and `dim + 1` as one.
  Value merge(Value value, unsigned dim) {
    return tensor::CollapseShapeOp::create(b, loc, value,
                                           groups(shapeOf(value).size(), dim));
  }
  /// Side by side, but for those that are null.
  Value concat(unsigned dim, ArrayRef<Value> pieces) {
    SmallVector<Value> all;
    for (Value piece : pieces)
      if (piece)
        all.push_back(piece);
    return all.size() == 1
               ? all.front()
               : tensor::ConcatOp::create(b, loc, dim, all).getResult();
  }

private:
  static SmallVector<ReassociationIndices> groups(unsigned rank, unsigned dim) {
    SmallVector<ReassociationIndices> result;
    for (unsigned i = 0; i < rank; ++i)
      if (i == dim + 1)
        result.back().push_back(i);
      else
        result.push_back({i});
    return result;
  }

  OpBuilder &b;
  Location loc;
  Type element;
};
} // namespace

// One dimension at a time, innermost first.

void transfusion::raise::expandPad(RewriterBase &rewriter, tensor::PadOp op) {
  Attribute value;
  matchPattern(op.getConstantPaddingValue(), m_Constant(&value));
  Pieces pieces(rewriter, op);
  Value inner = op.getSource();
  // Upstream's lowering of tosa.pad leaves amounts as constants beside it.
  SmallVector<OpFoldResult> lows = op.getMixedLowPad(),
                            highs = op.getMixedHighPad();
  for (unsigned dim = shapeOf(inner).size(); dim-- > 0;) {
    int64_t low = *getConstantIntValue(lows[dim]);
    int64_t high = *getConstantIntValue(highs[dim]);
    if (low < 0 || high < 0) {
      int64_t first = std::max<int64_t>(-low, 0);
      inner = pieces.slice(inner, dim, first,
                           shapeOf(inner)[dim] - first +
                               std::min<int64_t>(high, 0));
    }
    auto pad = [&](int64_t count) {
      SmallVector<int64_t> shape(shapeOf(inner));
      shape[dim] = count;
      return count > 0 ? pieces.constant(shape, cast<TypedAttr>(value))
                       : Value();
    };
    Value before = pad(low), behind = pad(high);
    inner = pieces.concat(dim, {before, inner, behind});
  }
  rewriter.replaceOp(op, inner);
}

void transfusion::raise::expandInsert(RewriterBase &rewriter,
                                      tensor::InsertSliceOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  ArrayRef<int64_t> offsets = op.getStaticOffsets();
  ArrayRef<int64_t> sizes = op.getStaticSizes();
  ArrayRef<int64_t> strides = op.getStaticStrides();
  Pieces pieces(rewriter, op);
  Value box = pieces.expand(op.getSource(), sizes);
  for (unsigned dim = sizes.size(); dim-- > 0;) {
    // What the destination keeps, at the points that the box has in the outer
    // dimensions; inner ones are whole by now.
    auto kept = [&](int64_t first, int64_t count) {
      SmallVector<int64_t> from(offsets), number(sizes), step(strides);
      for (unsigned d = dim; d < shape.size(); ++d) {
        from[d] = 0;
        number[d] = shape[d];
        step[d] = 1;
      }
      from[dim] = first;
      number[dim] = count;
      return count > 0 ? pieces.slice(op.getDest(), from, number, step)
                       : Value();
    };
    int64_t offset = offsets[dim], size = sizes[dim], stride = strides[dim];
    if (stride > 1 && size > 1) {
      // Periods of `stride` elements, of which the box has the phase-th. The
      // last one may not be there as a whole: then its element stands alone.
      int64_t phase = 0;
      while (phase < stride && phase <= offset &&
             offset - phase + size * stride > shape[dim])
        ++phase;
      bool isWhole = phase < stride && phase <= offset;
      if (!isWhole)
        phase = 0;
      int64_t periods = isWhole ? size : size - 1;
      Value last;
      if (!isWhole) {
        last = pieces.slice(box, dim, size - 1, 1);
        box = pieces.slice(box, dim, 0, periods);
      }
      offset -= phase;
      Value around = pieces.split(kept(offset, periods * stride), dim, stride);
      Value before, behind;
      if (phase > 0)
        before = pieces.slice(around, dim + 1, 0, phase);
      if (phase + 1 < stride)
        behind = pieces.slice(around, dim + 1, phase + 1, stride - phase - 1);
      box = pieces.concat(dim + 1, {before, pieces.split(box, dim, 1), behind});
      box = pieces.concat(dim, {pieces.merge(box, dim), last});
      size = shapeOf(box)[dim];
    }
    Value before = kept(0, offset);
    Value behind = kept(offset + size, shape[dim] - offset - size);
    box = pieces.concat(dim, {before, box, behind});
  }
  rewriter.replaceOp(op, box);
}

/// Upstream takes a slice of tiles that are joined; where the last tile is cut,
/// that is the whole tiles and the rest of the last one, side by side.
void transfusion::raise::expandUnPack(RewriterBase &rewriter,
                                      linalg::UnPackOp op) {
  FailureOr<linalg::LowerUnPackOpResult> lowered =
      linalg::lowerUnPack(rewriter, op);
  if (failed(lowered) || !lowered->extractSliceOp || !lowered->collapseShapeOp)
    return;
  tensor::ExtractSliceOp slice = lowered->extractSliceOp;
  rewriter.setInsertionPoint(slice);
  Pieces pieces(rewriter, slice);
  Value tiles = lowered->collapseShapeOp.getSrc();
  SmallVector<ReassociationIndices> groups =
      lowered->collapseShapeOp.getReassociationIndices();
  for (unsigned dim = groups.size(); dim-- > 0;) {
    if (groups[dim].size() != 2)
      continue;
    unsigned outer = groups[dim].front();
    int64_t inner = shapeOf(tiles)[outer + 1];
    int64_t size = slice.getStaticSizes()[dim];
    int64_t count = size / inner, left = size % inner;
    Value whole, rest;
    if (count > 0)
      whole = pieces.merge(pieces.slice(tiles, outer, 0, count), outer);
    if (left > 0)
      rest = pieces.merge(pieces.slice(pieces.slice(tiles, outer, count, 1),
                                       outer + 1, 0, left),
                          outer);
    tiles = pieces.concat(outer, {whole, rest});
  }
  rewriter.replaceOp(slice, tiles);
}
