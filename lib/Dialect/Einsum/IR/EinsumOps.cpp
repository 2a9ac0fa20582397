//===- EinsumOps.cpp - Accessors of cascades and Einsums ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

#define GET_OP_CLASSES
#include "transfusion/Dialect/Einsum/IR/EinsumOps.cpp.inc"

//===----------------------------------------------------------------------===//
// CascadeOp
//===----------------------------------------------------------------------===//

RegionKind CascadeOp::getRegionKind(unsigned) { return RegionKind::Graph; }

RankAttr CascadeOp::lookupRank(StringRef name) {
  for (RankAttr rank : getRanks().getAsRange<RankAttr>())
    if (rank.getName() == name)
      return rank;
  return {};
}

YieldOp CascadeOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

//===----------------------------------------------------------------------===//
// MapReduceOp
//===----------------------------------------------------------------------===//

CascadeOp MapReduceOp::getCascade() {
  return cast<CascadeOp>((*this)->getParentOp());
}

void MapReduceOp::build(OpBuilder &b, OperationState &state, Type result,
                        StringAttr name, ArrayAttr ranks, ArrayAttr maps,
                        AffineMapAttr resultMap, IntegerSetAttr domain,
                        ReduceKindAttr reduce, TypedAttr init,
                        ValueRange inputs, ValueRange finishInputs) {
  build(b, state, result, name, ranks, maps, resultMap, domain, reduce, init,
        inputs, finishInputs, Value());
}

int MapReduceOp::getExtendedDim() {
  if (!getBase())
    return -1;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getType()).getShape();
  ArrayRef<int64_t> base =
      cast<RankedTensorType>(getBase().getType()).getShape();
  if (shape.size() == base.size())
    for (size_t d = 0; d < shape.size(); ++d)
      if (shape[d] != base[d])
        return static_cast<int>(d);
  return -1; // refused by the verifier
}

AffineMap MapReduceOp::getBaseMap(AffineMap resultMap, int dim) {
  SmallVector<AffineExpr> exprs(resultMap.getResults());
  exprs[dim] = getAffineConstantExpr(0, resultMap.getContext());
  return AffineMap::get(resultMap.getNumDims(), 0, exprs,
                        resultMap.getContext());
}

SmallVector<int64_t> MapReduceOp::getExtents() {
  CascadeOp cascade = getCascade();
  SmallVector<int64_t> extents;
  for (StringRef name : getRanks().getAsValueRange<StringAttr>())
    extents.push_back(cascade.lookupRank(name).getExtent());
  return extents;
}

AffineMap MapReduceOp::getInputMap(unsigned i) {
  return cast<AffineMapAttr>(getMaps()[i]).getValue();
}

AffineMap MapReduceOp::getFinishInputMap(unsigned i) {
  return cast<AffineMapAttr>(getMaps()[getInputs().size() + i]).getValue();
}

SmallVector<bool> MapReduceOp::getReducedRanks() {
  SmallVector<bool> reduced;
  for (unsigned i = 0, e = getRanks().size(); i < e; ++i)
    reduced.push_back(!getResultMap().isFunctionOfDim(i));
  return reduced;
}

int MapReduceOp::getIterativeDim() {
  CascadeOp cascade = getCascade();
  for (auto [i, expr] : llvm::enumerate(getResultMap().getResults())) {
    auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!sum || sum.getKind() != AffineExprKind::Add)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(sum.getLHS());
    auto one = dyn_cast<AffineConstantExpr>(sum.getRHS());
    if (!dim || !one || one.getValue() != 1)
      continue;
    auto name = cast<StringAttr>(getRanks()[dim.getPosition()]).getValue();
    RankAttr rank = cascade.lookupRank(name);
    if (rank && rank.getIterative())
      return i;
  }
  return -1;
}

Type MapReduceOp::getAccumulatorType() {
  if (getMap().empty())
    return cast<RankedTensorType>(getInputs().front().getType())
        .getElementType();
  return getMap().front().getTerminator()->getOperand(0).getType();
}
