//===- AppendAttr.cpp - An argument with room for what follows it ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

/// `whole` is `front`, longer in dimension `dim`.
static bool extends(Type wholeType, Type frontType, int64_t dim) {
  auto whole = dyn_cast<RankedTensorType>(wholeType);
  auto front = dyn_cast<RankedTensorType>(frontType);
  if (!whole || !front || !whole.hasStaticShape() || !front.hasStaticShape() ||
      whole.getElementType() != front.getElementType() ||
      whole.getRank() != front.getRank() || dim < 0 || dim >= whole.getRank())
    return false;
  for (int64_t d = 0; d < whole.getRank(); ++d)
    if (d == dim ? whole.getDimSize(d) <= front.getDimSize(d)
                 : whole.getDimSize(d) != front.getDimSize(d))
      return false;
  return true;
}

LogicalResult AppendAttr::verifyArgument(Operation *op, unsigned index) const {
  auto function = cast<FunctionOpInterface>(op);
  int64_t numResults = function.getNumResults();
  if (getResult() < 0 || getResult() >= numResults)
    return function.emitOpError()
           << "says that argument #" << index << " is the beginning of result #"
           << getResult() << ", but has " << numResults
           << " results, counted from 0; name the one that is longer";
  Type front = function.getArgumentTypes()[index];
  Type whole = function.getResultTypes()[getResult()];
  if (!extends(whole, front, getDim())) {
    InFlightDiagnostic diag = function.emitOpError()
                              << "says that argument #" << index << ", of type "
                              << front << ", is the beginning of result #"
                              << getResult() << ", of type " << whole
                              << ", along dimension " << getDim();
    diag.attachNote() << "the result is of the argument's type, but longer in "
                         "that dimension";
    return diag;
  }
  for (unsigned other = 0; other < index; ++other)
    if (auto known =
            function.getArgAttrOfType<AppendAttr>(other, AppendAttr::kArgument);
        known && known.getResult() == getResult())
      return function.emitOpError()
             << "says of arguments #" << other << " and #" << index
             << " that they are the beginning of result #" << getResult()
             << "; one of them is: drop the other's";
  return success();
}
