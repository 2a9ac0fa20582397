//===- BodyReads.cpp - Tensors that a body reads at its indices -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyReads.h"
#include "IndexFunction.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

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
  bool isMadeInside =
      read->getBlock() == tensor.getParentBlock() && read->getParentOp() == op;
  if (isMadeInside || !type || !type.hasStaticShape() || !isStatic(op)) {
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

bool transfusion::raise::isScalarRead(Value value) {
  auto read = value.getDefiningOp<tensor::ExtractOp>();
  auto type =
      read ? dyn_cast<RankedTensorType>(read.getTensor().getType()) : nullptr;
  if (!type || !type.hasStaticShape() || type.getElementType().isF64() ||
      read->getParentOfType<linalg::LinalgOp>() ||
      read->getParentOfType<tensor::GenerateOp>())
    return false;
  return llvm::all_of(llvm::zip(read.getIndices(), type.getShape()),
                      [](auto pair) {
                        auto [index, size] = pair;
                        std::optional<int64_t> at = getConstantIntValue(index);
                        return at && *at >= 0 && *at < size;
                      });
}

bool transfusion::raise::isReadByBodiesOnly(Operation *read) {
  return isScalarRead(read->getResult(0)) &&
         llvm::all_of(read->getUsers(), [](Operation *user) {
           return isa<linalg::LinalgOp>(user) ||
                  user->getParentOfType<linalg::LinalgOp>();
         });
}

/// Elements that the op reads at affine places: in its body, and scalars from
/// outside of it.
static SmallVector<tensor::ExtractOp> affineReads(linalg::LinalgOp op) {
  llvm::SetVector<tensor::ExtractOp> reads;
  std::string whyNot;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isScalarRead(input->get()))
      reads.insert(input->get().getDefiningOp<tensor::ExtractOp>());
  for (Operation &inner : *op.getBlock()) {
    auto read = dyn_cast<tensor::ExtractOp>(inner);
    if (read && isa<linalg::GenericOp>(op) && accessOf(op, read, whyNot))
      reads.insert(read);
    for (Value operand : inner.getOperands())
      if (isScalarRead(operand))
        reads.insert(operand.getDefiningOp<tensor::ExtractOp>());
  }
  return reads.takeVector();
}

bool transfusion::raise::hasAffineReads(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureTensorSemantics() &&
         !affineReads(linalgOp).empty();
}

void transfusion::raise::expandReads(RewriterBase &rewriter,
                                     linalg::LinalgOp any) {
  if (!isa<linalg::GenericOp>(any)) {
    // Its reads are found again in what stands for it.
    (void)linalg::generalizeNamedOp(rewriter, any);
    return;
  }
  auto op = cast<linalg::GenericOp>(any);
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
    // A scalar operand becomes the tensor.
    for (auto [i, input] : llvm::enumerate(op.getInputs()))
      if (input == read.getResult()) {
        inputs[i] = operand.first;
        maps[i] = operand.second;
      }
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
  for (auto [read, number] : replaced) {
    Value argument = body->getArgument(numInputs + number);
    if (read->getBlock() == body)
      rewriter.replaceOp(read, argument);
    else
      rewriter.replaceUsesWithIf(
          read.getResult(), argument,
          [&](OpOperand &use) { return use.getOwner()->getBlock() == body; });
  }
  rewriter.replaceOp(op, made.getResults());
}
