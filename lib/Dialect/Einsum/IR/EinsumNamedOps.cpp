//===- EinsumNamedOps.cpp - Verifiers of the other ops of a layer ---------===//
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

#include "NamedOpChecks.h"

using namespace mlir;
using namespace transfusion::einsum;

static LogicalResult checkLastDim(Operation *op, Value x, int64_t atLeast = 1) {
  if (typeOf(x).getRank() >= atLeast)
    return success();
  return op->emitOpError() << "input has " << typeOf(x).getRank()
                           << " dimensions, but needs at least " << atLeast;
}

static LogicalResult checkEps(Operation *op, const APFloat &eps) {
  if (eps.isFinite() && !eps.isNegative())
    return success();
  SmallString<16> text;
  eps.toString(text, /*FormatPrecision=*/6);
  return op->emitOpError() << "eps is " << text
                           << ", but must be finite and not negative";
}

LogicalResult SoftmaxOp::verify() {
  if (failed(checkExtents(*this)))
    return failure();
  auto axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= getType().getRank()) // (1)
    return emitOpError() << "axis " << axis << " is not a dimension of x, "
                         << "which has " << getType().getRank()
                         << " (axes count from 0)";
  return success();
}

LogicalResult LayerNormOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLastDim(*this, getX())))
    return failure();
  int64_t width = typeOf(getX()).getShape().back();
  if (getBeta() && !getGamma()) // (2)
    return emitOpError() << "has beta but no gamma; give a gamma of ones, or "
                            "drop beta";
  for (auto [name, v] :
       {std::pair("gamma", getGamma()), std::pair("beta", getBeta())}) { // (1)
    if (!v)
      continue;
    if (failed(checkRank(*this, v, name, 1)))
      return failure();
    if (typeOf(v).getDimSize(0) != width)
      return emitOpError() << name << " has " << typeOf(v).getDimSize(0)
                           << " values, but the last dimension of x has "
                           << width << "; it needs one for each";
  }
  if (failed(checkEps(*this, getEps()))) // (4)
    return failure();
  if (failed(checkElementTypes(*this))) // (3)
    return failure();
  return checkResultTypes(*this);
}

LogicalResult RmsNormOp::verify() {
  if (failed(checkExtents(*this)) || failed(checkLastDim(*this, getX())))
    return failure();
  int64_t width = typeOf(getX()).getShape().back();
  if (Value gamma = getGamma()) { // (1)
    if (failed(checkRank(*this, gamma, "gamma", 1)))
      return failure();
    if (typeOf(gamma).getDimSize(0) != width)
      return emitOpError() << "gamma has " << typeOf(gamma).getDimSize(0)
                           << " values, but the last dimension of x has "
                           << width << "; it needs one for each";
  }
  if (failed(checkEps(*this, getEps()))) // (3)
    return failure();
  if (failed(checkElementTypes(*this))) // (2)
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
  size_t weights = getGate() ? 3 : 2;
  bool hasBias = !getBiases().empty();
  if (hasBias && getBiases().size() != weights) // (4)
    return emitOpError() << "has " << getBiases().size()
                         << " biases, but needs " << weights << " or none";
  auto bias = [&](int i) { return hasBias ? getBiases()[i] : Value(); };
  int64_t width = typeOf(getX()).getShape().back();
  if (failed(checkWeight(*this, getW1(), bias(0), getOutIn(), "first weight",
                         width))) // (1) (2) (4)
    return failure();
  int64_t hidden = typeOf(getW1()).getDimSize(getOutIn() ? 0 : 1);
  if (failed(checkWeight(*this, getW2(), bias(1), getOutIn(), "second weight",
                         hidden))) // (1) (3) (4)
    return failure();
  if (Value gate = getGate()) {
    if (failed(checkWeight(*this, gate, bias(2), getOutIn(), "gate weight",
                           width))) // (1) (2) (4)
      return failure();
    int64_t made = typeOf(gate).getDimSize(getOutIn() ? 0 : 1);
    if (made != hidden) // (6)
      return emitOpError() << "gate weight makes " << made
                           << " features, but the first weight " << hidden
                           << "; both are multiplied, and need as many";
  }
  if (failed(checkElementTypes(*this))) // (5)
    return failure();
  return checkResultTypes(*this);
}

LogicalResult AddOp::verify() { return checkExtents(*this); }
