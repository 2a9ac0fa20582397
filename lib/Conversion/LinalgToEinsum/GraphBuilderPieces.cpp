//===- GraphBuilderPieces.cpp - Values put together from pieces -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a digit of the result counts the pieces, and one access that moves with
// the piece reads them all, a concat is one Einsum that selects among bodies:
// the two halves of RoPE are x[1-e1, e0], one of them negated.
//
//===----------------------------------------------------------------------===//

#include "AppendRoom.h"
#include "Bodies.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::YieldOp;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Moves numbers, and computes none.
static bool onlyMoves(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         linalg::TransposeOp>(op);
}

/// How many read what `value` holds, moved or not. Those that are dead do not.
static unsigned countReaders(Value value, const BlockPlan &plan) {
  unsigned count = 0;
  for (Operation *user : value.getUsers())
    if (plan.isRaised(user) && onlyMoves(user))
      count += countReaders(user->getResult(0), plan);
    else
      count += !plan.isRaised(user) || plan.isLive(user);
  return count;
}

/// The equation that makes `value`, when nobody else reads it.
static std::optional<unsigned> soleProducer(
    Value value, const View &view, const RaiseGraph &graph,
    const BlockPlan &plan,
    const llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> &made) {
  while (onlyMoves(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto def = value.getDefiningOp<linalg::LinalgOp>();
  auto number = graph.roots[view.root].equation;
  if (!def || !number || countReaders(value, plan) != 1)
    return std::nullopt;
  const Equation &eq = graph.equations[*number];
  if (eq.reduce || eq.finish || !llvm::is_contained(made.lookup(def), *number))
    return std::nullopt;
  return number;
}

/// What `producer` reads to make its value at `place`.
static SmallVector<Access> movedInputs(const Equation &producer,
                                       ArrayRef<AffineExpr> place,
                                       unsigned numRanks) {
  SmallVector<AffineExpr> ofRank(producer.ranks.size());
  for (auto [digit, rank] : llvm::enumerate(producer.result))
    ofRank[rank] = place[digit];
  SmallVector<Access> result;
  for (const Access &access : producer.inputs) {
    Access &moved = result.emplace_back();
    moved.root = access.root;
    for (AffineExpr expr : access.at)
      moved.at.push_back(simplify(expr.replaceDims(ofRank), numRanks));
  }
  return result;
}

namespace {
/// What a piece computes: a body on accesses.
struct Part {
  SmallVector<Access> inputs;
  Body *body = nullptr; ///< null: passes its only input, or `constant`, on
  TypedAttr constant;
};
} // namespace

/// One access for all parts, where they differ by a constant step per piece.
static std::optional<Access> mergeAccesses(ArrayRef<Part> parts, unsigned input,
                                           AffineExpr piece,
                                           unsigned numRanks) {
  Access result = parts.front().inputs[input];
  if (parts.size() < 2)
    return std::nullopt;
  for (unsigned k = 0; k < result.at.size(); ++k) {
    std::optional<Linear> first = getLinear(result.at[k], numRanks);
    if (!first)
      return std::nullopt;
    int64_t step = 0;
    for (auto [i, part] : llvm::enumerate(parts)) {
      if (part.inputs[input].root != result.root)
        return std::nullopt;
      std::optional<Linear> other =
          getLinear(part.inputs[input].at[k], numRanks);
      if (!other || other->coefficients != first->coefficients)
        return std::nullopt;
      if (i == 1)
        step = other->constant - first->constant;
      if (other->constant != first->constant + step * static_cast<int64_t>(i))
        return std::nullopt;
    }
    result.at[k] = simplify(result.at[k] + piece * step, numRanks);
  }
  return result;
}

static bool isEqualBody(Body *a, Body *b) {
  if (!a || !b)
    return a == b;
  return OperationEquivalence::isRegionEquivalentTo(
      a->region.get(), b->region.get(),
      OperationEquivalence::IgnoreLocations |
          OperationEquivalence::IgnoreDiscardableAttrs);
}

void GraphBuilder::raiseConcat(Operation *op, Value result,
                               ArrayRef<Value> inputs, unsigned at) {
  Location loc = op->getLoc();
  Type element = storageType(getElementTypeOrSelf(result.getType()));
  SmallVector<IndexParts> own;
  Equation eq = start(loc, ranks.digitsOf(result), own);
  unsigned numRanks = eq.ranks.size();

  if (roomFilledBy(result))
    return raiseAppend(op, result, inputs, at);
  // A leading digit that counts pieces of one size.
  int64_t size = shapeOf(inputs.front())[at];
  if (own[at].empty() ||
      own[at].front().extent != static_cast<int64_t>(inputs.size()) ||
      !llvm::all_of(inputs, [&](Value v) { return shapeOf(v)[at] == size; }))
    return raiseAppend(op, result, inputs, at);
  AffineExpr selector = own[at].front().index;
  SmallVector<IndexParts> index(own);
  index[at].erase(index[at].begin());

  SmallVector<Part> parts;
  SmallVector<unsigned> absorbed;
  for (Value input : inputs) {
    Part part;
    const View view = viewOf(input);
    if (view.kind != View::Root) {
      Builder b(context);
      part.constant = view.kind == View::Splat
                          ? view.splat
                          : cast<TypedAttr>(b.getZeroAttr(element));
      parts.push_back(std::move(part));
      continue;
    }
    Exprs place =
        substitute(view.at, ranks.digitsOf(input), index, numRanks, context);
    auto producer = soleProducer(input, view, graph, plan, made);
    if (producer) {
      Equation &made = graph.equations[*producer];
      unsigned numScalars = made.inputs.size();
      for (unsigned i = 0; i < made.ranks.size(); ++i)
        if (!made.map.scalar(numScalars + i).use_empty())
          producer.reset(); // it computes with the place where it stands
    }
    if (!producer) {
      part.inputs.push_back({view.root, place});
    } else {
      // Computed here, at the points that this piece has.
      Equation &made = graph.equations[*producer];
      part.inputs = movedInputs(made, place, numRanks);
      part.body = &made.map;
      absorbed.push_back(*producer);
    }
    parts.push_back(std::move(part));
  }

  // One access says what all parts read, input by input.
  SmallVector<Access> merged;
  bool sameShape = llvm::all_of(parts, [&](const Part &part) {
    return part.inputs.size() == parts.front().inputs.size();
  });
  if (sameShape)
    for (unsigned i = 0; i < parts.front().inputs.size(); ++i)
      if (auto access = mergeAccesses(parts, i, selector, numRanks))
        merged.push_back(*access);
  if (!sameShape || merged.size() != parts.front().inputs.size())
    return raiseAppend(op, result, inputs, at);
  SmallVector<unsigned> inputOf;
  for (const Access &access : merged) {
    auto known = llvm::find(eq.inputs, access);
    inputOf.push_back(known - eq.inputs.begin());
    if (known == eq.inputs.end())
      eq.inputs.push_back(access);
  }

  bool allEqual = llvm::all_of(parts, [&](const Part &part) {
    return part.constant == parts.front().constant &&
           isEqualBody(part.body, parts.front().body);
  });
  if (allEqual && !parts.front().body && eq.inputs.size() == 1 &&
      isLinear(eq.inputs.front().at)) {
    // The pieces of one tensor, put together again: its digits are the ranks.
    View view;
    view.kind = View::Root;
    view.root = eq.inputs.front().root;
    view.at = eq.inputs.front().at;
    setView(result, view, Fate::View);
    return;
  }

  SmallVector<Type> scalars;
  for (const Access &access : eq.inputs)
    scalars.push_back(graph.roots[access.root].element);
  eq.map = Body(scalars, numRanks, loc);
  OpBuilder b = eq.map.atEnd();
  auto compute = [&](unsigned number) -> Value {
    Part &part = parts[number];
    if (part.constant)
      return arith::ConstantOp::create(b, loc, part.constant);
    SmallVector<Value> arguments;
    for (unsigned input : inputOf)
      arguments.push_back(eq.map.scalar(input));
    if (!part.body)
      return arguments.front();
    // Its indices are not read.
    arguments.resize(part.body->block().getNumArguments(), Value());
    return inlineBody(b, *part.body, arguments);
  };
  Value value = compute(allEqual ? 0 : parts.size() - 1);
  if (!allEqual) {
    Value number = indexValue(b, loc, eq.map, scalars.size(), selector);
    for (int i = parts.size() - 2; i >= 0; --i) {
      Value last = arith::ConstantIndexOp::create(b, loc, i);
      Value within = arith::CmpIOp::create(
          b, loc, i == 0 ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sle,
          number, last);
      value = arith::SelectOp::create(b, loc, within, compute(i), value);
    }
  }
  YieldOp::create(b, loc, value);
  for (unsigned number : absorbed) {
    graph.equations[number].erased = true;
    graph.equations[number].into = graph.equations.size();
  }
  eq.name = absorbed.empty() ? "concat" : "rotate";
  eq.isCopy = absorbed.empty();
  View view;
  view.kind = View::Root;
  for (unsigned i = 0; i < numRanks; ++i)
    view.at.push_back(getAffineDimExpr(i, context));
  view.root = addEquation(std::move(eq), element, op);
  setView(result, view, Fate::Equation);
}
