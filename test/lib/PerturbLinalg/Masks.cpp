//===- Masks.cpp - The mask of scores, elsewhere --------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Perturb.h"
#include "Scores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::test;

namespace {
/// scores + mask, the mask broadcast by its map.
struct MaskAdd {
  linalg::GenericOp op;
  Value scores, mask;
  AffineMap maskMap;

  ArrayRef<int64_t> shape() const { return tensorType(scores).getShape(); }
  Type element() const { return tensorType(scores).getElementType(); }
};

/// select(condition, 0, -inf), or the arms the other way round.
struct MaskSelect {
  linalg::GenericOp op;
  Value condition;
  bool allows = false; ///< a true condition lets the key be seen
};
} // namespace

/// Only scores have a maximum taken of them; a bias is no mask.
static bool feedsMaximum(Value value) {
  for (Operation *user : value.getUsers()) {
    if (isView(user) && feedsMaximum(user->getResult(0)))
      return true;
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (generic && generic.getNumReductionLoops() > 0)
      for (Operation &scalar : generic.getBody()->without_terminator())
        if (isa<arith::MaximumFOp, arith::MaxNumFOp>(scalar))
          return true;
  }
  return false;
}

static std::optional<MaskAdd> matchAdd(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op.hasIndexSemantics() ||
      !feedsMaximum(op.getResult(0)))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto add = op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  Value first = op.getBody()->getArgument(0);
  Value second = op.getBody()->getArgument(1);
  if (!add || !maps[2].isIdentity() ||
      !((add.getLhs() == first && add.getRhs() == second) ||
        (add.getLhs() == second && add.getRhs() == first)))
    return std::nullopt;
  for (unsigned scores : {0, 1}) {
    Value other = op.getInputs()[1 - scores];
    if (maps[scores].isIdentity() &&
        producingContraction(op.getInputs()[scores], true) &&
        !producingContraction(other, true))
      return MaskAdd{op, op.getInputs()[scores], other, maps[1 - scores]};
  }
  return std::nullopt;
}

