//===- Reshapes.cpp - Pairs of reshapes, collapsed elementwise ops --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Perturb.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace transfusion::test;

using Groups = SmallVector<ReassociationIndices>;

/// One group per dimension; dimension `dim` has `parts` of them in the longer
/// shape.
static Groups groupsOf(unsigned rank, unsigned dim, unsigned parts) {
  Groups groups;
  int64_t next = 0;
  for (unsigned i = 0; i < rank; ++i) {
    groups.emplace_back();
    for (unsigned k = 0; k < (i == dim ? parts : 1); ++k)
      groups.back().push_back(next++);
  }
  return groups;
}

/// A factor of n other than 1 and n, or 0.
static int64_t properFactor(int64_t n, Dice &dice) {
  SmallVector<int64_t> factors;
  for (int64_t f = 2; f < n; ++f)
    if (n % f == 0)
      factors.push_back(f);
  return factors.empty() ? 0 : factors[dice.below(factors.size())];
}

/// Dimension `dim` as `outer` x the rest, and as it was.
static Value expandAndCollapse(OpBuilder &b, Location loc, Value value,
                               unsigned dim, int64_t outer) {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  SmallVector<int64_t> longer(shape);
  longer[dim] /= outer;
  longer.insert(longer.begin() + dim, outer);
  Groups groups = groupsOf(shape.size(), dim, 2);
  return collapse(b, loc, expand(b, loc, value, longer, groups), groups);
}

/// Dimensions `dim` and `dim + 1` as one, and as they were.
static Value collapseAndExpand(OpBuilder &b, Location loc, Value value,
                               unsigned dim) {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  Groups groups = groupsOf(shape.size() - 1, dim, 2);
  return expand(b, loc, collapse(b, loc, value, groups), shape, groups);
}

static Value roundTrip(OpBuilder &b, Location loc, Value value, Dice &dice) {
  RankedTensorType type = tensorType(value);
  unsigned rank = type.getRank();
  unsigned dim = dice.below(rank);
  switch (dice.below(4)) {
  case 0:
    return expandAndCollapse(b, loc, value, dim, 1);
  case 1:
    if (int64_t outer = properFactor(type.getDimSize(dim), dice))
      return expandAndCollapse(b, loc, value, dim, outer);
    return expandAndCollapse(b, loc, value, dim, type.getDimSize(dim));
  case 2:
    if (rank > 1)
      return collapseAndExpand(b, loc, value, dice.below(rank - 1));
    return expandAndCollapse(b, loc, value, dim, 1);
  default: {
    auto there = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    dice.shuffle(there);
    return transpose(b, loc, transpose(b, loc, value, there),
                     invertPermutationVector(there));
  }
  }
}

/// The same op on tensors with dimensions `dim` and `dim + 1` as one.
static void computeCollapsed(linalg::GenericOp op, unsigned dim) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType type = tensorType(op.getResult(0));
  Groups groups = groupsOf(type.getRank() - 1, dim, 2);
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(collapse(b, loc, input, groups));
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  SmallVector<AffineMap> maps(inputs.size(),
                              b.getMultiDimIdentityMap(shape.size()));
  Value result =
      elementwise(b, loc, shape, type.getElementType(), inputs, maps,
                  [&](OpBuilder &inner, Location, ValueRange args) {
                    IRMapping mapping;
                    mapping.map(op.getBody()->getArguments().drop_back(), args);
                    for (Operation &scalar : op.getBody()->without_terminator())
                      inner.clone(scalar, mapping);
                    return mapping.lookupOrDefault(
                        op.getBody()->getTerminator()->getOperand(0));
                  });
  op.getResult(0).replaceAllUsesWith(
      expand(b, loc, result, type.getShape(), groups));
  op.erase();
}

/// Storage that is overwritten is nothing to reshape.
static bool isStorage(Value value) {
  Operation *def = value.getDefiningOp();
  return def && (isa<tensor::EmptyOp, linalg::FillOp>(def) ||
                 def->hasTrait<OpTrait::ConstantLike>());
}

unsigned transfusion::test::insertReshapes(func::FuncOp function, Dice &dice) {
  unsigned sites = 0;
  Block &block = function.getBody().front();
  SmallVector<Value> values(function.getArguments());
  SmallVector<linalg::GenericOp> generics;
  for (Operation &op : block.without_terminator()) {
    llvm::append_range(values, op.getResults());
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      if (isPointwise(generic) && generic.getNumLoops() > 1 &&
          generic.getNumDpsInputs() > 0)
        generics.push_back(generic);
  }
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
        isStorage(value) || value.use_empty() || !dice.once(5))
      continue;
    OpBuilder b(function.getContext());
    if (Operation *def = value.getDefiningOp())
      b.setInsertionPointAfter(def);
    else
      b.setInsertionPointToStart(&block);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
    Value same = roundTrip(b, function.getLoc(), value, dice);
    // Some of the readers, or all of them.
    bool all = dice.coin();
    for (OpOperand *use : uses)
      if (all || dice.coin())
        use->set(same);
    ++sites;
  }
  for (linalg::GenericOp generic : generics)
    if (dice.once(5)) {
      computeCollapsed(generic, dice.below(generic.getNumLoops() - 1));
      ++sites;
    }
  return sites;
}
