//===- EinsumNamedOps.cpp - Verifiers of the ops of a layer ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers in comments are those of the constraints in EinsumNamedOps.td.
// Result types that follow from the operands are compared here too, for one
// message with both types; InferTypeOpInterface would give two without.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

static RankedTensorType typeOf(Value v) {
  return cast<RankedTensorType>(v.getType());
}

static LogicalResult checkExtents(Operation *op) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    for (auto [dim, extent] : llvm::enumerate(typeOf(operand).getShape()))
      if (extent < 1)
        return op->emitOpError()
               << "operand " << i << " has extent " << extent
               << " in dimension " << dim << ", but needs at least 1";
  return success();
}

static LogicalResult checkRank(Operation *op, Value v, const Twine &what,
                               int64_t rank) {
  if (typeOf(v).getRank() == rank)
    return success();
  return op->emitOpError() << what << " has " << typeOf(v).getRank()
                           << " dimensions, but needs " << rank;
}

/// All operands but `except` have the element type of the first one.
static LogicalResult checkElementTypes(Operation *op, Value except = {}) {
  Type expected = typeOf(op->getOperand(0)).getElementType();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Type actual = typeOf(operand).getElementType();
    if (operand != except && actual != expected)
      return op->emitOpError() << "operand " << i << " has element type "
                               << actual << ", but operand 0 has " << expected;
  }
  return success();
}

/// A weight of `in` rows, in either layout, and its bias if there is one.
static LogicalResult checkWeight(Operation *op, Value weight, Value bias,
                                 bool outIn, const Twine &what, int64_t in) {
  if (failed(checkRank(op, weight, what, 2)))
    return failure();
  ArrayRef<int64_t> shape = typeOf(weight).getShape();
  if (shape[outIn] != in)
    return op->emitOpError()
           << what << " reads " << shape[outIn] << " features (dimension "
           << int(outIn) << "), but its input has " << in;
  if (!bias)
    return success();
  if (failed(checkRank(op, bias, "bias of " + what, 1)))
    return failure();
  if (typeOf(bias).getDimSize(0) != shape[!outIn])
    return op->emitOpError()
           << "bias of " << what << " has " << typeOf(bias).getDimSize(0)
           << " values, but the weight makes " << shape[!outIn] << " features";
  return success();
}

/// The op's results are what its operands imply. Call it last.
template <typename OpTy> static LogicalResult checkResultTypes(OpTy op) {
  SmallVector<Type> expected;
  if (failed(OpTy::inferReturnTypes(op.getContext(), op.getLoc(),
                                    typename OpTy::Adaptor(op), expected)))
    return failure();
  for (auto [i, actual, wanted] :
       llvm::enumerate(op->getResultTypes(), expected))
    if (actual != wanted)
      return op.emitOpError() << "result " << i << " is " << actual
                              << ", but must be " << wanted;
  return success();
}

static LogicalResult checkLastDim(Operation *op, Value x, int64_t atLeast = 1) {
  if (typeOf(x).getRank() >= atLeast)
    return success();
  return op->emitOpError() << "input has " << typeOf(x).getRank()
                           << " dimensions, but needs at least " << atLeast;
}

//===----------------------------------------------------------------------===//
// QkvOp
//===----------------------------------------------------------------------===//

LogicalResult QkvOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkRank(*this, getX(), "x", 3)))
    return failure(); // (1)
  size_t count = getWeights().size();
  if (count != 1 && count != 3) // (2)
    return emitOpError() << "has " << count
                         << " weights, but needs 3, or 1 that holds all three";
  if (!getBiases().empty() && getBiases().size() != count) // (7)
    return emitOpError() << "has " << getBiases().size() << " biases for "
                         << count << " weights";
  if (getHeads() < 1) // (4)
    return emitOpError() << "has " << getHeads()
                         << " heads, but needs at least 1";

  static constexpr const char *kNames[] = {"query weight", "key weight",
                                           "value weight"};
  int64_t width[3];
  for (auto [i, weight] : llvm::enumerate(getWeights())) {
    const char *name = isFused() ? "fused weight" : kNames[i];
    if (failed(checkWeight(*this, weight,
                           getBiases().empty() ? Value() : getBiases()[i],
                           getOutIn(), name,
                           typeOf(getX()).getDimSize(2)))) // (2) (3) (7)
      return failure();
    width[i] = typeOf(weight).getDimSize(getOutIn() ? 0 : 1);
    if (isFused()) {
      if (width[0] % 3) // (5)
        return emitOpError() << "fused weight makes " << width[0]
                             << " features, which is no multiple of 3";
      width[0] = width[1] = width[2] = width[0] / 3;
    }
    if (width[i] % static_cast<int64_t>(getHeads())) // (4)
      return emitOpError() << getHeads() << " heads do not divide the "
                           << width[i] << " features of the " << name;
  }
  if (width[0] != width[1]) // (6)
    return emitOpError() << "query weight makes " << width[0]
                         << " features, but key weight " << width[1];
  if (failed(checkElementTypes(*this))) // (8)
    return failure();
  return checkResultTypes(*this);
}

//===----------------------------------------------------------------------===//
// MhaOp
//===----------------------------------------------------------------------===//

