//===- GraphBuilderLinalg.cpp - linalg ops as views and equations ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "transfusion/Dialect/Einsum/IR/Reduce.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::ReduceKind;
using transfusion::einsum::YieldOp;

/// Per loop, its ranks when all loops' digits are ranks in order.
static SmallVector<SmallVector<std::pair<unsigned, int64_t>>>
ranksOfLoops(ArrayRef<Digits> loops, Digits &ranks) {
  SmallVector<SmallVector<std::pair<unsigned, int64_t>>> result;
  for (const Digits &loop : loops) {
    result.emplace_back();
    for (const Digit &digit : loop) {
      result.back().push_back({ranks.size(), digit.extent});
      ranks.push_back(digit);
    }
  }
  return result;
}

/// The leading digits of a loop for a quotient of it, the last ones for a
/// remainder; nullopt when the divisor does not fall between two digits.
static std::optional<IndexParts> divided(AffineExpr expr,
                                         ArrayRef<IndexParts> perLoop) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto loop = binary ? dyn_cast<AffineDimExpr>(binary.getLHS()) : nullptr;
  auto by = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  if (!loop || !by ||
      (binary.getKind() != AffineExprKind::FloorDiv &&
       binary.getKind() != AffineExprKind::Mod))
    return std::nullopt;
  ArrayRef<IndexPart> parts = perLoop[loop.getPosition()];
  int64_t below = 1;
  size_t kept = parts.size();
  while (kept > 0 && below < by.getValue())
    below *= parts[--kept].extent;
  if (below != by.getValue())
    return std::nullopt;
  bool isQuotient = binary.getKind() == AffineExprKind::FloorDiv;
  ArrayRef<IndexPart> wanted =
      isQuotient ? parts.take_front(kept) : parts.drop_front(kept);
  return IndexParts(wanted.begin(), wanted.end());
}

/// Index of an operand in each of its dimensions.
static SmallVector<IndexParts>
operandIndex(AffineMap map, ArrayRef<int64_t> shape,
             ArrayRef<SmallVector<std::pair<unsigned, int64_t>>> loops,
             MLIRContext *context) {
  SmallVector<IndexParts> perLoop;
  SmallVector<AffineExpr> merged;
  for (const auto &loop : loops) {
    perLoop.emplace_back();
    for (auto [rank, extent] : loop)
      perLoop.back().push_back({getAffineDimExpr(rank, context), extent});
    merged.push_back(merge(perLoop.back(), context));
  }
  SmallVector<IndexParts> result;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      result.push_back(perLoop[loop.getPosition()]);
      continue;
    }
    if (auto parts = divided(expr, perLoop)) {
      int64_t extent = 1;
      for (const IndexPart &part : *parts)
        extent *= part.extent;
      if (extent == shape[dim]) {
        result.push_back(*parts);
        continue;
      }
    }
    result.push_back({{expr.replaceDims(merged), shape[dim]}});
  }
  return result;
}

/// Constants that stand for block arguments: scalars, and tensors of one value.
SmallVector<TypedAttr>
GraphBuilder::constantsOf(linalg::LinalgOp op, unsigned result, bool withInit) {
  SmallVector<bool> used = usedArguments(op, result);
  SmallVector<TypedAttr> constants;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    constants.emplace_back();
    bool isInit = i >= static_cast<size_t>(op.getNumDpsInputs());
    if (!used[i] || (isInit && !withInit))
      continue;
    if (!isa<RankedTensorType>(operand.getType())) {
      Attribute value;
      matchPattern(operand, m_Constant(&value));
      constants.back() = cast<TypedAttr>(value);
    } else if (const View &view = viewOf(operand); view.kind != View::Root) {
      // Undefined values may be any.
      Builder b(context);
      constants.back() = view.kind == View::Splat
                             ? view.splat
                             : cast<TypedAttr>(b.getZeroAttr(
                                   getElementTypeOrSelf(operand.getType())));
    }
  }
  return constants;
}

