//===- Ranks.cpp - Digits of every dimension of a block -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"
#include "BlockPlan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion::raise;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Ranks::Nodes &Ranks::dimsOf(Value value) {
  auto [it, isNew] = dims.try_emplace(value);
  if (isNew)
    for (int64_t extent : shapeOf(value))
      it->second.push_back(factoring.create(extent));
  return it->second;
}

Digits Ranks::digitsOf(Factoring::Node node) {
  Digits result;
  for (Factoring::Node leaf : factoring.leaves(node))
    result.push_back({leaf, factoring.extent(leaf)});
  return result;
}

SmallVector<Digits> Ranks::digitsOf(Value value) {
  SmallVector<Digits> result;
  Nodes nodes = dimsOf(value);
  for (Factoring::Node node : nodes)
    result.push_back(digitsOf(node));
  return result;
}

Digits Ranks::flatDigitsOf(Value value) {
  Digits result;
  for (const Digits &digits : digitsOf(value))
    llvm::append_range(result, digits);
  return result;
}

SmallVector<Digits> Ranks::loopDigitsOf(linalg::LinalgOp op) {
  SmallVector<Digits> result;
  for (Factoring::Node node : loops.lookup(op))
    result.push_back(digitsOf(node));
  return result;
}

Ranks::Ranks(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      equateLinalg(linalgOp);
    else
      equateTensorOp(op);
  }
  // Slices that start or end within a factor can be told apart only when all
  // others are known; each round splits a factor or is the last.
  bool changed = true;
  for (int round = 0; changed && round < 8; ++round) {
    changed = false;
    for (Operation *op : ops)
      changed |= refineSlice(op);
  }
}

/// Its values come from nowhere, and so do its dimensions: exporters share one
/// tensor.empty or zero among ops that have nothing to do with each other.
static bool isShapeOnly(Value value) {
  Operation *def = value.getDefiningOp();
  return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp, tensor::SplatOp>(
             def) ||
         matchPattern(value, m_Constant());
}

/// A quotient or a remainder of a loop splits it where it is divided.
void Ranks::equateDivided(const Nodes &loops, Factoring::Node own,
                          AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto loop = binary ? dyn_cast<AffineDimExpr>(binary.getLHS()) : nullptr;
  auto by = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  if (!loop || !by || by.getValue() <= 1)
    return;
  Factoring::Node walked = loops[loop.getPosition()];
  int64_t extent = factoring.extent(walked), inner = by.getValue();
  if (extent % inner != 0 || extent == inner)
    return;
  bool isQuotient = binary.getKind() == AffineExprKind::FloorDiv;
  if (!isQuotient && binary.getKind() != AffineExprKind::Mod)
    return;
  bool fits = factoring.extent(own) == (isQuotient ? extent / inner : inner);
  Factoring::Node other = factoring.create(isQuotient ? inner : extent / inner);
  if (!fits)
    own = factoring.create(isQuotient ? extent / inner : inner);
  factoring.equate(walked, isQuotient ? Nodes{own, other} : Nodes{other, own});
}

void Ranks::equateLinalg(linalg::LinalgOp op) {
  Nodes nodes;
  for (int64_t extent : op.getStaticLoopRanges())
    nodes.push_back(factoring.create(extent));
  loops[op] = nodes;
  auto equateOperand = [&](Value value, AffineMap map) {
    if (!isa<RankedTensorType>(value.getType()) ||
        (isShapeOnly(value) && value.getDefiningOp() != op))
      return;
    Nodes own = dimsOf(value);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        Factoring::Node walked = nodes[loop.getPosition()];
        if (factoring.extent(walked) == factoring.extent(own[dim]))
          factoring.equate(walked, own[dim]);
      } else {
        equateDivided(nodes, own[dim], expr);
      }
  };
  for (OpOperand &init : op.getDpsInitsMutable()) {
    equateOperand(op.getTiedOpResult(&init), op.getMatchingIndexingMap(&init));
    equateOperand(init.get(), op.getMatchingIndexingMap(&init));
  }
  for (OpOperand *input : op.getDpsInputOperands())
    equateOperand(input->get(), op.getMatchingIndexingMap(input));
}

void Ranks::equateSlice(Value big, Value small, ArrayRef<int64_t> offsets,
                        ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                        const llvm::SmallBitVector &dropped) {
  Nodes large = dimsOf(big), part = dimsOf(small);
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(big))) {
    if (dropped[dim])
      continue;
    Factoring::Node node = part[next++];
    int64_t size = sizes[dim], offset = offsets[dim], stride = strides[dim];
    if (size == extent)
      factoring.equate(large[dim], node);
    else if (stride == 1 && size > 1 && extent % size == 0 &&
             offset % size == 0)
      factoring.equate(large[dim], {factoring.create(extent / size), node});
    else if (stride > 1 && extent == size * stride && offset < stride)
      factoring.equate(large[dim], {node, factoring.create(stride)});
  }
}