/// The constant that `scalar` of the body of `op` is at all points.
static std::optional<double> constantAt(linalg::GenericOp op, Value scalar) {
  auto arg = dyn_cast<BlockArgument>(scalar);
  if (!arg || arg.getOwner() != op.getBody())
    return constantScalar(scalar);
  DenseElementsAttr dense;
  if (arg.getArgNumber() < op.getNumDpsInputs() &&
      matchPattern(op.getInputs()[arg.getArgNumber()], m_Constant(&dense)) &&
      dense.isSplat() && isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().convertToDouble();
  return std::nullopt;
}

static std::optional<MaskSelect> matchSelect(Operation *def) {
  auto op = dyn_cast_or_null<linalg::GenericOp>(def);
  if (!op || op.getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return std::nullopt;
  auto select = op.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  auto arg = dyn_cast<BlockArgument>(select.getCondition());
  if (!arg || arg.getOwner() != op.getBody() ||
      !op.getIndexingMapsArray()[arg.getArgNumber()].isIdentity())
    return std::nullopt;
  std::optional<double> onTrue = constantAt(op, select.getTrueValue());
  std::optional<double> onFalse = constantAt(op, select.getFalseValue());
  auto isLow = [](std::optional<double> v) {
    return v && std::isinf(*v) && *v < 0;
  };
  Value condition = op.getInputs()[arg.getArgNumber()];
  if (onTrue == 0.0 && isLow(onFalse))
    return MaskSelect{op, condition, true};
  if (onFalse == 0.0 && isLow(onTrue))
    return MaskSelect{op, condition, false};
  return std::nullopt;
}

/// The select above views, and these, nearest to the select first.
static std::optional<MaskSelect>
selectAbove(Value mask, SmallVectorImpl<Operation *> &views) {
  Operation *def = mask.getDefiningOp();
  for (; isView(def); def = def->getOperand(0).getDefiningOp())
    views.insert(views.begin(), def);
  return matchSelect(def);
}

/// The same view of a tensor of another element type.
static Value viewLike(OpBuilder &b, Operation *view, Value input) {
  Location loc = view->getLoc();
  if (auto op = dyn_cast<tensor::ExpandShapeOp>(view))
    return expand(b, loc, input, op.getResultType().getShape(),
                  op.getReassociationIndices());
  if (auto op = dyn_cast<tensor::CollapseShapeOp>(view))
    return collapse(b, loc, input, op.getReassociationIndices());
  return transpose(b, loc, input,
                   cast<linalg::TransposeOp>(view).getPermutation());
}

static Value add(OpBuilder &b, Location loc, Value left, Value right) {
  return elementwise(
      b, loc, {left, right}, tensorType(left).getElementType(),
      [](OpBuilder &inner, Location at, ValueRange args) -> Value {
        return arith::AddFOp::create(inner, at, args[0], args[1]);
      });
}

/// The mask as large as the scores.
static Value materialised(OpBuilder &b, MaskAdd m) {
  return broadcast(b, m.op.getLoc(), m.mask, m.maskMap, m.shape());
}

static Value addMaterialised(OpBuilder &b, MaskAdd m, Dice &dice) {
  Value mask = materialised(b, m);
  return dice.coin() ? add(b, m.op.getLoc(), mask, m.scores)
                     : add(b, m.op.getLoc(), m.scores, mask);
}

static Value subtractNegated(OpBuilder &b, MaskAdd m) {
  Location loc = m.op.getLoc();
  Value negated =
      elementwise(b, loc, m.mask, m.element(),
                  [](OpBuilder &inner, Location at, ValueRange args) -> Value {
                    return arith::NegFOp::create(inner, at, args[0]);
                  });
  return elementwise(
      b, loc, m.shape(), m.element(), {m.scores, negated},
      {b.getMultiDimIdentityMap(m.shape().size()), m.maskMap},
      [](OpBuilder &inner, Location at, ValueRange args) -> Value {
        return arith::SubFOp::create(inner, at, args[0], args[1]);
      });
}

/// In the layout of batch_matmul: batch and heads are one dimension.
static Value addCollapsed(OpBuilder &b, MaskAdd m) {
  if (m.shape().size() < 3)
    return {};
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (unsigned i = 2; i < m.shape().size(); ++i)
    groups.push_back({i});
  Location loc = m.op.getLoc();
  Value sum = add(b, loc, collapse(b, loc, m.scores, groups),
                  collapse(b, loc, materialised(b, m), groups));
  return expand(b, loc, sum, m.shape(), groups);
}

/// Transposed: keys before queries.
static Value addTransposed(OpBuilder &b, MaskAdd m) {
  unsigned rank = m.shape().size();
  if (rank < 2)
    return {};
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[rank - 1], order[rank - 2]);
  Location loc = m.op.getLoc();
  Value sum = add(b, loc, transpose(b, loc, m.scores, order),
                  transpose(b, loc, materialised(b, m), order));
  return transpose(b, loc, sum, order);
}

/// What the contraction accumulates into.
static Value addAsInit(OpBuilder &b, MaskAdd m) {
  auto view = m.scores.getDefiningOp<tensor::ExpandShapeOp>();
  if (!view || !view->hasOneUse())
    return {};
  auto product = view.getSrc().getDefiningOp<linalg::BatchMatmulOp>();
  if (!product || !product->hasOneUse() || !isZeroFill(product.getOutputs()[0]))
    return {};
  Location loc = m.op.getLoc();
  Value init =
      collapse(b, loc, materialised(b, m), view.getReassociationIndices());
  Value scores = linalg::BatchMatmulOp::create(b, loc, init.getType(),
                                               product.getInputs(), init)
                     .getResult(0);
  return expand(b, loc, scores, m.shape(), view.getReassociationIndices());
}

/// select(condition, scores, -inf).
static Value selectScores(OpBuilder &b, MaskAdd m) {
  SmallVector<Operation *> views;
  std::optional<MaskSelect> select = selectAbove(m.mask, views);
  if (!select)
    return {};
  Value condition = select->condition;
  for (Operation *view : views)
    condition = viewLike(b, view, condition);
  return elementwise(
      b, m.op.getLoc(), m.shape(), m.element(), {condition, m.scores},
      {m.maskMap, b.getMultiDimIdentityMap(m.shape().size())},
      [&](OpBuilder &inner, Location at, ValueRange args) -> Value {
        Value low = arith::ConstantOp::create(
            inner, at, inner.getFloatAttr(m.element(), -INFINITY));
        return arith::SelectOp::create(inner, at, args[0],
                                       select->allows ? args[1] : low,
                                       select->allows ? low : args[1]);
      });
}

/// The opposite condition, and the arms exchanged.
static bool invertSelect(MaskAdd m) {
  SmallVector<Operation *> views;
  std::optional<MaskSelect> found = selectAbove(m.mask, views);
  if (!found)
    return false;
  auto select = cast<arith::SelectOp>(
      found->op.getBody()->getTerminator()->getOperand(0).getDefiningOp());
  OpBuilder b(select);
  Location loc = select.getLoc();
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value opposite = arith::XOrIOp::create(b, loc, select.getCondition(), yes);
  Value swapped = arith::SelectOp::create(
      b, loc, opposite, select.getFalseValue(), select.getTrueValue());
  select.getResult().replaceAllUsesWith(swapped);
  select.erase();
  return true;
}

unsigned transfusion::test::moveMasks(func::FuncOp function, Dice &dice) {
  unsigned sites = 0;
  SmallVector<linalg::GenericOp> ops(function.getOps<linalg::GenericOp>());
  for (linalg::GenericOp op : ops) {
    std::optional<MaskAdd> found = matchAdd(op);
    if (!found)
      continue;
    ++sites;
    if (dice.once(3) && invertSelect(*found) && dice.coin())
      continue;
    OpBuilder b(op);
    Value next;
    switch (dice.below(6)) {
    case 0:
      next = subtractNegated(b, *found);
      break;
    case 1:
      next = addCollapsed(b, *found);
      break;
    case 2:
      next = addTransposed(b, *found);
      break;
    case 3:
      next = addAsInit(b, *found);
      break;
    case 4:
    case 5:
      next = selectScores(b, *found);
      break;
    }
    if (!next)
      next = addMaterialised(b, *found, dice);
    op.getResult(0).replaceAllUsesWith(next);
    op.erase();
  }
  return sites;
}
