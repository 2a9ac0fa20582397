//===- EinsumToLinalgEinsum.cpp - One Einsum as linalg.generic ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Up to three generics: map and reduce over the ranks; finish over the ranks of
// the result; and, where the result's coordinates are not simply its ranks, one
// that arranges the points.
//
// An operand is an `ins` of the generic when its coordinates are distinct loop
// dimensions of its full size. All others are read by tensor.extract, which
// also keeps them from being read at points that do not exist.
//
//===----------------------------------------------------------------------===//

#include "EinsumToLinalg.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/IntegerSet.h"
#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "transfusion/Dialect/Einsum/IR/Reduce.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::einsum;

namespace {
/// One loop nest over some of an Einsum's ranks.
class LoopNest {
public:
  LoopNest(OpBuilder &builder, MapReduceOp op, std::optional<Slice> slice,
           ArrayRef<unsigned> loops)
      : b(builder), op(op), loc(op.getLoc()), slice(slice), loops(loops),
        extents(op.getExtents()) {
    SmallVector<AffineExpr> exprs(extents.size());
    for (auto [position, rank] : llvm::enumerate(loops))
      exprs[rank] = b.getAffineDimExpr(position);
    if (slice)
      exprs[slice->rank] = b.getAffineSymbolExpr(0);
    for (AffineExpr &expr : exprs)
      if (!expr) // a reduced rank, in finish: nothing may depend on it
        expr = b.getAffineConstantExpr(0);
    rankExprs = exprs;
  }

  /// An operand of the body. `map` is over the Einsum's ranks.
  void addOperand(Value tensor, AffineMap map) {
    Operand &operand = operands.emplace_back();
    operand.tensor = tensor;
    operand.map = overLoops(map);
    if (!isDirect(operand))
      return;
    operand.input = inputs.size();
    inputs.push_back(tensor);
    inputMaps.push_back(operand.map);
  }
  /// An operand over the loops themselves.
  void addLoopOperand(Value tensor, AffineMap map) {
    Operand &operand = operands.emplace_back();
    operand.tensor = tensor;
    operand.map = map;
    operand.input = inputs.size();
    inputs.push_back(tensor);
    inputMaps.push_back(map);
  }

  AffineMap overLoops(AffineMap map) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      results.push_back(expr.replaceDims(rankExprs));
    return AffineMap::get(loops.size(), slice ? 1 : 0, results,
                          op.getContext());
  }

  using BodyFn =
      function_ref<Value(OpBuilder &, ValueRange scalars, Value out)>;

  /// Emits the nest. Where `domain` does not hold, the output keeps its value
  /// (`keep`), or becomes zero.
  Value emit(Value output, AffineMap outputMap, unsigned numParallel,
             IntegerSet domain, bool keep, BodyFn body) {
    SmallVector<utils::IteratorType> iterators(loops.size(),
                                               utils::IteratorType::reduction);
    std::fill_n(iterators.begin(), numParallel, utils::IteratorType::parallel);
    addShapeOperands(outputMap);
    SmallVector<AffineMap> maps(inputMaps);
    maps.push_back(outputMap);
    auto generic = linalg::GenericOp::create(
        b, loc, output.getType(), inputs, output, maps, iterators,
        [&](OpBuilder &inner, Location, ValueRange arguments) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(inner.getInsertionBlock(),
                              inner.getInsertionPoint());
          // linalg.index must stand in the body itself, not in a branch.
          indices.clear();
          for (unsigned i = 0, e = loops.size(); i < e; ++i)
            indices.push_back(linalg::IndexOp::create(b, loc, i));
          Value out = arguments.back();
          Value condition = domain ? emitCondition(domain) : Value();
          Value result;
          if (!condition) {
            result = body(b, readScalars(arguments), out);
          } else {
            auto branch = scf::IfOp::create(b, loc, out.getType(), condition,
                                            /*withElseRegion=*/true);
            b.setInsertionPointToStart(branch.thenBlock());
            Value value = body(b, readScalars(arguments), out);
            scf::YieldOp::create(b, loc, value);
            b.setInsertionPointToStart(branch.elseBlock());
            Value other = out;
            if (!keep)
              other = arith::ConstantOp::create(b, loc, out.getType(),
                                                b.getZeroAttr(out.getType()));
            scf::YieldOp::create(b, loc, other);
            b.setInsertionPointAfter(branch);
            result = branch.getResult(0);
          }
          linalg::YieldOp::create(b, loc, result);
        });
    return generic.getResult(0);
  }

  /// Copies a body of the Einsum on the given scalars.
  Value cloneBody(Region &region, ValueRange scalars) {
    if (region.empty())
      return scalars.front();
    IRMapping mapping;
    mapping.map(region.front().getArguments(), scalars);
    for (Operation &inner : region.front().without_terminator()) {
      if (auto index = dyn_cast<IndexOp>(inner)) {
        for (auto [rank, name] :
             llvm::enumerate(op.getRanks().getAsValueRange<StringAttr>()))
          if (name == index.getRank())
            mapping.map(index.getResult(), getIndex(rankExprs[rank]));
        continue;
      }
      b.clone(inner, mapping);
    }
    return mapping.lookup(region.front().getTerminator()->getOperand(0));
  }

  /// Value of an expression over the loops at the current point.
  Value getIndex(AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return indices[dim.getPosition()];
    if (isa<AffineSymbolExpr>(expr))
      return slice->index;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return arith::ConstantIndexOp::create(b, loc, constant.getValue());
    SmallVector<Value> values(indices);
    if (slice)
      values.push_back(slice->index);
    return affine::AffineApplyOp::create(
        b, loc, AffineMap::get(loops.size(), slice ? 1 : 0, expr), values);
  }

