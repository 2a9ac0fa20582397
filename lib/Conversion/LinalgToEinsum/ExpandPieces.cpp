//===- ExpandPieces.cpp - Padding and insertion as concats ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandPieces.h"
#include "BlockPlan.h"
#include "Bodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
/// Builds what stands for one op, in front of it.
class Expander {
public:
  explicit Expander(Operation *op)
      : b(op), loc(op->getLoc()),
        element(cast<RankedTensorType>(op->getResult(0).getType())
                    .getElementType()) {}

  Value constant(ArrayRef<int64_t> shape, TypedAttr value) {
    auto type = RankedTensorType::get(shape, element);
    return keep(arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(value))));
  }
  Value slice(Value of, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    auto attributes = [&](ArrayRef<int64_t> values) {
      SmallVector<OpFoldResult> result;
      for (int64_t value : values)
        result.push_back(b.getIndexAttr(value));
      return result;
    };
    return keep(tensor::ExtractSliceOp::create(
        b, loc, of, attributes(offsets), attributes(sizes),
        attributes(SmallVector<int64_t>(sizes.size(), 1))));
  }
  Value expand(Value value, RankedTensorType type,
               ArrayRef<ReassociationIndices> groups) {
    return keep(tensor::ExpandShapeOp::create(b, loc, type, value, groups));
  }
  Value concat(unsigned dim, ValueRange pieces) {
    return keep(tensor::ConcatOp::create(b, loc, dim, pieces));
  }

  SmallVector<Operation *> made;

private:
  template <typename Op> Value keep(Op op) {
    made.push_back(op);
    return op->getResult(0);
  }

  OpBuilder b;
  Location loc;
  Type element;
};
} // namespace

/// One dimension at a time, innermost first: what is around it in `dim`.
static Value around(unsigned numDims, Value inner,
                    function_ref<SmallVector<Value>(unsigned, Value)> pieces,
                    Expander &expander) {
  for (unsigned dim = numDims; dim-- > 0;)
    if (SmallVector<Value> all = pieces(dim, inner); all.size() > 1)
      inner = expander.concat(dim, all);
  return inner;
}

static void expandPad(tensor::PadOp op, Expander &expander) {
  Attribute value;
  matchPattern(op.getConstantPaddingValue(), m_Constant(&value));
  auto pieces = [&](unsigned dim, Value inner) {
    SmallVector<Value> result;
    auto pad = [&](int64_t count) {
      SmallVector<int64_t> shape(shapeOf(inner));
      shape[dim] = count;
      if (count > 0)
        result.push_back(expander.constant(shape, cast<TypedAttr>(value)));
    };
    pad(op.getStaticLow()[dim]);
    result.push_back(inner);
    pad(op.getStaticHigh()[dim]);
    return result;
  };
  around(op.getResultType().getRank(), op.getSource(), pieces, expander);
}

static void expandInsert(tensor::InsertSliceOp op, Expander &expander) {
  ArrayRef<int64_t> offsets = op.getStaticOffsets();
  ArrayRef<int64_t> sizes = op.getStaticSizes();
  Value inner = op.getSource();
  auto boxType =
      RankedTensorType::get(sizes, op.getResultType().getElementType());
  if (inner.getType() != boxType) { // dimensions of size 1 that were left out
    auto groups = getReassociationIndicesForReshape(
        cast<ShapedType>(inner.getType()), boxType);
    if (!groups)
      return;
    inner = expander.expand(inner, boxType, *groups);
  }
  auto pieces = [&](unsigned dim, Value box) {
    SmallVector<Value> result;
    auto rest = [&](int64_t first, int64_t end) {
      SmallVector<int64_t> from(offsets), count(sizes);
      for (unsigned d = dim; d < count.size(); ++d) {
        from[d] = 0;
        count[d] = shapeOf(op.getResult())[d];
      }
      from[dim] = first;
      count[dim] = end - first;
      if (count[dim] > 0)
        result.push_back(expander.slice(op.getDest(), from, count));
    };
    rest(0, offsets[dim]);
    result.push_back(box);
    rest(offsets[dim] + sizes[dim], shapeOf(op.getResult())[dim]);
    return result;
  };
  around(sizes.size(), inner, pieces, expander);
}

ExpandedOps transfusion::raise::expandPieces(Block &block) {
  ExpandedOps result;
  llvm::SmallDenseSet<Operation *> kept; // links of a chain
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(op);
    if ((!insert && !isa<tensor::PadOp>(op)) || kept.contains(&op) ||
        !whyNotRaised(&op).empty())
      continue;
    if (getElementTypeOrSelf(op.getResult(0).getType()).isF64())
      continue; // whether it is raised depends on who reads it
    Expander expander(&op);
    if (insert) {
      unsigned at;
      if (!piecesOfChain(insert, at).empty()) {
        for (auto link = insert; link;
             link = link.getDest().getDefiningOp<tensor::InsertSliceOp>())
          kept.insert(link);
        continue;
      }
      bool isDense = llvm::all_of(insert.getStaticStrides(),
                                  [](int64_t stride) { return stride == 1; });
      if (!isDense || insert.getStaticSizes() == shapeOf(insert.getResult()))
        continue;
      expandInsert(insert, expander);
    } else {
      expandPad(cast<tensor::PadOp>(op), expander);
    }
    if (expander.made.empty())
      continue; // nothing is put around it
    Operation *last = expander.made.pop_back_val();
    ExpandedOp &whole = result.whole[last];
    whole.name = op.getName().getStringRef().str();
    whole.parts = expander.made;
    op.walk([&](Operation *) { ++whole.inner; });
    --whole.inner;
    for (Operation *part : whole.parts)
      result.wholeOf[part] = last;
    op.getResult(0).replaceAllUsesWith(last->getResult(0));
    op.erase();
  }
  return result;
}
