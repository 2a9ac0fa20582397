//===- BodyReads.cpp - Tensors that a body reads at its indices -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyReads.h"
#include "IndexFunction.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace transfusion::raise;

static bool isStatic(Operation *op) {
  return llvm::all_of(op->getOperandTypes(),
                      [](Type type) {
                        auto shaped = dyn_cast<ShapedType>(type);
                        return !shaped || shaped.hasStaticShape();
                      }) &&
         llvm::all_of(op->getResultTypes(), [](Type type) {
           return cast<ShapedType>(type).hasStaticShape();
         });
}

AffineMap transfusion::raise::accessOf(Operation *op, tensor::ExtractOp read,
                                       std::string &whyNot) {
  Value tensor = read.getTensor();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (tensor.getParentBlock() == read->getBlock() || !type ||
      !type.hasStaticShape() || !isStatic(op)) {
    whyNot = "its body reads a tensor whose shape is not static, or that it "
             "makes itself ('tensor.extract'); only what stands outside of it "
             "can be an operand";
    return {};
  }
  IndexFunction function(op);
  SmallVector<AffineExpr> places;
  for (auto [index, size] : llvm::zip(read.getIndices(), type.getShape())) {
    std::optional<AffineExpr> place = function.of(index);
    if (!place) {
      whyNot =
          "its body reads a tensor ('tensor.extract') " + function.whyNot();
      return {};
    }
    std::optional<IndexRange> range = function.rangeOf(*place);
    if (!range || range->low < 0 || range->high >= size) {
      whyNot = "its body reads a tensor ('tensor.extract') outside of its " +
               std::to_string(size) + " elements; keep the index within them";
      return {};
    }
    places.push_back(*place);
  }
  return AffineMap::get(function.numLoops(), 0, places, op->getContext());
}

static SmallVector<tensor::ExtractOp> affineReads(linalg::GenericOp op) {
  SmallVector<tensor::ExtractOp> reads;
  std::string whyNot;
  for (auto read : op.getBody()->getOps<tensor::ExtractOp>())
    if (accessOf(op, read, whyNot))
      reads.push_back(read);
  return reads;
}

bool transfusion::raise::hasAffineReads(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && !affineReads(generic).empty();
}

void transfusion::raise::expandReads(RewriterBase &rewriter,
                                     linalg::GenericOp op) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned numInputs = inputs.size();
  // Of one element at one place there is one operand.
  SmallVector<std::pair<Value, AffineMap>> taken;
  SmallVector<std::pair<tensor::ExtractOp, unsigned>> replaced;
  for (tensor::ExtractOp read : affineReads(op)) {
    std::string whyNot;
    std::pair<Value, AffineMap> operand{read.getTensor(),
                                        accessOf(op, read, whyNot)};
    auto *found = llvm::find(taken, operand);
    replaced.push_back({read, found - taken.begin()});
    if (found == taken.end())
      taken.push_back(operand);
  }
  for (auto [i, operand] : llvm::enumerate(taken)) {
    inputs.push_back(operand.first);
    maps.insert(maps.begin() + numInputs + i, operand.second);
  }
  auto made = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), made.getRegion(),
                              made.getRegion().end());
  Block *body = made.getBody();
  for (auto [i, operand] : llvm::enumerate(taken))
    body->insertArgument(
        numInputs + i,
        cast<RankedTensorType>(operand.first.getType()).getElementType(),
        op.getLoc());
  for (auto [read, number] : replaced)
    rewriter.replaceOp(read, body->getArgument(numInputs + number));
  rewriter.replaceOp(op, made.getResults());
}
