//===- MapReduceVerifier.cpp - What holds within one Einsum ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers E1, E2, ... are those of the constraints in the description of
// einsum.map_reduce; E3 is in CascadeVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#include "RankExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::detail;

static Type getElement(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// E1: ranks are declared by the cascade, distinct.
static LogicalResult verifyRanks(MapReduceOp op) {
  CascadeOp cascade = op.getCascade();
  SmallVector<StringRef> seen, declared;
  for (RankAttr rank : cascade.getRanks().getAsRange<RankAttr>())
    declared.push_back(rank.getName().getValue());
  for (StringRef name : op.getRanks().getAsValueRange<StringAttr>()) {
    if (llvm::is_contained(seen, name))
      return op.emitOpError() << "iterates rank '" << name
                              << "' twice; declare a second rank of its extent";
    seen.push_back(name);
    if (!cascade.lookupRank(name)) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "uses rank '" << name
                                << "', which the cascade does not declare"
                                << suggestName(name, declared);
      diag.attachNote(cascade.getLoc())
          << "the cascade is here; declare the rank in its `ranks(...)`";
      return diag;
    }
  }
  return success();
}

/// E2: one map per operand, with a result per dimension, over the ranks.
static LogicalResult verifyMaps(MapReduceOp op) {
  if (op.getMaps().size() != op->getNumOperands())
    return op.emitOpError()
           << "has " << op->getNumOperands() << " operands, but "
           << op.getMaps().size() << " access maps";
  unsigned numRanks = op.getRanks().size();
  auto verifyMap = [&](AffineMap map, Type type,
                       const Twine &what) -> LogicalResult {
    if (map.getNumDims() != numRanks || map.getNumSymbols() != 0)
      return op.emitOpError()
             << "has an access map of " << what << " over " << map.getNumDims()
             << " ranks and " << map.getNumSymbols()
             << " symbols, but iterates " << numRanks << " ranks";
    int64_t dims = cast<RankedTensorType>(type).getRank();
    if (map.getNumResults() != dims)
      return op.emitOpError()
             << "indexes " << what << " with " << map.getNumResults()
             << " coordinates, but it has " << dims << " dimensions";
    return success();
  };
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (failed(verifyMap(cast<AffineMapAttr>(op.getMaps()[i]).getValue(),
                         operand.getType(), "operand #" + Twine(i))))
      return failure();
  if (failed(verifyMap(op.getResultMap(), op.getType(), "the result")))
    return failure();
  if (std::optional<IntegerSet> domain = op.getDomain())
    if (domain->getNumDims() != numRanks || domain->getNumSymbols() != 0)
      return op.emitOpError()
             << "has a domain over " << domain->getNumDims() << " ranks and "
             << domain->getNumSymbols() << " symbols, but iterates " << numRanks
             << " ranks";
  return success();
}

/// E4: a reduced rank needs `reduce`, and `reduce` a reduced rank; its operator
/// fits the type.
static LogicalResult verifyReduce(MapReduceOp op) {
  SmallVector<bool> reduced = op.getReducedRanks();
  auto it = llvm::find(reduced, true);
  if (!op.getReduce()) {
    if (it == reduced.end())
      return success();
    auto name = cast<StringAttr>(op.getRanks()[it - reduced.begin()]);
    return op.emitOpError()
           << "iterates rank '" << name.getValue()
           << "', which the result lacks, without `reduce`; say by which "
              "operator (add, mul, max, min, and, or), or "
              "index the result by it";
  }
  if (it == reduced.end())
    return op.emitOpError()
           << "has `reduce " << stringifyReduceKind(*op.getReduce())
           << "`, but its result has every rank; leave it out, or take from "
              "the result what is reduced";
  return success();
}

/// E6: finish runs once per result point.
static LogicalResult verifyFinishAccesses(MapReduceOp op) {
  SmallVector<bool> reduced = op.getReducedRanks();
  for (unsigned i = 0, e = op.getFinishInputs().size(); i < e; ++i)
    for (auto [rank, isReduced] : llvm::enumerate(reduced))
      if (isReduced && op.getFinishInputMap(i).isFunctionOfDim(rank))
        return op.emitOpError()
               << "reads finish operand #" << i << " at reduced rank '"
               << cast<StringAttr>(op.getRanks()[rank]).getValue()
               << "'; finish runs after the reduction: read it in the map";
  return success();
}