void Ranks::equateTensorOp(Operation *op) {
  // Values with the same dimensions but for some.
  auto equateOthers = [&](Value a, Value b, auto isOther) {
    Nodes l = dimsOf(a), r = dimsOf(b);
    for (unsigned dim = 0; dim < l.size(); ++dim)
      if (isOther(dim))
        factoring.equate(l[dim], r[dim]);
  };
  auto equateReshape = [&](Value collapsed, Value expanded,
                           ArrayRef<ReassociationIndices> groups) {
    Nodes outer = dimsOf(collapsed), inner = dimsOf(expanded);
    for (auto [dim, group] : llvm::enumerate(groups)) {
      SmallVector<Factoring::Node> parts;
      for (int64_t i : group)
        parts.push_back(inner[i]);
      factoring.equate(outer[dim], parts);
    }
  };
  if (Value same = reshapedBack(op))
    return equateOthers(same, op->getResult(0), [](unsigned) { return true; });
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::ExpandShapeOp expand) {
        equateReshape(expand.getSrc(), expand.getResult(),
                      expand.getReassociationIndices());
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        equateReshape(collapse.getResult(), collapse.getSrc(),
                      collapse.getReassociationIndices());
      })
      .Case([&](tensor::ReshapeOp reshape) {
        Nodes from = dimsOf(reshape.getSource());
        Nodes to = dimsOf(reshape.getResult());
        factoring.equate(from, to);
      })
      .Case([&](tensor::CastOp cast) {
        equateOthers(cast.getSource(), cast.getResult(),
                     [](unsigned) { return true; });
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        equateSlice(slice.getSource(), slice.getResult(),
                    slice.getStaticOffsets(), slice.getStaticSizes(),
                    slice.getStaticStrides(), slice.getDroppedDims());
      })
      .Case([&](tensor::InsertSliceOp insert) {
        if (!isShapeOnly(insert.getDest()))
          equateOthers(insert.getDest(), insert.getResult(),
                       [](unsigned) { return true; });
        equateSlice(insert.getResult(), insert.getSource(),
                    insert.getStaticOffsets(), insert.getStaticSizes(),
                    insert.getStaticStrides(), insert.getDroppedDims());
      })
      .Case([&](tensor::ConcatOp concat) {
        Value result = concat.getResult();
        unsigned at = concat.getDim();
        int64_t count = concat.getInputs().size();
        int64_t size = shapeOf(concat.getInputs().front())[at];
        bool equal = llvm::all_of(concat.getInputs(), [&](Value input) {
          return shapeOf(input)[at] == size;
        });
        Factoring::Node piece = factoring.create(count);
        for (Value input : concat.getInputs()) {
          equateOthers(result, input, [&](unsigned dim) { return dim != at; });
          if (equal)
            factoring.equate(Nodes(dimsOf(result)) [at],
                             { piece, Nodes(dimsOf(input))[at] });
        }
      });
}

/// 144 is 3 x 48 because of other readers: [48, 144) of it is 2 x 48.
bool Ranks::refineSlice(Operation *op) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice)
    return false;
  bool changed = false;
  Nodes large = dimsOf(slice.getSource()), part = dimsOf(slice.getResult());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(slice.getSource()))) {
    if (dropped[dim])
      continue;
    Factoring::Node node = part[next++];
    int64_t size = slice.getStaticSizes()[dim];
    int64_t offset = slice.getStaticOffsets()[dim];
    if (slice.getStaticStrides()[dim] != 1 || size == extent || size == 1)
      continue;
    SmallVector<Factoring::Node> tail;
    int64_t count = 1;
    auto leaves = factoring.leaves(large[dim]);
    for (Factoring::Node leaf : llvm::reverse(leaves)) {
      int64_t longer = count * factoring.extent(leaf);
      if (size % longer != 0 || offset % longer != 0)
        break;
      count = longer;
      tail.insert(tail.begin(), leaf);
    }
    if (tail.empty() || count == size)
      continue;
    size_t before = factoring.leaves(node).size();
    SmallVector<Factoring::Node> parts{factoring.create(size / count)};
    llvm::append_range(parts, tail);
    factoring.equate(node, parts);
    changed |= factoring.leaves(node).size() != before;
  }
  return changed;
}
