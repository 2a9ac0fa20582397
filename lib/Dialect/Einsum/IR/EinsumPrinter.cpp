//===- EinsumPrinter.cpp - Text of cascades and Einsums -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::detail;

void CascadeOp::print(OpAsmPrinter &p) {
  p << " ranks(";
  llvm::interleaveComma(
      getRanks().getAsRange<RankAttr>(), p, [&](RankAttr rank) {
        p << rank.getName().getValue() << " = " << rank.getExtent();
        if (rank.getIterative())
          p << " iterative";
      });
  p << ")";
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"ranks"});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  if (getNumResults())
    p << " -> " << getResultTypes();
}

/// True when the body is one op on all block arguments in order, which can be
/// built again from its name alone.
static bool isOneOpBody(Region &region) {
  if (!region.hasOneBlock())
    return false;
  Block &block = region.front();
  if (block.getOperations().size() != 2)
    return false;
  Operation *op = &block.front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !op->hasTrait<OpTrait::SameOperandsAndResultType>() ||
      !llvm::equal(op->getOperands(), block.getArguments()) ||
      !llvm::equal(yield.getOperands(), op->getResults()) ||
      op->getNumOperands() == 0)
    return false;
  // Only attributes that a fresh op has as well (fastmath<none> is one).
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  Operation *fresh = Operation::create(state);
  bool same = fresh->getAttrDictionary() == op->getAttrDictionary();
  fresh->destroy();
  return same;
}

static void printBody(OpAsmPrinter &p, Region &region) {
  if (isOneOpBody(region))
    p << ' ' << region.front().front().getName();
  else {
    p << ' ';
    p.printRegion(region);
  }
}

static void printAccess(OpAsmPrinter &p, AffineMap map,
                        ArrayRef<StringRef> names) {
  p << '[';
  llvm::interleave(
      map.getResults(), p,
      [&](AffineExpr expr) {
        printRankExpr(p.getStream(), expr, names, /*spaced=*/false);
      },
      ",");
  p << ']';
}

/// The order that the text alone gives: ranks as they appear in the result,
/// then the reduced ones as `over` lists them.
static bool hasDerivedRankOrder(MapReduceOp op) {
  SmallVector<unsigned> seen;
  for (AffineExpr result : op.getResultMap().getResults())
    result.walk([&](AffineExpr expr) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        if (!llvm::is_contained(seen, dim.getPosition()))
          seen.push_back(dim.getPosition());
    });
  for (auto [i, position] : llvm::enumerate(seen))
    if (position != i)
      return false;
  return op.getReduce() || seen.size() == op.getRanks().size();
}

void MapReduceOp::print(OpAsmPrinter &p) {
  SmallVector<StringRef> names(getRanks().getAsValueRange<StringAttr>());
  auto printOperands = [&](ValueRange values, unsigned firstMap) {
    p << " from ";
    llvm::interleaveComma(llvm::enumerate(values), p, [&](auto it) {
      p << it.value();
      printAccess(
          p, cast<AffineMapAttr>(getMaps()[firstMap + it.index()]).getValue(),
          names);
    });
  };

  p << ' ';
  p.printAttribute(getEinsumNameAttr());
  p << ' ';
  printAccess(p, getResultMap(), names);
  if (Value base = getBase())
    p << " extends " << base;
  if (!getInputs().empty())
    printOperands(getInputs(), 0);
  if (!getMap().empty()) {
    p << " map";
    printBody(p, getMap());
  }
  if (getReduce()) {
    p << " reduce " << stringifyReduceKind(*getReduce()) << " over [";
    SmallVector<StringRef> reduced;
    for (auto [name, isReduced] : llvm::zip(names, getReducedRanks()))
      if (isReduced)
        reduced.push_back(name);
    llvm::interleave(reduced, p, ",");
    p << ']';
  }
  if (!getFinishInputs().empty() || !getFinish().empty()) {
    p << " finish";
    if (!getFinishInputs().empty())
      printOperands(getFinishInputs(), getInputs().size());
    if (!getFinish().empty())
      printBody(p, getFinish());
  }
  if (std::optional<IntegerSet> domain = getDomain()) {
    p << " where ";
    printConstraints(p.getStream(), *domain, names);
  }
  if (TypedAttr init = getInitAttr()) {
    p << " init ";
    auto real = dyn_cast<FloatAttr>(init);
    Type element = cast<RankedTensorType>(getType()).getElementType();
    if (real && real.getValue().isInfinity() && real.getType() == element)
      p << (real.getValue().isNegative() ? "-inf" : "inf");
    else
      p.printAttribute(init);
  }
  if (!hasDerivedRankOrder(*this)) {
    p << " iterate [";
    llvm::interleave(names, p, ",");
    p << ']';
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                     {"einsum_name", "ranks", "maps",
                                      "result_map", "domain", "reduce", "init",
                                      getOperandSegmentSizesAttrName()});
  p << " : ";
  p.printFunctionalType(*this);
}

void MapReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getEinsumName());
}