/// E7: init exactly when the result is iterative, of its element type.
static LogicalResult verifyInit(MapReduceOp op) {
  bool iterative = op.getIterativeDim() >= 0;
  TypedAttr init = op.getInitAttr();
  if (iterative && !init)
    return op.emitOpError() << "defines slices from 1 of an iterative result, "
                               "but slice 0 has no value; add `init`";
  if (!iterative && init)
    return op.emitOpError() << "has `init`, but its result is not iterative "
                               "(indexed by an iterative rank + 1); leave it "
                               "out";
  if (!init)
    return success();
  if (init.getType() != getElement(op.getResult()))
    return op.emitOpError()
           << "has an `init` of type " << init.getType() << " for a result of "
           << getElement(op.getResult()) << "; both need one type";
  if (!isa<FloatAttr, IntegerAttr>(init))
    return op.emitOpError() << "has an `init` that is not a number";
  return success();
}

/// E9: a base is what comes before, along one dimension.
static LogicalResult verifyBase(MapReduceOp op) {
  Value base = op.getBase();
  if (!base)
    return success();
  auto whole = cast<RankedTensorType>(op.getType());
  auto front = cast<RankedTensorType>(base.getType());
  int dim = op.getExtendedDim();
  bool fits = whole.getElementType() == front.getElementType() && dim >= 0 &&
              whole.getDimSize(dim) > front.getDimSize(dim);
  for (int d = 0; fits && d < whole.getRank(); ++d)
    fits = d == dim || whole.getDimSize(d) == front.getDimSize(d);
  if (!fits) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "extends " << front << " to " << whole
                              << ", which is not the same but longer in one "
                                 "dimension";
    diag.attachNote() << "element types are equal, and so are all sizes but "
                         "one";
    return diag;
  }
  if (op.getIterativeDim() >= 0)
    return op.emitOpError() << "extends a base, but its result is iterative; "
                               "make the recurrence first and copy its result";
  if (cast<AffineMapAttr>(op.getMaps()[op.getMaps().size() - 1]).getValue() !=
      MapReduceOp::getBaseMap(op.getResultMap(), dim))
    return op.emitOpError() << "has a map of its base that is not the result's "
                               "with 0 in dimension "
                            << dim;
  return success();
}

/// E8: every point of the result is defined once. Each dimension counts ranks
/// as the digits of a number, in which each rank occurs once. (That none lies
/// beyond the tensor is checked with the other accesses.)
static LogicalResult verifyResultMap(MapReduceOp op) {
  SmallVector<int64_t> extents = op.getExtents();
  SmallVector<StringRef> names(op.getRanks().getAsValueRange<StringAttr>());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  int iterativeDim = op.getIterativeDim(), extendedDim = op.getExtendedDim();
  SmallVector<bool> used(extents.size(), false);
  for (auto [d, expr] : llvm::enumerate(op.getResultMap().getResults())) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printRankExpr(os, expr, names, /*spaced=*/false);
    std::optional<LinearForm> form = getLinearForm(expr, extents.size());
    if (!form)
      return op.emitOpError() << "defines dimension " << d << " of its result "
                              << "at " << text << ", which is not linear";
    for (auto [i, c] : llvm::enumerate(form->coefficients)) {
      if (c == 0)
        continue;
      if (used[i])
        return op.emitOpError() << "indexes its result by rank '" << names[i]
                                << "' in two dimensions, so that points "
                                   "between them stay undefined";
      used[i] = true;
    }
    SmallVector<unsigned> digits = getDigits(*form, extents);
    int64_t count = 1;
    for (unsigned i : digits) {
      if (std::abs(form->coefficients[i]) != count)
        return op.emitOpError()
               << "defines dimension " << d << " of its result at " << text
               << ", which misses or repeats points: the factor of '"
               << names[i] << "' is " << form->coefficients[i]
               << " where the ranks below it count to " << count;
      if (__builtin_mul_overflow(count, extents[i], &count))
        return op.emitOpError()
               << "defines dimension " << d << " of its result at " << text
               << ", which counts beyond 64 bits";
    }
    Interval range = getRange(expr, extents);
    int64_t first = static_cast<int>(d) == iterativeDim ? 1 : 0;
    if (static_cast<int>(d) == extendedDim)
      first = cast<RankedTensorType>(op.getBase().getType()).getDimSize(d);
    // What lies before the tensor may be cut off by the domain, like what lies
    // beyond it: E8.
    bool isCutOff = range.min < first && first == 0;
    if (range.min != first && !isCutOff)
      return op.emitOpError()
             << "defines dimension " << d << " of its result "
             << "from " << range.min << ", but it starts at " << first;
    // Too many points is fine where the last ones do not exist, which takes
    // the effective domain: CascadeVerifier.cpp.
    if (range.max >= shape[d] - 1)
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "defines dimension " << d << " of its result, of "
                         << "size " << shape[d] << ", at " << text
                         << ", which runs from " << range.min << " to "
                         << range.max;
    for (unsigned i : digits)
      diag.attachNote() << "rank '" << names[i] << "' has extent "
                        << extents[i];
    return diag;
  }
  return success();
}