bool GraphBuilder::raiseLinalgView(linalg::LinalgOp op) {
  // All live results at once: a view of one does not stand alone.
  SmallVector<std::pair<Value, View>> found;
  Digits digits;
  auto loops = ranksOfLoops(ranks.loopDigitsOf(op), digits);
  for (OpResult result : op->getResults()) {
    if (!plan.isLive(result))
      continue;
    unsigned number = result.getResultNumber();
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    Value yielded = op.getBlock()->getTerminator()->getOperand(number);
    for (auto [loop, parts] : llvm::enumerate(loops))
      if (!parts.empty() && !map.isFunctionOfDim(loop))
        return false;
    // A scalar or a tensor of one value, passed on.
    Attribute constant;
    if (matchPattern(yielded, m_Constant(&constant))) {
      if (yielded.getType().isF64())
        return false;
      found.push_back({result, View::constant(cast<TypedAttr>(constant))});
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(yielded);
    if (!argument || argument.getOwner() != op.getBlock())
      return false;
    unsigned operand = argument.getArgNumber();
    if (TypedAttr value = constantsOf(op, number, true)[operand]) {
      found.push_back({result, View::constant(value)});
      continue;
    }
    Value source = op->getOperand(operand);
    const View view = viewOf(source);
    if (view.kind != View::Root)
      return false;
    auto shape = cast<RankedTensorType>(source.getType()).getShape();
    Exprs at = substitute(
        view.at, ranks.digitsOf(source),
        operandIndex(op.getMatchingIndexingMap(&op->getOpOperand(operand)),
                     shape, loops, context),
        digits.size(), context);
    if (!isLinear(at))
      return false;
    // From the loops' ranks to the digits of the result.
    SmallVector<AffineExpr> position(digits.size(),
                                     getAffineConstantExpr(0, context));
    unsigned next = 0;
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        for (auto [rank, extent] : loops[loop.getPosition()])
          position[rank] = getAffineDimExpr(next++, context);
    View moved = view;
    moved.at.clear();
    for (AffineExpr expr : at)
      moved.at.push_back(expr.replaceDims(position));
    found.push_back({result, moved});
  }
  for (auto &[value, view] : found)
    setView(value, view,
            view.kind == View::Splat ? Fate::Constant : Fate::View);
  return true;
}

void GraphBuilder::raiseLinalg(linalg::LinalgOp op) {
  for (OpResult result : op->getResults())
    if (plan.isLive(result))
      raiseResult(op, result.getResultNumber());
}

/// What the reader of a report sees: what is computed.
static std::string nameFor(Body &map, std::optional<ReduceKind> reduce) {
  SmallVector<Operation *> ops;
  for (Operation &op : map.block().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>() &&
        !isa<arith::ExtFOp, arith::TruncFOp>(op))
      ops.push_back(&op);
  bool isProduct = ops.size() == 1 && isa<arith::MulFOp>(ops.front()) &&
                   ops.front()->getOperand(0) != ops.front()->getOperand(1);
  if (reduce) {
    if (*reduce == ReduceKind::Add)
      return isProduct ? "dot" : "sum";
    if (*reduce == ReduceKind::Mul)
      return "prod";
    if (*reduce == ReduceKind::And)
      return "all";
    if (*reduce == ReduceKind::Or)
      return "any";
    return stringifyReduceKind(*reduce).str();
  }
  if (ops.empty())
    return "cast";
  if (ops.size() > 1)
    return "map";
  StringRef name = ops.front()->getName().stripDialect();
  if (isa<FloatType>(ops.front()->getResult(0).getType()) ||
      isa<arith::CmpFOp>(ops.front()))
    name.consume_back("f");
  return name.str();
}

/// Reads each tensor once per access; the map has a scalar per operand.
void GraphBuilder::readOperands(linalg::LinalgOp op, Equation &eq,
                                ArrayRef<LoopRanks> loops) {
  unsigned numScalars = op.getBlock()->getNumArguments();
  SmallVector<unsigned> owner; // input of an argument
  for (unsigned i = 0; i < numScalars; ++i) {
    BlockArgument argument = eq.map.scalar(i);
    owner.push_back(~0u);
    if (argument.use_empty())
      continue;
    OpOperand &operand = op->getOpOperand(i);
    auto shape = cast<RankedTensorType>(operand.get().getType()).getShape();
    Access access = read(operand.get(),
                         operandIndex(op.getMatchingIndexingMap(&operand),
                                      shape, loops, context),
                         eq.ranks.size(), op);
    auto known = llvm::find(eq.inputs, access);
    if (known != eq.inputs.end()) {
      unsigned input = known - eq.inputs.begin();
      unsigned first = llvm::find(owner, input) - owner.begin();
      argument.replaceAllUsesWith(eq.map.scalar(first));
      continue;
    }
    owner.back() = eq.inputs.size();
    eq.inputs.push_back(access);
  }
  pruneScalars(eq.map, numScalars);
}

/// Of a maximum that ignores NaN: whether any of what it is taken of is none.
Access GraphBuilder::anyNumber(linalg::LinalgOp op, unsigned number,
                               const Equation &maximum,
                               ArrayRef<LoopRanks> loops) {
  Equation any(op.getLoc());
  any.name = "any";
  any.ranks = maximum.ranks;
  any.result = maximum.result;
  any.reduce = ReduceKind::Or;
  any.map = cloneBody(op, number, constantsOf(op, number, false), loops,
                      any.ranks.size());
  extractIsNumber(any.map, any.map.scalar(op.getNumDpsInputs() + number));
  readOperands(op, any, loops);
  Access access{0, {}};
  for (unsigned rank : any.result)
    access.at.push_back(getAffineDimExpr(rank, context));
  access.root = addEquation(std::move(any), IntegerType::get(context, 1), op);
  return access;
}

void GraphBuilder::raiseResult(linalg::LinalgOp op, unsigned number) {
  Location loc = op.getLoc();
  OpResult result = op->getResult(number);
  OpOperand *init = op.getDpsInitOperand(number);
  AffineMap resultMap = op.getMatchingIndexingMap(init);
  unsigned numInputs = op.getNumDpsInputs();

  Equation eq(loc);
  SmallVector<Digits> digits = ranks.loopDigitsOf(op);
  for (auto [loop, isUsed] : llvm::enumerate(usedLoops(op, number)))
    if (!isUsed)
      digits[loop].clear();
  auto loops = ranksOfLoops(digits, eq.ranks);
  for (AffineExpr expr : resultMap.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      for (auto [rank, extent] : loops[loop.getPosition()])
        eq.result.push_back(rank);
  unsigned numRanks = eq.ranks.size();
  bool reduces = eq.result.size() != numRanks;
  Type element = storageType(getElementTypeOrSelf(result.getType()));

  eq.map =
      cloneBody(op, number, constantsOf(op, number, !reduces), loops, numRanks);
  BlockArgument accumulator = eq.map.scalar(numInputs + number);
  if (!reduces && usedArguments(op, number)[numInputs + number]) {
    // A sum over loops of extent 1 that starts at nothing.
    const View start = viewOf(init->get());
    if (start.kind == View::Splat) {
      Body other = cloneBody(op, number, constantsOf(op, number, false), loops,
                             numRanks);
      auto reduction =
          extractReduction(other, other.scalar(numInputs + number));
      if (reduction && isIdentity(start.splat, *reduction)) {
        OpBuilder b(other.block().getTerminator());
        Operation *yield = other.block().getTerminator();
        Value only = other.yielded();
        if (reduction->isUnsigned)
          only = flipSign(b, loc, only);
        yield->setOperand(0, castFloat(b, loc, only, element));
        eq.map = std::move(other);
        accumulator = eq.map.scalar(numInputs + number);
      }
    }
  }
  if (reduces) {
    auto reduction = extractReduction(eq.map, accumulator);
    eq.reduce = reduction->kind;
    // What is added at the end: an initial value, a cast.
    const View start = viewOf(init->get());
    bool fromNothing =
        start.kind == View::Undefined ||
        (start.kind == View::Splat && isIdentity(start.splat, *reduction));
    // Where all are NaN, and the initial value is, so is the maximum.
    bool canBeNaN = reduction->ignoresNaN &&
                    (start.kind == View::Root ||
                     (start.kind == View::Splat &&
                      cast<FloatAttr>(start.splat).getValue().isNaN()));
    if (!fromNothing || reduction->type != element || reduction->isUnsigned) {
      SmallVector<Type> scalars{reduction->type};
      if (start.kind == View::Root) {
        auto shape = cast<RankedTensorType>(init->get().getType()).getShape();
        eq.finishInputs.push_back(
            read(init->get(), operandIndex(resultMap, shape, loops, context),
                 numRanks, op));
        scalars.push_back(element);
      }
      if (canBeNaN) {
        eq.finishInputs.push_back(anyNumber(op, number, eq, loops));
        scalars.push_back(IntegerType::get(context, 1));
      }
      eq.finish = Body(scalars, numRanks, loc);
      OpBuilder b = eq.finish.atEnd();
      Value value = eq.finish.scalar(0);
      if (!fromNothing) {
        Value initial =
            start.kind == View::Root
                ? Value(eq.finish.scalar(1))
                : arith::ConstantOp::create(b, loc, storageValue(start.splat))
                      .getResult();
        initial = castFloat(b, loc, initial, reduction->type);
        Value any; // of the values, and the initial one, is a number
        if (canBeNaN)
          any = eq.finish.scalar(scalars.size() - 1);
        if (!canBeNaN || start.kind == View::Root) {
          Value other = initial;
          if (canBeNaN)
            any = arith::OrIOp::create(b, loc, any, isNumber(b, loc, initial));
          if (reduction->ignoresNaN)
            other = withoutNaN(b, loc, other, reduction->kind);
          if (reduction->isUnsigned)
            other = flipSign(b, loc, other);
          value = combine(b, loc, *eq.reduce, other, value);
        }
        if (canBeNaN)
          value = arith::SelectOp::create(b, loc, any, value, initial);
      }
      if (reduction->isUnsigned)
        value = flipSign(b, loc, value);
      value = castFloat(b, loc, value, element);
      YieldOp::create(b, loc, value);
    }
  }

  readOperands(op, eq, loops);
  // Nothing is left but a value passed on, once f64 is f32.
  if (!reduces && eq.map.block().getOperations().size() == 1 &&
      eq.inputs.size() == 1 && isLinear(eq.inputs.front().at)) {
    SmallVector<AffineExpr> position(numRanks);
    for (auto [digit, rank] : llvm::enumerate(eq.result))
      position[rank] = getAffineDimExpr(digit, context);
    View passed;
    passed.kind = View::Root;
    passed.root = eq.inputs.front().root;
    for (AffineExpr expr : eq.inputs.front().at)
      passed.at.push_back(expr.replaceDims(position));
    setView(result, passed, Fate::View);
    return;
  }
  eq.name = nameFor(eq.map, eq.reduce);

  View view;
  view.kind = View::Root;
  for (unsigned i = 0, e = eq.result.size(); i < e; ++i)
    view.at.push_back(getAffineDimExpr(i, context));
  view.root = addEquation(std::move(eq), element, op);
  setView(result, view, Fate::Equation);
}
