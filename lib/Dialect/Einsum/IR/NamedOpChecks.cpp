//===- NamedOpChecks.cpp - What verifiers of named ops share --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedOpChecks.h"

using namespace mlir;
using namespace transfusion::einsum;

LogicalResult transfusion::einsum::checkExtents(Operation *op) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    for (auto [dim, extent] : llvm::enumerate(typeOf(operand).getShape()))
      if (extent < 1)
        return op->emitOpError()
               << "operand " << i << " has extent " << extent
               << " in dimension " << dim << ", but needs at least 1";
  return success();
}

LogicalResult transfusion::einsum::checkRank(Operation *op, Value v,
                                             const Twine &what, int64_t rank) {
  if (typeOf(v).getRank() == rank)
    return success();
  return op->emitOpError() << what << " has " << typeOf(v).getRank()
                           << " dimensions, but needs " << rank;
}

LogicalResult transfusion::einsum::checkElementTypes(Operation *op,
                                                     Value except) {
  Type expected = typeOf(op->getOperand(0)).getElementType();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Type actual = typeOf(operand).getElementType();
    if (operand != except && actual != expected)
      return op->emitOpError() << "operand " << i << " has element type "
                               << actual << ", but operand 0 has " << expected
                               << "; cast one of them before";
  }
  return success();
}

LogicalResult transfusion::einsum::checkWeight(Operation *op, Value weight,
                                               Value bias, bool outIn,
                                               const Twine &what, int64_t in) {
  if (failed(checkRank(op, weight, what, 2)))
    return failure();
  ArrayRef<int64_t> shape = typeOf(weight).getShape();
  if (shape[outIn] != in)
    return op->emitOpError()
           << what << " reads " << shape[outIn] << " features (dimension "
           << int(outIn) << "), but its input has " << in
           << "; a weight is [inputs, outputs], with `out_in` [outputs, "
              "inputs]";
  if (!bias)
    return success();
  if (failed(checkRank(op, bias, "bias of " + what, 1)))
    return failure();
  if (typeOf(bias).getDimSize(0) != shape[!outIn])
    return op->emitOpError()
           << "bias of " << what << " has " << typeOf(bias).getDimSize(0)
           << " values, but the weight makes " << shape[!outIn]
           << " features; it needs one for each";
  return success();
}