LogicalResult MapReduceOp::verify() {
  if (getEinsumName().empty())
    return emitOpError() << "has no name";
  if (failed(verifyRanks(*this)) || failed(verifyMaps(*this)) ||
      failed(verifyReduce(*this)) || failed(verifyFinishAccesses(*this)) ||
      failed(verifyInit(*this)) || failed(verifyBase(*this)))
    return failure();
  return verifyResultMap(*this);
}

/// E5: arguments and yields of a body have the element types, and it holds
/// arith and math ops only.
static LogicalResult verifyBody(MapReduceOp op, Region &region, StringRef what,
                                ArrayRef<Type> arguments, Type yielded) {
  if (!region.hasOneBlock())
    return op.emitOpError() << "has a " << what << " body of "
                            << region.getBlocks().size() << " blocks";
  Block &block = region.front();
  if (!llvm::equal(block.getArgumentTypes(), arguments)) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "has a " << what << " body that takes (";
    llvm::interleaveComma(block.getArgumentTypes(), diag);
    diag << "), but it is given (";
    llvm::interleaveComma(arguments, diag);
    return diag << ")";
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != 1)
    return op.emitOpError()
           << "has a " << what << " body that does not yield one value";
  Type given = yield.getOperand(0).getType();
  if (yielded && given != yielded)
    return yield.emitOpError() << "yields " << given << " from " << what
                               << ", but " << yielded << " is needed";
  for (Operation &inner : block)
    if (!isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
        !isa<IndexOp, YieldOp>(inner))
      return inner.emitOpError() << "stands in the " << what << " body of an "
                                 << "Einsum, which computes scalars with ops "
                                    "of arith and math and 'einsum.index'";
  return success();
}

LogicalResult MapReduceOp::verifyRegions() {
  Type resultElement = getElement(getResult());
  SmallVector<Type> arguments;
  for (Value input : getInputs())
    arguments.push_back(getElement(input));
  bool hasFinish = !getFinish().empty();
  if (!hasFinish && !getFinishInputs().empty())
    return emitOpError() << "reads finish operands, but has no finish body";
  if (getMap().empty()) {
    if (arguments.size() != 1)
      return emitOpError() << "has no map body, which passes its only input "
                              "on, but reads "
                           << arguments.size() << " inputs";
    if (!hasFinish && arguments.front() != resultElement)
      return emitOpError() << "passes " << arguments.front()
                           << " on to a result of " << resultElement
                           << "; a cast in a body would convert it";
  } else if (failed(verifyBody(*this, getMap(), "map", arguments,
                               hasFinish ? Type() : resultElement))) {
    return failure();
  }
  Type accumulator = getAccumulatorType();
  if (getReduce()) {
    bool isBitwise =
        *getReduce() == ReduceKind::And || *getReduce() == ReduceKind::Or;
    if (!accumulator.isIntOrFloat() ||
        (isBitwise && !accumulator.isSignlessInteger()))
      return emitOpError() << "reduces values of type " << accumulator << " by "
                           << stringifyReduceKind(*getReduce());
  }
  if (!hasFinish)
    return success();
  SmallVector<Type> finishArguments{accumulator};
  for (Value input : getFinishInputs())
    finishArguments.push_back(getElement(input));
  return verifyBody(*this, getFinish(), "finish", finishArguments,
                    resultElement);
}

LogicalResult IndexOp::verify() {
  auto op = (*this)->getParentOfType<MapReduceOp>();
  if (!op)
    return emitOpError() << "stands outside the bodies of an Einsum";
  SmallVector<StringRef> names(op.getRanks().getAsValueRange<StringAttr>());
  auto it = llvm::find(names, getRank());
  if (it == names.end())
    return emitOpError() << "reads rank '" << getRank()
                         << "', which the Einsum does not iterate"
                         << suggestName(getRank(), names);
  if ((*this)->getParentRegion() == &op.getFinish() &&
      op.getReducedRanks()[it - names.begin()])
    return emitOpError() << "reads rank '" << getRank()
                         << "' after it was reduced";
  return success();
}