private:
  struct Operand {
    Value tensor;
    AffineMap map;
    int input = -1; ///< position among the generic's inputs
  };

  bool isDirect(const Operand &operand) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.tensor.getType()).getShape();
    SmallVector<unsigned> seen;
    for (auto [d, expr] : llvm::enumerate(operand.map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || llvm::is_contained(seen, dim.getPosition()) ||
          shape[d] != extents[loops[dim.getPosition()]])
        return false;
      seen.push_back(dim.getPosition());
    }
    // Maps of a generic have no symbols; the expressions here use none.
    return true;
  }

  /// linalg infers the extent of each loop from an operand's shape. A loop that
  /// no operand shows gets one that is never read.
  void addShapeOperands(AffineMap outputMap) {
    for (AffineMap &map : inputMaps)
      map = AffineMap::get(loops.size(), 0, map.getResults(), b.getContext());
    for (unsigned i = 0, e = loops.size(); i < e; ++i) {
      bool shown = outputMap.isFunctionOfDim(i);
      for (AffineMap map : inputMaps)
        shown |= map.isFunctionOfDim(i);
      if (shown)
        continue;
      inputs.push_back(tensor::EmptyOp::create(
          b, loc, ArrayRef<int64_t>{extents[loops[i]]}, b.getI8Type()));
      inputMaps.push_back(
          AffineMap::get(e, 0, b.getAffineDimExpr(i), b.getContext()));
    }
  }

  SmallVector<Value> readScalars(ValueRange arguments) {
    SmallVector<Value> scalars;
    for (const Operand &operand : operands) {
      if (operand.input >= 0) {
        scalars.push_back(arguments[operand.input]);
        continue;
      }
      SmallVector<Value> at;
      for (AffineExpr expr : operand.map.getResults())
        at.push_back(getIndex(expr));
      scalars.push_back(tensor::ExtractOp::create(b, loc, operand.tensor, at));
    }
    return scalars;
  }

  Value emitCondition(IntegerSet domain) {
    Value all;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    for (unsigned i = 0, e = domain.getNumConstraints(); i < e; ++i) {
      Value value = getIndex(domain.getConstraint(i).replaceDims(rankExprs));
      Value holds = arith::CmpIOp::create(
          b, loc,
          domain.isEq(i) ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge,
          value, zero);
      all = all ? arith::AndIOp::create(b, loc, all, holds).getResult() : holds;
    }
    return all;
  }

  OpBuilder &b;
  MapReduceOp op;
  Location loc;
  std::optional<Slice> slice;
  SmallVector<unsigned> loops;
  SmallVector<int64_t> extents;
  SmallVector<AffineExpr> rankExprs;
  SmallVector<Operand> operands;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> inputMaps;
  SmallVector<Value> indices; ///< of the loops, in the body being built
};
} // namespace