LogicalResult MhaOp::verify() {
  if (failed(checkExtents(*this)))
    return failure();
  static constexpr const char *kNames[] = {"q", "k", "v"};
  for (int i = 0; i < 3; ++i) // (1)
    if (failed(checkRank(*this, getOperand(i), kNames[i], 4)))
      return failure();
  ArrayRef<int64_t> q = typeOf(getQ()).getShape(),
                    k = typeOf(getK()).getShape(),
                    v = typeOf(getV()).getShape();
  for (int i = 1; i < 3; ++i) { // (2)
    ArrayRef<int64_t> other = i == 1 ? k : v;
    if (other[0] != q[0])
      return emitOpError() << "q has batch " << q[0] << ", but " << kNames[i]
                           << " has " << other[0];
    if (other[1] != q[1])
      return emitOpError() << "q has " << q[1] << " heads, but " << kNames[i]
                           << " has " << other[1];
  }
  if (q[3] != k[3]) // (3)
    return emitOpError() << "q has " << q[3] << " features per head, but k has "
                         << k[3];
  if (k[2] != v[2]) // (4)
    return emitOpError() << "k has " << k[2] << " keys, but v has " << v[2];

  if (Value mask = getMask()) { // (5)
    int64_t full[] = {q[0], q[1], q[2], k[2]};
    ArrayRef<int64_t> shape = typeOf(mask).getShape();
    if (shape.size() > 4)
      return emitOpError() << "mask has " << shape.size()
                           << " dimensions, but may have 4 at most";
    for (auto [i, extent] : llvm::enumerate(shape)) {
      int64_t expected = full[4 - shape.size() + i];
      if (extent != 1 && extent != expected)
        return emitOpError() << "mask has extent " << extent << " in dimension "
                             << i << ", but must have 1 or " << expected
                             << " to broadcast to the scores " << q[0] << "x"
                             << q[1] << "x" << q[2] << "x" << k[2];
    }
  }

  RankedTensorType result = getType();
  Type element = typeOf(getQ()).getElementType();
  auto split = RankedTensorType::get({q[0], q[1], q[2], v[3]}, element);
  auto merged = RankedTensorType::get({q[0], q[2], q[1] * v[3]}, element);
  if (failed(checkElementTypes(*this, getMask()))) // (7)
    return failure();
  if (result != split && result != merged) // (6)
    return emitOpError() << "result is " << result << ", but must be " << split
                         << ", or " << merged << " with merged heads";
  if (getScale() && !getScale()->isFinite()) // (8)
    return emitOpError() << "scale is not finite";
  return success();
}

LogicalResult MhaOp::canonicalize(MhaOp op, PatternRewriter &rewriter) {
  if (!op.getScale() || !op.getScale()->isExactlyValue(1.0))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.removeScaleAttr(); });
  return success();
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  if (failed(checkExtents(*this)))
    return failure();
  auto axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= getType().getRank()) // (1)
    return emitOpError() << "axis " << axis << " is not a dimension of x, "
                         << "which has " << getType().getRank();
  return success();
}

LogicalResult LayerNormOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLastDim(*this, getX())))
    return failure();
  int64_t width = typeOf(getX()).getShape().back();
  if (getBeta() && !getGamma()) // (2)
    return emitOpError() << "has beta but no gamma";
  for (auto [name, v] :
       {std::pair("gamma", getGamma()), std::pair("beta", getBeta())}) { // (1)
    if (!v)
      continue;
    if (failed(checkRank(*this, v, name, 1)))
      return failure();
    if (typeOf(v).getDimSize(0) != width)
      return emitOpError() << name << " has " << typeOf(v).getDimSize(0)
                           << " values, but the last dimension of x has "
                           << width;
  }
  if (!getEps().isFinite() || getEps().isNegative()) // (4)
    return emitOpError() << "eps is negative or not finite";
  if (failed(checkElementTypes(*this))) // (3)
    return failure();
  return checkResultTypes(*this);
}

LogicalResult LinearOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLastDim(*this, getX())) ||
      failed(checkWeight(*this, getWeight(), getBias(), getOutIn(), "weight",
                         typeOf(getX()).getShape().back()))) // (1) (2) (3)
    return failure();
  if (failed(checkElementTypes(*this))) // (4)
    return failure();
  return checkResultTypes(*this);
}

LogicalResult FfnOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLastDim(*this, getX())))
    return failure();
  if (!getBiases().empty() && getBiases().size() != 2) // (4)
    return emitOpError() << "has " << getBiases().size()
                         << " biases, but needs 2 or none";
  bool hasBias = !getBiases().empty();
  if (failed(checkWeight(*this, getW1(), hasBias ? getBiases()[0] : Value(),
                         getOutIn(), "first weight",
                         typeOf(getX()).getShape().back()))) // (1) (2) (4)
    return failure();
  int64_t hidden = typeOf(getW1()).getDimSize(getOutIn() ? 0 : 1);
  if (failed(checkWeight(*this, getW2(), hasBias ? getBiases()[1] : Value(),
                         getOutIn(), "second weight", hidden))) // (1) (3) (4)
    return failure();
  if (failed(checkElementTypes(*this))) // (5)
    return failure();
  return checkResultTypes(*this);
}

LogicalResult AddOp::verify() { return checkExtents(*this); }