/// Arranges `points`, indexed by the ranks in `loops`, as the result's
/// coordinates say.
static Value emitLayout(OpBuilder &b, MapReduceOp op, Value points,
                        ArrayRef<unsigned> loops, RankedTensorType type,
                        std::optional<Slice> slice) {
  Location loc = op.getLoc();
  SmallVector<AffineExpr> inverse = getInverseResultMap(op);
  // Result dimensions, without the slice's.
  unsigned numDims = op.getResultMap().getNumResults();
  SmallVector<AffineExpr> coordinates;
  for (unsigned d = 0, position = 0; d < numDims; ++d)
    coordinates.push_back(slice && d == slice->dim
                              ? b.getAffineConstantExpr(0)
                              : b.getAffineDimExpr(position++));
  if (int dim = op.getExtendedDim(); dim >= 0)
    coordinates[dim] =
        coordinates[dim] +
        cast<RankedTensorType>(op.getBase().getType()).getDimSize(dim);
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  int iterativeDim = slice ? -1 : op.getIterativeDim();
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange{}, empty,
      b.getMultiDimIdentityMap(type.getRank()), iterators,
      [&](OpBuilder &inner, Location, ValueRange) {
        SmallVector<Value> index;
        for (int64_t i = 0; i < type.getRank(); ++i)
          index.push_back(linalg::IndexOp::create(inner, loc, i));
        auto read = [&](OpBuilder &at) -> Value {
          SmallVector<Value> indices;
          for (unsigned rank : loops)
            indices.push_back(affine::AffineApplyOp::create(
                at, loc,
                AffineMap::get(type.getRank(), 0,
                               inverse[rank].replaceDims(coordinates)),
                index));
          return tensor::ExtractOp::create(at, loc, points, indices);
        };
        Value value;
        if (iterativeDim < 0) {
          value = read(inner);
        } else {
          Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
          Value first = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::eq, index[iterativeDim], zero);
          auto branch = scf::IfOp::create(inner, loc, type.getElementType(),
                                          first, /*withElseRegion=*/true);
          OpBuilder thenB = branch.getThenBodyBuilder();
          scf::YieldOp::create(
              thenB, loc,
              arith::ConstantOp::create(thenB, loc, op.getInitAttr())
                  .getResult());
          OpBuilder elseB = branch.getElseBodyBuilder();
          scf::YieldOp::create(elseB, loc, read(elseB));
          value = branch.getResult(0);
        }
        linalg::YieldOp::create(inner, loc, value);
      });
  return generic.getResult(0);
}

/// `base`, and `points` behind it along dimension `dim`.
static Value emitExtension(OpBuilder &b, MapReduceOp op, Value base,
                           Value points, int dim) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Value whole =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  for (Value piece : {base, points}) {
    auto pieceType = cast<RankedTensorType>(piece.getType());
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : pieceType.getShape())
      sizes.push_back(b.getIndexAttr(size));
    whole = tensor::InsertSliceOp::create(b, loc, piece, whole, offsets, sizes,
                                          strides);
    offsets[dim] = b.getIndexAttr(pieceType.getDimSize(dim));
  }
  return whole;
}

Value transfusion::emitEinsum(OpBuilder &b, MapReduceOp op,
                              ArrayRef<OperandSource> sources,
                              IntegerSet domain, IntegerSet resultDomain,
                              std::optional<Slice> slice) {
  Location loc = op.getLoc();
  SmallVector<int64_t> extents = op.getExtents();
  SmallVector<bool> reduced = op.getReducedRanks();
  SmallVector<unsigned> parallel, all;
  SmallVector<int64_t> parallelShape;
  for (unsigned i = 0, e = extents.size(); i < e; ++i)
    if (!reduced[i] && !(slice && slice->rank == i)) {
      parallel.push_back(i);
      parallelShape.push_back(extents[i]);
    }
  all = parallel;
  for (unsigned i = 0, e = extents.size(); i < e; ++i)
    if (reduced[i])
      all.push_back(i);

  // The result as it is stored, and whether its coordinates are its ranks.
  auto resultType = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(resultType.getShape());
  SmallVector<AffineExpr> coordinates(op.getResultMap().getResults());
  if (slice) {
    shape.erase(shape.begin() + slice->dim);
    coordinates.erase(coordinates.begin() + slice->dim);
  }
  // Behind a base only the points of the equation's own are computed.
  int extendedDim = op.getExtendedDim();
  if (extendedDim >= 0) {
    int64_t start =
        cast<RankedTensorType>(op.getBase().getType()).getDimSize(extendedDim);
    shape[extendedDim] -= start;
    coordinates[extendedDim] =
        simplifyAffineExpr(coordinates[extendedDim] - start, extents.size(), 0);
  }
  auto storedType = RankedTensorType::get(shape, resultType.getElementType());
  SmallVector<AffineExpr> outputExprs;
  bool isPlain = coordinates.size() == parallel.size();
  for (auto [d, expr] : llvm::enumerate(coordinates)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto it = dim ? llvm::find(parallel, dim.getPosition()) : parallel.end();
    if (it == parallel.end() || extents[*it] != shape[d]) {
      isPlain = false;
      break;
    }
    outputExprs.push_back(b.getAffineDimExpr(it - parallel.begin()));
  }
  AffineMap identity = b.getMultiDimIdentityMap(parallel.size());
  auto getOutput = [&](Type element) -> Value {
    return tensor::EmptyOp::create(b, loc, isPlain ? shape : parallelShape,
                                   element);
  };
  auto getOutputMap = [&](unsigned numLoops) {
    return AffineMap::get(
        numLoops, 0, isPlain ? ArrayRef(outputExprs) : identity.getResults(),
        b.getContext());
  };

  unsigned numInputs = op.getInputs().size();
  Value base;
  if (extendedDim >= 0) {
    base = sources.back().tensor;
    sources = sources.drop_back();
  }
  LoopNest nest(b, op, slice, all);
  for (const OperandSource &source : sources.take_front(numInputs))
    nest.addOperand(source.tensor, source.access);
  Value points;
  if (!op.getReduce()) {
    for (const OperandSource &source : sources.drop_front(numInputs))
      nest.addOperand(source.tensor, source.access);
    points = nest.emit(
        getOutput(resultType.getElementType()), getOutputMap(all.size()),
        all.size(), domain,
        /*keep=*/false, [&](OpBuilder &, ValueRange scalars, Value) {
          Value value =
              nest.cloneBody(op.getMap(), scalars.take_front(numInputs));
          if (op.getFinish().empty())
            return value;
          SmallVector<Value> arguments{value};
          llvm::append_range(arguments, scalars.drop_front(numInputs));
          return nest.cloneBody(op.getFinish(), arguments);
        });
  } else {
    ReduceKind kind = *op.getReduce();
    Type accumulator = op.getAccumulatorType();
    bool hasFinish = !op.getFinish().empty();
    Value identityValue =
        arith::ConstantOp::create(b, loc, identityOf(kind, accumulator));
    Value empty =
        hasFinish ? tensor::EmptyOp::create(b, loc, parallelShape, accumulator)
                        .getResult()
                  : getOutput(accumulator);
    Value start =
        linalg::FillOp::create(b, loc, identityValue, empty).getResult(0);
    AffineMap reduceMap =
        hasFinish ? AffineMap::get(all.size(), 0, identity.getResults(),
                                   b.getContext())
                  : getOutputMap(all.size());
    points = nest.emit(start, reduceMap, parallel.size(), domain, /*keep=*/true,
                       [&](OpBuilder &inner, ValueRange scalars, Value out) {
                         return combine(inner, loc, kind, out,
                                        nest.cloneBody(op.getMap(), scalars));
                       });
    if (hasFinish) {
      LoopNest finish(b, op, slice, parallel);
      finish.addLoopOperand(points, identity);
      for (const OperandSource &source : sources.drop_front(numInputs))
        finish.addOperand(source.tensor, source.access);
      points = finish.emit(getOutput(resultType.getElementType()),
                           getOutputMap(parallel.size()), parallel.size(),
                           resultDomain, /*keep=*/false,
                           [&](OpBuilder &, ValueRange scalars, Value) {
                             return finish.cloneBody(op.getFinish(), scalars);
                           });
    }
  }
  if (!isPlain)
    points = emitLayout(b, op, points, parallel, storedType, slice);
  return base ? emitExtension(b, op, base, points, extendedDim) : points;
}
